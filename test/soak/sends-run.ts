import { writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { type SendsReport, soakSends } from './sends.js';

/**
 * `npm run soak sends [payments] [seed]`: the long form, and its table in RESULTS-sends.md. Every 500 payments begin
 * anew, with the next seed: a chain of its own and a journal without a past.
 */
const [payments = 2_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const reports: SendsReport[] = [];
for (let left = payments; left > 0; left -= 500) {
  const report = await soakSends({ payments: Math.min(left, 500), seed: seed + reports.length });
  reports.push(report);
  console.log(
    `seed ${report.seed}: ${report.signed} signed, ${report.defects.length} defects, ${report.seconds} s`,
  );
}
const sum = (of: (report: SendsReport) => number) => reports.reduce((total, each) => total + of(each), 0);
const troubles = [...new Set(reports.flatMap((report) => Object.keys(report.troubles)))].sort();
const defects = reports.flatMap((report) => report.defects.map((defect) => `seed ${report.seed}: ${defect}`));
const page = `# Payments through troubled nodes

\`npm run soak sends\`: two tabs of one wallet pay through a balancer in front of three nodes of one chain (a real EVM).
Every payment has a value of its own and is tried again when it is refused. When the trouble is over, each must be
mined exactly once, every state of the journal must be true, and nothing may be unresolved.

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${platform()} ${arch()}, ${cpus().length} cores, seeds ${seed} to ${seed + reports.length - 1}, ${sum(({ seconds }) => seconds)} s.

| | |
|---|---|
| payments | ${payments} |
| transactions signed | ${sum(({ signed }) => signed)} |
| refused in a node's words, and tried again | ${sum(({ refused }) => refused)} |
| blocks / reorganisations | ${sum(({ blocks }) => blocks)} / ${sum(({ reorganisations }) => reorganisations)} |
${troubles.map((what) => `| ${what} | ${sum((report) => report.troubles[what] ?? 0)} |\n`).join('')}| **paid twice, lost, unresolved, or in a wrong state** | **${defects.length}** |
`;
writeFileSync(new URL('RESULTS-sends.md', import.meta.url), page);
console.log(page, defects.join('\n'));
process.exit(defects.length === 0 ? 0 : 1);

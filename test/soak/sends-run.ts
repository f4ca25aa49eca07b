import { writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { soakSends } from './sends.js';

/** `npm run soak:sends [payments] [seed]`: the long form, and its table in RESULTS-sends.md. */
const [payments = 2_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const report = await soakSends({ payments, seed });
const { signed, refused, blocks, reorganisations, seconds, troubles, defects } = report;
const page = `# Payments through troubled nodes

\`npm run soak:sends\`: two tabs of one wallet pay through a balancer in front of three nodes of one chain (a real EVM).
Every payment has a value of its own and is tried again when it is refused. When the trouble is over, each must be
mined exactly once, every state of the journal must be true, and nothing may be unresolved.

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${platform()} ${arch()}, ${cpus().length} cores, seed ${seed}, ${seconds} s.

| | |
|---|---|
| payments | ${payments} |
| transactions signed | ${signed} |
| refused in a node's words, and tried again | ${refused} |
| blocks / reorganisations | ${blocks} / ${reorganisations} |
${Object.entries(troubles)
  .sort(([a], [b]) => a.localeCompare(b))
  .map(([what, count]) => `| ${what} | ${count} |\n`)
  .join('')}| **paid twice, lost, unresolved, or in a wrong state** | **${defects.length}** |
`;
writeFileSync(new URL('RESULTS-sends.md', import.meta.url), page);
console.log(page, defects.join('\n'));
process.exit(defects.length === 0 ? 0 : 1);

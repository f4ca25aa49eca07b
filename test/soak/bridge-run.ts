import { writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { soakBridge } from './bridge.js';

/** `npm run soak bridge [kills] [seed]`: the long form, and its table in RESULTS-bridge.md. */
const [kills = 50, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const report = await soakBridge({
  ...{ kills, seed },
  onProgress: (count, how) => process.stderr.write(`${count} of ${kills}: ${how}\n`),
});
const rows = (counts: Readonly<Record<string, number>>, prefix: string) =>
  Object.entries(counts)
    .map(([what, count]) => `| ${prefix}${what} | ${count} |\n`)
    .join('');
const told = Object.fromEntries(
  Object.entries(report.told).map(([page, { heads, logs }]) => [`${page}: heads, logs`, `${heads}, ${logs}`]),
);
const page = `# Frames that die

\`npm run soak bridge\`: a tab on the wallet's origin and two dapps over the bridge pay and listen to blocks and logs while
the chain reorganises and the dapps' frames are killed, in any state. Every payment has a value of its own; it is made
again only if the dapp was told that it was not made, or if it is not in the journal. In the end each must be mined
exactly once, and each page must have been told exactly the blocks and logs of the chain.

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, Chromium, ${platform()} ${arch()}, ${cpus().length} cores, seed ${seed}, ${report.seconds} s.

| | |
|---|---|
${rows(report.kills, 'frames ')}| payments | ${report.payments} |
| transactions signed | ${report.signed} |
${rows(report.answers, 'payments: ')}| blocks / reorganisations | ${report.blocks} / ${report.reorganisations} |
${rows(told as never, 'told to ')}| **events lost, doubled or out of order; payments lost, doubled or in a wrong state** | **${report.defects.length}** |
`;
writeFileSync(new URL('RESULTS-bridge.md', import.meta.url), page);
console.log(page, report.defects.join('\n'));
process.exit(report.defects.length === 0 ? 0 : 1);

import { writeFileSync } from 'node:fs';
import { soakRelay } from './relay.js';
import { describeRelayReport } from './relay-table.js';

/** `npm run soak relay [reorganisations] [seed] [clients]`: the long form, and its table in RESULTS-relay.md. */
const [reorgs = 2_000, seed = Date.now() % 1_000_000, clients = 200] = process.argv.slice(2).map(Number);
process.stderr.write(`seed ${seed}\n`);
let next = 0;
const report = await soakRelay({
  ...{ reorgs, seed, clients },
  onProgress(height, done, defects) {
    if (done < next) return;
    next = done + reorgs / 20;
    process.stderr.write(`${height} blocks, ${done} reorganisations, ${defects} defects\n`);
  },
});
const page = `# Relays that die

\`npm run soak relay\`: clients of two instances of the relay, which share a Redis, listen over WebSockets while the chain
reorganises, instances are killed and frozen, Redis is killed, connections are cut, and the service fails, lags and lies.
What each client was told on a connection must be the chain.

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, 2 cores.

${describeRelayReport(report)}`;
writeFileSync(new URL('RESULTS-relay.md', import.meta.url), page);
console.log(page);
process.exit(report.defects.length === 0 ? 0 : 1);

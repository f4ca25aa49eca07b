import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPackage } from '../support/built.js';
import { launchChromium } from '../support/chromium.js';
import { measureBridge } from './bridge.js';
import { measureCachedReads } from './cached-reads.js';
import { changes } from './changes.js';
import { entryBuilds, measureEntries } from './entries.js';
import { measureFirstSignature } from './first-signature.js';
import { measureHeap } from './heap.js';
import { measureIdentical } from './identical.js';
import { measureJournal } from './journal.js';
import { measureLoad } from './load.js';
import { measureLoads } from './loads.js';
import { measureLogRanges } from './log-range.js';
import { measureOverhead } from './overhead.js';
import { measurePermissions } from './permissions.js';
import { measureProof } from './proof.js';
import { measureProxies } from './proxies.js';
import { measureRelay } from './relay.js';
import { measureRoundTrips } from './round-trips.js';
import { type Row, table } from './row.js';
import { measureSession } from './session.js';
import { measureSignatures } from './signatures.js';
import { measureSigning } from './signing.js';
import { measureSlowPhone } from './slow-phone.js';
import { measureUnlock } from './unlock.js';
import { measureWeight } from './weight.js';

/**
 * `npm run bench`: everything in one run, one thing at a time, as a table. The full form writes it to
 * RESULTS.md; the short form (BENCH_SHORT=1) prints it within a minute. Names select: `npm run bench unlock`.
 * BENCH_BEFORE names a file with the output of an earlier run: only rows with another figure are printed.
 */
const extent = { short: process.env.BENCH_SHORT === '1' };
const built = await buildPackage(entryBuilds);
const browser = await launchChromium();
const measurements: Readonly<Record<string, () => Promise<Row[]>>> = {
  weight: () => measureWeight(built, extent),
  entries: () => measureEntries(built),
  loads: () => measureLoads(built, browser),
  load: () => measureLoad(built, browser, extent),
  signing: () => measureSigning(extent),
  signatures: () => measureSignatures(built, browser, extent),
  'first-signature': () => measureFirstSignature(built, browser, extent),
  'round-trips': () => measureRoundTrips(extent),
  overhead: () => measureOverhead(built, browser, extent),
  identical: () => measureIdentical(),
  'cached-reads': () => measureCachedReads(extent),
  'log-range': () => measureLogRanges(extent),
  session: () => measureSession(extent),
  unlock: () => measureUnlock(built, browser, extent),
  'slow-phone': () => measureSlowPhone(built, browser, extent),
  journal: () => measureJournal(built, browser, extent),
  permissions: () => measurePermissions(extent),
  proof: () => measureProof(extent),
  heap: () => measureHeap(extent),
  bridge: () => measureBridge(built, extent),
  relay: () => measureRelay(extent),
  proxies: () => measureProxies(extent),
};
/** Needs programs that are not installed with the project. */
const onlyByName: readonly string[] = ['proxies'];
const selected = process.argv.slice(2);
const unknown = selected.find((name) => !Object.hasOwn(measurements, name));
if (unknown !== undefined)
  throw new TypeError(`No measurement is named ${unknown}: ${Object.keys(measurements).join(', ')}`);

const rows: Row[] = [];
const began = performance.now();
try {
  for (const [name, measure] of Object.entries(measurements)) {
    if (selected.length > 0 ? !selected.includes(name) : onlyByName.includes(name)) continue;
    const start = performance.now();
    rows.push(...(await measure()));
    process.stderr.write(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  }
} finally {
  await browser.close();
  await built.stop();
}
const { BENCH_BEFORE: before } = process.env;
console.log(`\n${before ? changes(await readFile(before, 'utf8'), rows) : table(rows)}`);
if (selected.length === 0 && !extent.short)
  await writeFile(join(import.meta.dirname, 'RESULTS.md'), report());

function report(): string {
  const missed = rows.filter(({ aim }) => aim && !aim.met);
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  return [
    '# Results of `npm run bench`',
    '',
    `${new Date().toISOString().slice(0, 10)}, 2 shared cores, Node ${process.versions.node.split('.')[0]}, headless Chromium ${browser.version().split('.')[0]}, in ${minutes} minutes. Read the ratios, not the times: each is the median of ratios taken side by side in interleaved rounds, but sessions, tabs and ranges of logs are of one run. kB are 1,000 bytes of the minified file after brotli, as a page of a Vite project loads it. What each row measures is said in the file of its name in this folder; the aims are those of the design.`,
    '',
    table(rows),
    '',
    missed.length > 0 ? '## Missed' : 'Every aim is met.',
    '',
    ...missed.map(({ what, ours, ratio, aim }) => `- ${what}: ${ratio ?? ours} (aim ${aim?.text})`),
    '',
  ].join('\n');
}

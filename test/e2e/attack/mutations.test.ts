import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { listen } from '../conformance/said.js';
import { loadWallet } from './load-wallet.js';
import { createRandom, type Random } from './random.js';
import { type Recording, record } from './recorded.js';
import { createSpoiltReplies } from './spoilt-replies.js';
import { createSpoiltRequests } from './spoilt-requests.js';
import { beginTwin, type Twin } from './twin.js';
import { beginVirtualTime, type VirtualTime } from './virtual-time.js';

hastenKdfOfFile();

/**
 * Good requests and true replies of both dialects, spoilt: no crash, no hang, no rejection without a code, no
 * result of another type than the seed's, no secret in what comes out. A short form by default; FUZZ_RUNS=1000000
 * is the long one, of which a quarter are replies. A run is repeated by its seed and number: FUZZ_SEED=5 FUZZ_ONLY=123.
 */
const isLong = process.env.FUZZ_RUNS !== undefined;
const runs = Number(process.env.FUZZ_RUNS ?? 1_000);
/** A reply takes five times as long as a request: what follows it, from retries to redaction, is the most of it. */
const shares = { replies: Math.ceil(runs / 4), requests: Math.ceil((runs * 3) / 8) };
const seed = Number(process.env.FUZZ_SEED ?? (isLong ? Date.now() % 2 ** 31 : 1));
const only = process.env.FUZZ_ONLY === undefined ? null : Number(process.env.FUZZ_ONLY);
const timeout = isLong ? 24 * 3_600_000 : 60_000;

let recordings: readonly Recording[];
let twin: Twin;
let time: VirtualTime;
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeAll(async () => {
  await loadWallet();
  recordings = [await record('seed'), await record('node')];
  twin = beginTwin();
  process.on('unhandledRejection', note);
}, 60_000);
afterAll(() => {
  time?.end();
  twin?.end();
  process.off('unhandledRejection', note);
});

/** Every request of the wallet's own waits for no clock. */
const begin = () => {
  time?.end();
  time = beginVirtualTime();
  return time;
};

type One = (random: Random) => Promise<string | null>;

/** Runs at once, each with chance of its own; says what the first few that fail found. */
async function faultsOf(one: One, count: number, most = 10): Promise<readonly string[]> {
  const faults: string[] = [];
  let next = only ?? 0;
  const lane = async () => {
    while (next < (only === null ? count : only + 1) && faults.length < most) {
      const run = next++;
      const fault = await one(createRandom(seed * 1_000_003 + run));
      if (fault !== null) faults.push(`seed ${seed}, run ${run}: ${fault}`);
    }
  };
  await time.until(Promise.all(Array.from({ length: 64 }, lane)));
  return faults;
}

async function hold(what: keyof typeof shares, one: One): Promise<void> {
  const began = process.hrtime.bigint();
  const prototype = Object.getOwnPropertyNames(Object.prototype);
  const ears = listen();
  const { stackTraceLimit } = Error;
  // Nobody looks where a million errors were made, and finding that out takes longer than all the rest.
  Error.stackTraceLimit = 0;
  const faults = await faultsOf(one, shares[what]).finally(() => {
    Error.stackTraceLimit = stackTraceLimit;
    ears.stop();
  });
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  process.stdout.write(`${shares[what]} spoilt ${what}, seed ${seed}: ${seconds.toFixed(1)} s\n`);
  expect(faults).toEqual([]);
  expect(ears.said).toEqual([]);
  expect(unhandled).toEqual([]);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype);
}

describe('mutations', () => {
  test(
    'after a mutated reply every request resolves with a result of its type or is rejected with a code',
    { timeout },
    () => hold('replies', createSpoiltReplies(recordings, twin, begin())),
  );

  test.each(['seed', 'node'] as const)(
    'a mutated request, in the dialect of the %s, resolves or is rejected with a code',
    { timeout },
    async (dialect) => {
      time?.end();
      const recording = recordings.find((each) => each.dialect === dialect) as Recording;
      // Keys are stretched in a thread of its own, in the machine's time.
      const ready = createSpoiltRequests(recording, twin, () => time.now());
      const one = await ready;
      begin();
      await hold('requests', one);
    },
  );
});

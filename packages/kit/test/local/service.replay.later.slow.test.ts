import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { laterByForm } from './replay/compare.js';
import { factoryScene, hugeScene, poolScene, programScene, readsScene } from './replay/later-scenes.js';
import { readRecording } from './replay/recordings.js';
import { newOutcome, replay } from './replay/replay.js';
import type { Scene } from './replay/scene.js';

/**
 * Replays the recordings of 2026-11-25 as `service.replay.slow.test.ts` does those before. `websocket-reorg` is not replayed: the
 * local service has no WebSocket, and what the node pushes is played by `test/support/push-server.ts`.
 */

/** Replies of the local service that differ from the node's. The list is exact: everything on it differs, nothing else does. */
const differing: readonly {
  readonly reason: string;
  readonly file: string;
  readonly names: readonly string[];
}[] = [
  {
    reason:
      'The engine’s instructions are Ethereum’s: no minimum price in BASEFEE, blobs, a random PREVRANDAO.',
    file: 'evm-rootstock',
    names: ['BASEFEE', 'BLOBHASH', 'BLOBBASEFEE', 'DIFFICULTY'],
  },
  {
    reason: 'The recorded regtest had another gas limit and another miner.',
    file: 'evm-rootstock',
    names: ['GASLIMIT', 'COINBASE'],
  },
  {
    reason: 'The engine’s precompiled contracts look like empty accounts.',
    file: 'evm-rootstock',
    names: ['EXTCODESIZE of 0x1', 'EXTCODEHASH of 0x1', 'EXTCODESIZE of bridge', 'EXTCODEHASH of bridge'],
  },
  {
    reason: 'The engine’s gas follows Ethereum’s Cancun.',
    file: 'evm-rootstock',
    names: [
      ...[
        'gas of SLOAD cold',
        'gas of SLOAD warm',
        'gas of BALANCE',
        'gas of EXTCODEHASH',
        'gas of CALL nobody',
      ],
      ...['gas of SSTORE 0->1', 'gas of SSTORE 1->1'],
    ],
  },
  {
    reason: 'The engine has none of Rootstock’s precompiled contracts, and Cancun’s point evaluation.',
    file: 'evm-rootstock',
    names: [
      ...['0xa kzg', 'bridge getBtcBlockchainBestChainHeight', 'remasc', 'HD utils toBase58Check'],
      ...['block header getCoinbase', 'environment getCallStackDepth', 'secp256k1 add', 'secp256k1 mul'],
    ],
  },
  {
    reason:
      'RSKIP-144, under which transactions run in parallel lists, is not in force here, as in the first recordings.',
    file: 'reads',
    names: [
      ...[
        'odd full flag: JSON number',
        'block: eth_getBlockByNumber true',
        'block: eth_getBlockByNumber false',
      ],
      ...['block: eth_getBlockByHash true', 'block: eth_getBlockByHash false'],
    ],
  },
  {
    reason: 'RSKIP-144, as for the reads.',
    file: 'pool',
    names: ['pending block true', 'pending block false'],
  },
  {
    reason: 'The first recorded block holds the payments that fund the accounts; here they are credited.',
    file: 'reads',
    names: [
      ...['odd block number: leading zeros', 'trace: trace_filter to', 'trace: trace_filter after count'],
      'trace: trace_filter empty object',
    ],
  },
  {
    reason: 'The engine has no traces of the pending block, so those of the head are returned.',
    file: 'reads',
    names: ['debug: traceBlockByNumber pending', 'trace: trace_block pending'],
  },
  {
    reason: 'SELFDESTRUCT leaves the code of an older contract (EIP-6780).',
    file: 'reads',
    names: ['call selfdestructed child: eth_call'],
  },
  {
    reason: 'The engine has no list of a contract’s storage; only what the steps read and write is known.',
    file: 'reads',
    names: ['debug: disable all'],
  },
  {
    reason: 'The engine keeps its receipts in a trie of Ethereum’s.',
    file: 'reads',
    names: ['rsk: receipt nodes', 'rsk: receipt nodes of 2nd'],
  },
  {
    reason: 'Recorded results of the block header contract belong to the recorded blocks.',
    file: 'reads',
    names: ['call block header contract: eth_call'],
  },
  {
    reason:
      'The account quota is off here, because the recording does not say when each transaction was sent.',
    file: 'reads',
    names: ['debug: accountTransactionQuota'],
  },
  {
    reason: 'The recorded node had a wallet, a miner’s work and a method on that are off by default.',
    file: 'reads',
    names: [
      ...['rsk: storage bytes', 'rsk: storage bytes none', 'rsk: storage bytes at number'],
      ...['methods: mnr_getWork', 'methods: mnr_submitBitcoinBlock'],
      ...['methods: personal_listAccounts', 'methods: eth_accounts', 'methods: eth_sign'],
    ],
  },
];

const scenes: readonly [name: string, start: () => Promise<Scene>][] = [
  ['programs', programScene],
  ['calls of a factory', factoryScene],
  ['logs of 11 MB', hugeScene],
  ['a pool', poolScene],
  ['a chain of 22 blocks with every kind of transaction', readsScene],
];

const outcome = newOutcome(laterByForm);
const skipped = new Set<string>();
const short = (at: string) => at.replace(/^later\//, '').replace(/#\d+ /, ': ');

describe.each(scenes)('%s', (_, start) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await start();
    for (const at of scene.skipped ?? []) skipped.add(at);
  }, 60_000);
  afterAll(() => scene?.service.close());

  test('every recorded request gets the node’s reply, or is on the list', async () => {
    outcome.found.clear();
    await replay(scene, outcome);
    const files = scene.order.map((part) => part.replace('later/', ''));
    const listed = differing
      .filter(({ file }) => files.includes(file))
      .flatMap(({ file, names }) => names.map((name) => `${file}: ${name}`));
    const found = new Map([...outcome.found].map(([at, differences]) => [short(at), differences]));
    const unlisted = [...found].filter(([at]) => !listed.includes(at));
    expect(Object.fromEntries(unlisted)).toEqual({});
    expect([...found.keys()].sort()).toEqual([...listed].sort());
  }, 120_000);
});

test('every recording was replayed, and every rule of comparison was needed', () => {
  const files = ['evm-rootstock', 'factories', 'huge-logs', 'pool', 'reads'];
  const all = files.flatMap((file) =>
    readRecording(`later/${file}`).items.map((_, index) => `later/${file}#${index}`),
  );
  expect([...outcome.replayed, ...skipped].sort()).toEqual(all.sort());
  const rules = [...Object.keys(laterByForm.fields), ...Object.keys(laterByForm.replies)];
  expect([...outcome.waived].sort()).toEqual(rules.sort());
});

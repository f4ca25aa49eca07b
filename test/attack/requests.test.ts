import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  ProviderRpcError,
  type Wallet,
} from '../../src/index.js';
import { methodTable } from '../../src/methods/index.js';
import { headless } from '../../src/testing.js';
import { createFakeNode, type FakeNode } from '../conformance/fake-node.js';
import { origin, plantedSession, values } from '../conformance/keys.js';
import { rawOk } from '../conformance/raw-transactions.js';
import { typedData } from '../conformance/typed-data.js';
import { everythingIn } from '../service/secrecy.js';
import {
  createScriptedService,
  plantedKey,
  type Script,
  type ScriptedService,
  say,
} from '../support/scripted-service.js';

/**
 * Whatever a page asks and whatever the service answers: no crash, no hang, no rejection without a code, no
 * secret. A short form by default; FUZZ_RUNS=100000 makes it long.
 */
const runs = Number(process.env.FUZZ_RUNS ?? 600);
const isLong = process.env.FUZZ_RUNS !== undefined;
const bounded = (milliseconds: number) => (isLong ? {} : { interruptAfterTimeLimit: milliseconds });
const timeout = isLong ? 24 * 3_600_000 : 30_000;

const { $A0, $X, $H32 } = values;
/** Good params, to be spoilt: what is wrong all over is refused at the door. */
const good: Readonly<Record<string, readonly unknown[]>> = {
  eth_getBalance: [$A0, 'latest'],
  eth_getStorageAt: [$A0, '0x0', 'latest'],
  eth_getCode: [$X, { blockHash: $H32 }],
  eth_getTransactionCount: [$A0, 'pending'],
  eth_call: [{ from: $A0, to: $X, data: '0x70a08231', gas: '0x5208' }, 'latest'],
  eth_estimateGas: [{ from: $A0, to: $X, value: '0x1' }],
  eth_getBlockByNumber: ['0x64', true],
  eth_getBlockByHash: [$H32, false],
  eth_getTransactionByHash: [$H32],
  eth_getTransactionReceipt: [$H32],
  eth_getTransactionByBlockHashAndIndex: [$H32, '0x0'],
  eth_getLogs: [{ fromBlock: '0x1', toBlock: 'latest', address: [$X], topics: [$H32, null, [$H32]] }],
  eth_newFilter: [{ address: $X, topics: [] }],
  eth_getFilterChanges: ['0x1'],
  eth_subscribe: ['logs', { address: $X, topics: [[$H32]] }],
  eth_unsubscribe: ['0x1'],
  eth_sendTransaction: [{ from: $A0, to: $X, value: '0x1', data: '0x', gasPrice: '0x387ee40', nonce: '0x0' }],
  eth_signTransaction: [{ from: $A0, to: $X, value: '0x1', maxFeePerGas: '0x387ee40', type: '0x2' }],
  eth_sendRawTransaction: [rawOk],
  personal_sign: ['0x68656c6c6f', $A0],
  eth_sign: [$A0, '0x68656c6c6f'],
  personal_ecRecover: ['0x68', `0x${'11'.repeat(64)}1b`],
  eth_signTypedData: [[{ type: 'string', name: 'm', value: 'x' }], $A0],
  eth_signTypedData_v1: [[{ type: 'uint8[]', name: 'm', value: [1] }], $A0],
  eth_signTypedData_v3: [$A0, typedData()],
  eth_signTypedData_v4: [$A0, typedData({ 'domain.chainId': '0x1f' })],
  wallet_requestPermissions: [{ eth_accounts: {} }],
  wallet_revokePermissions: [{ eth_accounts: {} }],
  wallet_switchEthereumChain: [{ chainId: '0x1f' }],
  wallet_addEthereumChain: [
    {
      chainId: '0x21',
      chainName: 'Regtest',
      nativeCurrency: { name: 'R', symbol: 'R', decimals: 18 },
      rpcUrls: ['http://127.0.0.1:1/'],
    },
  ],
  wallet_watchAsset: [{ type: 'ERC20', options: { address: $X, symbol: 'T', decimals: 18 } }],
  web3_sha3: ['0x68'],
  trace_filter: [{ fromBlock: '0x1' }],
};

const names = [...methodTable.keys(), 'eth_chainId', 'net_version', 'eth_accounts'];

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
  maxDepth: 4,
});

/** Values that mean something to somebody. */
const poison = fc.oneof(
  anything,
  fc.constantFrom<unknown>(
    '0x',
    '0x0',
    '0x00',
    '0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    '-0x1',
    'latest',
    'safe',
    '__proto__',
    '',
    '\u0000',
    `0x${'00'.repeat(40_000)}`,
    Number.MAX_SAFE_INTEGER + 2,
    -0,
    Number.NaN,
    undefined,
    null,
    [],
    {},
    () => 1,
    Symbol('s'),
    { trap: 'proxy' },
    { trap: 'getter' },
    { toJSON: () => ({ a: 1 }) },
    { toString: () => '0x1', valueOf: () => 1 },
  ),
);

/** Objects that bite who reads them; made late, because fast-check prints what it made. */
const traps: Readonly<Record<string, () => unknown>> = {
  proxy: () =>
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no keys');
        },
      },
    ),
  getter: () =>
    Object.defineProperty({}, 'boom', {
      enumerable: true,
      get: () => {
        throw new Error('no value');
      },
    }),
};

function setTraps(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { trap } = value as { trap?: unknown };
  if (typeof trap === 'string' && traps[trap]) return traps[trap]();
  if (Array.isArray(value)) return value.map(setTraps);
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, setTraps(member)]));
}

/** `value` with what stands somewhere in it replaced, dropped or joined by something else. */
function spoil(value: unknown, at: readonly number[], by: unknown): unknown {
  if (typeof value !== 'object' || value === null || at.length === 0) return by;
  const [step = 0, ...rest] = at;
  const members = Object.keys(value);
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  const name = members[step % (members.length + 2)];
  if (name === undefined) {
    if (Array.isArray(copy)) copy.push(by);
    else copy[step % 2 ? 'extra' : 'data'] = by;
  } else if (step % 17 === 16) delete copy[name];
  else copy[name] = spoil(copy[name], rest, by);
  return copy;
}

const path = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 5 });

const request: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 1, arbitrary: poison },
  { weight: 1, arbitrary: fc.record({ method: poison, params: poison }, { requiredKeys: [] }) },
  {
    weight: 3,
    arbitrary: fc.record({ method: fc.constantFrom(...names), params: fc.array(poison, { maxLength: 4 }) }),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...Object.keys(good)), path, poison)
      .map(([method, at, by]) => ({ method, params: spoil(good[method], at, by) })),
  },
);

const readable = names.filter(
  (name) => good[name] !== undefined || methodTable.get(name)?.access === 'public',
);

/** Longer than the wallet's own deadline for one question to the service. */
const deadline = 12_000;

/** What is wrong with how a request ended; `null` when nothing is. */
async function faultOf(wallet: Wallet, asked: unknown): Promise<string | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), deadline);
  });
  const outcome = await Promise.race([
    wallet.provider.request(setTraps(asked) as never).then(
      () => 'resolved' as const,
      (error: unknown) => ({ error }),
    ),
    late,
  ]);
  clearTimeout(timer);
  if (outcome === 'late') return 'it hangs';
  if (outcome === 'resolved') return null;
  const { error } = outcome;
  if (!(error instanceof ProviderRpcError)) return `it rejects with ${inspect(error)}`;
  const { code, message } = error;
  if (!Number.isInteger(code)) return `its code is ${inspect(code)}`;
  if (!/\S/.test(message) || message.length > 1_000) return `its message is ${inspect(message)}`;
  // The provider's last net: a fault of ours that nobody foresaw.
  if (message === 'Internal error of the wallet.') return 'it stumbles';
  return everythingIn(error).includes(plantedKey) ? `it shows the key: ${inspect(error)}` : null;
}

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
let node: FakeNode;
let scripted: ScriptedService;
const replies = new Map<string, Script>();

beforeAll(async () => {
  process.on('unhandledRejection', note);
  node = await createFakeNode();
  scripted = await createScriptedService((response, asked) => replies.get(asked.path)?.(response, asked));
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await Promise.all([node.stop(), scripted.stop()]);
});

function openWallet(url: string): Wallet {
  const memory = createVolatileMemory();
  memory.write(plantedSession(origin));
  let questions = 0;
  const approver = headless({ answer: () => ++questions % 2 === 0 });
  return createWallet({
    networks: [{ chainId: 31, url }],
    origin,
    memory,
    storage: createMemoryStorage(),
    approver: () => approver,
  });
}

describe('any request', () => {
  test('behavior: it resolves, or rejects with a code, and the wallet goes on', { timeout }, async () => {
    const wallet = openWallet(node.url);
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const fault = await faultOf(wallet, asked);
        if (fault !== null) throw new Error(fault);
      }),
      { numRuns: runs, includeErrorInReport: true, ...bounded(2_500) },
    );
    await expect(wallet.provider.request({ method: 'eth_chainId' })).resolves.toBe('0x1f');
    await expect(wallet.provider.request({ method: 'eth_blockNumber' })).resolves.toMatch(/^0x/);
    wallet.destroy();
    expect(unhandled).toEqual([]);
  });
});

const json = fc.jsonValue({ maxDepth: 4 });
const odd = fc.constantFrom<unknown>(
  '0x',
  '0x0',
  '0x1f',
  `0x${'ab'.repeat(32)}`,
  null,
  [],
  {},
  [{}],
  [[]],
  { hash: 1 },
  { logs: 1 },
  -1,
);
const envelope = fc.record(
  {
    jsonrpc: fc.constantFrom<unknown>('2.0', '2.0', '2.0', '1.0', 2),
    id: fc.constantFrom<unknown>('$ID', '$ID', '$ID', 0, null, 'x'),
    result: fc.oneof(odd, json),
    error: fc.oneof(
      json,
      fc.record({
        code: fc.oneof(fc.integer({ min: -32800, max: 5000 }), json),
        message: fc.oneof(fc.string(), json, fc.constant(`see https://host/${plantedKey}`)),
        data: fc.oneof(json, fc.constant({ url: plantedKey })),
      }),
    ),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 5, arbitrary: envelope.map((each) => JSON.stringify(each).replace('"$ID"', '$ID')) },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: json.map((value) => JSON.stringify(value)) },
);
interface Reply {
  readonly body: string;
  readonly status: number;
}
const reply: fc.Arbitrary<Reply> = fc.record({
  body,
  status: fc.constantFrom(200, 200, 200, 200, 204, 301, 400, 401, 404, 429, 500, 503),
});

describe('any reply', () => {
  test('behavior: what the service says breaks nothing', { timeout }, async () => {
    let made = 0;
    const one = fc.tuple(fc.constantFrom(...readable), fc.array(reply, { minLength: 1, maxLength: 3 }));
    const answered = async ([method, said]: readonly [string, readonly Reply[]]): Promise<string | null> => {
      const url = scripted.url.replace(plantedKey, `${++made}/${plantedKey}`);
      const { pathname } = new URL(url);
      let played = 0;
      replies.set(pathname, (response, asked) => {
        const { body, status } = said[played++ % said.length] as Reply;
        return say(body, status)(response, asked);
      });
      const wallet = openWallet(url);
      const fault = await faultOf(wallet, { method, params: good[method] ?? [] });
      wallet.destroy();
      replies.delete(pathname);
      return fault && `${method} answered with ${inspect(said)}: ${fault}`;
    };
    await fc.assert(
      // Many at once, each with a wallet of its own: one that retries takes seconds.
      fc.asyncProperty(fc.array(one, { minLength: 60, maxLength: 60 }), async (batch) => {
        const faults = await Promise.all(batch.map(answered));
        const found = faults.filter((fault) => fault !== null);
        if (found.length > 0) throw new Error(found.join('\n'));
      }),
      { numRuns: Math.max(1, Math.ceil(runs / 600)), includeErrorInReport: true, endOnFailure: true },
    );
    expect(unhandled).toEqual([]);
  });
});

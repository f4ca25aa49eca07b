import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createVolatileMemory, type Wallet } from '../../../src/index.js';
import { asksPerson } from '../../../src/rpc/method-facts/wallet-facts.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { origin, plantedSession } from '../../support/keys.js';
import { accessOf, knownMethods } from '../../support/known-methods.js';
import { openWallet } from '../../support/open-wallet.js';
import { fc } from '../../support/property.js';
import {
  createScriptedService,
  plantedKey,
  respond,
  type Script,
  type ScriptedService,
} from '../../support/scripted-service.js';
import { wrongRejection } from './faults.js';
import { good } from './good-requests.js';
import { wrongType } from './result-types.js';

/**
 * Whatever a page asks and whatever the service answers, over real HTTP and in real time: no crash, no hang, no
 * rejection without a code, no result of a wrong type, no secret. A sample, which shrinks what it finds; the many
 * are in mutations.test.ts. FUZZ_RUNS makes it larger.
 */
const runs = Math.min(Number(process.env.FUZZ_RUNS ?? 600), 6_000);
const isLong = process.env.FUZZ_RUNS !== undefined;
const bounded = (milliseconds: number) => (isLong ? {} : { interruptAfterTimeLimit: milliseconds });
const timeout = isLong ? 24 * 3_600_000 : 30_000;

const names = [...knownMethods, 'eth_chainId', 'net_version', 'eth_accounts'];

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
  (name) => good[name] !== undefined || (accessOf(name) === 'public' && !asksPerson(name)),
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
      (result: unknown) => ({ result }),
      (error: unknown) => ({ error }),
    ),
    late,
  ]);
  clearTimeout(timer);
  if (outcome === 'late') return 'it hangs';
  if ('error' in outcome) return wrongRejection(outcome.error, [plantedKey]);
  const { method } = asked as { method: string };
  return wrongType(method, outcome.result);
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

function openConnectedWallet(url: string): Wallet {
  const memory = createVolatileMemory();
  memory.write(plantedSession(origin));
  let questions = 0;
  const approver = headless({ answer: () => ++questions % 2 === 0 });
  return openWallet({ networks: [{ chainId: 31, url }], origin, memory, approver: () => approver });
}

describe('any request', () => {
  test('resolves or rejects with a code, and the wallet works afterwards', { timeout }, async () => {
    const wallet = openConnectedWallet(node.url);
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
  test('gives a result of the right type or a rejection with a code, and reveals no secret', {
    timeout,
  }, async () => {
    let made = 0;
    const one = fc.tuple(fc.constantFrom(...readable), fc.array(reply, { minLength: 1, maxLength: 3 }));
    const answered = async ([method, said]: readonly [string, readonly Reply[]]): Promise<string | null> => {
      const url = scripted.url.replace(plantedKey, `${++made}/${plantedKey}`);
      const { pathname } = new URL(url);
      let played = 0;
      replies.set(pathname, (response, asked) => {
        const { body, status } = said[played++ % said.length] as Reply;
        return respond(body, status)(response, asked);
      });
      const wallet = openConnectedWallet(url);
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

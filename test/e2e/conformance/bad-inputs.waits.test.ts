import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Hex, keccak256, parseTransaction, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProviderRpcError, type Wallet } from '../../../src/index.js';
import { createFakeNode } from '../../support/fake-node.js';
import { owners, password, values } from '../../support/keys.js';
import { createRig, type Rig, type RigOptions } from '../../support/rig.js';
import { createScriptedService, error, hang, reset, result } from '../../support/scripted-service.js';
import { everythingIn } from '../../support/secrecy.js';
import { until } from '../../support/until.js';
import { count, type Entry, entries } from './bad-inputs.js';
import { batched } from './batched.js';
import { behaviours, pay, type Seen } from './behaviours.js';
import { type Variant, variantsOf } from './fixtures.js';
import { forgeries } from './forgeries.js';
import { clausesNotYet, notYet, type Obstacle } from './not-yet.js';
import { listen } from './said.js';
import { cutLogs, log, scriptOf } from './situations.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const never = new Promise<never>(() => {});
/** Milliseconds that the machine may do something else meanwhile. */
const slack = 400;

/** How a row is asked where that takes more than one request. */
interface Situation {
  /** A rig of its own; without one the row uses the one that all share: unlocked, connected. */
  readonly rig?: RigOptions | (() => Promise<Rig>);
  readonly before?: (rig: Rig) => void | Promise<void>;
  readonly ask?: (rig: Rig, variant: Variant) => Promise<unknown>;
  readonly after?: (rig: Rig) => void | Promise<void>;
  /** What placeholders mean here. */
  readonly extra?: (rig: Rig) => Record<string, unknown> | Promise<Record<string, unknown>>;
}

const request = (rig: Rig, method: string, params: readonly unknown[] = []) =>
  rig.wallet.provider.request({ method, params });

/** What a row's reply means to a transaction of the wallet itself, and what the service says of its chain. */
const forOwnUse: Situation = { rig: { keys: 'planted' }, ask: (rig) => pay(rig) };
/** The page asks what makes the wallet ask a service for its chain: to add a chain that this service serves. */
const newChain: Situation = {
  rig: { keys: 'planted' },
  ask: (rig) =>
    request(rig, 'wallet_addEthereumChain', [
      {
        chainId: '0x21',
        chainName: 'Local',
        nativeCurrency: { name: 'RBTC', symbol: 'tRBTC', decimals: 18 },
        rpcUrls: [rig.node.url],
      },
    ]),
};
/**
 * eth_sign and the typed data before v4 are refused by the table and asked for by the issue ("Sending"): the
 * wallet has them, and its owner may switch them off. This is that switch.
 */
const withoutOldSignatures: Situation = {
  rig: {
    keys: 'planted',
    refuse: ['eth_sign', 'eth_signTypedData', 'eth_signTypedData_v1', 'eth_signTypedData_v3'],
  },
};
/**
 * Rows in which the node says something else of the chain have a rig of their own: a read of the row before may still be on
 * its way, and a request for the same would share its answer.
 */
const otherChain: Pick<Situation, 'rig'> = { rig: { keys: 'unlocked' } };
const minedFive = (rig: Rig) => {
  rig.node.chain.minedNonce = 5;
};

/** By the row's id or, where it has one, by its `pre`. */
const situations: Readonly<Record<string, Situation>> = {
  'envelope-027': {
    ask: async (rig, { params }) => {
      const [transaction] = params as [Record<string, unknown>];
      const mutate = () => Object.assign(transaction, { to: values.$OTHER, value: '0xffff', data: '0x01' });
      rig.decide(() => {
        mutate();
        return true;
      });
      const answer = request(rig, 'eth_sendTransaction', params as unknown[]);
      mutate();
      return answer;
    },
  },
  '1000 requests already in flight': {
    rig: { keys: 'planted' },
    ask: async (rig) => {
      rig.node.override('eth_blockNumber', hang);
      const waiting = Array.from({ length: 1000 }, () => request(rig, 'eth_blockNumber'));
      for (const each of waiting) each.catch(() => {});
      return request(rig, 'eth_chainId');
    },
  },
  'method-018': withoutOldSignatures,
  'method-019': withoutOldSignatures,
  'method-020': withoutOldSignatures,
  'filter-014': {
    extra: async (rig) => {
      const id = await request(rig, 'eth_newFilter', [{}]);
      await request(rig, 'eth_uninstallFilter', [id]);
      return { $UNINSTALLED_ID: id };
    },
  },
  'filter-016': {
    extra: async () => {
      const page = await createRig({ keys: 'planted', origin: 'https://other.example' });
      const id = await request(page, 'eth_newFilter', [{}]);
      await page.stop();
      return { $OTHER_CLIENT_ID: id };
    },
  },
  notConnected: { rig: { keys: 'planted', connected: false } },
  pendingConnect: {
    rig: { keys: 'planted', connected: false },
    ask: async (rig) => {
      let agree: (answer: boolean) => void = () => {};
      const answer = new Promise<boolean>((resolve) => {
        agree = resolve;
      });
      rig.decide(() => answer);
      const first = request(rig, 'eth_requestAccounts');
      await until(() => rig.questions.length === 1);
      const second = request(rig, 'eth_requestAccounts');
      await new Promise((resolve) => setTimeout(resolve, 20));
      agree(true);
      return Promise.all([first, second]);
    },
  },
  userRejects: {
    rig: { keys: 'planted', connected: false },
    before: (rig) => rig.decide(() => false),
  },
  'locked,userRejects': {
    rig: { keys: 'planted' },
    before: (rig) => rig.decide(({ locked }) => !locked),
  },
  frameDestroyed: {
    rig: { keys: 'planted' },
    ask: async (rig, { params }) => {
      rig.decide(() => never);
      const answer = request(rig, 'eth_sendTransaction', params as unknown[]);
      answer.catch(() => {});
      await until(() => rig.questions.length === 1);
      rig.wallet.destroy();
      return answer;
    },
  },
  '20 approvals queued': {
    rig: { keys: 'planted' },
    ask: async (rig, { params }) => {
      rig.decide(() => never);
      for (let i = 0; i < 20; i++) request(rig, 'personal_sign', ['0x68', values.$A0]).catch(() => {});
      await until(() => rig.questions.length === 1);
      return request(rig, 'eth_sendTransaction', params as unknown[]);
    },
  },
  'tx-037': {
    ...otherChain,
    before: (rig) => {
      rig.node.chain.minimumGasPrice = 1n;
    },
  },
  'minedNonce=5': { ...otherChain, before: minedFive },
  'journal nonce 5 gasPrice 0x64': {
    ...otherChain,
    before: async (rig) => {
      minedFive(rig);
      rig.node.chain.minimumGasPrice = 10n;
      await pay(rig, { nonce: '0x5', gasPrice: '0x64' });
    },
  },
  'balance=0': {
    ...otherChain,
    before: (rig) => {
      rig.node.chain.balance = 0n;
    },
  },
  'siwe-012': { rig: { keys: 'planted', origin: 'https://frame.example' } },
  'rpc.example answers 0x1': {
    // https://rpc.example/ stands on this machine.
    ask: async (rig, { params }) => {
      const example = await createFakeNode(1);
      const [chain] = params as [object];
      try {
        return await request(rig, 'wallet_addEthereumChain', [{ ...chain, rpcUrls: [example.url] }]);
      } finally {
        await example.stop();
      }
    },
  },
  'circuitOpen(0x1f),ok(0x1e)': {
    rig: { keys: 'planted', both: true },
    before: async (rig) => {
      // Until it has failed for as long as a request waits for it.
      const methods = ['eth_gasPrice', 'eth_mining', 'eth_hashrate', 'eth_blockNumber'];
      for (const method of methods) rig.node.override(method, reset);
      await Promise.allSettled(methods.map((method) => request(rig, method)));
    },
    // Requests that test the service fail in their own way; one between two tests is refused at once.
    async ask(rig) {
      for (let tests = 1; ; tests++) {
        try {
          return await request(rig, 'eth_blockNumber');
        } catch (error) {
          if (tests === 4 || (error as ProviderRpcError).code === 4901) throw error;
        }
      }
    },
    after: async (rig) => {
      rig.wallet.switchChain(30);
      expect(await request(rig, 'eth_blockNumber')).toBe('0x65');
    },
  },
  offline: {
    rig: { keys: 'planted' },
    before: (rig) => {
      rig.node.override('eth_blockNumber', reset);
      Object.defineProperty(globalThis, 'navigator', { value: { onLine: false }, configurable: true });
    },
    after: () => {
      Reflect.deleteProperty(globalThis, 'navigator');
    },
  },
  aborted: {
    rig: { keys: 'planted' },
    ask: async (rig) => {
      rig.node.override('eth_blockNumber', hang);
      const abort = new AbortController();
      const answer = rig.wallet.provider.request({ method: 'eth_blockNumber' }, { signal: abort.signal });
      answer.catch(() => {});
      await until(() => rig.node.count('eth_blockNumber') === 1);
      abort.abort();
      return answer;
    },
  },
  'http-033': { rig: { keys: 'planted', url: 'https://nobody.invalid/v2/k3y-Planted0123456789abcdef' } },
  'http-034': {
    rig: async () => {
      // TLS to a server that speaks none.
      const plain = await createScriptedService(reset);
      const rig = await createRig({ keys: 'planted', url: plain.url.replace('http:', 'https:') });
      return { ...rig, stop: () => Promise.all([rig.stop(), plain.stop()]).then(() => {}) };
    },
  },
  'value-001': newChain,
  'value-004': newChain,
  'value-005': newChain,
  'value-006': forOwnUse,
  'value-007': forOwnUse,
  'internal use for a transaction': forOwnUse,
  'value-020': {
    ...otherChain,
    // Signed here with nonce 5, and the node that is asked has not heard of it.
    extra: async (rig) => {
      minedFive(rig);
      await pay(rig);
      return { '$JOURNAL-2': '0x3' };
    },
  },
  'value-032': {
    // As the row says: another transaction took the nonce, between the question and the sending.
    before: (rig) =>
      rig.node.override('eth_sendRawTransaction', async (response, one) => {
        const { nonce = 0 } = parseTransaction(one.params[0] as Hex);
        rig.node.chain.rival = { from: values.$A0 ?? '', nonce, fields: await signRival(nonce) };
        return error(-32010, 'transaction nonce too low')(response, one);
      }),
  },
  'value-055': {
    rig: { keys: 'planted' },
    ask: (rig) => {
      rig.node.override('eth_getLogs', cutLogs(rig.node));
      return request(rig, 'eth_getLogs', [{ fromBlock: '0x64', toBlock: '0x65' }]);
    },
  },
  'value-056': {
    rig: { keys: 'planted' },
    ask: async (rig) => {
      const id = await request(rig, 'eth_newFilter', [{}]);
      // Filters are the wallet's own: what the service says of logs it says to the request behind the poll.
      rig.node.override('eth_getLogs', result([values.$H32]));
      rig.node.chain.mine({ logs: [log()] });
      return request(rig, 'eth_getFilterChanges', [id]);
    },
  },
  'value-044': {},
  'value-054': {},
  'import-035': {
    rig: { keys: 'unlocked' },
    before: (rig) => rig.wallet.lock(),
  },
};

/** These wait for the clock; they wait together. */
const slow = new Set([
  'http-001',
  'http-002',
  'http-003',
  'http-004',
  'http-005',
  'http-007',
  'http-019',
  'http-020',
  'http-021',
  'http-023',
  'http-026',
  'http-032',
  'http-033',
  'http-034',
  'http-035',
  'http-036',
  'http-039',
  'lifecycle-003',
]);

const ownRig: RigOptions = { keys: 'planted' };
const brittle = new Set(['http', 'reply', 'value', 'lifecycle']);

let shared: Rig;
let ears: ReturnType<typeof listen>;

beforeAll(async () => {
  ears = listen();
  shared = await createRig({ keys: 'unlocked' });
  // What the wallet loads on first use is no part of what a row may take.
  await shared.wallet.importKeystore('{', 'x').catch(() => {});
});
afterAll(async () => {
  await shared?.stop();
  ears.stop();
});

async function run(entry: Entry, way: Seen['way']): Promise<void> {
  if (way === 'own') {
    if (entry.method === 'eth_chainId') return ask(entry, forOwnUse, ownRig, way);
    const before = situations[entry.id]?.before;
    return ask(entry, { ask: (rig) => pay(rig), ...(before && { before }) }, null, way);
  }
  const situation = situations[entry.id] ?? situations[entry.pre ?? ''] ?? {};
  const isOwnRig = brittle.has(entry.layer) && !situation.extra && !usesShared(entry);
  return ask(entry, situation, situation.rig ?? (isOwnRig ? ownRig : null), way);
}

/** Rows whose behaviour is about what the wallet signed. */
const usesShared = (entry: Entry) => ['value-044'].includes(entry.id);

async function ask(
  entry: Entry,
  situation: Situation,
  rigged: Situation['rig'] | null,
  way: Seen['way'],
): Promise<void> {
  const rig = rigged ? await (typeof rigged === 'function' ? rigged() : createRig(rigged)) : shared;
  try {
    await rig.reset();
    const extra = { '$HEAD-1': '0x64', ...(await situation.extra?.(rig)) };
    for (const variant of variantsOf(entry, extra)) {
      if (!situation.extra) await rig.reset();
      if (entry.response && entry.method)
        rig.node.override(
          entry.method,
          scriptOf(entry, logTwice(entry), () => rig.node, extra),
        );
      await situation.before?.(rig);
      try {
        await attempt(entry, situation, rig, variant, way);
      } finally {
        await situation.after?.(rig);
      }
    }
  } finally {
    if (rig !== shared) await rig.stop();
  }
}

/**
 * Rows whose answer was decided otherwise after the table was written. A price over the cap is lowered to it and said in
 * the dialog, since pages carry fixed prices. A text that is on no list of refusals may come from a gateway after the
 * node has taken the transaction: its fate stays open, and the caller has the hash. What the digest of typed data does not
 * cover is neither shown nor refused. A block number as a number has one meaning. A block without transactions is refused for
 * that first. A filter reads a block whose logs are no logs from its receipts.
 */
const decidedOtherwise: Readonly<Record<string, Entry['expect']>> = {
  'tx-035': { code: null, ok: true },
  'value-010': { code: null, ok: true },
  'value-040': { code: null, ok: true },
  'value-048': { code: -32603, messageIncludes: 'eth_getBlockByNumber' },
  'value-056': { code: null, ok: true },
  'typed-009': { code: null, ok: true },
  'typed-013': { code: null, ok: true },
  'typed-015': { code: null, ok: true },
};

/** `$LOG_TWICE` is about what subscribers hear; the row itself only has to be answered. */
const logTwice = (entry: Entry) =>
  entry.id === 'value-054' ? { result: [] } : (entry.response as NonNullable<Entry['response']>);

async function attempt(
  entry: Entry,
  situation: Situation,
  rig: Rig,
  variant: Variant,
  way: Seen['way'],
): Promise<void> {
  const wanted = decidedOtherwise[entry.id] ?? entry.expect;
  const printed = ears.said.length;
  const heap = wanted.maxHeapMB === undefined ? null : watchHeap();
  const started = performance.now();
  const outcome = await (situation.ask?.(rig, variant) ?? askPlainly(rig, entry, variant)).then(
    (value): { value?: unknown; error?: ProviderRpcError } => ({ value }),
    (error: ProviderRpcError): { value?: unknown; error?: ProviderRpcError } => ({ error }),
  );
  const took = performance.now() - started;
  const grew = heap?.();
  const { value, error } = outcome;
  const label = `${entry.id}, ${way}, ${variant.label}`;

  if (error) requireManners(error, rig, variant, label);
  // The table's code is what a page gets that asks so; of the wallet's own transaction it says what becomes of it.
  const isOtherWay = way === 'own' && entry.id === 'value-037';
  if (!isOtherWay) {
    if (wanted.code !== null) {
      expect(error === undefined ? value : error.code, `${label}: ${error?.message}`).toBe(wanted.code);
    } else if (entry.id !== 'http-039') {
      expect(error, `${label}: ${error?.code} ${error?.message}`).toBeUndefined();
    }
    if (wanted.messageIncludes !== undefined)
      expect(error?.message.toLowerCase(), label).toContain(wanted.messageIncludes.toLowerCase());
    if (Object.hasOwn(wanted, 'result')) expect(value, label).toEqual(wanted.result);
    if (wanted.ok) expect(error, label).toBeUndefined();
  }
  if (wanted.mustNotForward) {
    const own = situation.ask || entry.layer !== 'method';
    if (!own) expect(rig.node.requests, label).toEqual([]);
    expect(rig.node.count(entry.method as string), label).toBe(0);
  }
  if (wanted.mustNotSign) {
    expect(rig.questions, label).toEqual([]);
    expect(await rig.wallet.transactions(), label).toEqual([]);
    expect(rig.node.count('eth_sendRawTransaction'), label).toBe(0);
  }
  if (wanted.mustNotLogParams) {
    const out = [
      ears.said.slice(printed).join('\n'),
      error ? everythingIn(error) : '',
      JSON.stringify(rig.events),
      rig.node.requests.map(({ body }) => body).join('\n'),
    ].join('\n');
    for (const word of tellTale(variant.params))
      expect(contains(out, word), `${label} shows ${word}`).toBe(false);
  }
  if (wanted.maxMessageLength !== undefined)
    expect(error?.message.length, label).toBeLessThanOrEqual(wanted.maxMessageLength);
  if (wanted.attempts !== undefined)
    expect(rig.node.count(entry.method as string), label).toBe(wanted.attempts);
  if (wanted.minAttempts !== undefined)
    expect(rig.node.count(entry.method as string), label).toBeGreaterThanOrEqual(wanted.minAttempts);
  if (wanted.maxMs !== undefined) expect(took, label).toBeLessThan(wanted.maxMs + slack);
  if (wanted.maxHeapMB !== undefined) expect(grew, label).toBeLessThan(wanted.maxHeapMB);
  expect(ears.said.slice(printed), label).toEqual([]);
  await behaviours[entry.id]?.({ entry, rig, params: variant.params as unknown[], way, ...outcome });
}

function askPlainly(rig: Rig, entry: Entry, { request, params }: Variant): Promise<unknown> {
  const [object, name] = (entry.method ?? '').split('.') as [string, keyof Wallet];
  if (object === 'wallet')
    return (rig.wallet[name] as (...args: readonly unknown[]) => Promise<unknown>)(...(params as unknown[]));
  return rig.wallet.provider.request(request as never);
}

/** The rules at the head of the table, which hold for every rejection. */
function requireManners(error: unknown, rig: Rig, { params }: Variant, label: string): void {
  expect(error, label).toBeInstanceOf(ProviderRpcError);
  const { code, message } = error as ProviderRpcError;
  expect(Number.isInteger(code), label).toBe(true);
  expect(message, label).toMatch(/\S/);
  const all = everythingIn(error);
  for (const secret of [rig.node.key, new URL(rig.node.url).host, password])
    expect(all, label).not.toContain(secret);
  for (const text of textsIn(params).filter((each) => each.length > 66))
    expect(message.includes(text.slice(0, 66)), `${label} repeats more than 64 characters`).toBe(false);
}

/** Every string within params, and within JSON in params. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    if (!value.startsWith('{')) return [value];
    try {
      return [value, ...textsIn(JSON.parse(value))];
    } catch {
      return [value];
    }
  }
  if (typeof value !== 'object' || value === null) return [];
  const seen = new Set<unknown>();
  const texts: string[] = [];
  const stack: unknown[] = [value];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (typeof at === 'string') texts.push(at);
    if (typeof at !== 'object' || at === null || seen.has(at)) continue;
    seen.add(at);
    stack.push(...Object.values(at));
  }
  return texts;
}

/** What nobody would write by chance. */
const tellTale = (params: unknown) =>
  textsIn(params)
    .flatMap((text) => [text, text.trim()])
    .filter((text) => text.length >= 4 && !['scrypt', 'pbkdf2', 'aes-128-ctr', 'hmac-sha256'].includes(text));

const contains = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before, behind] = [text[at - 1] ?? ' ', text[at + word.length] ?? ' '];
    if (!/\w/.test(before) && !/\w/.test(behind)) return true;
  }
  return false;
};

/** MiB that the heap and its buffers grew at most, in 5 ms steps. */
function watchHeap(): () => number {
  collect();
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = used();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, used());
  }, 5);
  return () => {
    clearInterval(timer);
    return (most - before) / 2 ** 20;
  };
}

/** Those of the layer `channel` are run by forgeries.test.ts, in a browser, those of a batch by batches.test.ts. */
const elsewhere = [...Object.keys(forgeries), ...batched];
const table = entries.filter(({ id }) => !Object.hasOwn(notYet, id) && !elsewhere.includes(id));
type Case = readonly [title: string, entry: Entry, way: Seen['way']];

const titled = (waiting: boolean): readonly Case[] =>
  table
    .filter(({ id }) => slow.has(id) === waiting)
    .flatMap((entry): readonly Case[] => {
      const title = `${entry.id} ${entry.method ?? ''}: ${entry.why}`;
      const isSend = entry.method === 'eth_sendRawTransaction' && entry.response;
      if (!isSend && situations[entry.id] !== newChain) return [[title, entry, 'page']];
      // A reply to a raw transaction, or about the chain, meets what a page asks and what the wallet sends.
      return [
        [`${title} (from the page)`, entry, 'page'],
        [`${title} (of the wallet)`, entry, 'own'],
      ];
    });

describe.concurrent('bad inputs that take their time', () => {
  test.each(titled(true))('%s', { timeout: 60_000 }, (_, entry, way) => run(entry, way));
});

describe('bad inputs', () => {
  test.each(titled(false))('%s', { timeout: 60_000 }, (_, entry, way) => run(entry, way));
});

describe('the table', () => {
  const ids = entries.map(({ id }) => id);

  test('the table and the list of rows that cannot run yet are the whole file', () => {
    expect(ids).toHaveLength(count);
    expect(new Set(ids).size).toBe(count);
    const run = [...table.map(({ id }) => id), ...elsewhere];
    expect([...run, ...Object.keys(notYet)].sort()).toEqual([...ids].sort());
  });

  test('every behaviour that the file names has its check', () => {
    const named = table.filter(({ expect: wanted }) => wanted.behaviour !== undefined);
    expect(Object.keys(behaviours).sort()).toEqual(named.map(({ id }) => id).sort());
    for (const [id, clause] of Object.entries(clausesNotYet))
      expect(named.find((entry) => entry.id === id)?.expect.behaviour).toContain(clause);
  });

  const proofs: Readonly<Record<Obstacle, (entry: Entry) => void | Promise<void>>> = {
    'own net_version': async (entry) => {
      const rig = await createRig(ownRig);
      rig.node.override('net_version', result('30'));
      expect(await request(rig, entry.method as string)).toBe('31');
      expect(rig.node.count('net_version')).toBe(0);
      await rig.stop();
    },
    'sign-in chain is a warning': async (entry) => {
      await shared.reset();
      const [variant] = variantsOf(entry);
      expect(await request(shared, entry.method as string, variant?.params as unknown[])).toMatch(/^0x/);
      expect(shared.questions[0]?.warnings).toMatchObject([{ code: 'sign-in-other-chain', detail: '1' }]);
    },
  };

  test.each(Object.entries(notYet))('%s cannot be asked yet: %s', async (id, obstacle) => {
    await proofs[obstacle](entries.find((entry) => entry.id === id) as Entry);
  });
});

/** A transaction of the connected account with this nonce, signed in another wallet, in the form of the service. */
async function signRival(nonce: number): Promise<object> {
  const [owner] = owners;
  if (!owner) throw new Error('There is no account');
  const fields = {
    to: values.$X as Hex,
    value: 5n,
    gas: 21_000n,
    gasPrice: 60_000_000n,
    nonce,
    chainId: 31,
  } as const;
  const raw = await owner.signTransaction({ ...fields, type: 'legacy' });
  const { r, s, v } = parseTransaction(raw) as { r: Hex; s: Hex; v: bigint };
  return {
    ...{ hash: keccak256(raw), to: fields.to, input: '0x', v: toHex(v), r, s },
    ...{ value: toHex(fields.value), gas: toHex(fields.gas), gasPrice: toHex(fields.gasPrice) },
  };
}

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { limits, type Message, type PostedError } from '../../../src/bridge/protocol.js';
import { type Serving, serve } from '../../../src/bridge/serve.js';
import { createMemoryStorage, createVolatileMemory } from '../../../src/index.js';
import { plantedSession, values } from '../../support/keys.js';
import { later, openPage, type Page, withKeys } from '../../support/page.js';
import { until } from '../../support/until.js';

/**
 * A hostile dapp at the other end of a real port: what it may send, and what it hears. The numbers are those of
 * docs/notes/security.md#attacks-on-the-bridge.
 */

const siteA = 'https://a.example';
const siteB = 'https://b.example';
const { $A0: accountA, $A1: accountB } = values;

/** What a dapp is answered. */
type Response = Message & { readonly json?: string; readonly error?: PostedError };

interface Dapp {
  readonly page: Page;
  readonly received: readonly Message[];
  post(message: unknown, transfer?: readonly MessagePort[]): void;
  /** Posts a request as it is given, and resolves with the response to its id. */
  send(message: Readonly<Record<string, unknown>>): Promise<Response>;
  /** Sends a request with the next id. */
  ask(method: string, params?: unknown): Promise<Response>;
  code(method: string, params?: unknown): Promise<number | undefined>;
  /** Resolves when all that was posted has been handled. */
  settled(): Promise<void>;
}

let service: LocalService;
const ends: (() => void)[] = [];

beforeAll(async () => {
  service = await createLocalService({ chainId: 31, mining: 'manual' });
});
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});
afterAll(() => service?.close());

/** What two dapps of one wallet share. */
const shared = () => {
  const memory = createVolatileMemory();
  const session = JSON.parse(plantedSession(null));
  const permissions = {
    [siteA]: { accounts: [accountA], date: 1 },
    [siteB]: { accounts: [accountB], date: 1 },
  };
  memory.write(JSON.stringify({ ...session, permissions }));
  return { memory, storage: createMemoryStorage() };
};

function connect(origin: string, options: Partial<openPage.Options> = {}): Dapp {
  const page = openPage({ networks: [{ chainId: 31, url: service.url }], origin, ...shared(), ...options });
  const { port1, port2 } = new MessageChannel();
  const serving: Serving = serve({
    ...{ port: port2, nonce: 'ab'.repeat(16), version: 1, wallet: page.wallet, windowMethods: [] },
  });
  const received: Message[] = [];
  port1.onmessage = ({ data }) => void received.push(data);
  ends.push(() => {
    serving.close('closed');
    port1.close();
    page.close();
  });
  let count = 0;
  let pings = 0;
  const dapp: Dapp = {
    page,
    received,
    post: (message, transfer = []) => port1.postMessage(message, transfer as MessagePort[]),
    async send(message) {
      const seen = received.length;
      dapp.post(message);
      return until(
        () =>
          received.slice(seen).find(({ t, id }) => t === 'response' && Object.is(id, message.id)) as Response,
      );
    },
    ask: (method, params = []) =>
      dapp.send({ t: 'request', id: ++count, method, json: JSON.stringify(params) }),
    code: async (method, params) => (await dapp.ask(method, params)).error?.code,
    async settled() {
      const n = ++pings;
      dapp.post({ t: 'ping', n });
      await until(() => received.some((each) => each.t === 'pong' && each.n === n));
    },
  };
  return dapp;
}

const chain = { t: 'request', method: 'eth_chainId', json: '[]' };
/** Asked while nobody answers the person's question. */
const pending = ['personal_sign', ['0x68656c6c6f', accountA]] as const;

describe('messages that are none', () => {
  test('values of every kind are passed over, and the next request is answered (attack 14)', async () => {
    const dapp = connect(siteA);
    const { port1, port2 } = new MessageChannel();
    port1.close();
    const odd: unknown[] = [
      ...[null, undefined, 0, -1, Number.NaN, 1n, '', 'request', true, [], [chain], [['t', 'request']]],
      ...[
        {},
        { t: null },
        { t: 1 },
        { t: ['request'] },
        { t: { request: 1 } },
        { t: 'constructor' },
        { t: '__proto__' },
      ],
      ...[JSON.parse('{"__proto__":{"t":"request"}}'), JSON.parse('{"constructor":{"t":"request"}}')],
      ...[new Uint8Array(8), new Map([['t', 'request']]), new Set(['request']), new Date(0), /t/],
      ...[new Error('request'), new String('request'), Object.create({ t: 'bye' })],
    ];
    for (const each of odd) dapp.post(each);
    dapp.post({ t: 'request', id: 1, method: port2, json: '[]' }, [port2]);
    await dapp.settled();
    expect(await dapp.send({ ...chain, id: 2 })).toMatchObject({ json: '"0x1f"' });
    const detached = new ArrayBuffer(8);
    structuredClone(detached, { transfer: [detached] });
    for (const each of [() => {}, detached, Symbol('t')]) expect(() => dapp.post(each)).toThrow();
    expect(() =>
      dapp.post({
        get t() {
          throw new Error('a getter');
        },
      }),
    ).toThrow('a getter');
  });

  test('members of a prototype are no members of a message (attack 14)', async () => {
    const dapp = connect(siteA);
    const members = { t: 'bye', id: 1, method: 'eth_chainId', json: '[]', window: 'ab'.repeat(16) };
    for (const [name, value] of Object.entries(members))
      Object.defineProperty(Object.prototype, name, { value, configurable: true });
    try {
      for (const each of [{}, [], { t: 'request' }, { t: 'request', id: 7 }]) dapp.post(each);
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      for (const name of Object.keys(members)) Reflect.deleteProperty(Object.prototype, name);
    }
    expect(await dapp.send({ ...chain, id: 8 })).toMatchObject({ json: '"0x1f"' });
    const answered = dapp.received
      .filter(({ t }) => t === 'response')
      .map(({ id, error }) => [id, Boolean(error)]);
    expect(answered).toEqual([
      [undefined, true],
      [7, true],
      [8, false],
    ]);
  });

  test('members of odd types throw nothing in the host (attacks 14, 51)', async () => {
    const dapp = connect(siteA);
    const poison = { valueOf: 1, toString: 1 };
    const { port1, port2 } = new MessageChannel();
    port1.close();
    dapp.post({ t: 'ping', n: poison });
    dapp.post({ t: 'cancel', id: poison });
    dapp.post({ t: 'request', id: port2, method: 'eth_chainId', json: '[]' }, [port2]);
    for (const member of ['method', 'json', 'window'])
      dapp.post({ ...chain, id: 1_000 + member.length, [member]: poison });
    const outcome = { t: 'outcome', method: 'eth_sendTransaction', json: '[{}]' };
    expect(await dapp.send({ ...outcome, id: 2_000, at: poison })).toMatchObject({ json: 'null' });
    for (const [at, json] of ['{}', '0', 'x', '[null]', '[{"from":{"toString":1},"value":"x"}]'].entries())
      expect(await dapp.send({ ...outcome, id: 2_001 + at, at: 0, json })).toMatchObject({ json: 'null' });
    await dapp.settled();
  });
});

describe('requests', () => {
  test('text of more than 1 MiB, JSON of a depth of 5,000 and 200,000 messages are borne (attack 15)', async () => {
    const dapp = connect(siteA);
    const text = (length: number) => JSON.stringify(['x'.repeat(length - 4)]);
    expect(await dapp.send({ ...chain, id: 1, json: text(limits.size + 1) })).toMatchObject({
      error: { code: -32005 },
    });
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    expect(await dapp.send({ ...chain, id: 2, method: 'eth_call', json: deep })).toMatchObject({
      error: { code: -32602 },
    });
    const deepest = `${'['.repeat(limits.size / 2)}${']'.repeat(limits.size / 2)}`;
    expect(await dapp.send({ ...chain, id: 3, method: 'eth_call', json: deepest })).toMatchObject({
      error: { code: expect.any(Number) },
    });
    for (let i = 0; i < 200_000; i++) {
      dapp.post(i);
      // As tasks of a page do, so that the port's queue does not grow without end.
      if (i % 50_000 === 0) await dapp.settled();
    }
    await dapp.settled();
    expect(await dapp.send({ ...chain, id: 4 })).toMatchObject({ json: '"0x1f"' });
    expect(dapp.received.filter(({ t }) => t === 'response')).toHaveLength(4);
  });

  test('requests beyond 1,000 in flight are refused (attack 15)', async () => {
    const dapp = connect(siteA);
    dapp.page.decide(() => later().given);
    for (let id = 1; id <= 1_005; id++) dapp.post({ ...chain, id, method: 'eth_blockNumber' });
    await until(() => dapp.received.filter(({ t }) => t === 'response').length === 1_005);
    const codes = dapp.received.flatMap(({ error }) => (error ? [(error as PostedError).code] : []));
    expect(codes).toEqual(Array(5).fill(-32005));
  });

  test('questions about lost sends count among those in flight (attack 52)', async () => {
    const storage = createMemoryStorage();
    const read = later();
    const slow = {
      ...storage,
      all: (...of: Parameters<typeof storage.all>) => read.given.then(() => storage.all(...of)),
    };
    const dapp = connect(siteA, { storage: slow });
    const outcome = { t: 'outcome', method: 'eth_sendTransaction', json: '[{}]', at: 0 };
    for (let id = 1; id <= 1_005; id++) dapp.post({ ...outcome, id });
    await dapp.settled();
    read.answer(true);
    await until(() => dapp.received.filter(({ t }) => t === 'response').length === 1_005);
    const codes = dapp.received.flatMap(({ error }) => (error ? [(error as PostedError).code] : []));
    expect(codes).toEqual(Array(5).fill(-32005));
  });

  test('an id that is no new whole number is refused, and what is in flight goes on (attack 16)', async () => {
    const dapp = connect(siteA);
    const answer = later();
    dapp.page.decide(() => answer.given);
    dapp.post({ ...chain, id: 5, method: 'wallet_requestPermissions', json: '[{"eth_accounts":{}}]' });
    await until(() => dapp.page.questions.length === 1);
    for (const id of [5, 4, 0, -1, 2 ** 53, 1.5, '6', '1', null, undefined, Number.NaN, 6n, true])
      expect((await dapp.send({ ...chain, id }))?.error?.code ?? id, String(id)).toBe(-32600);
    dapp.post({ ...chain, id: [6] });
    expect(await dapp.send({ ...chain, id: 6 })).toMatchObject({ json: '"0x1f"' });
    answer.answer(true);
    await until(() => dapp.received.some(({ id, json }) => id === 5 && typeof json === 'string'));
  });

  test('a host passes over messages that only a host sends (attack 17)', async () => {
    const dapp = connect(siteA);
    dapp.page.decide(() => later().given);
    dapp.post({ t: 'request', id: 1, method: pending[0], json: JSON.stringify(pending[1]) });
    await until(() => dapp.page.questions.length === 1);
    for (const each of [
      { t: 'response', id: 1, json: '"0xforged"' },
      { t: 'state', seq: 99, chainId: 30, accounts: [accountB] },
      { t: 'event', name: 'connect' },
      { t: 'welcome', nonce: 'ab'.repeat(16), session: { accounts: [accountB] } },
      { t: 'closing', reason: 'closed' },
      { t: 'surface', id: 1, open: true },
      { t: 'need-window', token: 'ab'.repeat(16) },
      { t: 'approved', token: 'ab'.repeat(16) },
      { t: 'answer', token: 'ab'.repeat(16), json: '"0xforged"', session: {} },
      { t: 'slot', token: 'ab'.repeat(16), origin: siteB },
    ])
      dapp.post(each);
    expect(await dapp.send({ ...chain, id: 2, method: 'eth_accounts' })).toMatchObject({
      json: JSON.stringify([accountA]),
    });
    expect(dapp.received.some(({ t, id }) => t === 'response' && id === 1)).toBe(false);
    expect(dapp.page.wallet.state()).toMatchObject({ chainId: 31 });
  });

  test('a dapp cancels only what it has asked itself (attack 18)', async () => {
    const both = shared();
    const a = connect(siteA, both);
    const b = connect(siteB, both);
    for (const dapp of [a, b]) dapp.page.decide(() => later().given);
    a.post({ t: 'request', id: 1, method: pending[0], json: JSON.stringify(pending[1]) });
    b.post({ t: 'request', id: 1, method: pending[0], json: JSON.stringify(['0x00', accountB]) });
    await until(() => a.page.questions.length === 1 && b.page.questions.length === 1);
    for (const id of [1, 2, '1', null, { 1: 1 }]) b.post({ t: 'cancel', id });
    await until(() => b.received.some(({ id }) => id === 1));
    expect(b.received.find(({ id }) => id === 1)).toMatchObject({ error: { code: 4001 } });
    await a.settled();
    expect(a.received.some(({ t }) => t === 'response')).toBe(false);
  });

  test('an account that another site was given is refused with 4100 (attack 19)', async () => {
    const dapp = connect(siteA);
    const transaction = { from: accountB, to: accountA, value: '0x1' };
    for (const [method, params] of [
      ['eth_sendTransaction', [transaction]],
      ['eth_signTransaction', [transaction]],
      ['personal_sign', ['0x00', accountB]],
      ['eth_sign', [accountB, '0x00']],
      [
        'eth_signTypedData_v4',
        [
          accountB,
          JSON.stringify({ types: { EIP712Domain: [], A: [] }, primaryType: 'A', domain: {}, message: {} }),
        ],
      ],
      [
        'wallet_sendCalls',
        [
          {
            version: '2.0.0',
            chainId: '0x1f',
            from: accountB,
            atomicRequired: false,
            calls: [{ to: accountA }],
          },
        ],
      ],
      ['wallet_getCapabilities', [accountB]],
    ] as const)
      expect(await dapp.code(method, params), method).toBe(4100);
    expect(dapp.page.questions).toEqual([]);
  });

  test('no function of the owner, and nothing that objects inherit, is a method (attack 21)', async () => {
    const dapp = connect(siteA);
    const inherited = [Object.prototype, Function.prototype, Map.prototype, Promise.prototype].flatMap(
      (each) => Object.getOwnPropertyNames(each),
    );
    const ofOwner = Object.keys(dapp.page.wallet);
    expect(ofOwner).toContain('exportMnemonic');
    const names = new Set([
      ...[...inherited, ...ofOwner].flatMap((name) => [name, `wallet_${name}`, `graft_${name}`]),
      ...Object.keys(dapp.page.provider),
      ...['personal_exportRawKey', 'personal_importRawKey', 'personal_dumpRawKey', 'personal_unlockAccount'],
      ...[
        'Eth_accounts',
        'eth_accounts ',
        ' eth_accounts',
        'eth_accounts\0',
        '__proto__',
        'x'.repeat(1_001),
        '',
      ],
    ]);
    // A method of its own (ERC-7846), which takes back what this site has; the owner's does so for any site.
    names.delete('wallet_disconnect');
    const answers = await Promise.all([...names].map(async (name) => [name, await dapp.ask(name)] as const));
    const odd = answers.filter(([, { error }]) => ![-32601, 4200, -32600].includes(error?.code as number));
    expect(odd).toEqual([]);
    expect(dapp.page.questions).toEqual([]);
  });

  test('text that is no JSON, and JSON that is no list of params, is refused (attack 22)', async () => {
    const dapp = connect(siteA);
    let id = 0;
    for (const json of ['', ' ', '[', '{"a":1', 'undefined', '[1,]', "['a']", '[NaN]', '\u0000', '[]]', 'x'])
      expect((await dapp.send({ ...chain, id: ++id, json })).error?.code, json).toBe(-32700);
    for (const json of ['1', '"x"', 'true'])
      expect((await dapp.send({ ...chain, id: ++id, json })).error?.code, json).toBe(-32600);
    for (const json of [undefined, null, 1, [], {}])
      expect((await dapp.send({ ...chain, id: ++id, json })).error?.code, String(json)).toBe(-32600);
    const pollution = await dapp.send({
      ...chain,
      id: ++id,
      method: 'eth_call',
      json: '[{"__proto__":{"to":"0x"}}]',
    });
    expect(pollution.error?.code).toBe(-32602);
    expect(({} as { to?: string }).to).toBeUndefined();
  });

  test('one of 200 questions at once is shown, twenty wait at most, and the others are refused (attack 33)', async () => {
    const dapp = connect(siteA);
    dapp.page.decide(() => later().given);
    const asked = Array.from({ length: 200 }, (_, at) =>
      dapp.ask('personal_sign', [`0x${at.toString(16).padStart(4, '0')}`, accountA]),
    );
    const answered = () => dapp.received.flatMap(({ error }) => (error ? [(error as PostedError).code] : []));
    await until(() => answered().length >= 180);
    await until(() => dapp.page.questions.length > 0);
    await dapp.settled();
    expect(answered()).toEqual(Array(180).fill(-32005));
    expect(dapp.page.questions).toHaveLength(1);
    // Asked and withdrawn, for as long as one likes: nothing is left open.
    for (let id = 1; id <= 200; id++) dapp.post({ t: 'cancel', id });
    expect((await Promise.all(asked)).filter(({ error }) => error?.code === 4001)).toHaveLength(20);
  });
});

describe('two dapps of one wallet', () => {
  test('neither sees accounts, chain, subscriptions, filters, batches, sends or cursors of the other (attack 26)', {
    timeout: 60_000,
  }, async () => {
    const storage = createMemoryStorage();
    const both = { storage, memory: createVolatileMemory(), session: 'none', pollingInterval: 20 } as const;
    const networks = [
      { chainId: 31, url: service.url },
      { chainId: 33, url: `${service.url}/` },
    ];
    const a = connect(siteA, { ...both, networks });
    await withKeys(a.page);
    const b = connect(siteB, { ...both, networks });
    b.page.decide(({ kind }) => (kind === 'connect' ? { approved: true, accounts: [accountB] } : true));
    await service.controls.faucet(accountB);
    const result = async (dapp: Dapp, method: string, params: unknown = []) => {
      const { json, error } = await dapp.ask(method, params);
      return error ? error.code : JSON.parse(json as string);
    };

    expect(await result(b, 'eth_requestAccounts')).toEqual([accountB]);
    const head = ['newHeads', { resume: 'heads' }];
    await result(a, 'eth_subscribe', head);
    const subscribed = await result(b, 'eth_subscribe', head);
    const filter = await result(b, 'eth_newBlockFilter');
    const send = { from: accountB, to: accountA, value: '0x1' };
    const hash = await result(b, 'eth_sendTransaction', [send]);
    expect(hash).toMatch(/^0x[\da-f]{64}$/);
    const batch = { id: 'batch', version: '2.0.0', chainId: '0x1f', from: accountB, atomicRequired: false };
    expect(
      await result(b, 'wallet_sendCalls', [{ ...batch, calls: [{ to: accountA, value: '0x2' }] }]),
    ).toEqual({
      id: 'batch',
    });

    expect(await result(a, 'eth_accounts')).toEqual([accountA]);
    expect(JSON.stringify(await result(a, 'wallet_getPermissions'))).not.toContain(accountB);
    expect(await result(a, 'eth_unsubscribe', [subscribed])).toBe(false);
    expect(await result(a, 'eth_getFilterChanges', [filter])).toBe(-32000);
    expect(await result(a, 'wallet_getCallsStatus', ['batch'])).toBe(5730);
    expect(await result(b, 'wallet_getCallsStatus', ['batch'])).toMatchObject({ status: 100 });
    const outcome = {
      t: 'outcome',
      id: 50,
      method: 'eth_sendTransaction',
      json: JSON.stringify([send]),
      at: 0,
    };
    expect(await a.send(outcome)).toMatchObject({ json: 'null' });
    // This connection has answered the send already; a new one has not.
    expect(await b.send(outcome)).toMatchObject({ json: 'null' });
    const anew = connect(siteB, { ...both, networks });
    expect(await anew.send(outcome)).toMatchObject({ json: JSON.stringify(hash) });
    await service.controls.mine(1);
    await until(() => [a, b].every(({ received }) => received.some(({ name }) => name === 'message')));
    const keys = (await storage.all('cursor')).map((each) => (each as { key: string }).key);
    expect(keys.sort()).toEqual([`${siteA} 31 heads`, `${siteB} 31 heads`]);

    const count = a.received.length;
    await b.send({
      t: 'request',
      id: 51,
      method: 'wallet_switchEthereumChain',
      json: '[{"chainId":"0x21"}]',
    });
    expect(await a.send({ ...chain, id: 52 })).toMatchObject({ json: '"0x1f"' });
    expect(a.received.slice(count).filter(({ t }) => t === 'state')).toEqual([]);
    const told = JSON.stringify([a.received, a.page.events]);
    for (const secret of [accountB, siteB, hash]) expect(told).not.toContain(secret);
  });
});

import { parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createMemoryStorage, createVolatileMemory, createWallet, type Wallet } from '../../../src/index.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { type Bridged, bridgeTo, outcome } from '../../support/bridged.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { mnemonic, origin, password, values } from '../../support/keys.js';
import { error, result } from '../../support/scripted-service.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

let node: FakeNode;
let bridged: Bridged;
let asked: string[];
/** Decides the questions. */
let decide: (kind: string) => boolean | Promise<boolean>;
const storage = createMemoryStorage();
const memory = createVolatileMemory();

const signIn = [
  { version: '1', capabilities: { signInWithEthereum: { nonce: 'c0ffee123', chainId: '0x1f' } } },
];
const accountsOnly = [{ version: '1' }];

const make = (more: Partial<createWallet.Options> = {}): Wallet =>
  createWallet({
    networks: [
      { chainId: 31, url: node.url },
      { chainId: 30, url: node.url },
    ],
    ...{ origin, storage, memory, pollingInterval: 50 },
    approver: () =>
      headless({
        password,
        answer(question) {
          asked.push(question.kind);
          return decide(question.kind);
        },
      }),
    ...more,
  });

beforeAll(async () => {
  node = await createFakeNode(31);
  asked = [];
  decide = () => true;
  const wallet = make();
  await wallet.importMnemonic(mnemonic, { password, path: "m/44'/37310'/0'/0/0" });
  await wallet.deriveAccount("m/44'/37310'/0'/0/1");
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  wallet.destroy();
});
afterAll(() => node.stop());

beforeEach(() => {
  asked = [];
  decide = () => true;
  node.reset();
  bridged = bridgeTo({ origin, make: () => make() });
});
afterEach(() => {
  bridged.stop();
  vi.useRealTimers();
});

/** A question that is answered when the test says so. */
function openQuestion() {
  let answer: (given: boolean) => void = () => {};
  const given = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  decide = () => given;
  return { answer: (value: boolean) => answer(value), shown: () => until(() => asked.length > 0) };
}

const payment = { from: values.$A0, to: values.$X, value: '0x1' };

describe('the provider', () => {
  test('answers as one in the page, errors with their code, text and data included', async () => {
    const inPage = make();
    node.override('eth_call', error(-32000, 'execution reverted', `0x08c379a0${'0'.repeat(62)}20`));
    const requests: [method: string, params?: unknown][] = [
      ['eth_accounts'],
      ['eth_chainId'],
      ['eth_chainId', ['x']],
      ['eth_blockNumber'],
      ['eth_getBlockByNumber', ['latest', false]],
      ['eth_getBalance', ['no address', 'latest']],
      ['eth_call', [{ to: values.$X }, 'latest']],
      ['personal_sign', ['0x68656c6c6f', values.$A0]],
      ['personal_sign', ['0x68656c6c6f', values.$A1]],
      ['wallet_getPermissions'],
      ['wallet_switchEthereumChain', [{ chainId: '0x99' }]],
      ['eth_simulateV1', []],
      ['personal_importRawKey', ['secret']],
      ['constructor'],
      ['__proto__'],
      ['exportMnemonic', [password]],
      ['', []],
      ['eth_blockNumber', 'no params'],
    ];
    for (const [method, params] of requests) {
      const expected = await outcome(inPage.provider.request({ method, params } as { method: string }));
      expect(await outcome(bridged.request(method, params)), method).toEqual(expected);
    }
    inPage.destroy();
  });

  test('waits with the first accounts for the wallet, and emits no change of what it did not know', async () => {
    expect(bridged.bridge.state()).toEqual({ status: 'idle', chainId: null, accounts: [] });
    expect(await bridged.request('eth_accounts')).toEqual([values.$A0]);
    expect(bridged.bridge.state()).toEqual({ status: 'ready', chainId: 31, accounts: [values.$A0] });
    await until(() => bridged.events.length > 0);
    expect(bridged.events).toEqual([{ name: 'connect', payload: { chainId: '0x1f' } }]);
    const sent = bridged.messages.length;
    expect(await bridged.request('eth_chainId')).toBe('0x1f');
    expect(bridged.messages).toHaveLength(sent);
  });

  test('emits a change before the request that made it resolves', async () => {
    const order: string[] = [];
    bridged.provider.on('chainChanged', (chainId) => order.push(`event ${chainId}`));
    await bridged
      .request('wallet_switchEthereumChain', [{ chainId: '0x1e' }])
      .then(() => order.push('resolved'));
    await bridged.request('wallet_switchEthereumChain', [{ chainId: '0x1f' }]);
    expect(order).toEqual(['event 0x1e', 'resolved', 'event 0x1f']);
  });

  test('an aborted request is refused, and its question closes', async () => {
    const stop = new AbortController();
    node.override('eth_getBalance', () => {});
    const reading = bridged.provider.request(
      { method: 'eth_getBalance', params: [values.$X, 'latest'] },
      { signal: stop.signal },
    );
    await until(() => node.count('eth_getBalance') > 0);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: expect.any(Number) });
    const waiting = openQuestion();
    const leave = new AbortController();
    const signing = bridged.provider.request(
      { method: 'personal_sign', params: ['0x00', values.$A0] },
      { signal: leave.signal },
    );
    await waiting.shown();
    leave.abort();
    await expect(signing).rejects.toMatchObject({ code: 4001 });
  });

  test('nothing of the wallet crosses but the chain, this origin’s accounts and answers', async () => {
    const wallet = make();
    await wallet.rename(values.$A0, 'Label canary');
    wallet.destroy();
    const other = make({ origin: 'https://other-canary.example' });
    await other.provider.request({ method: 'eth_requestAccounts' });
    other.destroy();
    decide = (kind) => kind !== 'transaction';
    await bridged.request('eth_requestAccounts');
    await outcome(bridged.request('eth_sendTransaction', [payment]));
    await outcome(bridged.request('eth_call', [{ to: values.$X }, 'latest']));
    await bridged.request('personal_sign', ['0x00', values.$A0]);
    const text = JSON.stringify(bridged.messages);
    for (const secret of [
      'Label canary',
      'other-canary',
      values.$A1,
      '37310',
      password,
      mnemonic,
      node.url,
      node.key,
    ])
      expect(text).not.toContain(secret);
    expect(text).toContain(values.$A0);
  });

  test('after destroy every request is refused', async () => {
    await bridged.request('eth_accounts');
    node.override('eth_blockNumber', () => {});
    const reading = outcome(bridged.request('eth_blockNumber'));
    bridged.bridge.destroy();
    expect(await reading).toMatchObject({ code: 4900 });
    await expect(bridged.request('eth_accounts')).rejects.toMatchObject({ code: 4900 });
    expect(bridged.bridge.state().status).toBe('closed');
  });
});

describe('a lost wallet', () => {
  test('reads are retried once, a question is refused, and the person is asked only once', async () => {
    await bridged.request('eth_accounts');
    node.override('eth_getBalance', () => {}, result('0x7'));
    const waiting = openQuestion();
    const reading = bridged.request('eth_getBalance', [values.$X, 'latest']);
    const signing = outcome(bridged.request('personal_sign', ['0x00', values.$A0]));
    await waiting.shown();
    await until(() => node.count('eth_getBalance') > 0);
    bridged.crash();
    expect(await reading).toBe('0x7');
    expect(await signing).toMatchObject({ code: 4001 });
    expect([asked, bridged.generations()]).toEqual([['message'], 2]);
    expect(bridged.events.map(({ name }) => name)).toEqual(['connect', 'disconnect', 'connect']);
  });

  test.each([
    ['personal_sign', ['0x00', values.$A0]],
    ['eth_signTypedData_v4', [values.$A0, '{}']],
    ['wallet_switchEthereumChain', [{ chainId: '0x1e' }]],
    ['wallet_watchAsset', { type: 'ERC20', options: { address: values.$X, symbol: 'X', decimals: 18 } }],
    ['wallet_requestPermissions', [{ eth_accounts: {} }]],
    ['wallet_connect', signIn],
  ])('an approved %s whose wallet is lost rejects with 4900, not 4001', async (method, params) => {
    for (const end of ['crash', 'close'] as const) {
      await bridged.request('eth_accounts');
      // Never answered: the wallet ends between the person's answer and its own.
      Object.assign(bridged.wallet().provider, { request: () => new Promise(() => {}) });
      const before = outcome(bridged.request(method, params));
      await until(() => !bridged.serving().isIdle());
      bridged.serving().noteApproval();
      await until(() => bridged.messages.some(({ message }) => (message as { t: string }).t === 'approved'));
      if (end === 'crash') bridged.crash();
      else bridged.serving().close('closed');
      expect(await before).toMatchObject({ code: 4900, data: { reason: 'bridge-lost' } });
      bridged.stop();
      bridged = bridgeTo({ origin, make: () => make() });
    }
  });

  test('a question asked after another one was approved rejects with 4001', async () => {
    await bridged.request('eth_accounts');
    bridged.serving().noteApproval();
    const waiting = openQuestion();
    const signing = outcome(bridged.request('personal_sign', ['0x00', values.$A0]));
    await waiting.shown();
    bridged.crash();
    expect(await signing).toMatchObject({ code: 4001 });
  });

  test('a read that is lost twice is rejected', async () => {
    await bridged.request('eth_accounts');
    node.override('eth_getBalance', () => {});
    const reading = outcome(bridged.request('eth_getBalance', [values.$X, 'latest']));
    for (const count of [1, 2]) {
      await until(() => node.count('eth_getBalance') === count);
      bridged.crash();
    }
    expect(await reading).toMatchObject({ code: 4900, data: { reason: 'bridge-lost' } });
  });

  test('a send that was signed resolves with its hash, and is not signed again', async () => {
    await bridged.request('eth_accounts');
    node.override('eth_sendRawTransaction', () => {});
    const sending = bridged.request('eth_sendTransaction', [payment]);
    await until(() => node.count('eth_sendRawTransaction') > 0);
    bridged.crash();
    const hash = await sending;
    const journal = await bridged.wallet().transactions();
    expect(journal.map((entry) => entry.hash)).toEqual([hash]);
    expect(asked).toEqual(['transaction']);
  });

  test('a send whose question stood open has an unknown outcome, and is not asked again', async () => {
    await bridged.request('eth_accounts');
    const waiting = openQuestion();
    const sending = outcome(bridged.request('eth_sendTransaction', [{ ...payment, value: '0x2' }]));
    await waiting.shown();
    bridged.crash();
    expect(await sending).toMatchObject({
      code: 4900,
      data: { reason: 'bridge-lost', outcomeUnknown: true },
    });
    expect(asked).toEqual(['transaction']);
  });

  test('two equal sends that are lost never share a hash', async () => {
    await bridged.request('eth_accounts');
    const value = '0x4';
    const first = await bridged.request('eth_sendTransaction', [{ ...payment, value }]);
    const waiting = openQuestion();
    const second = outcome(bridged.request('eth_sendTransaction', [{ ...payment, value }]));
    await waiting.shown();
    bridged.crash();
    expect(await second).toMatchObject({ code: 4900, data: { outcomeUnknown: true } });

    decide = () => true;
    await bridged.request('eth_accounts');
    node.override(
      'eth_sendRawTransaction',
      () => {},
      () => {},
    );
    const both = [1, 2].map(() => bridged.request('eth_sendTransaction', [{ ...payment, value }]));
    // The same bytes, and those of earlier tests, may come again.
    const payments = () =>
      node.requests
        .filter(({ method }) => method === 'eth_sendRawTransaction')
        .map(({ params }) => params[0] as Hex)
        .filter((raw) => parseTransaction(raw).value === BigInt(value));
    await until(() => new Set(payments()).size === 3);
    bridged.crash();
    const hashes = await Promise.all(both);
    expect(new Set([first, ...hashes]).size).toBe(3);
  });

  test('a closing wallet reports its sends: its other requests are refused, and those it never read are sent again', async () => {
    await bridged.request('eth_accounts');
    const waiting = openQuestion();
    const sending = outcome(bridged.request('eth_sendTransaction', [{ ...payment, value: '0x3' }]));
    await waiting.shown();
    bridged.serving().close('idle');
    // Sent to a port that is closed already.
    const late = bridged.request('personal_sign', ['0x00', values.$A0]);
    expect(await sending).toMatchObject({ code: 4001 });
    waiting.answer(true);
    expect(await late).toMatch(/^0x/);
    expect(bridged.generations()).toBe(2);
  });

  test('silence is noticed while nothing but a subscription waits', async () => {
    await bridged.request('eth_subscribe', ['newHeads']);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const reading = bridged.request('eth_blockNumber');
    await vi.advanceTimersByTimeAsync(1_000);
    await reading;
    bridged.freeze();
    await vi.advanceTimersByTimeAsync(14_000);
    expect(bridged.generations()).toBe(1);
    await vi.advanceTimersByTimeAsync(7_000);
    vi.useRealTimers();
    await until(() => bridged.generations() === 2);
  });

  test('silence is noticed while a request waits, not before', async () => {
    await bridged.request('eth_accounts');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    bridged.freeze();
    await vi.advanceTimersByTimeAsync(14_000);
    expect(bridged.bridge.state().status).toBe('ready');
    const reading = bridged.request('eth_blockNumber');
    await vi.advanceTimersByTimeAsync(14_000);
    expect(bridged.generations()).toBe(1);
    await vi.advanceTimersByTimeAsync(7_000);
    vi.useRealTimers();
    expect(await reading).toMatch(/^0x/);
    expect(bridged.generations()).toBe(2);
  });
});

describe('windows', () => {
  /** A browser in which windows open, and what was opened. */
  function openable() {
    const opened: string[] = [];
    const open = (path: string) => {
      opened.push(path);
      return {} as Window;
    };
    return { opened, popup: { open, offer: async (path: string) => open(path), close() {} } };
  }

  test('one is opened within the call where the wallet has said so, one at a time, and not for nothing', async () => {
    const { opened, popup } = openable();
    bridged.stop();
    bridged = bridgeTo({
      ...{ origin, popup, make: () => make() },
      serve: { windowMethods: ['personal_sign', 'eth_requestAccounts'] },
    });
    await bridged.request('eth_accounts');
    const first = bridged.request('personal_sign', ['0x00', values.$A0]);
    expect(opened).toEqual([expect.stringMatching(/^window\.html#[0-9a-f]{32}$/)]);
    const second = bridged.request('personal_sign', ['0x01', values.$A0]);
    expect(await bridged.request('eth_requestAccounts')).toEqual([values.$A0]);
    await Promise.all([first, second]);
    expect(opened).toHaveLength(1);
    const sent = bridged.messages.map(({ message }) => message as { method?: string; window?: string });
    expect(sent.filter(({ window }) => window)).toMatchObject([
      { method: 'personal_sign', window: opened[0]?.slice('window.html#'.length) },
    ]);
    // The window is open until the wallet reports its end.
    await bridged.request('personal_sign', ['0x02', values.$A0]);
    expect(opened).toHaveLength(1);
    bridged.serving().post({ t: 'window-ended', token: opened[0]?.slice('window.html#'.length) });
    await bridged.request('eth_blockNumber');
    await bridged.request('personal_sign', ['0x03', values.$A0]);
    expect(opened).toHaveLength(2);
  });

  test('wallet_connect opens one for a sign-in, and none for accounts that are shared already', async () => {
    const { opened, popup } = openable();
    bridged.stop();
    bridged = bridgeTo({
      ...{ origin, popup, make: () => make() },
      serve: { windowMethods: ['wallet_connect'] },
    });
    await bridged.request('eth_accounts');
    const connected = { accounts: [{ address: values.$A0, capabilities: {} }] };
    expect(await bridged.request('wallet_connect', accountsOnly)).toEqual(connected);
    expect([asked, opened]).toEqual([[], []]);
    const { accounts } = (await bridged.request('wallet_connect', signIn)) as { accounts: object[] };
    expect(accounts).toMatchObject([{ capabilities: { signInWithEthereum: expect.any(Object) } }]);
    expect([asked, opened.length]).toEqual([['connect'], 1]);
  });

  test('where the storage is partitioned, the page itself answers wallet_connect and wallet_disconnect without a sign-in', async () => {
    bridged.stop();
    bridged = bridgeTo({ origin, make: () => make(), serve: { isPartitioned: true } });
    expect(await bridged.request('eth_accounts')).toEqual([]);
    bridged.serving().post({ t: 'state', chainId: 31, accounts: [values.$A1] });
    await until(() => bridged.events.some(({ name }) => name === 'accountsChanged'));
    const connected = { accounts: [{ address: values.$A1, capabilities: {} }] };
    expect(await bridged.request('wallet_connect', accountsOnly)).toEqual(connected);
    expect(asked).toEqual([]);
    // A person decides on the rest, where they can be asked; the wallet names mistakes.
    await bridged.request('wallet_connect', signIn);
    expect(asked).toEqual(['connect']);
    await expect(bridged.request('wallet_connect', [{ version: '2' }])).rejects.toMatchObject({
      code: -32602,
    });
    expect(await bridged.request('wallet_disconnect')).toBeNull();
    expect(await bridged.request('eth_accounts')).toEqual([]);
    expect(asked).toEqual(['connect']);
  });

  test('none is opened for a page whose questions were refused several times, until the pause is over', async () => {
    const { opened, popup } = openable();
    bridged.stop();
    bridged = bridgeTo({
      ...{ origin, popup, make: () => make() },
      serve: { windowMethods: ['personal_sign'], pausedFor: 60_000 },
    });
    await bridged.request('eth_accounts');
    await bridged.request('personal_sign', ['0x00', values.$A0]);
    expect(opened).toEqual([]);
    bridged.serving().post({ t: 'paused', ms: 0 });
    await bridged.request('eth_blockNumber');
    await bridged.request('personal_sign', ['0x01', values.$A0]);
    expect(opened).toHaveLength(1);
  });

  test('the wallet learns whether the window it needs could be opened', async () => {
    await bridged.request('eth_accounts');
    bridged.serving().post({ t: 'need-window', token: 'ab'.repeat(16), reason: 'covered' });
    await until(() => bridged.messages.some(({ message }) => (message as { t: string }).t === 'window'));
    expect(bridged.messages.at(-1)).toEqual({
      from: 'client',
      message: {
        ...{ t: 'window', token: 'ab'.repeat(16), opened: false },
        error: expect.objectContaining({ code: -32002, json: '{"reason":"popup-blocked"}' }),
      },
    });
  });
});

describe('a wallet that cannot serve this page', () => {
  test('a wallet of another version is refused with both sides’ versions', async () => {
    bridged.stop();
    bridged = bridgeTo({ origin, make: () => make(), serve: { version: 2 } });
    await expect(bridged.request('eth_chainId')).rejects.toMatchObject({
      code: -32002,
      data: { reason: 'bridge-version', host: [2], client: [1] },
    });
  });

  test.each([
    [{ reason: 'bridge-origin' }, { code: 4100, data: { reason: 'bridge-origin' } }],
    [
      { reason: 'bridge-version', v: [3, 2] },
      { code: -32002, data: { reason: 'bridge-version', host: [3, 2] } },
    ],
  ])('a wallet that refuses with %j gives the request its error', async (closing, expected) => {
    bridged.stop();
    bridged = bridgeTo({ origin, make: () => make(), serve: { nonce: 'of another client' } });
    const reading = outcome(bridged.request('eth_chainId'));
    await until(() => bridged.generations() === 1);
    bridged.serving().post({ t: 'closing', ...closing });
    expect(await reading).toMatchObject(expected);
  });
});

import { HDKey } from '@scure/bip32';
import { mnemonicToEntropy, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Question } from '../../../src/approvals/question.js';
import { createVolatileMemory, createWallet, type Wallet } from '../../../src/index.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { knownMethods } from '../../support/known-methods.js';
import { type RecordedStorage, recordStorage } from '../../support/rig.js';
import {
  createScriptedService,
  error,
  plantedKey,
  reset,
  respond,
  type Script,
} from '../../support/scripted-service.js';
import { until } from '../../support/until.js';
import { rawOk } from '../conformance/raw-transactions.js';
import { listen } from '../conformance/said.js';
import { typedData } from '../conformance/typed-data.js';
import { createCatch, type Secret, secretBytes, secretText, secretWords } from './secrets.js';

hastenKdfOfFile();

/** Secrets are planted, everything is done that a wallet does and that can go wrong, and all that came out is searched. */

const origin = 'https://dapp.example';
const password = 'Pläntéd pass; 47 "words" & more';
const nextPassword = 'planted-Second-password-8812';
const wrongPassword = 'planted-Wrong-guess-5520';
const keystorePassword = 'planted-Keystore-phrase-3391';
/** Trezor's published BIP-39 vector (MIT). */
const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const privateKey = `0x${'c0ffee5e'.repeat(8)}`;

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
const seed = mnemonicToSeedSync(mnemonic);
const derived = (index: number) => {
  const key = HDKey.fromMasterSeed(seed).derive(`m/44'/37310'/0'/0/${index}`).privateKey;
  if (!key) throw new Error('The fixture has no key');
  return key;
};

const apiKey = secretText('API key', plantedKey);
const keys: Secret[] = [
  secretText('password', password),
  secretText('second password', nextPassword),
  secretText('wrong password', wrongPassword),
  secretText('keystore password', keystorePassword),
  secretWords('mnemonic', mnemonic),
  secretBytes('entropy', mnemonicToEntropy(mnemonic, wordlist)),
  secretBytes('seed', seed),
  secretBytes('imported private key', bytesOf(privateKey)),
  secretBytes('first derived key', derived(0)),
  secretBytes('second derived key', derived(1)),
];

/** A service that says who asked it, in every way it can. */
const echoes: readonly Script[] = [
  ...[400, 401, 403, 404, 408, 413, 418, 429, 451, 500, 501, 502, 503].flatMap((status): Script[] => [
    (response, asked) =>
      respond(`no ${asked.path} here`, status, { 'content-type': 'text/plain' })(response, asked),
    (response, asked) =>
      respond(`<html><a href="http://127.0.0.1${asked.path}">${plantedKey}</a></html>`, status)(
        response,
        asked,
      ),
    (response, asked) =>
      respond(
        JSON.stringify({
          jsonrpc: '2.0',
          id: asked.id,
          error: {
            code: -32000 - (status % 20),
            message: `key ${plantedKey} (${plantedKey.toUpperCase()}) of ${asked.path}`,
            data: { url: asked.path, deep: [{ [plantedKey]: encodeURIComponent(asked.path) }] },
          },
        }),
        status,
      )(response, asked),
  ]),
  ...[3, -32015, -32010, -32603, -32601, -32602, 4001, 4100, -32002, 0].map((code) =>
    error(code, `execution reverted: ${plantedKey}`, `0x08c379a0 ${plantedKey}`),
  ),
  respond(`{"jsonrpc":"2.0","id":$ID,"error":"${plantedKey}"}`),
  respond(`"${plantedKey}"`),
  respond('', 302, { location: `https://evil.example/${plantedKey}` }),
  respond('{"jsonrpc":"2.0","id":$ID,"resul'),
  reset,
];

/** They show a person what they are given, which is their purpose. */
const signs = /^(personal_sign|eth_sign|personal_ecRecover|wallet_watchAsset)/;

const net = createCatch();
let ears: ReturnType<typeof listen>;
let node: FakeNode;
let storage: RecordedStorage;
const stops: (() => void | Promise<void>)[] = [];
const unhandled = (reason: unknown) => net.put('unhandled rejection', reason);

beforeAll(async () => {
  ears = listen();
  process.on('unhandledRejection', unhandled);
  node = await createFakeNode();
  storage = recordStorage();
  await scenario();
}, 120_000);
afterAll(async () => {
  process.off('unhandledRejection', unhandled);
  for (const stop of stops) await stop();
  await node.stop();
  ears.stop();
});

/** Notes a failure; what succeeds is the owner's to see, and kept out. */
const failing = (where: string, work: Promise<unknown>) =>
  work.then(
    () => {},
    (reason: unknown) => net.put(`error of ${where}`, reason),
  );

interface Page {
  readonly wallet: Wallet;
  readonly memory: ReturnType<typeof createVolatileMemory>;
}

function openPage(
  url: string,
  options: { agree?: (question: Question) => boolean; password?: string } = {},
): Page {
  const memory = createVolatileMemory();
  const approver = headless({
    answer: (question) => {
      net.put('question', question);
      return options.agree?.(question) ?? true;
    },
    password: options.password ?? password,
  });
  const wallet = createWallet({
    networks: [{ chainId: 31, url }],
    approver: () => approver,
    origin,
    storage,
    memory,
    pollingInterval: 50,
  });
  for (const name of ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message', 'error'])
    wallet.provider.on(name, (...parts: unknown[]) => net.put(`event ${name}`, parts));
  wallet.watch((...parts: unknown[]) => net.put('watch', parts));
  wallet.observe((event) => net.put(`observed ${event.kind}`, event));
  stops.push(() => wallet.destroy());
  return { wallet, memory };
}

/** What the wallet shows of itself. */
async function look({ wallet, memory }: Page): Promise<void> {
  net.put('state', wallet.state());
  net.put('usage', wallet.usage());
  net.put('session memory', memory.read());
  net.put('the provider itself', wallet.provider);
  net.put('the wallet itself', wallet);
  await wallet.transactions().then(
    (entries) => net.put('journal', entries),
    (reason) => net.put('error of journal', reason),
  );
}

async function scenario(): Promise<void> {
  for (const url of [
    `http://far.example/${plantedKey}`,
    `ftp://127.0.0.1/${plantedKey}`,
    `http://u:${plantedKey}@127.0.0.1/`,
    plantedKey,
  ])
    try {
      openPage(url);
    } catch (reason) {
      net.put('error of createWallet', reason);
    }

  const page = openPage(node.url);
  const { wallet } = page;
  const request = (method: string, params: readonly unknown[] = []) =>
    wallet.provider.request({ method, params });

  // Keys in, wrongly and rightly.
  await failing('importMnemonic', wallet.importMnemonic(`${mnemonic} ${mnemonic}`, { password }));
  await failing('importMnemonic', wallet.importMnemonic(mnemonic.replace('yellow', 'year'), { password }));
  await failing('importMnemonic', wallet.importMnemonic(mnemonic, { password: '' }));
  await failing('importPrivateKey', wallet.importPrivateKey(`${privateKey}00`, { password }));
  await failing('importMnemonic with a path', wallet.importMnemonic(mnemonic, { password, path: 'm/x' }));
  await wallet.importMnemonic(mnemonic, { password });
  await wallet.addAccount();
  await wallet.importPrivateKey(privateKey);
  await failing('a second create', wallet.create(password));
  await failing('importKeystore', wallet.importKeystore(`{"version":3,"x":"${mnemonic}"}`, keystorePassword));
  const [account] = (await request('eth_requestAccounts')) as readonly `0x${string}`[];
  const from = account as `0x${string}`;
  const pay = () => request('eth_sendTransaction', [{ from, to: from, value: '0x1' }]);
  await look(page);

  // Keys out, wrongly.
  await failing('exportMnemonic', wallet.exportMnemonic(wrongPassword));
  await failing('exportPrivateKey', wallet.exportPrivateKey(`0x${'00'.repeat(20)}`, password));
  await failing('exportKeystore', wallet.exportKeystore(`0x${'00'.repeat(20)}`, password));
  await failing('exportWif', wallet.exportWif(`0x${'00'.repeat(20)}`, password));
  await failing('exportWif', wallet.exportWif(from, wrongPassword));
  await failing('changePassword', wallet.changePassword(wrongPassword, nextPassword));
  // Keys out, rightly: the owner sees them, nobody else does.
  expect(await wallet.exportMnemonic(password)).toBe(mnemonic);

  // All the methods a page would try them on.
  const planted = [privateKey, mnemonic, password, { password, privateKey }, [mnemonic]];
  // Whoever pastes a secret into the wrong field must not read it in an error, nor in whoever collects errors.
  for (const method of knownMethods)
    for (const secret of [privateKey, mnemonic, { from: mnemonic, to: privateKey, address: privateKey }])
      for (const params of [
        [secret],
        [secret, secret],
        [from, secret],
        [{ from, to: from, data: '0x' }, secret],
      ])
        if (!signs.test(method)) await failing(`${method} with a secret`, request(method, params));
  for (const method of [
    'personal_importRawKey',
    'personal_newAccountWithSeed',
    'personal_unlockAccount',
    'nonsense_method',
    'eth_call',
  ])
    await failing(method, request(method, planted));
  await failing('personal_sign', request('personal_sign', ['0x68', from, password]));
  await failing('eth_getBalance', request('eth_getBalance', [privateKey]));
  await failing('eth_sendRawTransaction', request('eth_sendRawTransaction', [privateKey]));
  await failing('a typo', request('eth_sendTransaction', [{ from, to: from, privateKey }]));
  await failing(
    'typed data',
    request('eth_signTypedData_v4', [from, { ...typedData(), message: { amount: privateKey } }]),
  );

  // What works.
  await pay();
  await request('personal_sign', ['0x68656c6c6f', from]);
  await request('eth_signTypedData_v4', [from, typedData()]);
  await request('eth_subscribe', ['newHeads']);
  await failing('eth_subscribe', request('eth_subscribe', ['logs', { address: privateKey }]));
  node.chain.mine();
  await look(page);

  // The service misbehaves, for reads, and for a transaction.
  await Promise.all(
    echoes.map(async (script, i) => {
      const one = await createScriptedService(script);
      const victim = openPage(one.url, { password });
      victim.memory.write(page.memory.read() ?? '');
      const ask = (method: string, params: readonly unknown[]) =>
        failing(`${method}, fault ${i}`, victim.wallet.provider.request({ method, params }));
      await Promise.all([
        ask('eth_blockNumber', []),
        ask('eth_call', [{ to: from }, 'latest']),
        ask('eth_getLogs', [{}]),
        ask('eth_sendRawTransaction', [rawOk]),
        ask('eth_sendTransaction', [{ from, to: from, value: '0x1' }]),
        ask('eth_subscribe', ['newHeads']),
        ask('eth_newBlockFilter', []),
        ask('wallet_addEthereumChain', [
          {
            chainId: '0x2a',
            chainName: 'Echo',
            nativeCurrency: { name: 'E', symbol: 'E', decimals: 18 },
            rpcUrls: [one.url],
          },
        ]),
      ]);
      await look(victim);
      victim.wallet.destroy();
      await one.stop();
    }),
  );
  // One reply to each send; as many sends at once as may wait for a person.
  node.override('eth_sendRawTransaction', ...echoes);
  for (let sends = 0; sends < echoes.length; sends += 18)
    await Promise.all(Array.from({ length: 18 }, () => failing('eth_sendTransaction', pay())));
  node.reset();
  // After twelve failures in a row the wallet leaves the service alone for a moment.
  const answers = () =>
    request('eth_gasPrice').then(
      () => true,
      () => false,
    );
  await until(answers, { timeout: 40_000, interval: 200 });
  await look(page);

  // Locked, guessed at, opened.
  await wallet.lock();
  await failing('unlock', wallet.unlock(wrongPassword));
  await failing('deriveAccount', wallet.deriveAccount("m/44'/37310'/0'/0/7"));
  await wallet.unlock(password);

  // The disk is full, or gone.
  const { update, put, get, all } = storage;
  const broken = () => Promise.reject(new DOMException('The quota has been exceeded.', 'QuotaExceededError'));
  Object.assign(storage, { update: broken, put: broken });
  await failing('importPrivateKey on a full disk', wallet.importPrivateKey(`0x${'0badf00d'.repeat(8)}`));
  await failing('changePassword on a full disk', wallet.changePassword(password, nextPassword));
  await failing('eth_sendTransaction on a full disk', pay());
  Object.assign(storage, { get: broken, all: broken });
  await failing('unlock without a disk', wallet.unlock(password));
  await failing('exportMnemonic without a disk', wallet.exportMnemonic(password));
  await failing('eth_sendTransaction without a disk', pay());
  Object.assign(storage, { update, put, get, all });
  await look(page);

  for (const { store, key, value } of storage.dump()) net.put(`storage ${store}`, { key, value });
  for (const { body, headers, path } of node.requests as unknown as readonly {
    body: string;
    headers: object;
    path: string;
  }[]) {
    net.put('request body', body);
    net.put('request headers', { ...headers, host: '' });
    net.put('request path', path);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const line of ears.said) net.put('console', line);
}

describe('secrets', () => {
  test('no password, mnemonic or key appears in any result, error, event, request or record', () => {
    expect(net.find(keys)).toEqual([]);
  });

  test('the API key is in the path of requests and nowhere else', () => {
    expect(net.find([apiKey], (where) => where !== 'request path')).toEqual([]);
    expect(net.find([apiKey], (where) => where === 'request path')).toEqual(['API key in request path']);
  });

  test('nothing is printed, and no rejection is unhandled', () => {
    expect(ears.said).toEqual([]);
    expect([...net.places].filter((where) => where === 'unhandled rejection')).toEqual([]);
  });

  test('every kind of place was searched', () => {
    for (const where of [
      'question',
      'watch',
      'state',
      'usage',
      'journal',
      'session memory',
      'storage vault',
      'storage journal',
      'request body',
    ])
      expect(net.places).toContain(where);
    for (const where of [
      'event connect',
      'event accountsChanged',
      'event message',
      'observed asked',
      'observed answered',
      'observed read',
      'observed http',
      'observed head',
      'observed subscription',
      'observed delivered',
      'observed question',
      'error of unlock',
      'error of createWallet',
    ])
      expect(net.places).toContain(where);
    expect([...net.places].filter((where) => where.startsWith('error of')).length).toBeGreaterThan(
      echoes.length,
    );
  });
});

describe('the search', () => {
  const everything = [apiKey, ...keys];
  const hide: Readonly<Record<string, (text: string) => unknown>> = {
    'a message': (text) => new Error(`it was ${text}`),
    'a cause of a cause': (text) => new Error('a', { cause: new Error('b', { cause: text }) }),
    'a stack': (text) => Object.assign(new Error('a'), { stack: `at https://x/${text}:1:1` }),
    'a property that is not enumerable': (text) =>
      Object.defineProperty(new Error('a'), 'url', { value: text }),
    'the name of a property': (text) => ({ deep: [{ [text]: 1 }] }),
    'a symbol': (text) => ({ [Symbol('s')]: text }),
    'a map': (text) => new Map([['a', { b: text }]]),
    'a cycle': (text) => {
      const cycle: Record<string, unknown> = { text };
      cycle.self = cycle;
      return [cycle];
    },
  };

  test.each(Object.entries(hide))('a secret in %s is found in every spelling', (_, wrap) => {
    for (const secret of everything)
      for (const spelling of secret.spellings) {
        const leak = createCatch();
        leak.put('here', wrap(spelling));
        expect(leak.find(everything), spelling).toContain(`${secret.name} in here`);
      }
  });

  test('a secret that is printed is found', () => {
    const before = ears.said.length;
    console.warn('oh', { password });
    const heard = createCatch();
    heard.put('console', ears.said.slice(before));
    expect(heard.find(everything)).toEqual(['password in console']);
    (ears.said as string[]).splice(before);
  });

  test('a secret that is sent is found', async () => {
    await fetch(node.url, {
      method: 'POST',
      body: JSON.stringify({ method: 'x', params: [mnemonic], id: 1 }),
    });
    const seen = createCatch();
    seen.put(
      'request body',
      node.requests.map(({ body }) => body),
    );
    expect(seen.find(everything)).toEqual(['mnemonic in request body']);
  });
});

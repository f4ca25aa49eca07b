import { checksumAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  type ProviderRpcError,
  type Storage,
  type Wallet,
} from '../../../src/index.js';
import { createKeyring } from '../../../src/keyring/keyring.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { createScriptedService, result } from '../../support/scripted-service.js';
import { everythingIn } from '../../support/secrecy.js';

hastenKdfOfFile();

/** The functions that a wallet's owner calls, and how they refuse bad arguments. */

const password = 'a password of the owner';
const mnemonic = 'test test test test test test test test test test test junk';
/** Milliseconds: stretching a password takes a second of an idle machine. */
const patience = 60_000;
const wallets: Wallet[] = [];

function open(storage: Storage = createMemoryStorage(), url = 'http://127.0.0.1:9/key'): Wallet {
  const wallet = openWallet({
    networks: [{ chainId: 33, url }],
    storage: { ...storage, close() {} },
  });
  wallets.push(wallet);
  return wallet;
}

afterAll(() => {
  for (const wallet of wallets) wallet.destroy();
});

const rejection = async (call: () => unknown): Promise<ProviderRpcError> => {
  try {
    await call();
  } catch (error) {
    return error as ProviderRpcError;
  }
  throw new Error('it was taken');
};

/** A number that may be a PIN, and values of every other type. */
const pin = 734_812_964;
const strangers: readonly [what: string, value: unknown][] = [
  ['a number', pin],
  ['null', null],
  ['an object', { secret: pin }],
  ['an array', [pin]],
  ['a symbol', Symbol('secret')],
  ['a function', () => pin],
  ['a boolean', true],
  ['a bigint', 5n],
];
const missing = ['undefined', undefined] as const;

// biome-ignore lint/suspicious/noExplicitAny: what no types allow
type Loose = any;

describe('an argument of a wrong type is refused with its name and without its value', () => {
  let wallet: Wallet;
  beforeAll(async () => {
    wallet = open();
    await wallet.create(password);
  }, patience);

  const required: readonly [
    name: string,
    argument: string,
    call: (wallet: Loose, value: unknown) => unknown,
  ][] = [
    ['create', 'password', (w, value) => w.create(value)],
    ['createFromPasskey', 'name', (w, value) => w.createFromPasskey(value)],
    ['restoreFromPasskey', 'name', (w, value) => w.restoreFromPasskey({ name: value ?? 1 } as never)],
    ['unlock', 'password', (w, value) => w.unlock(value)],
    ['changePassword', 'current', (w, value) => w.changePassword(value, password)],
    ['changePassword', 'next', (w, value) => w.changePassword(password, value)],
    ['exportMnemonic', 'password', (w, value) => w.exportMnemonic(value)],
    ['exportPrivateKey', 'address', (w, value) => w.exportPrivateKey(value, password)],
    ['exportPrivateKey', 'password', (w, value) => w.exportPrivateKey(w.state().accounts[0].address, value)],
    ['exportKeystore', 'address', (w, value) => w.exportKeystore(value, password)],
    ['exportKeystore', 'password', (w, value) => w.exportKeystore(w.state().accounts[0].address, value)],
    ['exportWif', 'address', (w, value) => w.exportWif(value, password)],
    ['exportWif', 'password', (w, value) => w.exportWif(w.state().accounts[0].address, value)],
    ['bitcoinAddress', 'address', (w, value) => w.bitcoinAddress(value)],
    ['pegOuts', 'address', (w, value) => w.pegOuts(value ?? 1)],
    ['pegOutEstimate', 'value', (w, value) => w.pegOutEstimate(value)],
    ['importMnemonic', 'mnemonic', (w, value) => w.importMnemonic(value)],
    ['importPrivateKey', 'privateKey', (w, value) => w.importPrivateKey(value)],
    ['importKeystore', 'json', (w, value) => w.importKeystore(value, password)],
    ['importKeystore', 'keystorePassword', (w, value) => w.importKeystore('{}', value)],
    ['deriveAccount', 'path', (w, value) => w.deriveAccount(value)],
    ['addPasskey', 'name', (w, value) => w.addPasskey(value)],
    ['renamePasskey', 'id', (w, value) => w.renamePasskey(value, 'x')],
    ['renamePasskey', 'name', (w, value) => w.renamePasskey('x', value)],
    ['removePasskey', 'id', (w, value) => w.removePasskey(value)],
    ['rename', 'address', (w, value) => w.rename(value, 'x')],
    ['rename', 'label', (w, value) => w.rename(w.state().accounts[0].address, value)],
    ['hide', 'address', (w, value) => w.hide(value, true)],
    ['hide', 'hidden', (w, value) => w.hide(w.state().accounts[0].address, value)],
    ['remove', 'address', (w, value) => w.remove(value)],
    ['backup', 'credential', (w, value) => w.backup(value, password)],
    ['backup', 'filePassword', (w, value) => w.backup(password, value)],
    ['restore', 'file', (w, value) => w.restore(value, password)],
    ['restore', 'filePassword', (w, value) => w.restore('{}', value)],
    ['switchChain', 'chainId', (w, value) => w.switchChain(value)],
    ['watch', 'listener', (w, value) => w.watch(value)],
    ['resend', 'hash', (w, value) => w.resend(value)],
    ['abandon', 'hash', (w, value) => w.abandon(value)],
    ['exportTransactions', 'format', (w, value) => w.exportTransactions(value)],
  ];
  const optional: typeof required = [
    ['create', 'options', (w, value) => w.create(password, value)],
    ['create', 'words', (w, value) => w.create(password, { words: value })],
    ['create', 'replaceMissing', (w, value) => w.create(password, { replaceMissing: value })],
    ['importMnemonic', 'options', (w, value) => w.importMnemonic(mnemonic, value)],
    ['importMnemonic', 'path', (w, value) => w.importMnemonic(mnemonic, { path: value })],
    ['importPrivateKey', 'options', (w, value) => w.importPrivateKey(`0x${'11'.repeat(32)}`, value)],
    ['importMnemonic', 'passphrase', (w, value) => w.importMnemonic(mnemonic, { passphrase: value })],
    ['importMnemonic', 'passkey', (w, value) => w.importMnemonic(mnemonic, { passkey: value })],
    ['importMnemonic', 'replace', (w, value) => w.importMnemonic(mnemonic, { replace: value })],
    ['restore', 'options', (w, value) => w.restore('{}', password, value)],
    ['restore', 'replace', (w, value) => w.restore('{}', password, { replace: value })],
    ['newMnemonic', 'words', (w, value) => w.newMnemonic(value)],
    ['addAccount', 'mnemonicOf', (w, value) => w.addAccount(value)],
    ['discover', 'options', (w, value) => w.discover(value)],
    ['discover', 'onProgress', (w, value) => w.discover({ onProgress: value })],
    ['discover', 'signal', (w, value) => w.discover({ signal: value })],
    ['exportMnemonic', 'address', (w, value) => w.exportMnemonic(password, value)],
    ['exportPassphrase', 'address', (w, value) => w.exportPassphrase(password, value)],
    [
      'exportKeystore',
      'filePassword',
      (w, value) => w.exportKeystore(w.state().accounts[0].address, password, value),
    ],
    ['importKeystore', 'options', (w, value) => w.importKeystore('{}', password, value)],
    ['importKeystore', 'password', (w, value) => w.importKeystore('{}', password, { password: value })],
    ['disconnect', 'origin', (w, value) => w.disconnect(value)],
    ['announce', 'options', (w, value) => w.announce(value)],
  ];
  /** Values that the argument may be. */
  const isRight = (argument: string, value: unknown) =>
    ({
      switchChain: [],
      chainId: ['number'],
      words: ['number'],
      listener: ['function'],
      options: ['object'],
      replaceMissing: ['boolean'],
      replace: ['boolean'],
      hidden: ['boolean'],
      passkey: ['object'],
      signal: ['object'],
      onProgress: ['function'],
    })[argument]?.includes(typeof value as never) === true && value !== null;

  const cases = [
    ...required.flatMap((each) => [...strangers, missing].map((stranger) => [...each, ...stranger] as const)),
    ...optional.flatMap((each) => strangers.map((stranger) => [...each, ...stranger] as const)),
  ].filter(([, argument, , , value]) => !isRight(argument, value));

  test.each(cases.map((each) => [each[0], each[1], each[3], each] as const))(
    '%s, %s: %s',
    async (_name, argument, _what, [, , call, , value]) => {
      const error = await rejection(() => call(wallet, value));
      expect(error).toMatchObject({ name: 'ProviderRpcError', code: -32602 });
      const name = argument === 'next' || argument === 'password' ? /password|next/i : argument;
      expect(error.message).toMatch(name);
      expect(everythingIn(error)).not.toContain(String(pin));
    },
  );

  test('an array for options is refused with -32602, a chain that is not configured with another code', async () => {
    expect(await rejection(() => (wallet as Loose).create(password, []))).toMatchObject({ code: -32602 });
    expect(await rejection(() => wallet.switchChain(5))).toMatchObject({ code: 4902 });
  });
});

describe('createWallet', () => {
  const good = { networks: [{ chainId: 33, url: 'http://127.0.0.1:9/key' }], memory: createVolatileMemory() };
  const names = [
    'approver',
    'name',
    'origin',
    'storage',
    'memory',
    'signIn',
    'lockAfter',
    'describeRevert',
    'ownSite',
  ];
  const right: Record<string, string> = {
    approver: 'function',
    describeRevert: 'function',
    lockAfter: 'number',
    ownSite: 'boolean',
  };

  test.each([...names, 'errorBase', 'refuse', 'pollingInterval', 'networks'])(
    'names the option %s where it is of another type',
    async (name) => {
      for (const [, value] of strangers) {
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        if (typeof value === (right[name] ?? '') || (['storage', 'memory'].includes(name) && isObject))
          continue;
        if (name === 'refuse' && Array.isArray(value)) continue;
        if (['errorBase', 'pollingInterval'].includes(name) && ['function', 'number'].includes(typeof value))
          continue;
        const error = await rejection(() => createWallet({ ...good, [name]: value } as Loose));
        expect([name, value, error.code]).toEqual([name, value, -32602]);
        expect(error.message).toContain(name);
      }
    },
  );

  test.each([...strangers, missing])('refuses %s for its options', async (_, value) => {
    expect(await rejection(() => createWallet(value as Loose))).toMatchObject({ code: -32602 });
  });

  test.each([...strangers, missing])('refuses %s for a network', async (_, value) => {
    expect(await rejection(() => createWallet({ networks: [value] } as Loose))).toMatchObject({
      code: -32602,
      message: expect.stringContaining('networks[0]'),
    });
  });
});

describe('a password', { timeout: patience }, () => {
  const tooShort = ['', '1234567', 'pässwör', '🔑🔑🔑🔑🔑🔑🔑'];
  const tooLong = ['a'.repeat(1_025), 'é'.repeat(513)];
  const longest = 'several words are better than one '.repeat(40).slice(0, 1_024);

  test.each(tooShort)(
    'a password of less than 8 characters is refused when it is chosen: %j',
    async (short) => {
      const wallet = open();
      for (const set of [
        () => wallet.create(short),
        () => wallet.importMnemonic(mnemonic, { password: short }),
        () => wallet.importPrivateKey(`0x${'11'.repeat(32)}`, { password: short }),
      ])
        expect(await rejection(set)).toMatchObject({
          code: -32602,
          message: 'The password is too short: choose at least 8 characters.',
        });
      expect(await wallet.vaultState()).toBe('empty');
    },
  );

  test.each(tooLong)('a password of more than 1 KiB is refused when it is chosen', async (long) => {
    const wallet = open();
    expect(await rejection(() => wallet.create(long))).toMatchObject({
      code: -32602,
      message: 'The password is too long: at most 1,024 bytes.',
    });
  });

  test('a password of 8 characters or of 1 KiB is accepted, and a change to a shorter or longer one is refused', async () => {
    const wallet = open();
    await wallet.create('🔑🐈🌵🚲🍋🎻🧦🪁');
    expect(await rejection(() => wallet.changePassword('🔑🐈🌵🚲🍋🎻🧦🪁', 'short'))).toMatchObject({
      code: -32602,
      message: 'The new password is too short: choose at least 8 characters.',
    });
    await wallet.changePassword('🔑🐈🌵🚲🍋🎻🧦🪁', longest);
    await wallet.lock();
    await wallet.unlock(longest);
  });

  test('a password of an older vault unlocks it although it is too short, and can be changed', async () => {
    const storage = createMemoryStorage();
    const kdf = { name: 'scrypt', N: 2 ** 14, r: 8, p: 1 } as const;
    const keyring = createKeyring({ storage: { ...storage, close() {} }, kdf, name: 'graft:wallet' });
    await keyring.create({ type: 'mnemonic', mnemonic, path: "m/44'/37310'/0'/0/0" }, 'old');
    keyring.close();
    const wallet = open(storage);
    await wallet.unlock('old');
    expect(await wallet.exportMnemonic('old')).toBe(mnemonic);
    await wallet.changePassword('old', 'new enough');
    await wallet.lock();
    await wallet.unlock('new enough');
  });
});

describe('on a page of plain http, where browsers have no WebCrypto', { timeout: patience }, () => {
  /** Browsers define no `crypto.subtle` there. */
  function withoutWebCrypto(): void {
    const { crypto } = globalThis;
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto), subtle: undefined });
    onTestFinished(() => void vi.unstubAllGlobals());
  }
  const keystore = JSON.stringify({ version: 3 });
  const calls: readonly [name: string, call: (wallet: Wallet) => unknown][] = [
    ['create', (wallet) => wallet.create(password)],
    ['importMnemonic', (wallet) => wallet.importMnemonic(mnemonic, { password })],
    ['importPrivateKey', (wallet) => wallet.importPrivateKey(`0x${'11'.repeat(32)}`, { password })],
    ['importKeystore', (wallet) => wallet.importKeystore(keystore, password, { password })],
    ['unlock', (wallet) => wallet.unlock(password)],
    ['exportMnemonic', (wallet) => wallet.exportMnemonic(password)],
    ['newMnemonic', (wallet) => wallet.newMnemonic()],
    [
      'importMnemonic with a passkey',
      (wallet) => wallet.importMnemonic(mnemonic, { passkey: { name: 'x' } }),
    ],
    ['addPasskey', (wallet) => wallet.addPasskey('x')],
    ['unlock with a passkey', (wallet) => wallet.unlock({ passkey: true })],
    ['restore', (wallet) => wallet.restore('{}', password, { password })],
    ['changePassword', (wallet) => wallet.changePassword(password, `${password}s`)],
  ];

  test.each(calls)('%s says that HTTPS is needed, before anything is read or made', async (_, call) => {
    const wallet = open();
    withoutWebCrypto();
    expect(await rejection(() => call(wallet))).toMatchObject({
      code: -32002,
      message: expect.stringMatching(/HTTPS.*localhost/),
    });
    expect(await wallet.vaultState()).toBe('empty');
  });

  test('an existing vault is not read', async () => {
    const storage = createMemoryStorage();
    await open(storage).create(password);
    const wallet = open(storage);
    withoutWebCrypto();
    for (const call of [() => wallet.vaultState(), () => wallet.unlock(password)])
      expect(await rejection(call)).toMatchObject({
        code: -32002,
        message: expect.stringContaining('HTTPS'),
      });
  });

  test('requests that need no keys work', async () => {
    withoutWebCrypto();
    const wallet = open();
    expect(await wallet.provider.request({ method: 'eth_chainId' })).toBe('0x21');
    expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([]);
  });
});

test('addresses with the checksum of chain 33 are accepted (EIP-1191), as those of 30 and 31', async () => {
  const service = await createScriptedService(result('0x10'));
  const { provider } = open(createMemoryStorage(), service.url);
  const lower = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
  for (const chainId of [30, 31, 33]) {
    const params = [checksumAddress(lower, chainId)] as const;
    expect(await provider.request({ method: 'eth_getBalance', params })).toBe('0x10');
  }
  expect(service.requests.map(({ params }) => params[0])).toEqual([lower, lower, lower]);
  const params = [lower.replace('aa', 'Aa') as `0x${string}`] as const;
  expect(await rejection(() => provider.request({ method: 'eth_getBalance', params }))).toMatchObject({
    code: -32602,
  });
  await service.stop();
});

/** A page with a whole wallet: what a script does that replaces built-ins after the wallet has loaded. */

import { createVolatileMemory, createWallet } from '../../../../src/index.js';

export interface ReplacedPage {
  /** Goes through everything that secrets are needed for. Resolves with the secrets. */
  run(): Promise<Secrets>;
  /** Puts recorders in the place of built-ins. */
  replace(): void;
  /** What each recorder was given and gave back: texts, and bytes as hexadecimal digits. */
  readonly recorded: Readonly<Record<string, readonly string[]>>;
}

export interface Secrets {
  readonly passwords: readonly string[];
  readonly mnemonic: string;
  readonly privateKeys: readonly string[];
  readonly wif: string;
}

const url = `${location.origin}/rpc/k3y`;
const passwords = ['a first password', 'a second password'] as const;
const imported = `0x${'5e'.repeat(32)}` as const;

const recorded: Record<string, string[]> = {};
const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Looks into what it is given as deep as secrets could lie. */
function record(name: string, values: readonly unknown[], depth = 0): void {
  recorded[name] ??= [];
  for (const value of values) {
    if (typeof value === 'string') recorded[name].push(value);
    else if (ArrayBuffer.isView(value))
      recorded[name].push(hexOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)));
    else if (value instanceof ArrayBuffer) recorded[name].push(hexOf(new Uint8Array(value)));
    else if (typeof value === 'object' && value !== null && depth < 3)
      record(name, Object.values(value), depth + 1);
  }
}

function replaceMethod(holder: object, key: string, name: string): void {
  const original = Reflect.get(holder, key) as (...args: unknown[]) => unknown;
  Object.defineProperty(holder, key, {
    configurable: true,
    writable: true,
    value(this: unknown, ...args: unknown[]) {
      const result = original.apply(this, args);
      record(name, [this, ...args, result]);
      if (result instanceof Promise) result.then((settled) => record(name, [settled])).catch(() => {});
      return result;
    },
  });
}

function replaceClass(name: 'Worker' | 'Blob'): void {
  const recorder = new Proxy(globalThis[name] as new (...args: unknown[]) => object, {
    construct(Original, args) {
      record(name, args);
      return new Original(...args);
    },
  });
  Object.assign(globalThis, { [name]: recorder });
}

const page: ReplacedPage = {
  recorded,
  replace() {
    for (const key of [
      'decrypt',
      'deriveBits',
      'deriveKey',
      'digest',
      'encrypt',
      'exportKey',
      'generateKey',
      'importKey',
      'sign',
      'verify',
    ])
      replaceMethod(SubtleCrypto.prototype, key, `crypto.subtle.${key}`);
    replaceMethod(Crypto.prototype, 'getRandomValues', 'crypto.getRandomValues');
    replaceMethod(TextEncoder.prototype, 'encode', 'TextEncoder.encode');
    for (const key of ['fill', 'set', 'slice', 'subarray'])
      replaceMethod(Object.getPrototypeOf(Uint8Array.prototype), key, `Uint8Array.${key}`);
    replaceMethod(String.prototype, 'normalize', 'String.normalize');
    replaceMethod(Worker.prototype, 'postMessage', 'Worker.postMessage');
    replaceMethod(URL, 'createObjectURL', 'URL.createObjectURL');
    replaceMethod(globalThis, 'fetch', 'fetch');
    replaceClass('Worker');
    replaceClass('Blob');
  },
  async run() {
    const wallet = createWallet({
      networks: [{ chainId: 31, url }],
      name: 'replaced',
      memory: createVolatileMemory(),
      approver: () => ({
        async ask(question, session) {
          if (question.locked) await session.unlock(passwords[0]);
          return { approved: true };
        },
      }),
    });
    const { mnemonic, account } = await wallet.create(passwords[0]);
    const { provider } = wallet;
    await provider.request({ method: 'eth_requestAccounts' });
    await wallet.lock();
    // Asks for the password.
    await provider.request({ method: 'personal_sign', params: ['0x48656c6c6f', account.address] });
    const transaction = { from: account.address, to: account.address, value: '0x1' } as const;
    await provider.request({ method: 'eth_signTransaction', params: [transaction] });
    await wallet.importPrivateKey(imported);
    await wallet.changePassword(...passwords);
    await wallet.lock();
    await wallet.unlock(passwords[1]);
    const privateKeys = [imported, await wallet.exportPrivateKey(account.address, passwords[1])];
    await wallet.bitcoinAddress(account.address);
    const wif = await wallet.exportWif(account.address, passwords[1]);
    wallet.destroy();
    return { passwords, mnemonic, privateKeys, wif };
  },
};

Object.assign(window, { page });

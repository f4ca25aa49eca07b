import type { Owner, PasskeyRestoreOptions, PasskeyWallet } from '../../src/approvals/owner.js';
import { ProviderRpcError } from '../../src/rpc/errors.js';
import { account, savings } from './questions.js';

/** The owner's functions without a wallet behind them: notes what it is asked for, and answers at once. */
export interface FakeOwner extends Owner {
  /** Every call: the name and the arguments. */
  readonly calls: readonly (readonly [name: string, ...args: unknown[]])[];
  /** Makes the next call of a function fail with this code, and `data`. */
  fail(name: keyof Owner, code: number, data?: unknown): void;
  /** Whether the page is the wallet's own site. */
  ownSite: boolean;
  /** What a passkey gives: a way back or not, and the wallet to be confirmed, if any. */
  readonly passkey: { restores: boolean; confirm: PasskeyWallet | null };
  /** Passkeys that the wallet has. */
  names: readonly string[];
}

export const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

export function fakeOwner(): FakeOwner {
  const calls: (readonly [name: string, ...args: unknown[]])[] = [];
  const failures = new Map<string, ProviderRpcError>();
  const answer =
    <T>(name: keyof Owner, value: () => T) =>
    async (...args: unknown[]): Promise<T> => {
      calls.push([name, ...args]);
      const failure = failures.get(name);
      failures.delete(name);
      if (failure) throw failure;
      return value();
    };
  const owner: FakeOwner = {
    calls,
    names: [],
    ownSite: false,
    passkey: { restores: true, confirm: null },
    fail: (name, code, data) =>
      void failures.set(name, new ProviderRpcError(code, `developer text of ${name}`, data)),
    unlock: answer('unlock', () => undefined),
    newMnemonic: answer('newMnemonic', () => phrase),
    create: answer('create', () => ({ mnemonic: phrase, account })),
    createFromPasskey: answer('createFromPasskey', () => ({
      ...{ mnemonic: phrase, account },
      restores: owner.passkey.restores,
    })),
    async restoreFromPasskey(options: PasskeyRestoreOptions = {}) {
      const { confirm, signal: _signal, ...rest } = options;
      const accounts = await answer('restoreFromPasskey', () => [account, savings])(rest);
      if (owner.passkey.confirm && !(await confirm?.(owner.passkey.confirm)))
        throw new ProviderRpcError(4001, 'developer text of restoreFromPasskey');
      return accounts;
    },
    importMnemonic: answer('importMnemonic', () => account),
    importPrivateKey: answer('importPrivateKey', () => account),
    importKeystore: answer('importKeystore', () => account),
    restore: answer('restore', () => [account, savings]),
    confirmBackup: answer('confirmBackup', () => undefined),
    wakePasskey: answer('wakePasskey', () => undefined),
    passkeys: async () => owner.names.map((name) => ({ id: name, name })),
    async discover(options) {
      calls.push(['discover']);
      options?.onProgress?.(1, 2);
      return [savings];
    },
    persist: answer('persist', () => true),
    erase: answer('erase', () => undefined),
  };
  return owner;
}

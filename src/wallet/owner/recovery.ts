import type { PasskeyRestoreOptions } from '../../approvals/owner.js';
import type { KeyringAccount } from '../../keyring/account.js';
import type { Keyring } from '../../keyring/keyring.js';
import type { OwnerKeyring } from '../../keyring/owner.js';
import { requireWebCrypto } from '../../keyring/web-crypto.js';
import { resourceUnavailable, userRejected } from '../../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import type { SessionAccount, SessionState } from '../../session/session.js';
import { readName, readOptions } from './arguments.js';
import { findUsedAccounts } from './discover.js';

/** Creates a wallet from a passkey, and brings it back by the passkey, as the owner's functions of the same names say. */
export function createRecovery(options: createRecovery.Options) {
  const { keyring, ownSite, firstPath, search, begin } = options;

  /** In a dapp's page any script could ask the person for the passkey, and would get the keys. */
  const requireOwnSite = (): void => {
    requireWebCrypto();
    if (!ownSite)
      throw new ProviderRpcError(
        errorCode.unsupportedMethod,
        'A passkey brings a wallet back on the wallet’s own site only. Use a password, or a passkey that unlocks.',
      );
  };

  /** A passkey that cannot bring the wallet back is no backup. */
  const backupBy = (restores: boolean) => (restores ? 'done' : 'needed');

  return {
    async createFromPasskey(
      name: string,
      given?: { readonly replaceMissing?: boolean | undefined },
    ): Promise<{ mnemonic: string; account: SessionAccount; restores: boolean }> {
      const { replaceMissing = false } = readOptions(given, { replaceMissing: 'boolean' });
      const chosen = readName(name, 'name');
      requireOwnSite();
      const made = await keyring.createFromPasskey(chosen, firstPath, { replaceMissing });
      const { mnemonic, restores } = made;
      const [account] = begin([made.account], backupBy(restores));
      return { mnemonic, account: account as SessionAccount, restores };
    },
    async restoreFromPasskey(given?: PasskeyRestoreOptions): Promise<readonly SessionAccount[]> {
      const { confirm, onProgress, signal, ...settings } = readOptions(given, optionTypes);
      const name = readName(settings.name ?? 'Passkey', 'name');
      const { replaceMissing = false, replace = false } = settings;
      requireOwnSite();

      const choose: OwnerKeyring.Choose = async (addressesAt) => {
        const used = await findUsedAccounts({
          ...search,
          addressesAt: async (paths) => [await addressesAt(paths)],
          isKnown: () => false,
          ...{ signal, onProgress },
        }).catch(() => null);
        if (signal?.aborted) throw userRejected();
        if (!used?.length) {
          const [address] = (await addressesAt([firstPath])) as [Address];
          if (!confirm) throw passkeyUnused(address);
          const found = used ? 'unused' : 'unknown';
          if (!(await unlessAborted(() => confirm(own({ address, found })), signal))) throw userRejected();
        }
        return [...new Set([firstPath, ...(used ?? []).map(({ path }) => path)])];
      };
      const restored = await keyring.restoreFromPasskey(name, choose, { replaceMissing, replace });
      return begin(restored.accounts, backupBy(restored.restores));
    },
  };
}

const optionTypes = {
  name: 'string',
  confirm: 'function',
  onProgress: 'function',
  signal: 'object',
  replaceMissing: 'boolean',
  replace: 'boolean',
} as const;

const passkeyUnused = (address: Address) =>
  resourceUnavailable(
    'Nothing was found at the accounts of this passkey. If the wallet is new, confirm that it is yours; else use another passkey, or the recovery phrase.',
    own({ reason: 'passkey-unused', address }),
  );

/** Resolves with what `ask` answers. @throws ProviderRpcError 4001 once `signal` is aborted */
async function unlessAborted<T>(ask: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(userRejected());
  });
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([ask(), aborted]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

export declare namespace createRecovery {
  interface Options {
    readonly keyring: Keyring;
    readonly ownSite: boolean;
    /** Path of the first account. */
    readonly firstPath: string;
    readonly search: Pick<findUsedAccounts.Options, 'service' | 'coinTypes' | 'watched'>;
    /** Begins the session of a new vault. */
    readonly begin: (
      accounts: readonly KeyringAccount[],
      backup: SessionState['backup'],
    ) => readonly SessionAccount[];
  }
}

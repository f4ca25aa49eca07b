import type { Approvals } from './approvals/approvals.js';
import type { Calls } from './transactions/batches/batches.js';
import type { Following } from './following.js';
import { createKeyring, type Keyring } from './keyring/keyring.js';
import { recoverMessage } from './keyring/message.js';
import { recoverAddress } from './keyring/signer.js';
import { lazy } from './async/lazy.js';
import { own } from './rpc/own.js';
import type { Address, Hex } from './rpc/schema.js';
import { type ParsedTransaction, signingDigest } from './rpc/transaction.js';
import type { Service } from './service/service.js';
import type { Session, SessionState } from './session/session.js';
import { withAccountsOf } from './session/vault-accounts.js';
import type { Signatures } from './signatures/signatures.js';
import { createPrivateFile } from './storage/private-file.js';
import type { Storage } from './storage/storage.js';
import { createJournal, type Journal } from './transactions/journal.js';
import { createNonceLock } from './transactions/nonces.js';
import type { Outbox } from './transactions/outbox.js';
import { createSignAndRecord } from './transactions/sign-and-record.js';
import type { Submit } from './transactions/submit.js';
import { createTransactions, type Transactions } from './transactions/transactions.js';

/** Everything that needs keys, in one lazy chunk: it loads when somebody first asks to sign. */
export interface Signing {
  readonly keyring: Keyring;
  readonly journal: Journal;
  readonly transactions: Transactions;
  /** Messages and typed data: a chunk of its own, which payments do not need. */
  readonly signatures: () => Promise<Signatures>;
  /** Batches of calls (EIP-5792): a chunk of its own too. */
  readonly calls: () => Promise<Calls>;
  /** Sends bytes that were signed elsewhere. */
  readonly submit: Submit;
  /** Who signed an EIP-191 message. */
  recoverMessage(message: Hex, signature: Hex): Address;
  /** Takes up what earlier pages left in the journal. */
  resume(): void;
  close(): void;
}

export function createSigning(options: createSigning.Options): Signing {
  const { name, storage, session, approvals, chain, chainIds, signIn, lockAfter, now } = own(options);
  const keys = createKeyring({
    name,
    storage,
    ...(lockAfter !== undefined && { idleTimeout: lockAfter }),
  });
  /** The session's accounts follow the vault: at each unlock, and when anything else changes them meanwhile. */
  const followVault = async () => session.update(withAccountsOf(await keys.accounts()));
  const keyring: Keyring = {
    ...keys,
    async unlock(password) {
      await keys.unlock(password);
      await followVault();
    },
  };
  const unwatch = session.watch((state, previous) => {
    const addresses = ({ accounts }: SessionState) => accounts.map(({ address }) => address).join();
    if (addresses(state) !== addresses(previous) && !keys.locked()) followVault().catch(() => {});
  });
  const journal = createJournal(
    storage,
    storage.durable === false ? {} : { name, copy: createPrivateFile(`${name}.journal.json`) },
  );
  const signAndRecord = createSignAndRecord({ journal, keyring, nonceLock: createNonceLock(), now });
  const since = now();
  const outboxes = new Map<number, Promise<Outbox>>();

  const outbox = async (chainId: number): Promise<Outbox> => {
    const { service, following } = chain(chainId);
    const [{ follower }, made] = await Promise.all([following(), dispatch()]);
    return made.outbox(service, follower);
  };
  let closed = false;
  const wake = (chainId: number): void => {
    if (closed) return;
    const woken = outboxes.get(chainId) ?? outbox(chainId);
    outboxes.set(chainId, woken);
    woken.then(
      (made) => made.wake(),
      // The chunk did not load: the next wake asks for it again.
      () => outboxes.delete(chainId),
    );
  };

  const dispatch = lazy(async () => {
    const { createDispatch } = await import('./transactions/dispatch.js');
    const senderOf = ({ transaction, signature }: ParsedTransaction) =>
      recoverAddress(signingDigest(transaction), signature);
    return createDispatch({ journal, senderOf, wake, now, since });
  });
  const resume = () => {
    for (const chainId of chainIds()) wake(chainId);
  };
  // A browser that lost its database has lost the journal with it.
  journal.restore().then(
    (restored) => restored > 0 && resume(),
    () => {},
  );
  const serviceOf = (chainId: number) => chain(chainId).service;
  const delivery = async () => (await dispatch()).delivery;
  const sending = { journal, delivery, keyring, approvals, signAndRecord, serviceOf, wake, now };

  return {
    keyring,
    journal,
    transactions: createTransactions(sending),
    signatures: lazy(async () => {
      const { createSignatures } = await import('./signatures/signatures.js');
      return createSignatures({ approvals, keyring, signIn, now });
    }),
    calls: lazy(async () => {
      const { createCalls } = await import('./transactions/batches/batches.js');
      return createCalls({ ...sending, storage });
    }),
    submit: async (...bytes) => (await dispatch()).submit(...bytes),
    recoverMessage,
    resume,
    close() {
      closed = true;
      unwatch();
      for (const made of outboxes.values())
        void made.then(
          (each) => each.stop(),
          () => {},
        );
      keyring.close();
    },
  };
}

export declare namespace createSigning {
  interface Options {
    /** Tells the vaults of one origin apart. */
    readonly name: string;
    readonly storage: Storage;
    readonly session: Session;
    readonly approvals: Approvals;
    /** The service of a known chain, and what follows its head. */
    readonly chain: (chainId: number) => {
      readonly service: Service;
      readonly following: () => Promise<Following>;
    };
    readonly chainIds: () => Iterable<number>;
    readonly signIn: 'refuse' | 'warn';
    /** Milliseconds without a signature after which the keys lock. */
    readonly lockAfter?: number;
    readonly now: () => number;
  }
}

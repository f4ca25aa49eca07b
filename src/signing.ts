import type { Approvals } from './approvals/approvals.js';
import type { Calls } from './calls/calls.js';
import type { Following } from './following.js';
import { createKeyring, type Keyring } from './keyring/keyring.js';
import { recoverMessage } from './keyring/message.js';
import { recoverAddress } from './keyring/signer.js';
import { lazy } from './lazy.js';
import { own } from './rpc/own.js';
import type { Address, Hex } from './rpc/schema.js';
import { signingDigest } from './rpc/transaction.js';
import type { Service } from './service/service.js';
import type { Session, SessionState } from './session/session.js';
import { withAccountsOf } from './session/vault-accounts.js';
import type { Signatures } from './signatures/signatures.js';
import type { Storage } from './storage/storage.js';
import { createBroadcast } from './transactions/broadcast.js';
import { createJournal, type Journal } from './transactions/journal.js';
import { createNonceLock } from './transactions/nonce.js';
import { createOutbox, type Outbox } from './transactions/outbox.js';
import { createSubmit, type Submit } from './transactions/submit.js';
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
  const journal = createJournal(storage);
  const broadcast = createBroadcast();
  const nonceLock = createNonceLock();
  const outboxes = new Map<number, Promise<Outbox>>();

  const outbox = async (chainId: number): Promise<Outbox> => {
    const { service, following } = chain(chainId);
    return createOutbox({ journal, service, broadcast, follower: (await following()).follower });
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

  return {
    keyring,
    journal,
    transactions: createTransactions({ journal, broadcast, keyring, approvals, nonceLock, wake, now }),
    signatures: lazy(async () => {
      const { createSignatures } = await import('./signatures/signatures.js');
      return createSignatures({ approvals, keyring, signIn, now });
    }),
    calls: lazy(async () => {
      const { createCalls } = await import('./calls/calls.js');
      const serviceOf = (chainId: number) => chain(chainId).service;
      return createCalls({
        storage,
        journal,
        broadcast,
        keyring,
        approvals,
        nonceLock,
        serviceOf,
        wake,
        now,
      });
    }),
    submit: createSubmit({
      journal,
      broadcast,
      senderOf: ({ transaction, signature }) => recoverAddress(signingDigest(transaction), signature),
      wake,
      now,
    }),
    recoverMessage,
    resume() {
      for (const chainId of chainIds()) wake(chainId);
    },
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

import type { Approvals } from './approvals/approvals.js';
import type { Follower } from './chain/follower.js';
import { createKeyring, type Keyring } from './keyring/keyring.js';
import { recoverMessage } from './keyring/message.js';
import { recoverAddress } from './keyring/signer.js';
import type { Address, Hex } from './rpc/schema.js';
import { signingDigest } from './rpc/transaction.js';
import type { Service } from './service/service.js';
import { createSignatures, type Signatures } from './signatures/signatures.js';
import type { Storage } from './storage/storage.js';
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
  readonly signatures: Signatures;
  /** Sends bytes that were signed elsewhere. */
  readonly submit: Submit;
  /** Who signed an EIP-191 message. */
  recoverMessage(message: Hex, signature: Hex): Address;
  /** Takes up what earlier pages left in the journal. */
  resume(): void;
  close(): void;
}

export function createSigning(options: createSigning.Options): Signing {
  const { name, storage, approvals, chain, chainIds, signIn, lockAfter, now } = options;
  const keyring = createKeyring({
    name,
    storage,
    ...(lockAfter !== undefined && { idleTimeout: lockAfter }),
  });
  const journal = createJournal(storage);
  const outboxes = new Map<number, Outbox>();

  const wake = (chainId: number): void => {
    let outbox = outboxes.get(chainId);
    if (!outbox) {
      outbox = createOutbox({ journal, ...chain(chainId) });
      outboxes.set(chainId, outbox);
    }
    outbox.wake();
  };

  return {
    keyring,
    journal,
    transactions: createTransactions({
      journal,
      keyring,
      approvals,
      nonceLock: createNonceLock(),
      wake,
      now,
    }),
    signatures: createSignatures({ approvals, keyring, signIn, now }),
    submit: createSubmit({
      journal,
      senderOf: ({ transaction, signature }) => recoverAddress(signingDigest(transaction), signature),
      wake,
      now,
    }),
    recoverMessage,
    resume() {
      for (const chainId of chainIds()) wake(chainId);
    },
    close() {
      for (const outbox of outboxes.values()) outbox.stop();
      keyring.lock();
    },
  };
}

export declare namespace createSigning {
  interface Options {
    /** Tells the vaults of one origin apart. */
    readonly name: string;
    readonly storage: Storage;
    readonly approvals: Approvals;
    /** The service and the follower of a known chain. */
    readonly chain: (chainId: number) => { readonly service: Service; readonly follower: Follower };
    readonly chainIds: () => Iterable<number>;
    readonly signIn: 'refuse' | 'warn';
    /** Milliseconds without a signature after which the keys lock. */
    readonly lockAfter?: number;
    readonly now: () => number;
  }
}

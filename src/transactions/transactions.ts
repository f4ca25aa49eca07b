import type { NewQuestion } from '../approvals/approvals.js';
import type { Approved } from '../approvals/approved.js';
import type { TransactionQuestion } from '../approvals/question.js';
import { lazy } from '../async/lazy.js';
import type { Keyring } from '../keyring/keyring.js';
import { invalidParams } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import type { Hash, Hex, Transaction } from '../rpc/schema.js';
import { parseSigned } from '../rpc/signed-transaction.js';
import { reasonOf } from '../service/errors/errors.js';
import { asPerson, type Service } from '../service/service.js';
import type { Requester } from '../session/requester.js';
import { approveTransactions, type SignAndRecord } from './approve-and-sign.js';
import type { Delivery } from './delivery.js';
import type { createHeldTransactions, HeldTransactions } from './held-transactions.js';
import {
  type Hold,
  haveSameNonce,
  holdOf,
  isMined,
  isOpen,
  isPending,
  type JournalEntry,
  newestFirst,
  newestKept,
} from './journal-entry.js';
import { highestPriced } from './nonces.js';
import { isPriceTaken, prepare } from './prepare.js';
import type { TransactionRequest } from './request.js';

/** Sends, signs and lists the wallet's own transactions. */
export interface Transactions extends HeldTransactions {
  /**
   * Prepares, asks, signs, journals and sends. Resolves with the hash computed here, which does not depend on the
   * service's reply.
   *
   * @param replacement why the person replaces a transaction of theirs
   */
  send(request: TransactionRequest, requester: Requester, replacement?: 'speed-up' | 'cancel'): Promise<Hash>;
  /** The same up to the signature. Resolves with the signed bytes; nothing is journaled or sent. */
  sign(request: TransactionRequest, requester: Requester): Promise<Hex>;
  /** An open transaction of the journal in the service's form of a pending one; `null` if the journal has none. */
  pending(hash: Hash): Promise<Transaction | null>;
  /**
   * The newest journaled transactions and all that are open, oldest first.
   * @throws ProviderRpcError -32602
   */
  transactions(options?: TransactionsOptions): Promise<readonly RecordedTransaction[]>;
  /** The journal as the text of a file. */
  exportTransactions(format: 'json' | 'csv'): Promise<string>;
}

/** A transaction that this browser signed, as a wallet panel shows it. */
export interface RecordedTransaction extends JournalEntry {
  /**
   * Why an open transaction is not sent automatically. The person decides: {@link Transactions.resend} or
   * {@link Transactions.abandon}.
   */
  readonly hold?: Hold;
  /**
   * Hash of another open transaction of the account with the same nonce and a higher price; set only while this one is
   * open. At most one of the two can be mined, most likely that one.
   */
  readonly supersededBy?: Hash;
}

/** Which transactions to list. */
export interface TransactionsOptions {
  /** Such as 30. Default: every chain. */
  readonly chainId?: number | undefined;
  /** How many of the newest ones. Those that are open are listed in any case. Default 50. */
  readonly limit?: number | undefined;
  /** Only the one with this hash, and the others with its nonce. */
  readonly hash?: Hash | undefined;
}

/**
 * Milliseconds after which a quoted price is checked again before signing: the minimum price changes by up to 1 % a
 * block (docs/notes/node.md#one-price).
 */
const quoteLifetime = 60_000;

export function createTransactions(options: createTransactions.Options): Transactions {
  const { journal, signAndRecord, serviceOf, wake, now } = options;
  const heldTransactions = lazy(async () => {
    const [{ createHeldTransactions: create }, delivery] = await Promise.all([
      import('./held-transactions.js'),
      options.delivery(),
    ]);
    return create({ journal, delivery, serviceOf, wake, now });
  });

  const approve = (
    action: 'send' | 'sign',
    request: TransactionRequest,
    requester: Requester,
    replacement?: 'speed-up' | 'cancel',
    mustAsk?: boolean,
  ) =>
    approveTransactions(options, {
      action,
      requests: [request],
      requester,
      replacement,
      mustAsk,
      prepare: async () => [await prepare(requester.service, request, now(), requester.signal)],
      combine: ([question]) => question as NewQuestion<TransactionQuestion>,
    });

  const list = async (
    { hash, chainId, limit = newestKept }: TransactionsOptions,
    current: readonly JournalEntry[],
  ): Promise<readonly JournalEntry[]> => {
    if (hash !== undefined) {
      const entry = await journal.find(hash);
      if (!entry) return [];
      const rivals = current.filter((each) => each.hash !== hash && haveSameNonce(each, entry));
      const archived = await Promise.all((await journal.archivedRivals(entry)).map(journal.find));
      const others = archived.filter((each) => each !== undefined);
      return [
        entry,
        ...rivals,
        ...others.filter((each) => !rivals.some(({ hash: known }) => known === each.hash)),
      ];
    }
    if (chainId !== undefined && !Number.isSafeInteger(chainId))
      throw invalidParams('chainId: expected a chain id as a number, such as 30');
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw invalidParams('limit: expected a whole number from 1 on');
    const ofChain = current.filter((each) => chainId === undefined || each.chainId === chainId);
    // The newest ones are never in the archive.
    const newest =
      limit > newestKept
        ? await journal.newest(chainId, limit)
        : [...ofChain].sort(newestFirst).slice(0, limit).reverse();
    const listed = new Set(newest.map((each) => each.hash));
    return [...ofChain.filter((each) => isOpen(each) && !listed.has(each.hash)), ...newest];
  };

  return {
    async send(request, requester, replacement) {
      // From the person's answer on, no dapp is charged.
      const service = asPerson(requester.service);
      const isOurPrice = request.gasPrice === undefined && request.maxFeePerGas === undefined;
      /** The person is asked a second time, and no more, when a price of ours has become too low. */
      let isSecondTry = false;
      /** Whether a permission did not cover it when it was to be signed. */
      let mustAsk = false;
      /** The entry that the service refused before the second question. It may have reached a mempool all the same. */
      let earlier: JournalEntry | undefined;
      for (;;) {
        if (earlier && (await isSentAfterAll(earlier, await options.delivery(), service)))
          return earlier.hash;
        const { approved, plan, delivery } = await approve('send', request, requester, replacement, mustAsk);
        if (earlier && (await isSentAfterAll(earlier, delivery, service))) return earlier.hash;
        const { gasPrice } = (approved[0] as Approved<Keyring.TransactionSubject>).subject;
        const isOld = isOurPrice && now() - plan.counts.at > quoteLifetime;
        if (!isSecondTry && isOld && !(await isPriceTaken(service, gasPrice))) {
          isSecondTry = true;
          continue;
        }
        const [entry] = (await signAndRecord(approved, plan)) ?? [];
        if (!entry) {
          mustAsk = true;
          continue;
        }
        const { entry: after, refusal } = await delivery.send(entry, service);
        wake(plan.chainId);
        if (!refusal || isOpen(after) || isMined(after)) return entry.hash;
        if (isSecondTry || !isOurPrice || reasonOf(refusal) !== 'underpriced') throw refusal;
        isSecondTry = true;
        earlier = after;
      }
    },
    async sign(request, requester) {
      for (;;) {
        const { approved, plan } = await approve('sign', request, requester);
        const [entry] = (await signAndRecord(approved, { ...plan, isForPage: true })) ?? [];
        // Its nonce would replace another transaction than the person saw.
        if (!entry) continue;
        // The page may send it anywhere.
        wake(plan.chainId);
        return entry.raw;
      }
    },
    async pending(hash) {
      const at = now();
      // Held transactions are left out: they are not sent, and the person may abandon them.
      const entry = (await journal.entries()).find((item) => item.hash === hash && isPending(item, at));
      return entry ? asTransaction(entry) : null;
    },
    async transactions(options) {
      const at = now();
      const current = await journal.entries();
      const pending = current.filter((entry) => isPending(entry, at));
      const listed = await list(own(options), current);
      return listed.map((entry) => {
        const hold = holdOf(entry, at);
        const rival = isOpen(entry) && highestPriced(pending.filter((each) => haveSameNonce(each, entry)));
        return {
          ...entry,
          ...(hold && { hold }),
          ...(rival && rival.hash !== entry.hash && { supersededBy: rival.hash }),
        };
      });
    },
    resend: async (hash) => (await heldTransactions()).resend(hash),
    abandon: async (hash) => (await heldTransactions()).abandon(hash),
    async exportTransactions(format) {
      const { exportJournal } = await import('./journal-export.js');
      return exportJournal(await journal.newest(), format);
    },
  };
}

/** Whether a transaction that the service refused is in a mempool or mined after all. */
async function isSentAfterAll(refused: JournalEntry, delivery: Delivery, service: Service): Promise<boolean> {
  const { entry } = await delivery.resolve(refused, service, 1);
  return isOpen(entry) || isMined(entry);
}

export declare namespace createTransactions {
  interface Options
    extends approveTransactions.Options,
      Pick<createHeldTransactions.Options, 'serviceOf' | 'wake' | 'now'> {
    readonly signAndRecord: SignAndRecord;
  }
}

/** A transaction without a block, in the service's form (docs/notes/service.md#transaction-object). */
function asTransaction(entry: JournalEntry): Transaction {
  const { transaction, signature } = parseSigned(entry.raw, entry.chainId, 'journal', true);
  const { transactionType, accessList, maxPriorityFeePerGas, gasPrice } = own(transaction);
  const { r, s, yParity } = signature;
  return {
    hash: entry.hash,
    nonce: entry.nonce,
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
    from: entry.from,
    to: entry.to,
    gas: entry.gas,
    gasPrice: entry.gasPrice,
    value: entry.value,
    input: entry.data,
    v: toQuantity(transactionType ? yParity : entry.chainId * 2 + 35 + yParity),
    r: toQuantity(r),
    s: toQuantity(s),
    type: transactionType ?? '0x0',
    ...(accessList && { chainId: toQuantity(entry.chainId), accessList, yParity: toQuantity(yParity) }),
    ...(maxPriorityFeePerGas && { maxFeePerGas: gasPrice, maxPriorityFeePerGas }),
  };
}

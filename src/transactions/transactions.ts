import type { Approvals } from '../approvals/approvals.js';
import type { Approved } from '../approvals/approved.js';
import type { QuestionNetwork } from '../approvals/question.js';
import type { Keyring } from '../keyring/keyring.js';
import { transactionRejected } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Address, Hash, Hex, Transaction } from '../rpc/schema.js';
import { parseSigned } from '../rpc/transaction.js';
import { reasonOf } from '../service/errors.js';
import type { Service } from '../service/service.js';
import type { SessionAccount } from '../session/session.js';
import { type Broadcast, isForbidden } from './broadcast.js';
import { isOpen, type Journal, type JournalEntry } from './journal.js';
import { type Counted, nextNonces } from './next-nonces.js';
import type { NonceLock } from './nonce.js';
import { isPriceTaken, type Prepared, prepare } from './prepare.js';
import { transactionQuestion } from './question.js';
import type { TransactionRequest } from './request.js';
import { labelOfCall } from './token.js';

/** Sends, signs and remembers the wallet's own transactions. */
export interface Transactions {
  /** Prepares, asks, signs, journals, sends; resolves with the hash computed here, whatever the service says. */
  send(request: TransactionRequest, asked: Transactions.Asked): Promise<Hash>;
  /** The same up to the signature: resolves with the signed bytes, which nobody has sent. */
  sign(request: TransactionRequest, asked: Transactions.Asked): Promise<Hex>;
  /** The wallet's own transaction that the service does not show, as pending; `null` when it is not ours. */
  pending(hash: Hash): Promise<Transaction | null>;
}

export declare namespace Transactions {
  /** Who asks, where, and for which account. */
  interface Asked {
    readonly origin: string;
    readonly account: SessionAccount;
    /** All addresses of the wallet. */
    readonly own: readonly Address[];
    readonly network: QuestionNetwork;
    readonly service: Service;
    readonly signal?: AbortSignal;
    /** Whether the origin still holds the account when the person has answered. */
    readonly stillAllowed: () => boolean;
  }
}

/** Milliseconds for which a quoted price is not doubted: the minimum moves by 1 % a block (node-facts §5). */
const priceHolds = 60_000;
/** A replacement must offer this much more than what it replaces (node-facts §1.7): +40 %, in hundredths. */
const bump = 140n;

export function createTransactions(options: createTransactions.Options): Transactions {
  const { journal, broadcast, keyring, approvals, nonceLock, wake, now } = options;

  const entriesOf = async (chainId: number, from: Address): Promise<readonly JournalEntry[]> =>
    (await journal.entries()).filter((entry) => entry.chainId === chainId && entry.from === from);

  /** The nonce that the page chose, or the first that nobody has used. */
  const chooseNonce = (
    request: TransactionRequest,
    counted: Counted,
    entries: readonly JournalEntry[],
  ): Hex => request.nonce ?? (nextNonces(1, counted, entries)[0] as Hex);

  const ask = async (action: 'send' | 'sign', request: TransactionRequest, asked: Transactions.Asked) => {
    keyring.warmUp();
    const { chainId } = asked.service.network;
    const { origin, account, own, network, service } = asked;
    const at = now();
    const [prepared, entries, token] = await Promise.all([
      prepare(service, request, asked.signal),
      entriesOf(chainId, request.from),
      labelOfCall(service, request),
    ]);
    const counted = { nonce: prepared.nonce, at };
    const nonce = chooseNonce(request, counted, entries);
    const replaced = dearest(
      entries.filter((entry) => isOpen(entry) && BigInt(entry.nonce) === BigInt(nonce)),
    );
    if (replaced) checkBump(prepared, replaced);
    const subject: Keyring.TransactionSubject = {
      type: 'transaction',
      from: request.from,
      chainId,
      to: request.to,
      value: request.value,
      data: request.data,
      gas: prepared.gas,
      gasPrice: prepared.gasPrice,
    };
    const replaces = replaced?.hash ?? null;
    const question = transactionQuestion({
      action,
      request,
      nonce,
      prepared,
      origin,
      account,
      own,
      network,
      token,
      replaces,
    });
    const approved = await approvals.request(question, subject, {
      needsKeys: true,
      stillAllowed: asked.stillAllowed,
      ...(asked.signal && { signal: asked.signal }),
    });
    return { approved, counted };
  };

  /** Under the lock: reserve, sign, write. Nothing is on the network before the entry is durable. */
  const signAndRecord = (
    approved: Approved<Keyring.TransactionSubject>,
    request: TransactionRequest,
    counted: Counted,
    asked: Transactions.Asked,
  ): Promise<JournalEntry> => {
    const { chainId } = asked.service.network;
    return nonceLock(chainId, request.from, async () => {
      const nonce = chooseNonce(request, counted, await entriesOf(chainId, request.from));
      const { raw, hash } = await keyring.signTransaction(approved, nonce);
      const entry: JournalEntry = {
        ...fieldsOf(approved.subject),
        nonce,
        raw,
        hash,
        origin: asked.origin,
        createdAt: now(),
        state: 'signed',
        ...(request.nonce !== undefined && { nonceChosen: true as const }),
      };
      await journal.record(entry);
      return entry;
    });
  };

  /** What is signed stays open until the chain itself refuses it: the outbox offers it again. */
  const offer = async (entry: JournalEntry, service: Service): Promise<void> => {
    // What has happened has happened, whatever the storage says: the outbox settles an entry that still says `signed`.
    const mark = (state: JournalEntry['state']) => journal.mark(entry, { state }).catch(() => {});
    try {
      if ((await broadcast(service, entry.raw)) === 'accepted') await mark('sent');
    } catch (error) {
      if (isForbidden(error)) {
        await mark(reasonOf(error) === 'nonce-too-low' ? 'replaced' : 'refused');
        throw error;
      }
    }
    wake(service.network.chainId);
  };

  return {
    async send(request, asked) {
      // A price of ours may have become too low while the person read; that is asked again, and only once.
      const isOurPrice = request.gasPrice === undefined && request.maxFeePerGas === undefined;
      for (let mayQuoteAgain = isOurPrice; ; mayQuoteAgain = false) {
        const { approved, counted } = await ask('send', request, asked);
        const isOld = now() - counted.at > priceHolds;
        if (mayQuoteAgain && isOld && !(await isPriceTaken(asked.service, approved.subject.gasPrice)))
          continue;
        const entry = await signAndRecord(approved, request, counted, asked);
        try {
          await offer(entry, asked.service);
          return entry.hash;
        } catch (error) {
          if (!mayQuoteAgain || reasonOf(error) !== 'underpriced') throw error;
        }
      }
    },
    async sign(request, asked) {
      const { approved, counted } = await ask('sign', request, asked);
      const { chainId } = asked.service.network;
      const nonce = chooseNonce(request, counted, await entriesOf(chainId, request.from));
      return (await keyring.signTransaction(approved, nonce)).raw;
    },
    async pending(hash) {
      const entry = (await journal.entries()).find((item) => item.hash === hash && isOpen(item));
      return entry ? asTransaction(entry) : null;
    },
  };
}

export declare namespace createTransactions {
  interface Options {
    readonly journal: Journal;
    readonly broadcast: Broadcast;
    readonly keyring: Keyring;
    readonly approvals: Approvals;
    readonly nonceLock: NonceLock;
    /** Tells the outbox of a chain that the journal holds something new. */
    readonly wake: (chainId: number) => void;
    readonly now: () => number;
  }
}

function fieldsOf({ type: _type, ...fields }: Keyring.TransactionSubject) {
  return fields;
}

/** Of several with one nonce the pool keeps the one that pays most. */
function dearest(entries: readonly JournalEntry[]): JournalEntry | undefined {
  return [...entries].sort((a, b) => (BigInt(a.gasPrice) < BigInt(b.gasPrice) ? 1 : -1))[0];
}

function checkBump(prepared: Prepared, replaced: JournalEntry): void {
  const needed = (BigInt(replaced.gasPrice) * bump + 99n) / 100n;
  if (BigInt(prepared.gasPrice) < needed)
    throw transactionRejected(
      `replacement transaction underpriced: a transaction with this nonce is pending, replacing it takes 40 % more, at least ${needed} wei per gas`,
      { hash: replaced.hash, required: toQuantity(needed) },
    );
}

/** The pending form of seed "Transaction object": no block yet. */
function asTransaction(entry: JournalEntry): Transaction {
  const { r, s, yParity } = parseSigned(entry.raw, entry.chainId, 'journal').signature;
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
    v: toQuantity(entry.chainId * 2 + 35 + yParity),
    r: toQuantity(r),
    s: toQuantity(s),
    type: '0x0',
  };
}

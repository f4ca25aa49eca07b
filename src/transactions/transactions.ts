import type { Approvals } from '../approvals/approvals.js';
import type { QuestionNetwork } from '../approvals/question.js';
import type { Keyring } from '../keyring/keyring.js';
import { lazy } from '../lazy.js';
import { transactionRejected } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import type { Address, Hash, Hex, Transaction } from '../rpc/schema.js';
import { parseSigned } from '../rpc/transaction.js';
import { reasonOf } from '../service/errors.js';
import type { Service } from '../service/service.js';
import type { SessionAccount } from '../session/session.js';
import { readAccountState } from './account-state.js';
import type { Delivery } from './delivery.js';
import type { Journal } from './journal.js';
import { type Hold, holdOf, isMined, isOpen, type JournalEntry } from './journal-entry.js';
import { chooseNonces } from './nonces.js';
import { isPriceTaken, type Prepared, prepare } from './prepare.js';
import { transactionQuestion } from './question.js';
import type { Records } from './records.js';
import type { TransactionRequest } from './request.js';
import type { SignAndRecord, SigningPlan } from './sign-and-record.js';
import { labelOfCall } from './token.js';

/** Sends, signs and remembers the wallet's own transactions. */
export interface Transactions extends Records {
  /** Prepares, asks, signs, journals, sends; resolves with the hash computed here, whatever the service says. */
  send(request: TransactionRequest, asked: Transactions.Asked): Promise<Hash>;
  /** The same up to the signature: resolves with the signed bytes, which nobody has sent. */
  sign(request: TransactionRequest, asked: Transactions.Asked): Promise<Hex>;
  /** The wallet's own transaction that the service does not show, as pending; `null` when it is not ours. */
  pending(hash: Hash): Promise<Transaction | null>;
  /** Everything that was signed here, oldest first; `hold` says why an open one is not sent by itself. */
  list(): Promise<readonly RecordedTransaction[]>;
  /** The journal as a file's text. */
  export(format: 'json' | 'csv'): Promise<string>;
}

/** A transaction of the journal as a wallet's panel shows it. */
export interface RecordedTransaction extends JournalEntry {
  /** It is open, and waits for the person: {@link Transactions.resend} or {@link Transactions.abandon}. */
  readonly hold?: Hold;
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
  const { journal, keyring, approvals, signAndRecord, serviceOf, wake, now } = options;
  const records = lazy(async () => {
    const [{ createRecords }, delivery] = await Promise.all([import('./records.js'), options.delivery()]);
    return createRecords({ journal, delivery, serviceOf, wake, now });
  });

  const ask = async (action: 'send' | 'sign', request: TransactionRequest, asked: Transactions.Asked) => {
    keyring.warmUp();
    const { origin, account, own, network, service } = asked;
    const { chainId } = service.network;
    const [delivery, prepared, token] = await Promise.all([
      options.delivery(),
      prepare(service, request, now(), asked.signal),
      labelOfCall(service, request),
    ]);
    const { from } = request;
    const state = await readAccountState({
      journal,
      delivery,
      service,
      chainId,
      from,
      counts: prepared.counts,
    });
    const choice = chooseNonces(1, state.counts, state.entries, request.nonce);
    if (choice.replaces) checkBump(prepared, choice.replaces);
    const { question, subject } = transactionQuestion({
      ...{ action, request, prepared, origin, account, own, network, token, choice },
      nonce: choice.nonces[0] as Hex,
      unclear: state.unclear,
    });
    const approved = await approvals.request(question, subject, {
      needsKeys: true,
      stillAllowed: asked.stillAllowed,
      ...(asked.signal && { signal: asked.signal }),
    });
    const plan: SigningPlan = {
      ...{ chainId, from, origin, counts: state.counts, anchor: prepared.anchor },
      ...(request.nonce !== undefined && {
        chosen: { nonce: request.nonce, replaces: choice.replaces?.hash ?? null },
      }),
    };
    return { approved, plan, delivery };
  };

  return {
    async send(request, asked) {
      const { service } = asked;
      const isOurPrice = request.gasPrice === undefined && request.maxFeePerGas === undefined;
      /** A price of ours that the chain has outrun is asked about again: once. */
      let isLast = false;
      for (;;) {
        const { approved, plan, delivery } = await ask('send', request, asked);
        // A price of ours may have become too low while the person read.
        const isOld = isOurPrice && now() - plan.counts.at > priceHolds;
        if (!isLast && isOld && !(await isPriceTaken(service, approved.subject.gasPrice))) {
          isLast = true;
          continue;
        }
        const [entry] = (await signAndRecord([approved], plan)) ?? [];
        if (!entry) continue;
        const { entry: after, refusal } = await delivery.send(entry, service);
        wake(plan.chainId);
        if (!refusal || isOpen(after) || isMined(after)) return entry.hash;
        if (isLast || !isOurPrice || reasonOf(refusal) !== 'underpriced') throw refusal;
        isLast = true;
      }
    },
    async sign(request, asked) {
      const { approved, plan } = await ask('sign', request, asked);
      const { chainId, from, counts } = plan;
      const entries = await journal.entriesOf(chainId, from);
      const [nonce] = chooseNonces(1, counts, entries, request.nonce).nonces;
      return (await keyring.signTransaction(approved, nonce as Hex)).raw;
    },
    async pending(hash) {
      const entry = (await journal.entries()).find((item) => item.hash === hash && isOpen(item));
      return entry ? asTransaction(entry) : null;
    },
    async list() {
      const at = now();
      return (await journal.entries()).map((entry) => {
        const hold = holdOf(entry, at);
        return { ...entry, ...(hold && { hold }) };
      });
    },
    resend: async (hash) => (await records()).resend(hash),
    abandon: async (hash) => (await records()).abandon(hash),
    async export(format) {
      const { exportJournal } = await import('./journal-export.js');
      return exportJournal(await journal.entries(), format);
    },
  };
}

export declare namespace createTransactions {
  interface Options {
    readonly journal: Journal;
    /** Loads with the first transaction that is put before a person. */
    readonly delivery: () => Promise<Delivery>;
    readonly keyring: Keyring;
    readonly approvals: Approvals;
    readonly signAndRecord: SignAndRecord;
    /** @throws ProviderRpcError 4901 for a chain that is not known (any more) */
    readonly serviceOf: (chainId: number) => Service;
    /** Starts the outbox of a chain when the journal holds something new. */
    readonly wake: (chainId: number) => void;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
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

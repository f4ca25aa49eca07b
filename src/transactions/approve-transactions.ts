import type { Approvals, NewQuestion } from '../approvals/approvals.js';
import { type Approved, split } from '../approvals/approved.js';
import type { TransactionQuestion } from '../approvals/question.js';
import type { Keyring } from '../keyring/keyring.js';
import { transactionRejected } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Hex } from '../rpc/schema.js';
import type { Requester } from '../session/requester.js';
import { checkOldestOpen, readAccountState } from './account-state.js';
import type { Delivery } from './delivery.js';
import type { Journal } from './journal.js';
import type { JournalEntry } from './journal-entry.js';
import { chooseNonces } from './nonces.js';
import type { Prepared } from './prepare.js';
import { transactionQuestion } from './question.js';
import type { TransactionRequest } from './request.js';
import type { SigningPlan } from './sign-and-record.js';
import { labelOfCall } from './token.js';

/** Approved transactions of one account, and what signing and sending them needs. */
export interface ApprovedTransactions {
  /** In the order of the requests. */
  readonly approved: readonly Approved<Keyring.TransactionSubject>[];
  readonly plan: SigningPlan;
  readonly delivery: Delivery;
}

/**
 * Prepares transactions of one account, chooses their nonces, and asks the person about all of them once. A single
 * transaction is a batch of one.
 *
 * @throws ProviderRpcError as `batch.prepare`, `chooseNonces` and `Approvals.request`; -32003 for a replacement that
 * does not offer 40 % more
 */
export async function approveTransactions(
  options: approveTransactions.Options,
  batch: approveTransactions.Batch,
): Promise<ApprovedTransactions> {
  const { journal, keyring, approvals } = options;
  const { action, requests, requester } = batch;
  const { origin, account, own, network, service, signal, stillAllowed } = requester;
  const { chainId } = service.network;
  const from = account.address;
  keyring.warmUp();
  const loading = options.delivery();
  const [delivery, prepared, , ...tokens] = await Promise.all([
    loading,
    batch.prepare(),
    checkOldestOpen({ journal, service, chainId, from }, loading),
    ...requests.map((request) => labelOfCall(service, request)),
  ]);
  const first = prepared[0] as Prepared;
  // Only the transaction of a single request can have a nonce that the page chose.
  const chosenNonce = requests[0]?.nonce;
  const state = await readAccountState({ journal, delivery, service, chainId, from, counts: first.counts });
  const choice = chooseNonces(requests.length, state.counts, state.entries, chosenNonce);
  if (choice.replaces) requireReplacementPrice(first, choice.replaces);
  const transactions = requests.map((request, i) =>
    transactionQuestion({
      action,
      request,
      prepared: prepared[i] as Prepared,
      nonce: choice.nonces[i] as Hex,
      choice,
      unclear: state.unclear,
      corrected: state.corrected,
      origin,
      account,
      own,
      network,
      token: tokens[i] ?? null,
    }),
  );
  const approved = await approvals.request(
    batch.combine(transactions.map(({ question }) => question)),
    transactions.map(({ subject }) => subject),
    { needsKeys: true, stillAllowed, ...(signal && { signal }) },
  );
  const plan: SigningPlan = {
    chainId,
    from,
    origin,
    counts: state.counts,
    anchor: first.anchor,
    ...(chosenNonce !== undefined && {
      chosen: { nonce: chosenNonce, replaces: choice.replaces?.hash ?? null },
    }),
  };
  return { approved: split(approved), plan, delivery };
}

export declare namespace approveTransactions {
  interface Options {
    readonly journal: Journal;
    /** Loads with the first transaction that a person is asked about. */
    readonly delivery: () => Promise<Delivery>;
    readonly keyring: Keyring;
    readonly approvals: Approvals;
  }

  interface Batch {
    readonly action: 'send' | 'sign';
    /** At least one, all from the requester's account. */
    readonly requests: readonly TransactionRequest[];
    readonly requester: Requester;
    /** Completes each request, in order. */
    readonly prepare: () => Promise<readonly Prepared[]>;
    /** Makes one question of those about the single transactions. */
    readonly combine: (questions: readonly NewQuestion<TransactionQuestion>[]) => NewQuestion;
  }
}

/** A replacement must offer this percentage of the replaced price (docs/notes/node.md#replacement). */
const replacementPercent = 140n;

function requireReplacementPrice(prepared: Prepared, replaced: JournalEntry): void {
  const needed = (BigInt(replaced.gasPrice) * replacementPercent + 99n) / 100n;
  if (BigInt(prepared.gasPrice) < needed)
    throw transactionRejected(
      `replacement transaction underpriced: a transaction with this nonce is pending, replacing it takes 40 % more, at least ${needed} wei per gas`,
      { hash: replaced.hash, required: toQuantity(needed) },
    );
}

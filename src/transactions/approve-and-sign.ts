import type { DescribeCall } from '../approvals/abi-calls.js';
import type { Approvals, NewQuestion } from '../approvals/approvals.js';
import { type Approved, split } from '../approvals/approved.js';
import { decodeCall, isPayment, recipientOf } from '../approvals/decode-call.js';
import type {
  CallsQuestion,
  DescribedContractCall,
  QuestionPegOut,
  TransactionQuestion,
} from '../approvals/question.js';
import { danger } from '../approvals/warning.js';
import type { CoinPrice } from '../assets/coin-price.js';
import { withTimeout } from '../async/cancellation.js';
import type { Contact } from '../contacts/contact.js';
import type { Keyring } from '../keyring/keyring.js';
import { isUserRejected, transactionRejected } from '../rpc/core-errors.js';
import { toQuantity } from '../rpc/hex.js';
import { isPaymentToBridge, nameRegistry } from '../rpc/known-contracts.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { own } from '../rpc/own.js';
import type { Address, Block, Hash, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Requester } from '../session/requester.js';
import type { AccountLedger, NonceLocks } from './account-ledger.js';
import type { Delivery } from './delivery.js';
import { replacementPrice } from './gas.js';
import type { Journal } from './journal.js';
import type { JournalEntry } from './journal-entry.js';
import { type ChosenNonces, checkOldestOpen, chooseNonces, readAccountState } from './nonces.js';
import { type Counts, insufficientFunds, type Prepared } from './prepare.js';
import { payeeOf, reviseTransaction, transactionQuestion } from './question.js';
import type { ReadCall } from './read-call.js';
import { askKnowing, type ContactsOf, explainedAddresses } from './recipient.js';
import type { TransactionRequest } from './request.js';

/** Approved transactions of one account, and what signing and sending them needs. */
export interface ApprovedTransactions {
  /** In the order of the requests. */
  readonly approved: readonly Approved<Keyring.TransactionSubject>[];
  readonly plan: SigningPlan;
  readonly delivery: Delivery;
}

/**
 * Prepares transactions of one account, chooses their nonces, and asks the person about all of them once. A single
 * transaction is a batch of one. If the balance does not suffice, the person sees the shortfall.
 *
 * @throws ProviderRpcError as `batch.prepare`, `chooseNonces` and `Approvals.request`; -32003 for a replacement that
 * does not offer 40 % more, and for a balance that does not suffice
 */
export async function approveTransactions(
  options: approveTransactions.Options,
  batch: approveTransactions.Batch,
): Promise<ApprovedTransactions> {
  const settings = own(options);
  const { journal, keyring, approvals } = settings;
  const { action, requests, requester, replacement, mustAsk } = batch;
  const { origin, account, network, service, signal, stillAllowed } = requester;
  const { chainId } = service.network;
  const from = account.address;
  keyring.warmUp('transaction');
  const isPlain = action === 'send' && !mustAsk && requests.every(leavesAllToWallet);
  const permits = isPlain
    ? approvals.permits({ origin, chainId, from, recipients: requests.map(({ to }) => to) }, service)
    : null;
  const loading = options.delivery();
  const [delivery, prepared, journaled, , names, calls, described, pegOuts, price] = await Promise.all([
    loading,
    batch.prepare(),
    journal.entries(),
    checkOldestOpen({ journal, service, chainId, from }, loading),
    Promise.all(requests.map((request) => nameOfRecipient(settings, service, request))),
    Promise.all(requests.map((request) => readCall(service, request))),
    Promise.all(requests.map((request) => describe(settings, service, request))),
    Promise.all(requests.map((request) => previewPegOut(settings, service, request))),
    priceIn(settings, chainId),
  ]);
  const first = prepared[0] as Prepared;
  // Only the transaction of a single request can have a nonce that the page chose.
  const chosenNonce = requests[0]?.nonce;
  const [state, parties] = await Promise.all([
    readAccountState({ journal, delivery, service, chainId, from, counts: first.counts }),
    Promise.all(
      requests.map(async (request, i) => {
        const payee = payeeOf(request, calls[i] ?? null);
        const others = new Set([...(payee === null ? [] : [payee]), ...explainedAddresses(described[i])]);
        return (await Promise.all([...others].map((address) => journal.parties(address)))).flat();
      }),
    ),
  ]);
  const choice = chooseNonces(requests.length, state.counts, state.entries, chosenNonce);
  if (choice.replaces) requireReplacementPrice(first, choice.replaces);
  const describeAll = (contacts: readonly Contact[]) => {
    const transactions = requests.map((request, i) =>
      transactionQuestion({
        action,
        request,
        prepared: prepared[i] as Prepared,
        nonce: choice.nonces[i] as Hex,
        choice,
        unclear: state.unclear,
        corrected: state.corrected,
        contacts,
        journaled,
        archived: parties[i] ?? [],
        origin,
        account,
        ownAddresses: requester.ownAddresses,
        network,
        name: names[i] ?? null,
        described: described[i],
        pegOut: pegOuts[i],
        price,
        read: calls[i] ?? null,
        replacement,
      }),
    );
    return {
      question: batch.combine(transactions.map(({ question }) => question)),
      subjects: transactions.map(({ subject }) => subject),
    };
  };
  const total = prepared.reduce((sum, each) => sum + BigInt(each.total), 0n);
  const mayBePermitted =
    isOwnChoice(choice, state.counts) &&
    prepared.every(({ isGasOurs, simulation }) => isGasOurs && simulation.outcome === 'succeeds');
  const ask = async ({ question, subjects }: ReturnType<typeof describeAll>) => {
    if (total > BigInt(first.balance)) {
      await showShortfall(approvals, question, toQuantity(total - BigInt(first.balance)), signal);
      throw insufficientFunds(service.network, first.balance, total);
    }
    const permitted = mayBePermitted
      ? permits?.approve(
          question,
          subjects,
          {
            warnings: question.warnings,
            head: first.head,
            latest: state.counts.latest,
            nonces: choice.nonces,
          },
          { signal, stillAllowed },
        )
      : null;
    const { choices } = own(question as Pick<TransactionQuestion, 'choices'>);
    return (
      (await permitted) ??
      approvals.request(question, subjects, {
        needsKeys: true,
        stillAllowed,
        signal,
        // A choice for several calls applies to each of them.
        revise(subjects, answer) {
          const revised = subjects.map((subject) => reviseTransaction(subject, choices, answer));
          return revised.includes(null) ? null : (revised as Keyring.TransactionSubject[]);
        },
      })
    );
  };
  const approved = await askKnowing(settings.contacts ?? noContacts, describeAll, ask);
  const plan: SigningPlan = {
    chainId,
    from,
    origin,
    counts: state.counts,
    anchor: first.anchor,
    head: first.head,
    chosen:
      chosenNonce === undefined ? undefined : { nonce: chosenNonce, replaces: choice.replaces?.hash ?? null },
  };
  return { approved: split(approved), plan, delivery };
}

export declare namespace approveTransactions {
  interface Options {
    readonly journal: Journal;
    /** Loads with the first transaction that a person is asked about. */
    readonly delivery: () => Promise<Delivery>;
    readonly keyring: Pick<Keyring, 'warmUp' | 'signTransaction'> & Partial<Pick<Keyring, 'publicKey'>>;
    readonly approvals: Approvals;
    /** The price of a chain's coin. Default: questions have none. */
    readonly coinPrice?: ((chainId: number) => Promise<CoinPrice | null>) | undefined;
    /** Default: no contacts. */
    readonly contacts?: ContactsOf | undefined;
    /** The name that resolves to an address. Default: none is looked up. */
    readonly nameOf?: ((service: Service, address: Address) => Promise<string | null>) | undefined;
    /** Decodes the calls of the page's contracts. */
    readonly describeCall?: DescribeCall | undefined;
  }

  interface Batch {
    readonly action: 'send' | 'sign';
    /** At least one, all from the requester's account. */
    readonly requests: readonly TransactionRequest[];
    readonly requester: Requester;
    /** Why the person replaces a transaction of theirs. */
    readonly replacement: 'speed-up' | 'cancel' | undefined;
    /** Whether the person is asked even if a permission seems to cover it. */
    readonly mustAsk?: boolean | undefined;
    /** Completes each request, in order. */
    readonly prepare: () => Promise<readonly Prepared[]>;
    /** Makes one question of those about the single transactions. */
    readonly combine: (questions: readonly NewQuestion<TransactionQuestion>[]) => NewQuestion;
  }
}

const noContacts: ContactsOf = async () => [];

/** Whether a request names nothing that the wallet chooses otherwise, but perhaps the gas. */
const leavesAllToWallet = ({
  nonce,
  gasPrice,
  maxFeePerGas,
  transactionType,
  accessList,
}: TransactionRequest): boolean =>
  [nonce, gasPrice, maxFeePerGas, transactionType, accessList].every((field) => field === undefined);

/**
 * Whether the nonces are the next ones, with no other transaction in their place, and none unknown before them.
 * @param pending the account's next nonce, after those in the node's mempool
 */
const isOwnChoice = (
  { nonces, replaces, overrides, othersPending, gaps }: ChosenNonces,
  { pending }: Counts,
): boolean =>
  replaces === null &&
  overrides === null &&
  othersPending + gaps === 0 &&
  nonces.every((nonce) => BigInt(nonce) >= BigInt(pending));

function requireReplacementPrice(prepared: Prepared, replaced: JournalEntry): void {
  const needed = replacementPrice(replaced.gasPrice);
  if (BigInt(prepared.gasPrice) < needed)
    throw transactionRejected(
      `replacement transaction underpriced: a transaction with this nonce is pending, replacing it takes 40 % more, at least ${needed} wei per gas`,
      { hash: replaced.hash, required: toQuantity(needed) },
    );
}

/** Milliseconds for which a question waits for the name of its recipient, or for the decoder of its call. */
const descriptionTimeout = 1_500;

/** The name of whom a payment is for. Contracts are not looked up: few have a name, and each lookup is a request. */
async function nameOfRecipient(
  { nameOf }: approveTransactions.Options,
  service: Service,
  request: TransactionRequest,
): Promise<string | null> {
  const recipient = recipientOf(request);
  if (recipient === null || !nameOf || !isPayment(request)) return null;
  // On other chains it would load for nothing.
  if (request.recipientName === undefined && !nameRegistry(service.network.chainId)) return null;
  return (
    request.recipientName ?? (await withTimeout(descriptionTimeout, () => nameOf(service, recipient))) ?? null
  );
}

const priceIn = async ({ coinPrice }: approveTransactions.Options, chainId: number) =>
  (coinPrice && (await withTimeout(descriptionTimeout, () => coinPrice(chainId)))) ?? undefined;

/** @throws ProviderRpcError -32002 if the reader does not load */
async function readCall(service: Service, request: TransactionRequest): Promise<ReadCall | null> {
  const { from, to, value, data } = request;
  if (to === null || data === '0x') return null;
  const { readTransactionCall } = await import('./read-call.js').catch(throwNotLoaded);
  return readTransactionCall(service, { from, to, value, data });
}

/** @throws ProviderRpcError -32002 if the Bitcoin side does not load */
async function previewPegOut(
  { keyring: { publicKey }, journal }: approveTransactions.Options,
  service: Service,
  { from, to, data, value }: TransactionRequest,
): Promise<QuestionPegOut | undefined> {
  const { chainId } = service.network;
  if (!publicKey || !isPaymentToBridge(chainId, { to, data })) return undefined;
  const bitcoin = await import('../bitcoin/preview.js').catch(throwNotLoaded);
  const signed = () => journal.entriesOf(chainId, from);
  return bitcoin.previewPegOut(service, { from, value: BigInt(value) }, { publicKey, signed });
}

/**
 * Describes a call as the page's own ABI or file does, if the wallet does not know it.
 * @throws ProviderRpcError -32002 if the reader of its tokens does not load
 */
async function describe(
  { describeCall }: approveTransactions.Options,
  service: Service,
  { from, to, value, data }: TransactionRequest,
): Promise<DescribedContractCall | undefined> {
  if (!describeCall || to === null || data === '0x' || decodeCall(to, data)) return undefined;
  const { chainId } = service.network;
  const described = await withTimeout(descriptionTimeout, async () =>
    describeCall(to, data, { chainId, from, value }),
  );
  if (!own(described)?.explained) return described;
  const { withExplainedLabels } = await import('./explained-call.js').catch(throwNotLoaded);
  return withExplainedLabels(service, described as DescribedContractCall);
}

/**
 * Shows a question that cannot be approved: the cost of the transactions and the shortfall of the balance. Resolves when the
 * person closes it.
 * @throws ProviderRpcError as `Approvals.request`, except for the refusal
 */
async function showShortfall(
  approvals: Approvals,
  question: NewQuestion,
  shortfall: Hex,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { choices: _choices, ...rest } = question as NewQuestion<TransactionQuestion>;
  const isKnown = question.warnings.some(({ code }) => code === 'insufficient-funds');
  const shown = {
    ...rest,
    shortfall,
    warnings: isKnown ? question.warnings : [danger('insufficient-funds'), ...question.warnings],
  } as NewQuestion<TransactionQuestion | CallsQuestion>;
  try {
    await approvals.request(shown, null, { signal });
  } catch (error) {
    if (!isUserRejected(error) || signal?.aborted) throw error;
  }
}

/**
 * Signs approved transactions of one account and journals them, all or none, under the account's nonce lock. Nothing
 * is sent before all of them are durable.
 *
 * @param before runs before the entries are recorded; returns its undo, which runs if recording them fails
 * @returns `null`, with nothing signed, if the transaction that the page's chosen nonce replaces is no longer the one
 * that the person saw, or if a permission no longer covers what was approved by it
 * @throws ProviderRpcError -32003 for a chosen nonce that has been used since; the storage's own error
 */
export type SignAndRecord = (
  approvals: readonly Approved<Keyring.TransactionSubject>[],
  plan: SigningPlan,
  before?: (entries: readonly JournalEntry[]) => Promise<() => Promise<void>>,
) => Promise<readonly JournalEntry[] | null>;

/** Values that were read and chosen before the person was asked. */
export interface SigningPlan {
  readonly chainId: number;
  readonly from: Address;
  readonly origin: string;
  readonly counts: Counts;
  readonly anchor: NonNullable<JournalEntry['anchor']>;
  /** The newest block then. */
  readonly head: Block;
  /** Whether the page gets the signed bytes, and nothing is sent. */
  readonly isForPage?: boolean | undefined;
  /** The nonce that the page chose, and the pending transaction that the person saw it replace. */
  readonly chosen: { readonly nonce: Hex; readonly replaces: Hash | null } | undefined;
}

export function createSignAndRecord(options: createSignAndRecord.Options): SignAndRecord {
  const { journal, keyring, nonceLocks, ledgerOf, now } = options;
  return (approvals, plan, before) => {
    const { chainId, from, origin, counts, anchor, chosen, isForPage } = own(plan);
    const ledger = ledgerOf(chainId, from);
    return nonceLocks(
      chainId,
      from,
    )(async () => {
      const entriesBefore = await journal.entriesOf(chainId, from);
      const choice = chooseNonces(approvals.length, counts, entriesBefore, chosen?.nonce);
      if (chosen && (choice.replaces?.hash ?? null) !== chosen.replaces) return null;
      const permission = approvals[0]?.permission;
      if (permission !== undefined && !isOwnChoice(choice, counts)) return null;
      const mark = await (await ledger)?.admit({
        transactions: approvals.map(({ subject }) => subject),
        nonces: choice.nonces,
        permission,
        entries: entriesBefore,
        head: plan.head,
        latest: counts.latest,
      });
      if (mark === null || (permission !== undefined && !mark)) return null;
      const createdAt = now();
      const signed: JournalEntry[] = [];
      for (const [i, approved] of approvals.entries()) {
        const { type: _type, ...fields } = approved.subject;
        const nonce = choice.nonces[i] as Hex;
        const { raw, hash } = await keyring.signTransaction(approved, nonce);
        signed.push({
          ...fields,
          nonce,
          raw,
          hash,
          origin,
          createdAt,
          anchor,
          state: 'signed',
          ...(chosen && { nonceChosen: true as const }),
          ...(chosen?.replaces && { replaces: chosen.replaces }),
          ...(isForPage && { held: 'page' as const }),
        });
      }
      const entries = mark ? await mark(signed) : signed;
      const undo = await before?.(entries);
      try {
        await journal.record(...entries);
      } catch (error) {
        await undo?.().catch(() => {});
        throw error;
      }
      return entries;
    });
  };
}

export declare namespace createSignAndRecord {
  interface Options extends Pick<approveTransactions.Options, 'journal' | 'keyring'> {
    readonly nonceLocks: NonceLocks;
    /** The ledger of an account that has permissions; `null` for one without. */
    readonly ledgerOf: (chainId: number, from: Address) => Promise<AccountLedger> | null;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}

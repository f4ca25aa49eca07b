import type { NewQuestion } from '../approvals/approvals.js';
import type { CallTree } from '../approvals/call-tree.js';
import { type DecodedCall, decodeCall } from '../approvals/decode-call.js';
import { transactionWarnings } from '../approvals/describe/transaction.js';
import type {
  DescribedContractCall,
  QuestionNetwork,
  TransactionChoices,
  TransactionQuestion,
} from '../approvals/question.js';
import type { Warning } from '../approvals/warning.js';
import type { Keyring } from '../keyring/keyring.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { formatUnits } from '../rpc/token-amount.js';
import type { SessionAccount } from '../session/session.js';
import { priceChoices, replacementPrice, withinRange } from './gas-price.js';
import type { JournalEntry } from './journal-entry.js';
import type { ChosenNonces } from './nonces.js';
import type { Prepared, Simulation } from './prepare.js';
import type { ReadCall } from './read-call.js';
import { describeRecipient, recipientOfCall } from './recipients.js';
import type { TransactionRequest } from './request.js';

/** The question about a prepared transaction, and the subject to sign if the person approves. */
export interface TransactionToApprove {
  readonly question: NewQuestion<TransactionQuestion>;
  /** The transaction of the question, without its nonce. */
  readonly subject: Keyring.TransactionSubject;
}

/** Describes a prepared transaction to the person. Reads nothing from the service. */
export function transactionQuestion(given: transactionQuestion.Facts): TransactionToApprove {
  const facts = own(given);
  const { action, request, nonce, prepared, account, ownAddresses, network, origin, read, choice } = facts;
  const { described, journaled, name, replacement } = facts;
  const { from, to, value, data } = request;
  const { gas, gasPrice, fee, total, balance, form } = prepared;
  const fields = { to, value, data, gas, gasPrice, ...form };
  const transaction = { ...fields, nonce };
  const tree = read?.tree;
  const call = tree ? tokenCallOf(tree) : null;
  const payee = call === null ? to : recipientOfCall(call);
  const recipient =
    payee && describeRecipient(payee, { chainId: network.chainId, ownAddresses, entries: journaled, name });
  const question: NewQuestion<TransactionQuestion> = {
    kind: 'transaction',
    action,
    origin,
    network,
    account: { address: account.address, label: account.label },
    transaction,
    nonceChosenBy: request.nonce === undefined ? 'wallet' : 'page',
    fee,
    total,
    balance,
    ownRecipient: to !== null && ownAddresses.includes(to),
    call,
    ...(tree && { tree }),
    ...(described && { described }),
    ...(recipient && { recipient }),
    ...(BigInt(total) <= BigInt(balance) && { choices: choicesOf(facts, call) }),
    ...(replacement && { replacement }),
    warnings: transactionWarnings({
      chainId: network.chainId,
      transaction,
      call,
      ...(read && { tree: read.tree, treeWarnings: read.warnings }),
      fee,
      total,
      balance,
      simulation: describeSimulation(prepared.simulation),
      usualGasPrice: prepared.minimumGasPrice,
      ...(request.recipient !== undefined && { recipient: request.recipient }),
      ...(recipient && { payee: recipient }),
      isDescribed: described !== undefined,
      ...(prepared.recipientHasCode !== null && { recipientHasCode: prepared.recipientHasCode }),
      ...(choice.replaces && { replaces: choice.replaces.hash }),
      others: [...adjustmentWarnings(prepared), ...nonceWarnings(facts)],
    }),
  };
  return { question, subject: { type: 'transaction', from, chainId: network.chainId, ...fields } };
}

export declare namespace transactionQuestion {
  interface Facts {
    readonly action: 'send' | 'sign';
    readonly request: TransactionRequest;
    /** One of the nonces of `choice`. */
    readonly nonce: Hex;
    readonly choice: Pick<ChosenNonces, 'replaces' | 'overrides' | 'othersPending' | 'gaps'>;
    /** Earlier transactions of the account that may have been mined, without proof. */
    readonly unclear: readonly JournalEntry[];
    /** Earlier transactions that counted as failed and were mined after all. */
    readonly corrected: readonly JournalEntry[];
    readonly prepared: Prepared;
    readonly origin: string;
    readonly account: SessionAccount;
    /** All addresses of the wallet. */
    readonly ownAddresses: readonly Address[];
    readonly network: QuestionNetwork;
    /** The call with those inside it, labelled; `null` without data and for a contract creation. */
    readonly read: ReadCall | null;
    /** The whole journal, in which recipients are looked up. */
    readonly journaled: readonly JournalEntry[];
    /** The name that resolves to the recipient, if any. */
    readonly name: string | null;
    /** The call as the page's own ABI decodes it. */
    readonly described?: DescribedContractCall | undefined;
    readonly replacement?: 'speed-up' | 'cancel';
  }
}

/** Returns the call's effect on a token, if it is the only effect and the call carries out no inner calls. */
const tokenCallOf = ({ tokens, inner }: CallTree): DecodedCall | null =>
  tokens.length === 1 && inner.length === 0 ? (tokens[0] ?? null) : null;

/**
 * Choices of the person. The price stays within the limits of nodes and of the balance. An amount can be changed only for a
 * contract with decimals: the same call with a collectible's id instead of an amount belongs to ERC-721.
 */
function choicesOf(
  { prepared, choice, request }: transactionQuestion.Facts,
  call: DecodedCall | null,
): TransactionChoices {
  const gas = BigInt(prepared.gas);
  const affordable = (BigInt(prepared.balance) - BigInt(request.value)) / gas;
  const prices = withinRange(prepared.prices, {
    ...(choice.replaces && { minimum: replacementPrice(choice.replaces.gasPrice) }),
    maximum: affordable,
  });
  return {
    ...priceChoices(prices, gas),
    ...(call?.name === 'approve' &&
      decodeCall(request.to, request.data) !== null &&
      call.token.decimals !== undefined && { allowance: call.amount }),
  };
}

/** Warnings about a gas limit or price that the wallet chose. */
function adjustmentWarnings({ adjusted, gas, gasPrice, isGasUnknown }: Prepared): readonly Warning[] {
  const gwei = (wei: Hex) => `${formatUnits(BigInt(wei), 9)} Gwei`;
  const warnings: Warning[] = isGasUnknown ? [{ code: 'gas-unknown', severity: 'caution' }] : [];
  if (adjusted.gasPrice !== undefined)
    warnings.push({
      code: 'gas-price-lowered',
      severity: 'notice',
      detail: `${gwei(adjusted.gasPrice)} → ${gwei(gasPrice)}`,
    });
  if (adjusted.gas !== undefined)
    warnings.push({
      code: 'gas-raised',
      severity: 'notice',
      detail: `${BigInt(adjusted.gas)} → ${BigInt(gas)}`,
    });
  return warnings;
}

/** Warnings about lower nonces of the account, and about earlier transactions with an unknown outcome. */
function nonceWarnings({
  choice,
  unclear,
  corrected,
  network,
}: transactionQuestion.Facts): readonly Warning[] {
  const { othersPending, gaps, overrides } = choice;
  const payment = ({ value, to, hash }: JournalEntry) =>
    `${formatUnits(BigInt(value), network.decimals)} ${network.symbol} → ${to ?? '–'} (${hash})`;
  const warnings: (Warning | false)[] = [
    corrected.length > 0 && {
      code: 'earlier-went-through',
      severity: 'danger',
      detail: corrected.map(payment).join('; '),
    },
    unclear.length > 0 && {
      code: 'earlier-outcome-unclear',
      severity: 'danger',
      detail: unclear.map(payment).join('; '),
    },
    othersPending > 0 && { code: 'waits-for-others', severity: 'caution', detail: `${othersPending}` },
    gaps > 0 && { code: 'waits-for-nonces', severity: 'caution', detail: `${gaps}` },
    overrides !== null && { code: 'overrides-unsent', severity: 'notice', detail: payment(overrides) },
  ];
  return warnings.filter((warning) => warning !== false);
}

const describeSimulation = (simulation: Simulation) =>
  simulation.outcome === 'reverts' ? { reason: simulation.reason } : simulation.outcome;

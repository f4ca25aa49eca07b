import type { ApprovingAnswer, NewQuestion } from '../approvals/approvals.js';
import type { CallTree } from '../approvals/call-tree.js';
import { type DecodedCall, decodeCall, recipientOfCall } from '../approvals/decode-call.js';
import { transactionWarnings } from '../approvals/describe/transaction.js';
import type {
  DescribedContractCall,
  QuestionNetwork,
  QuestionPegOut,
  TransactionChoices,
  TransactionQuestion,
} from '../approvals/question.js';
import { caution, danger, notice, type Warning } from '../approvals/warning.js';
import type { CoinPrice } from '../assets/coin-price.js';
import type { Contact } from '../contacts/contact.js';
import type { Keyring } from '../keyring/keyring.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { formatUnits } from '../rpc/token-amount.js';
import { tokenCall } from '../rpc/token-calls.js';
import type { SessionAccount } from '../session/session.js';
import { priceChoices, replacementPrice, withinRange } from './gas.js';
import type { JournalEntry, Party } from './journal-entry.js';
import type { ChosenNonces } from './nonces.js';
import type { Prepared, Simulation } from './prepare.js';
import type { ReadCall } from './read-call.js';
import {
  describeRecipient,
  explainedAddresses,
  imitatedTokens,
  lookAlikeWarnings,
  receiversIn,
  withExplainedNames,
} from './recipient.js';
import type { TransactionRequest } from './request.js';

/** The question about a prepared transaction, and the subject to sign if the person approves. */
export interface TransactionToApprove {
  readonly question: NewQuestion<TransactionQuestion>;
  /** The transaction of the question, without its nonce. */
  readonly subject: Keyring.TransactionSubject;
}

/** Describes a prepared transaction to the person. Reads nothing from the service. */
export function transactionQuestion(facts: transactionQuestion.Facts): TransactionToApprove {
  const { action, request, nonce, prepared, account, ownAddresses, network, origin, read, choice } = facts;
  const { contacts, journaled, archived, name, replacement, pegOut, price } = facts;
  const { from, to, value, data } = request;
  const { gas, gasPrice, fee, total, balance, form } = prepared;
  const fields = { to, value, data, gas, gasPrice, ...form };
  const transaction = { ...fields, nonce };
  const tree = read?.tree;
  const call = tree ? tokenCallOf(tree) : null;
  const payee = payeeOf(request, read);
  const known = { chainId: network.chainId, ownAddresses, contacts, entries: journaled, archived };
  const recipient = payee ? describeRecipient(payee, { ...known, name }) : undefined;
  const described = withExplainedNames(facts.described, known);
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
    ...(pegOut && { pegOut }),
    ...(price && { price }),
    ...(BigInt(total) <= BigInt(balance) && { choices: choicesOf(facts, call) }),
    ...(replacement && { replacement }),
    warnings: transactionWarnings({
      chainId: network.chainId,
      transaction,
      call,
      tree,
      treeWarnings: read?.warnings,
      fee,
      total,
      balance,
      simulation: describeSimulation(prepared.simulation),
      usualGasPrice: prepared.minimumGasPrice,
      recipient: request.recipient,
      payee: recipient,
      pegOut,
      isDescribed: described !== undefined,
      recipientHasCode: prepared.recipientHasCode ?? undefined,
      replaces: choice.replaces?.hash,
      others: [
        ...lookAlikeWarnings(
          [...(tree ? receiversIn(tree) : []), ...explainedAddresses(facts.described)],
          known,
        ),
        ...imitatedTokens(facts.described),
        ...adjustmentWarnings(prepared),
        ...nonceWarnings(facts),
      ],
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
    /** The contacts; empty while the wallet is locked. */
    readonly contacts: readonly Contact[];
    /** The journal, in which recipients are looked up. */
    readonly journaled: readonly JournalEntry[];
    /** Those of its archive whose address is that of the payee, or looks like it. */
    readonly archived: readonly Party[];
    /** The name that resolves to the recipient, if any. */
    readonly name: string | null;
    /** The call as the page's own ABI decodes it. */
    readonly described: DescribedContractCall | undefined;
    /** Outcome of a payment to the bridge. */
    readonly pegOut: QuestionPegOut | undefined;
    /** The price of the coin, where questions show it. */
    readonly price: CoinPrice | undefined;
    readonly replacement: 'speed-up' | 'cancel' | undefined;
  }
}

/** Returns who gets the coins, the tokens or the right of a transaction, by the call that the person is shown. */
export function payeeOf({ to }: Pick<TransactionRequest, 'to'>, read: ReadCall | null): Address | null {
  const call = read ? tokenCallOf(read.tree) : null;
  return call === null ? to : recipientOfCall(call);
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
    minimum: choice.replaces ? replacementPrice(choice.replaces.gasPrice) : 0n,
    maximum: affordable,
  });
  const isAdjustable =
    call?.name === 'approve' &&
    decodeCall(request.to, request.data) !== null &&
    call.token.decimals !== undefined;
  return { ...priceChoices(prices, gas), ...(isAdjustable && { allowance: call.amount }) };
}

/** Warnings about a gas limit or price that the wallet chose. */
function adjustmentWarnings({ adjusted, gas, gasPrice, isGasUnknown }: Prepared): readonly Warning[] {
  const gwei = (wei: Hex) => `${formatUnits(BigInt(wei), 9)} Gwei`;
  const warnings = [
    isGasUnknown && caution('gas-unknown'),
    adjusted.gasPrice !== undefined &&
      notice('gas-price-lowered', `${gwei(adjusted.gasPrice)} → ${gwei(gasPrice)}`),
    adjusted.gas !== undefined && notice('gas-raised', `${BigInt(adjusted.gas)} → ${BigInt(gas)}`),
  ];
  return warnings.filter((warning) => warning !== false);
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
  const payments = (entries: readonly JournalEntry[]) => entries.map(payment).join('; ');
  const warnings = [
    corrected.length > 0 && danger('earlier-went-through', payments(corrected)),
    unclear.length > 0 && danger('earlier-outcome-unclear', payments(unclear)),
    othersPending > 0 && caution('waits-for-others', `${othersPending}`),
    gaps > 0 && caution('waits-for-nonces', `${gaps}`),
    overrides !== null && notice('overrides-unsent', payment(overrides)),
  ];
  return warnings.filter((warning) => warning !== false);
}

const describeSimulation = (simulation: Simulation) =>
  simulation.outcome === 'reverts' ? { reason: simulation.reason } : simulation.outcome;

/** The part of a transaction that a person may change. */
interface Changeable {
  readonly to: Address | null;
  readonly data: Hex;
  /** wei per gas */
  readonly gasPrice: Hex;
}

/**
 * Applies the choices of an answer to a transaction: another gas price within the bounds, and a lower amount of an ERC-20
 * approval, for which the calldata is rebuilt. Nothing else of an answer has an effect.
 *
 * @param choices those of the question as the wallet made it, not the copy that the approver got
 * @returns `null` for a choice that was not offered
 */
export function reviseTransaction<T extends Changeable>(
  transaction: T,
  choices: TransactionChoices | undefined,
  answer: ApprovingAnswer,
): T | null {
  const { gasPrice, allowance } = answer;
  if (gasPrice === undefined && allowance === undefined) return transaction;
  const bounds = own(choices);
  if (gasPrice !== undefined && !isPriceWithin(bounds, gasPrice)) return null;
  const data = allowance === undefined ? transaction.data : withAllowance(transaction, bounds, allowance);
  if (data === null) return null;
  return { ...transaction, data, gasPrice: gasPrice ?? transaction.gasPrice };
}

type Bounds = Partial<TransactionChoices>;

const isPriceWithin = ({ minimum, maximum }: Bounds, price: unknown): price is Hex =>
  minimum !== undefined &&
  maximum !== undefined &&
  typeof price === 'string' &&
  /^0x(0|[1-9a-f][0-9a-f]{0,63})$/.test(price) &&
  BigInt(price) >= BigInt(minimum) &&
  BigInt(price) <= BigInt(maximum);

/** The calldata of the approval with another amount: the selector, the same spender, and the amount. */
function withAllowance(
  { to, data }: Changeable,
  { allowance: requested }: Bounds,
  amount: unknown,
): Hex | null {
  const call = decodeCall(to, data);
  if (call?.name !== 'approve' || call.amount !== requested) return null;
  if (typeof amount !== 'string' || !/^(0|[1-9]\d{0,77})$/.test(amount)) return null;
  if (BigInt(amount) > BigInt(requested)) return null;
  return tokenCall('approve', call.spender, BigInt(amount));
}

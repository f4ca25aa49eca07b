import { checksumChain } from '../../rpc/address.js';
import {
  bridge,
  hasBridge,
  isPaymentToBridge,
  isPrecompiled,
  minRelease,
  weiPerSatoshi,
} from '../../rpc/known-contracts.js';
import { own } from '../../rpc/own.js';
import type { Hash, Hex } from '../../rpc/schema.js';
import { formatUnits } from '../../rpc/token-amount.js';
import type { CallTree } from '../call-tree.js';
import { type DecodedCall, isDisguisedCall } from '../decode-call.js';
import type { QuestionRecipient, TransactionQuestion } from '../question.js';
import { bySeverity, caution, danger, distinct, notice, type Warning } from '../warning.js';
import { tokenCallWarnings } from './token-call.js';

export declare namespace transactionWarnings {
  /** The known facts about the transaction. An absent fact causes no warning. */
  interface Facts {
    readonly chainId: number;
    readonly transaction: TransactionQuestion['transaction'];
    readonly call: DecodedCall | null;
    /** The call with those inside it. */
    readonly tree?: CallTree | undefined;
    /** Warnings about the call and those inside it. */
    readonly treeWarnings?: readonly Warning[] | undefined;
    /** wei; see `TransactionQuestion`. */
    readonly fee: Hex;
    readonly total: Hex;
    readonly balance?: Hex | undefined;
    /** The recipient as the page wrote it: its checksum may be that of the other Rootstock network. */
    readonly recipient?: Hex | undefined;
    readonly recipientHasCode?: boolean | undefined;
    /** The recipient of the payment or the right, with the facts that the wallet has about it. */
    readonly payee?: QuestionRecipient | undefined;
    /** The call was decoded by the page's own ABI. */
    readonly isDescribed?: boolean | undefined;
    /** Result of the dry run; a revert has the contract's reason. */
    readonly simulation?: 'succeeds' | 'unavailable' | { readonly reason: string } | undefined;
    /** The network's minimum gas price, wei per gas. */
    readonly usualGasPrice?: Hex | undefined;
    /** The hash of the pending transaction with the same nonce. */
    readonly replaces?: Hash | undefined;
    /** Outcome of a payment to the bridge; see `TransactionQuestion`. */
    readonly pegOut?: TransactionQuestion['pegOut'];
    /** Warnings of the preparation. */
    readonly others?: readonly Warning[] | undefined;
  }
}

/**
 * Limits above which a fee is high: the gas price relative to the network's, and the fee in wei. RBTC is worth a
 * bitcoin; an ordinary payment costs about 0.000001 RBTC, a large deployment 0.0004.
 */
const high = { priceFactor: 5n, fee: 10n ** 15n } as const;
const extreme = { priceFactor: 25n, fee: 10n ** 16n } as const;

/** Warnings about signing this transaction, the most severe first. */
export function transactionWarnings(given: transactionWarnings.Facts): readonly Warning[] {
  const facts = own(given);
  const { transaction, simulation } = facts;
  const { to, data, value } = transaction;
  const hasData = data !== '0x';
  const found: (Warning | false)[] = [
    typeof simulation === 'object' && danger('simulation-reverts', simulation.reason),
    simulation === 'unavailable' && caution('simulation-unavailable'),
    facts.payee?.resembles !== undefined && danger('resembles-known', facts.payee.resembles),
    ...meaningWarnings(facts),
    ...bridgeWarnings(facts),
    to === null && (hasData ? (BigInt(value) > 0n ? caution : notice) : danger)('contract-creation'),
    to !== null &&
      hasData &&
      facts.recipientHasCode === false &&
      !isPrecompiled(facts.chainId, to) &&
      caution('no-code-at-recipient'),
    feeWarning(facts),
    ...(facts.others ?? []),
    facts.balance !== undefined &&
      BigInt(facts.total) > BigInt(facts.balance) &&
      danger('insufficient-funds'),
    isOfOtherNetwork(facts) && caution('other-network-checksum'),
    facts.replaces !== undefined && notice('replaces-transaction', facts.replaces),
    isFirstPayment(facts) && notice('first-time-recipient'),
  ];
  return bySeverity(distinct(found.filter((warning) => warning !== false)));
}

/** Warnings about the call: what it does to a token, then about the calls inside it. */
function meaningWarnings({
  chainId,
  transaction,
  call,
  tree,
  treeWarnings = [],
  isDescribed,
}: transactionWarnings.Facts): readonly Warning[] {
  const { to, data } = transaction;
  if (isPaymentToBridge(chainId, transaction)) return [];
  if (isDisguisedCall(to, data)) return [danger('unknown-call')];
  const ofToken = call === null ? [] : tokenCallWarnings(call);
  if (tree === undefined)
    return call === null && to !== null && data !== '0x' && !isDescribed
      ? [caution('unknown-call')]
      : ofToken;
  // The page's own ABI explains a function that the wallet does not know, but not one of a known token.
  const isExplained = (warning: Warning) =>
    isDescribed && tree.effect === 'unknown' && warning.severity === 'caution' && !warning.detail;
  return [...ofToken, ...treeWarnings.filter((warning) => !isExplained(warning))];
}

/** A payment to the bridge leaves the chain: it must be meant so. */
function bridgeWarnings({
  chainId,
  transaction,
  pegOut,
  tree,
}: transactionWarnings.Facts): readonly Warning[] {
  if (!isPaymentToBridge(chainId, transaction))
    return tree?.effect === 'unknown' && hasBridge(chainId) && namesBridge(transaction.data)
      ? [danger('bridge-payee')]
      : [];
  const value = BigInt(transaction.value);
  const minimum = minRelease(chainId);
  if (value < minimum) return [danger('bridge-minimum', formatUnits(minimum, 18))];
  return [
    caution('bridge-payment'),
    ...(pegOut?.verdict === 'near-fee' ? [caution('bridge-fee')] : []),
    ...(value % weiPerSatoshi > 0n ? [notice('bridge-dust')] : []),
  ];
}

/** Whether a word of the calldata is the address of the bridge: a contract that gets it may pay the bridge. */
function namesBridge(data: Hex): boolean {
  const words: readonly string[] = data.slice(10).toLowerCase().match(/.{64}/g) ?? [];
  return words.includes(bridge.slice(2).padStart(64, '0'));
}

function isFirstPayment({ transaction, call, payee }: transactionWarnings.Facts): boolean {
  const isPayment =
    (transaction.data === '0x' && BigInt(transaction.value) > 0n) ||
    call?.name === 'transfer' ||
    call?.name === 'transferFrom' ||
    call?.name === 'safeTransferFrom';
  return isPayment && payee?.firstTime === true && payee.known === undefined;
}

function feeWarning({ fee, transaction, usualGasPrice }: transactionWarnings.Facts): Warning | false {
  const usual = BigInt(usualGasPrice ?? '0x0');
  const exceeds = (limit: { readonly priceFactor: bigint; readonly fee: bigint }) =>
    BigInt(fee) >= limit.fee || (usual > 0n && BigInt(transaction.gasPrice) > usual * limit.priceFactor);
  return exceeds(extreme) ? danger('high-fee') : exceeds(high) && caution('high-fee');
}

function isOfOtherNetwork({ recipient, chainId }: transactionWarnings.Facts): boolean {
  const chain = recipient === undefined ? null : checksumChain(recipient);
  return chain !== null && chain !== chainId;
}

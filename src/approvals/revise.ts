import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { tokenCall } from '../rpc/token-calls.js';
import type { ApprovingAnswer } from './approvals.js';
import { decodeCall } from './decode-call.js';
import type { TransactionChoices } from './question.js';

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

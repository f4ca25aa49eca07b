import { hexToBytes } from '../../../../src/rpc/hex.js';
import { maxInitCodeSize, maxTransactionSize } from '../../../../src/rpc/transaction-size.js';
import type { SignedTransaction } from './decode.js';
import { poolRefusal } from './failure.js';

/** The sender's state, for the pool's rules. Balances are in wei. */
export interface Sender {
  readonly balance: bigint;
  readonly nonce: bigint;
  /** The sender's pending transactions, without the new one. */
  readonly pending: readonly SignedTransaction[];
}

export interface PoolRules {
  readonly minimumGasPrice: bigint;
  readonly blockGasLimit: bigint;
  /** How far a nonce may be ahead of the account's nonce, exclusive. */
  readonly accountSlots: number;
  /** By how many per cent the gas price of a replacement must be higher. */
  readonly gasPriceBump: number;
}

/** The highest gas price, in multiples of the block's minimum (RSKIP-252). There is no cap when the minimum is zero. */
const priceCap = 80n;
const cost = (transaction: SignedTransaction) => transaction.gas * transaction.gasPrice;

/** Checks a transaction by the pool's rules, in the node's order (docs/notes/node.md#pool-rules). @throws Failure */
export function checkTransaction(transaction: SignedTransaction, sender: Sender, rules: PoolRules): void {
  const { gas, gasPrice, nonce, nonceBytes, size } = transaction;
  if (sender.balance === 0n && sender.nonce === 0n) throw poolRefusal("the sender account doesn't exist");
  if (transaction.to === null && hexToBytes(transaction.input).length > maxInitCodeSize)
    throw poolRefusal("transaction's init code size is invalid");
  if (size > maxTransactionSize)
    throw poolRefusal(`transaction's size is higher than defined maximum: ${size} > ${maxTransactionSize}`);
  if (gas > rules.blockGasLimit)
    throw poolRefusal(
      `transaction's gas limit of ${gas} is higher than the block's gas limit of ${rules.blockGasLimit}`,
    );
  if (nonceBytes[0] === 0) throw poolRefusal('transaction nonce has non-canonical encoding');
  if (nonceBytes.length > 8)
    throw poolRefusal(`transaction nonce byte length exceeds maximum: ${nonceBytes.length} > 8`);
  if (nonce < sender.nonce) throw poolRefusal('transaction nonce too low');
  if (nonce >= sender.nonce + BigInt(rules.accountSlots)) throw poolRefusal('transaction nonce too high');
  if (sender.balance < cost(transaction)) throw poolRefusal('insufficient funds');
  if (gasPrice < rules.minimumGasPrice)
    throw poolRefusal("transaction's gas price lower than block's minimum");
  if (intrinsicGas(transaction) > gas) throw poolRefusal("transaction's basic cost is above the gas limit");
  if (rules.minimumGasPrice > 0n && gasPrice > rules.minimumGasPrice * priceCap)
    throw poolRefusal("transaction's gas price exceeds cap");
}

/** Returns the pending transaction that this one replaces, if any (docs/notes/node.md#replacement). @throws Failure */
export function checkReplacement(
  transaction: SignedTransaction,
  sender: Sender,
  rules: PoolRules,
): SignedTransaction | undefined {
  const replaced = sender.pending.find(({ nonce }) => nonce === transaction.nonce);
  const enough = replaced && replaced.gasPrice * BigInt(100 + rules.gasPriceBump);
  if (enough !== undefined && transaction.gasPrice * 100n < enough)
    throw poolRefusal('gas price not enough to bump transaction');
  return replaced;
}

/**
 * Checks that the balance covers cost and value of all pending transactions together
 * (docs/notes/node.md#pool-rules).
 * @throws Failure
 */
export function checkTotal(
  transaction: SignedTransaction,
  sender: Sender,
  replaced: SignedTransaction | undefined,
): void {
  const all = [...sender.pending.filter((other) => other !== replaced), transaction];
  const total = all.reduce((sum, each) => sum + cost(each) + each.value, 0n);
  if (total > sender.balance) throw poolRefusal('insufficient funds to pay for pending and new transactions');
}

/**
 * The gas of a transaction before execution: 21,000, or 53,000 plus 2 per word of init code for a creation; 4 per zero
 * byte and 16 per other byte of input (docs/notes/node.md#intrinsic-gas). Not shared with the wallet, whose mistake would
 * otherwise be accepted here.
 */
export function intrinsicGas({ to, input }: Pick<SignedTransaction, 'to' | 'input'>): bigint {
  const bytes = hexToBytes(input);
  let gas = to === null ? 53_000 + 2 * Math.ceil(bytes.length / 32) : 21_000;
  for (const byte of bytes) gas += byte === 0 ? 4 : 16;
  return BigInt(gas);
}

import type { PermittedTransaction } from '../approvals/cover.js';
import type { Warning } from '../approvals/warning.js';
import type { PermissionTerms } from '../rpc/permission-terms.js';
import type { Address, Hex } from '../rpc/schema.js';
import { tokenSelectors } from '../rpc/token-calls.js';
import { type Cost, nothing } from './accounting.js';

/**
 * The cost of a transaction under the terms of a permission, whatever is left of it; `null` if the terms do not cover it.
 * Judges the bytes that will be signed, not what a question says about them.
 */
export const costUnder = (terms: PermissionTerms, transaction: PermittedTransaction): Cost | null =>
  isCovered(terms, transaction) ? costOf(terms, transaction) : null;

function isCovered(
  { type, token, payees, contracts = [] }: PermissionTerms,
  { to, value, data, transactionType, accessList }: PermittedTransaction,
): boolean {
  if (to === null || transactionType !== undefined || accessList !== undefined) return false;
  switch (type) {
    case 'native-token-allowance':
    case 'native-token-periodic':
      return data === '0x' && payees !== undefined && payees.includes(to);
    case 'erc20-token-allowance':
    case 'erc20-token-periodic': {
      const transfer = to === token && BigInt(value) === 0n ? readTransfer(data) : null;
      return transfer !== null && (payees === undefined || payees.includes(transfer.to));
    }
    case 'graft-contract-calls':
      // Without a whole selector the contract runs its fallback function.
      return contracts.some(
        ({ address, selectors }) => address === to && selectors.includes(data.slice(0, 10) as Hex),
      );
    default:
      // A type of a later build.
      return false;
  }
}

/** The most that a transaction costs a permission: of its token, or in coins. */
function costOf(
  { token }: Pick<PermissionTerms, 'token'>,
  { to, value, data, gas, gasPrice }: PermittedTransaction,
): Cost {
  const fee = BigInt(gas) * BigInt(gasPrice);
  if (token === undefined) return { amount: BigInt(value) + fee, fees: 0n };
  return { amount: (to === token && readTransfer(data)?.amount) || 0n, fees: fee };
}

/**
 * The most that a transaction costs a permission whose payment it has taken the place of, or which has replaced the one that it
 * was signed under: none for a cancellation, else as if the terms named its recipient.
 */
export const costInPlace = (
  terms: Pick<PermissionTerms, 'token'>,
  from: Address,
  transaction: PermittedTransaction,
): Cost => {
  const { to, value, data } = transaction;
  const isCancel = to === from && BigInt(value) === 0n && data === '0x';
  return isCancel ? nothing : costOf(terms, transaction);
};

/** Reads the call of `transfer(address,uint256)` in its canonical encoding; `null` for any other. */
export function readTransfer(data: Hex): { readonly to: Hex; readonly amount: bigint } | null {
  const found = /^0x([\da-f]{8})0{24}([\da-f]{40})([\da-f]{64})$/.exec(data);
  const [, selector, to, amount] = found ?? [];
  if (`0x${selector}` !== tokenSelectors.transfer) return null;
  return { to: `0x${to}`, amount: BigInt(`0x${amount}`) };
}

/** The address that a call lets take tokens of its sender; `null` for any other call. */
export function allowedBy({ data }: Pick<PermittedTransaction, 'data'>): Address | null {
  const [, selector, spender] = /^0x([\da-f]{8})0{24}([\da-f]{40})/.exec(data) ?? [];
  const isRight = rights.includes(`0x${selector}`);
  return isRight ? `0x${spender}` : null;
}

/** Selectors of functions whose first argument gets the right. */
const rights: readonly string[] = [
  tokenSelectors.approve,
  tokenSelectors.increaseAllowance,
  tokenSelectors.setApprovalForAll,
  // increaseApproval(address,uint256)
  '0xd73dd623',
  // approveAndCall(address,uint256,bytes)
  '0xcae9ca51',
  // ERC-777: authorizeOperator(address)
  '0x959b8c3f',
  // ERC-6909: approve(address,uint256,uint256), setOperator(address,bool)
  '0x426a8493',
  '0x558a7297',
];

/** Whether a warning is one with which a permission still covers a transaction. The others are for the person. */
export const isExpected = ({ code, detail }: Warning): boolean =>
  code === 'first-time-recipient' || (code === 'unknown-call' && detail === undefined);

import { own } from '../../rpc/own.js';
import { isClaimUnusual } from '../../rpc/token-amount.js';
import type { DecodedCall } from '../decode-call.js';
import { caution, danger, type Warning } from '../warning.js';

/** Warnings about what a call does to a token. */
export function tokenCallWarnings(call: DecodedCall): readonly Warning[] {
  const { imitates } = own(call.token);
  return [...(imitates === undefined ? [] : [danger('imitates-token', imitates)]), ...amountWarnings(call)];
}

function amountWarnings(call: DecodedCall): readonly Warning[] {
  if (call.name === 'setApprovalForAll') return call.approved ? [danger('approval-for-all')] : [];
  if (call.name === 'safeTransferFrom') return [];
  const { decimals, balance } = own(call.token);
  const amount = BigInt(call.amount);
  const isAllowance = call.name === 'approve' || call.name === 'increaseAllowance';
  const isAll = isAllowance && balance !== undefined && BigInt(balance) > 0n && amount >= BigInt(balance);
  return [
    ...(isAllowance && call.unlimited ? [danger('unlimited-approval')] : []),
    ...(isAll && !call.unlimited ? [caution('whole-balance')] : []),
    ...(isClaimUnusual(amount, call.token) ? [caution('unusual-decimals', `${decimals}`)] : []),
  ];
}

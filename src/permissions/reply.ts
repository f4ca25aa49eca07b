import { toQuantity } from '../rpc/hex.js';
import type { PermissionReply } from './grant.js';
import type { PermissionRequest } from './request.js';

/** The permission in the words of ERC-7715, as it is granted. */
export function replyOf(
  { chainId, to, isAdjustable, data }: PermissionRequest,
  terms: PermissionRequest['terms'],
): PermissionReply {
  const { type, amount, fees, start, end, payees } = terms;
  const name =
    'periodAmount' in data ? 'periodAmount' : 'allowance' in data ? 'allowance' : 'allowanceAmount';
  return {
    ...{ chainId: toQuantity(chainId), from: to, to },
    permission: {
      type,
      isAdjustmentAllowed: isAdjustable,
      data: { ...data, [name]: amount, startTime: start, ...(fees && { feeAmount: fees }) },
    },
    rules: [
      { type: 'expiry', data: { timestamp: end } },
      ...(payees ? [{ type: 'payee', data: { addresses: payees } }] : []),
    ],
  };
}

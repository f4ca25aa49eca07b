import { tokensOfCalls, withCallLabels } from '../approvals/call-tokens.js';
import type { CallTree } from '../approvals/call-tree.js';
import { decodeCall } from '../approvals/decode-call.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { readLabels, readTokenLabel } from './token.js';

/**
 * Reads the call of a transaction with those inside it, and what its tokens report about themselves; `null` without data and
 * for a contract creation. The reader loads with the first call.
 *
 * @throws ProviderRpcError -32002 if it does not load
 */
export async function readTransactionCall(
  service: Service,
  request: { readonly from: Address; readonly to: Address | null; readonly value: Hex; readonly data: Hex },
): Promise<CallTree | null> {
  const { from, to, value, data } = request;
  if (to === null || data === '0x') return null;
  const { createCallReader } = await import('../approvals/read-calls.js').catch(throwNotLoaded);
  const tree = createCallReader().read({ from, to, value: BigInt(value).toString(), data });
  const tokens = tokensOfCalls([tree]);
  const owner = isGivingRight(tree) ? from : undefined;
  const [token] = tokens;
  const labels =
    decodeCall(to, data) && token
      ? new Map([[token, await readTokenLabel(service, token, owner)]])
      : await readLabels(service, tokens, owner);
  return withCallLabels([tree], labels)[0] ?? tree;
}

/** Whether an allowance is given, which is compared with the balance of its owner. */
const isGivingRight = ({ tokens, inner }: CallTree): boolean =>
  tokens.some(({ name }) => name === 'approve' || name === 'increaseAllowance') || inner.some(isGivingRight);

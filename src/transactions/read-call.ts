import { tokensOfCalls, withCallLabels } from '../approvals/call-tokens.js';
import type { CallTree } from '../approvals/call-tree.js';
import { decodeCall } from '../approvals/decode-call.js';
import { callWarnings } from '../approvals/describe/calls.js';
import { createCallReader } from '../approvals/read-calls.js';
import { readLabels, readTokenLabel } from '../approvals/token-label.js';
import type { Warning } from '../approvals/warning.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** The call of a transaction with those inside it, and the warnings about them. */
export interface ReadCall {
  readonly tree: CallTree;
  readonly warnings: readonly Warning[];
}

/**
 * Reads the call of a transaction with those inside it, and what its tokens report about themselves. A chunk of its own, which
 * loads with the first transaction that has data.
 */
export async function readTransactionCall(
  service: Service,
  request: { readonly from: Address; readonly to: Address; readonly value: Hex; readonly data: Hex },
): Promise<ReadCall> {
  const { from, to, value, data } = request;
  const tree = createCallReader().read({ from, to, value: BigInt(value).toString(), data });
  const tokens = tokensOfCalls([tree]);
  const owner = isGivingRight(tree) ? from : undefined;
  const [token] = tokens;
  const labels =
    decodeCall(to, data) && token
      ? new Map([[token, await readTokenLabel(service, token, owner)]])
      : await readLabels(service, tokens, owner);
  const [labelled = tree] = withCallLabels([tree], labels);
  return { tree: labelled, warnings: callWarnings([labelled], service.network.chainId) };
}

/** Whether an allowance is given, which is compared with the balance of its owner. */
const isGivingRight = ({ tokens, inner }: CallTree): boolean =>
  tokens.some(({ name }) => name === 'approve' || name === 'increaseAllowance') || inner.some(isGivingRight);

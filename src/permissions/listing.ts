import { toQuantity } from '../rpc/hex.js';
import { knownToken } from '../rpc/known-contracts.js';
import { permissionTypes, totalOf } from '../rpc/permission-terms.js';
import type { Hex } from '../rpc/schema.js';
import { type Spending, spendingOf } from './accounting.js';
import { periodNow } from './admission.js';
import type { Grant, GrantedReply } from './grant.js';
import type { GrantedPermission } from './granted.js';
import type { PermissionParts } from './parts.js';
import { trusting, visibleGrants } from './visible.js';

/** Lists the permissions that have not ended, with what is left. */
export async function listPermissions(parts: PermissionParts): Promise<readonly GrantedPermission[]> {
  const { grants, ledger } = await visibleGrants(parts);
  const clock = Math.floor(parts.now() / 1_000);
  return Promise.all(
    grants
      .filter(({ end }) => end > clock)
      .map(async (grant) => {
        const history = await parts.historyOf(grant, ledger ?? trusting);
        const period = periodNow(grant, history, { clock, headTime: clock }) ?? 0;
        return describe(grant, spendingOf(grant, history, period));
      }),
  );
}

/** The permissions of a site that have not ended, as it requested them. */
export const listGranted = (
  origin: string,
  { listed, isLive, now }: PermissionParts,
): readonly GrantedReply[] =>
  listed()
    .filter((grant) => grant.origin === origin && grant.end > Math.floor(now() / 1_000) && isLive(grant))
    .map(grantedReplyOf);

export const grantedReplyOf = ({ request, context }: Grant): GrantedReply => ({
  ...request,
  context,
  dependencies: [],
});

/** The types that are granted, each with the rules that it takes; none where tabs cannot wait for one another. */
export const listRuleTypes = ({ hasLocks }: PermissionParts) =>
  hasLocks()
    ? permissionTypes.map((type) => {
        const rules: readonly string[] = type === 'graft-contract-calls' ? ['expiry'] : ['expiry', 'payee'];
        return [type, rules] as const;
      })
    : [];

function describe(grant: Grant, { inPeriod, inAll }: Spending): GrantedPermission {
  const {
    firstNonce: _first,
    connectedAt: _connected,
    replaced: _replaced,
    formerly: _formerly,
    code: _code,
    request: _request,
    ...terms
  } = grant;
  const left = (limit: bigint, spent: bigint): Hex => toQuantity(limit > spent ? limit - spent : 0n);
  const leftInAll = left(totalOf(grant, grant.amount), inAll.amount);
  const leftInPeriod = left(BigInt(grant.amount), inPeriod.amount);
  const label = grant.token && knownToken(grant.chainId, grant.token);
  return {
    ...terms,
    ...(grant.token && label && { tokenLabel: { address: grant.token, ...label, known: true as const } }),
    left: BigInt(leftInPeriod) < BigInt(leftInAll) ? leftInPeriod : leftInAll,
    ...(grant.fees && { feesLeft: left(BigInt(grant.fees), inPeriod.fees) }),
    leftInAll,
  };
}

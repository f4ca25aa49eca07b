import type { GrantedReply } from '../permissions/grant.js';
import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { noParams } from '../rpc/message.js';
import { anything, hash, positions, record } from '../rpc/params.js';
import type { PermissionType } from '../rpc/permission-terms.js';
import type { Hash, Hex } from '../rpc/schema.js';
import { method } from './method.js';
import { describeNetwork } from './requester.js';

/**
 * Execution permissions (ERC-7715, as of January 2026): a site sends without a question, within limits that the person has agreed to
 * once. The account itself acts (`to` is `from`), by `eth_sendTransaction` and `wallet_sendCalls`.
 */

/** A permission that a site requests. */
export interface PermissionParams {
  readonly chainId: Hex;
  readonly from?: Hex | undefined;
  /** The account that pays: there is no contract on the chain that would redeem it for another one. */
  readonly to: Hex;
  readonly permission: {
    readonly type: PermissionType;
    readonly isAdjustmentAllowed: boolean;
    readonly data: object;
  };
  /** `expiry`, and for some types `payee`. */
  readonly rules: readonly { readonly type: string; readonly data: object }[];
}

/**
 * Asks for one to four permissions, all or none. Resolves with them as granted: the person may have lowered amount and expiry
 * where the request allows it.
 */
export const wallet_requestExecutionPermissions = method<
  readonly PermissionParams[],
  readonly GrantedReply[]
>()(
  (params: Json) => params,
  async (context, params, { signal }) => {
    const { networks, origin } = context;
    const { permissions } = await context.signing();
    return (await permissions()).request(params, {
      origin,
      signal,
      network(id) {
        const network = networks.get(id);
        return network && network.addedBy === undefined ? describeNetwork(network) : undefined;
      },
    });
  },
);

/** Ends a permission of the site, at once and without a question. */
export const wallet_revokeExecutionPermission = method<
  [{ readonly permissionContext: Hash }],
  Readonly<Record<string, never>>
>()(
  // The object may stand in an array: the proposal does not say.
  (params: Json) => readContext(Array.isArray(params) ? positions<[Json]>(anything)(params)[0] : params),
  async (context, named) => {
    const permissions = await (await context.signing()).permissions();
    if (!(await permissions.granted(context.origin)).some((each) => each.context === named))
      throw invalidParams('permissionContext: this site has no such permission');
    await permissions.end(named);
    return {};
  },
);

function readContext(value: Json): Hash {
  const { permissionContext = null } = record(value, 'params[0]', ['permissionContext']);
  return hash(permissionContext, 'params[0].permissionContext');
}

/** The types of permission that the wallet grants, each with its chains and rules. */
export const wallet_getSupportedExecutionPermissions = method<
  [],
  Readonly<Record<string, { readonly chainIds: readonly Hex[]; readonly ruleTypes: readonly string[] }>>
>()(noParams, async ({ networks, signing }) => {
  const chainIds = [...networks.values()].flatMap(({ chainId, addedBy }) =>
    addedBy === undefined ? [`0x${chainId.toString(16)}` as const] : [],
  );
  const permissions = await (await signing()).permissions();
  return Object.fromEntries(
    (await permissions.ruleTypes()).map(([type, rules]) => [type, { chainIds, ruleTypes: rules }]),
  );
});

/** The permissions of this site that have not ended. */
export const wallet_getGrantedExecutionPermissions = method<[], readonly GrantedReply[]>()(
  noParams,
  async ({ signing, origin }) => (await (await signing()).permissions()).granted(origin),
);

import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { chainId, positions, record } from '../rpc/params.js';
import type { Hex } from '../rpc/schema.js';
import { describeNetwork } from './requester.js';
import { method } from './method.js';

/**
 * EIP-3326 between the networks that the wallet knows. Resolves `null` after `chainChanged` has reached every
 * listener; at once, and without an event, for the active chain. 4902 for a chain that is not known.
 */
export const wallet_switchEthereumChain = method<[{ chainId: Hex }], null>()(positions(switchParams), {
  access: 'person',
  handle: async (context, [id], { signal }) => {
    const { session, networks } = context;
    if (session.state().chainId === id) return null;
    const target = networks.get(id);
    if (!target)
      throw new ProviderRpcError(
        errorCode.unrecognizedChain,
        `Unrecognized chain ID "0x${id.toString(16)}". Try adding the chain using wallet_addEthereumChain first.`,
      );
    const { approvals, origin } = context;
    const ask = async (ended: AbortSignal): Promise<null> => {
      const question = {
        kind: 'switch-chain' as const,
        origin,
        network: describeNetwork(context.network()),
        target: describeNetwork(target),
        warnings: [],
      };
      await approvals.request(question, id, { signal: ended });
      session.update((state) => ({ ...state, chainId: id }));
      return null;
    };
    return approvals.join(`switch ${origin} ${id}`, ask, signal);
  },
});

/**
 * EIP-3085. A chain that is known already is left as it is: its trusted endpoint is never replaced by a page.
 * A new one is asked who it is, then a person is asked once whether to add it and switch to it (wagmi expects
 * it to be active afterwards). It is known until the page is left.
 */
export const wallet_addEthereumChain = method<[AddEthereumChainParameter], null>()((params) => params, {
  access: 'person',
  handle: async (context, params, { signal }) =>
    (await import('./add-chain.js')).addChain(context, params, signal),
});

export interface AddEthereumChainParameter {
  readonly chainId: Hex;
  readonly chainName: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly rpcUrls: readonly string[];
  readonly blockExplorerUrls?: readonly string[] | null;
  readonly iconUrls?: readonly string[] | null;
}

function switchParams(value: Json, path: string): number {
  const fields = record(value, path, ['chainId']);
  return chainId(fields.chainId ?? null, `${path}.chainId`);
}

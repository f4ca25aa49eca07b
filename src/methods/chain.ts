import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { type Json, noParams } from '../rpc/message.js';
import { chainId, positions, record } from '../rpc/params.js';
import type { Hex } from '../rpc/schema.js';
import { instantAnswers } from './instant-answers.js';
import { method } from './method.js';
import { switchChain } from './switch-chain.js';

export const eth_chainId = method<[], Hex>()(noParams, instantAnswers.eth_chainId);

export const net_version = method<[], string>()(noParams, instantAnswers.net_version);

/**
 * Switches to another known network (EIP-3326). Resolves with `null` after all listeners of `chainChanged` have run;
 * for the active chain at once and without an event. 4902 for an unknown chain.
 */
export const wallet_switchEthereumChain = method<[{ chainId: Hex }], null>()(
  positions(switchParams),
  async (context, [id], { signal }) => {
    const target = context.networks.get(id);
    if (!target)
      throw new ProviderRpcError(
        errorCode.unrecognizedChain,
        `Unrecognized chain ID "0x${id.toString(16)}". Try adding the chain using wallet_addEthereumChain first.`,
      );
    return switchChain(context, target, signal);
  },
);

/**
 * Adds a network (EIP-3085). A known chain stays as it is, since a page never replaces its endpoint: the person is
 * asked to switch to it. For a new one the endpoints' chain ids are verified, then the person is asked once whether to
 * add it and switch to it (wagmi expects it to be active afterwards). It is known from then on, also after a reload,
 * until the owner removes it.
 */
export const wallet_addEthereumChain = method<[AddEthereumChainParameter], null>()(
  (params) => params,
  async (context, params, { signal }) => (await import('./add-chain.js')).addChain(context, params, signal),
);

export interface AddEthereumChainParameter {
  readonly chainId: Hex;
  readonly chainName: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly rpcUrls: readonly string[];
  readonly blockExplorerUrls?: readonly string[] | null | undefined;
  readonly iconUrls?: readonly string[] | null | undefined;
}

function switchParams(value: Json, path: string): number {
  const fields = record(value, path, ['chainId']);
  return chainId(fields.chainId ?? null, `${path}.chainId`);
}

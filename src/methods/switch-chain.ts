import type { Network } from '../service/networks.js';
import type { Context } from './context.js';
import { describeNetwork } from './requester.js';

/** Makes a known network active once the person agrees. The active one needs no question. */
export async function switchChain(context: Context, target: Network, signal?: AbortSignal): Promise<null> {
  const { origin, session } = context;
  const { chainId } = target;
  if (session.state().chainId === chainId) return null;
  const approvals = await context.approvals();
  const ask = async (sharedSignal: AbortSignal): Promise<null> => {
    const question = {
      kind: 'switch-chain' as const,
      origin,
      network: describeNetwork(context.network()),
      target: describeNetwork(target),
      warnings: [],
    };
    await approvals.request(question, chainId, { signal: sharedSignal });
    session.update((state) => ({ ...state, chainId }));
    return null;
  };
  return approvals.dedupe(`switch ${origin} ${chainId}`, ask, signal);
}

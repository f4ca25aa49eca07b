import { singleFlight } from '../async/lazy.js';
import { badReply } from '../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Hex } from '../rpc/schema.js';
import type { Endpoint, Endpoints } from './endpoints.js';
import type { RetryingRequest } from './retry.js';

/** Milliseconds after which a confirmation expires: another node may answer behind the same URL. */
const confirmationHolds = 60_000;

/** Resolves once the endpoint of the next request has confirmed that it serves the configured chain. */
export function createChainCheck(options: createChainCheck.Options): () => Promise<void> {
  const { chainId, endpoints, request, now } = options;

  const isConfirmed = (endpoint: Endpoint | undefined) =>
    endpoint?.confirmedAt !== undefined && now() - endpoint.confirmedAt <= confirmationHolds;

  return singleFlight(async () => {
    // Each iteration confirms an endpoint or excludes it, so the loop ends.
    while (!isConfirmed(endpoints.next()?.endpoint)) {
      const { result, endpoint } = await request('eth_chainId', [], own({ urgency: 0 }));
      if (!isQuantity(result)) throw badReply('eth_chainId', 'not a QUANTITY', { reason: 'broken' });
      if (BigInt(result) === BigInt(chainId)) endpoint.confirmedAt = now();
      else endpoints.exclude(endpoint, wrongChain(chainId, result));
    }
  });
}

const isQuantity = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i.test(value);

/** The configured chain decides: an endpoint that chose the chain id of signatures could replay them elsewhere. */
const wrongChain = (expected: number, served: Hex) =>
  new ProviderRpcError(
    errorCode.chainDisconnected,
    `The service serves chain ${BigInt(served)}, and the wallet is configured for chain ${expected}`,
    { reason: 'wrong-chain' },
  );

export declare namespace createChainCheck {
  interface Options {
    readonly chainId: number;
    readonly endpoints: Endpoints;
    readonly request: RetryingRequest;
    /** Milliseconds, monotonic. */
    readonly now: () => number;
  }
}

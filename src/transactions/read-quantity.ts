import { checkQuantity } from '../rpc/results.js';
import type { Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** Reads a QUANTITY from the service. @throws ProviderRpcError as the service's request */
export const readQuantity = (
  service: Service,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<Hex> =>
  service.request(method, params, { check: checkQuantity, ...(signal && { signal }) }) as Promise<Hex>;

import type { FeeChoice } from '../approvals/question.js';
import { own } from '../rpc/own.js';
import type { Hex } from '../rpc/schema.js';
import { reasonOf } from '../service/errors/errors.js';
import type { Service } from '../service/service.js';
import { gasLimit, gasPrices, maxGas, priceChoices } from './gas.js';
import { estimateGas, readHead, readQuantity } from './prepare.js';
import { refineEstimate } from './refine-estimate.js';
import type { TransactionRequest } from './request.js';

/** The cost of a transaction at three prices. */
export interface Fees {
  /** The lowest price that the network takes now. It may be too low for a later block. */
  readonly slow: FeeChoice;
  /** The price that is used unless another one is named. */
  readonly normal: FeeChoice;
  /** Half as much again: blocks take the highest prices first. */
  readonly fast: FeeChoice;
  /** The gas limit. */
  readonly gas: Hex;
  /** The lowest and the highest gas price that `send` accepts, wei per gas, inclusive. */
  readonly minimum: Hex;
  /** The highest gas price that the network takes, wei per gas. */
  readonly maximum: Hex;
}

/**
 * Estimates the cost of a transaction in one round trip. A balance that does not cover it makes no difference.
 * @throws ProviderRpcError as the service's request
 */
export async function readFees(service: Service, request: TransactionRequest): Promise<Fees> {
  const { from, to, value, data } = request;
  const call = own({ from, ...(to !== null && { to }), value, ...(data !== '0x' && { data }) });
  const [suggested, block, estimate] = await Promise.all([
    readQuantity(service, 'eth_gasPrice', []),
    readHead(service),
    estimateGas(service, call).catch((error: unknown) => {
      if (reasonOf(error) === 'insufficient-funds') return null;
      throw error;
    }),
  ]);
  const limit = maxGas(block.gasLimit);
  const measured = estimate && (await refineEstimate(service, call, estimate, { limit }));
  const gas = gasLimit(request, measured?.gas ?? null, service.network.chainId, limit);
  const prices = gasPrices(BigInt(suggested), BigInt(block.minimumGasPrice ?? '0x0'));
  const { fees, minimum, maximum } = priceChoices(prices, BigInt(gas));
  return { ...fees, gas, minimum, maximum };
}

import type { QuestionPegOut } from '../approvals/question.js';
import { own } from '../rpc/own.js';
import type { Service } from '../service/service.js';
import { addressOfHash, hashOfKey } from './address.js';
import { estimatePegOut } from './estimate.js';
import { bitcoinNetwork } from './network.js';

/**
 * Reads what a question says about a payment to the bridge, in up to three requests; `undefined` on a chain without a bridge. A chunk of its
 * own, which loads with the first such question.
 *
 * @param value wei
 * @param publicKey reads the compressed public key of the account; may reject, as that of a locked wallet does
 */
export async function previewPegOut(
  service: Service,
  value: bigint,
  publicKey: () => Promise<Uint8Array> | undefined,
): Promise<QuestionPegOut | undefined> {
  const network = bitcoinNetwork(service.network.chainId);
  if (network === null) return undefined;
  const [{ minimum, fee, confirmations, verdict }, key] = await Promise.all([
    estimatePegOut(service, network, value),
    publicKey()?.catch(() => undefined),
  ]);
  return own({
    ...(key && { bitcoinAddress: addressOfHash(hashOfKey(key), network) }),
    minimum: String(minimum),
    ...(fee !== undefined && { fee: String(fee) }),
    confirmations,
    verdict,
  });
}

import type { QuestionPegOut } from '../approvals/question.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { addressOfHash } from './address.js';
import { bitcoinNetwork } from './network.js';
import { estimatePegOut } from './peg-out-estimate.js';
import { type KeySources, keyHashOf } from './signer-key.js';

/** Milliseconds for which a question waits for each answer of the bridge. */
const timeout = 1_500;

/**
 * Reads what a question says about a payment to the bridge, in up to four requests; `undefined` on a chain without a bridge. A chunk of
 * its own, which loads with the first such question.
 *
 * @param payment its value is wei
 */
export async function previewPegOut(
  service: Service,
  { from, value }: { readonly from: Address; readonly value: bigint },
  sources: KeySources,
): Promise<QuestionPegOut | undefined> {
  const network = bitcoinNetwork(service.network.chainId);
  if (network === null) return undefined;
  const [{ minimum, fee, confirmations, blocksLeft, verdict }, hash] = await Promise.all([
    estimatePegOut(service, network, value, timeout),
    // It is not known while the wallet is locked, if the account has signed nothing.
    keyHashOf(from, sources).catch(() => null),
  ]);
  return own({
    ...(hash && { bitcoinAddress: addressOfHash(hash, network) }),
    minimum: String(minimum),
    ...(fee !== undefined && { fee: String(fee) }),
    confirmations,
    ...(blocksLeft !== undefined && { blocksLeft }),
    verdict,
  });
}

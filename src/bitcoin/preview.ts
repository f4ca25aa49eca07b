import type { QuestionPegOut } from '../approvals/question.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { addressOfHash, hashOfKey } from './address.js';
import { estimatePegOut } from './estimate.js';
import { bitcoinNetwork } from './network.js';
import { readSignedBy } from './signer-key.js';

/** Milliseconds for which a question waits for each answer of the bridge. */
const timeout = 1_500;

/**
 * Reads what a question says about a payment to the bridge, in up to four requests; `undefined` on a chain without a bridge. A chunk of
 * its own, which loads with the first such question.
 *
 * @param value wei
 * @param keyHash reads HASH160 of the account's public key; resolves with `null` where it is not known
 */
export async function previewPegOut(
  service: Service,
  value: bigint,
  keyHash: () => Promise<Uint8Array | null>,
): Promise<QuestionPegOut | undefined> {
  const network = bitcoinNetwork(service.network.chainId);
  if (network === null) return undefined;
  const [{ minimum, fee, confirmations, blocksLeft, verdict }, hash] = await Promise.all([
    estimatePegOut(service, network, value, timeout),
    keyHash(),
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

/** HASH160 of an account's public key, which the keyring tells or, while that is locked, a signature of the account. */
export async function keyHashOf(
  account: Address,
  publicKey: ((account: Address) => Promise<Uint8Array>) | undefined,
  signed: () => Promise<readonly Parameters<typeof readSignedBy>[1][]>,
): Promise<Uint8Array | null> {
  try {
    if (publicKey) return hashOfKey(await publicKey(account));
  } catch {
    // It is locked.
  }
  for (const each of await signed()) {
    const read = readSignedBy(account, each);
    if (read) return read.keyHash;
  }
  return null;
}

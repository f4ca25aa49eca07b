import { own } from '../rpc/own.js';
import type { Accounted } from './accounting.js';
import type { Grant } from './grant.js';
import type { Ledger } from './ledger.js';
import type { PermissionParts, ReadableLedger } from './parts.js';

/**
 * The grants that count, and the ledger of the vault. Without the keys it is `null`, and the grants are as the session lists them,
 * unchecked.
 */
export async function visibleGrants(
  parts: PermissionParts,
): Promise<{ readonly grants: readonly Grant[]; readonly ledger: Ledger | null }> {
  const ledger = parts.keyring.keeps() ? await parts.ledger() : null;
  const grants = ledger ? await parts.recorded() : parts.listed();
  return { ledger, grants: grants.filter(parts.isLive) };
}

/** Reads marks without checking them, for what is shown while the keys are locked. */
export const trusting: ReadableLedger = {
  async read({ nonce, ledger }) {
    if (!ledger) return null;
    const { permission, period, amount, fees } = ledger;
    return own<Accounted>({
      ...{ nonce: BigInt(nonce), permission, period, at: null },
      ...{ amount: BigInt(amount), fees: BigInt(fees) },
    });
  },
  isSealed: async () => true,
};

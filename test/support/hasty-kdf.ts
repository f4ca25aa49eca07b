import { strongKdf } from '../../src/keyring/kdf/kdf.js';

/**
 * Makes scrypt a hundred times cheaper for new passwords, for tests that are not about its cost: half a second of work for
 * each wallet that they create or unlock. Vaults and keystores name their own cost as ever.
 */
export function hastenKdf(): void {
  Object.assign(strongKdf, { N: 1_024 });
}

import { strongKdf } from '../../src/keyring/kdf/kdf.js';

/**
 * Makes scrypt a hundred times cheaper for new passwords, for tests that are not about its cost: half a second of work for
 * each wallet that they create or unlock. Vaults and keystores name their own cost as ever.
 *
 * @returns what makes them cost as much as before. A test file calls `hastenKdfOfFile`
 */
export function hastenKdf(): () => void {
  const strong = { ...strongKdf };
  Object.assign(strongKdf, { N: 1_024 });
  return () => void Object.assign(strongKdf, strong);
}

import { afterAll } from 'vitest';
import { hastenKdf } from './hasty-kdf.js';

/** {@link hastenKdf} until the end of the test file, since the next file may run in the same process. */
export function hastenKdfOfFile(): void {
  afterAll(hastenKdf());
}

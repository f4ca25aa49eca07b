import { createVolatileMemory } from '../../../../src/session/volatile-memory.js';
import { createMemoryStorage } from '../../../../src/storage/memory.js';
import { headless } from './headless.js';

/**
 * Adds `graft.headless`, `graft.createMemoryStorage` and `graft.createVolatileMemory` to a page with `graft.js`, for tests of
 * pages without a build step. Load it after that script:
 *
 *     <script src="graft.js"></script>
 *     <script src="graft-testing.js"></script>
 *     <script>
 *       const wallet = graft.createWallet({ networks, approver: () => graft.headless() });
 *     </script>
 */
const { graft } = window as unknown as { readonly graft?: object };
if (!graft) throw new TypeError('graft-testing.js: load graft.js before it');
Object.assign(graft, { headless, createMemoryStorage, createVolatileMemory });

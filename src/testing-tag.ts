import { headless } from './approvals/headless.js';

/**
 * Adds `graft.headless` to a page with `graft.js`, for tests of pages without a build step. It stands after that script:
 *
 *     <script src="graft.js"></script>
 *     <script src="graft-testing.js"></script>
 *     <script>
 *       const wallet = graft.createWallet({ networks, approver: () => graft.headless() });
 *     </script>
 */
Object.assign((window as unknown as { readonly graft: object }).graft, { headless });

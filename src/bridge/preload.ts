/**
 * Loads the modules of a question in parallel while the request is on its way. Load errors are ignored here: the imports where
 * the modules are used report them.
 */
export function preloadQuestion(): void {
  const modules = [
    import('./answer-offers.js'),
    import('./window-approver.js'),
    import('../wallet/core.js'),
    import('../methods/sign.js'),
    import('../methods/submit.js'),
    import('../approvals/approvals.js'),
    import('../wallet/signing.js'),
    import('../wallet/owner-functions.js'),
    import('../signatures/signatures.js'),
    import('../keyring/sign.js'),
    import('../keyring/shared-unlock.js'),
    import('../keyring/vault/access.js'),
    import('../ui/dialog/dialog.js'),
  ];
  for (const loading of modules) loading.catch(() => {});
}

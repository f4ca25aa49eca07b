/**
 * Loads the modules of a question in parallel while the request is on its way. Load errors are ignored here: the imports where
 * the modules are used report them.
 */
export function preloadQuestion(): void {
  const modules = [
    import('./answer-offers.js'),
    import('./window-approver.js'),
    import('../wallet/core.js'),
    import('../wallet/signing.js'),
    import('../ui/dialog/dialog.js'),
    import('../keyring/shared-unlock.js'),
    import('../keyring/vault/access.js'),
  ];
  for (const loading of modules) loading.catch(() => {});
}

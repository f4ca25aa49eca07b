/**
 * Loads side by side what each question in a window needs, while the request is on its way there. Each part is loaded again
 * where it is used, one after the other: there a failure is reported, here it is not.
 */
export function preloadQuestion(): void {
  const parts = [
    import('./answer-offers.js'),
    import('./window-approver.js'),
    import('../core.js'),
    import('../signing.js'),
    import('../ui/dialog/dialog.js'),
    import('../keyring/shared-unlock.js'),
    import('../keyring/vault/access.js'),
  ];
  for (const part of parts) part.catch(() => {});
}

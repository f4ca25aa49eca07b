import { trustedScriptUrl } from '../../src/keyring/builtins.js';

/**
 * Registers the service worker of this site, if the build has linked the document to a manifest. Without a worker or a release
 * at the server the wallet works as it does in a tab.
 */
export async function registerApp(): Promise<void> {
  if (!document.querySelector('link[rel=manifest]')) return;
  await navigator.serviceWorker?.register(trustedScriptUrl('/sw.js')).catch(() => {});
}

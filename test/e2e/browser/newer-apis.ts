/**
 * What the wallet uses only where a browser has it, since one of Chrome 109, Firefox 115 and Safari 16.4 lacks it.
 * `oldest.test.ts` takes each away, and docs/compatibility.md says what is different without it.
 */
export const newerApis = {
  ofWallet: [
    'IntersectionObserverEntry.prototype.isVisible',
    'trustedTypes',
    'TrustedTypePolicy',
    'FileSystemFileHandle.prototype.createWritable',
    'PublicKeyCredential.signalUnknownCredential',
    'AbortSignal.any',
  ],
  /** Used by the wallet as well. Debian's WebKitGTK lacks them. */
  ofStorageAndKeys: ['StorageManager.prototype.getDirectory', 'PublicKeyCredential'],
  ofBridge: ['requestIdleCallback', 'Navigator.prototype.userActivation'],
} as const;

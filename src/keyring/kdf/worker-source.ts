/**
 * The bundled source of `kdf-worker.ts`. The build writes it here, so that the program which gets the password is that
 * of the build. Unbuilt, it is `null` and no worker is used.
 */
export const workerSource: string | null = null;

/**
 * On the wallet's own site, whose policy allows no worker from a blob: the address of its file. Elsewhere `null`.
 */
export const workerFile: string | null = null;

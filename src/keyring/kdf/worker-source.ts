/**
 * The program of the worker, `kdf-worker.ts`, as one script. The build writes it here, so that the bytes which get the
 * password are those of the build; where the source runs unbuilt there is none, and no worker.
 */
export const workerSource: string | null = null;

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { installTools, neededTools } from './consumer.js';

/**
 * Begins to install the tools of the matrix, one set after the other, while other tests run. A failure shows in the tests
 * that need them. The folder of the run is where its processes wait for each other.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'graft-run-'));
  provide('runFolder', folder);
  void (async () => {
    for (const each of neededTools) await installTools(each, folder).catch(() => undefined);
  })();
  return () => rm(folder, { recursive: true, force: true });
}

declare module 'vitest' {
  interface ProvidedContext {
    /** An empty folder that all processes of this run share. */
    runFolder: string;
  }
}

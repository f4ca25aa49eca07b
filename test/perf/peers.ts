import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/packages.js';

/** Where the packages that only this benchmark needs are installed. */
export const peersRoot = join(projectRoot, 'node_modules', '.bench-peers');

/** Whether they are installed; installs what `peers/package-lock.json` names first, unless switched off. */
export async function installPeers({ onlyIfThere }: { onlyIfThere: boolean }): Promise<boolean> {
  const isThere = existsSync(join(peersRoot, 'node_modules', 'burner-connector'));
  if (isThere || onlyIfThere) return isThere;
  await cp(join(import.meta.dirname, 'peers'), peersRoot, { recursive: true });
  const args = ['ci', '--prefix', peersRoot, '--ignore-scripts', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', args, { cwd: peersRoot });
  return true;
}

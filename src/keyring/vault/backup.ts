import { unauthorized } from '../../rpc/core-errors.js';
import { errorCode, invalidParams, isProviderRpcError, ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Contents } from './contents.js';
import { encodeBase64Url, readVaultRecord } from './record.js';
import { copyContents } from './secrets.js';
import { openVault, sealVault, withContents } from './vault.js';
import type { VaultOptions } from './wraps.js';

/** The backup file: JSON with a vault record of its own, which the password of the file opens. */

const type = 'graft-backup';
const version = 1;
/** Characters. A vault has at most 4 MiB. */
const longest = 8_388_608;

export async function sealBackup(
  contents: Contents,
  password: string,
  { now, ...options }: VaultOptions & { readonly now: () => number },
): Promise<string> {
  const header = { vaultId: encodeBase64Url(options.random(16)), gen: 1, createdAt: now() };
  const { record } = await sealVault(contents, [password], header, options);
  return JSON.stringify({ type, version, vault: record });
}

/**
 * The contents of a backup file, which the caller wipes.
 * @throws ProviderRpcError -32602 for another file, or one that is cut short; -32002 for one of a newer version; 4100 for
 * a wrong password
 */
export async function openBackup(file: string, password: string): Promise<Contents> {
  const reading = readVaultRecord(readFile(file));
  if (reading.kind === 'newer') throw newer();
  if (reading.kind === 'damaged') throw damaged();
  try {
    return await withContents(await openVault(reading.record, password), copyContents);
  } catch (error) {
    if (isProviderRpcError(error) && error.code === errorCode.unauthorized)
      throw unauthorized('Wrong password, or the backup file is damaged.');
    throw error;
  }
}

/** The vault record in the file, which is not validated yet. */
function readFile(file: string): unknown {
  if (file.length > longest) throw foreign();
  let parsed: unknown;
  try {
    parsed = JSON.parse(file);
  } catch {
    throw file.includes(`"${type}"`) ? damaged() : foreign();
  }
  if (typeof parsed !== 'object' || parsed === null) throw foreign();
  const fields = own(parsed as Record<string, unknown>);
  if (fields.type !== type) throw foreign();
  if (!Number.isSafeInteger(fields.version) || (fields.version as number) < 1) throw damaged();
  if ((fields.version as number) > version) throw newer();
  return fields.vault;
}

const foreign = () => invalidParams('file: it is not a backup file of this wallet');
const damaged = () => invalidParams('file: the backup file is cut short or damaged; use another copy of it');
const newer = () =>
  new ProviderRpcError(
    errorCode.resourceUnavailable,
    'The backup file was made by a newer version of this wallet. Load that version.',
  );

import { invalidParams } from '../rpc/errors.js';
import type { JournalEntry } from './journal-entry.js';

/**
 * The journal as text. JSON: an array of objects with every field except the signed bytes. CSV (RFC 4180): a line of
 * column names, then one line for each transaction; amounts are decimal wei.
 * @throws ProviderRpcError -32602 for an unknown format
 */
export function exportJournal(entries: readonly JournalEntry[], format: 'json' | 'csv'): string {
  if (format !== 'json' && format !== 'csv') throw invalidParams("format: expected 'json' or 'csv'");
  if (format === 'json')
    return JSON.stringify(
      entries.map(({ raw: _raw, ...fields }) => fields),
      null,
      2,
    );
  const lines = entries.map((entry) => columns.map(([, read]) => cell(read(entry))).join(','));
  return [columns.map(([name]) => name).join(','), ...lines, ''].join('\r\n');
}

const decimal = (quantity: string | undefined) => (quantity === undefined ? '' : BigInt(quantity).toString());

const columns: readonly (readonly [name: string, read: (entry: JournalEntry) => string])[] = [
  ['time', ({ createdAt }) => new Date(createdAt).toISOString()],
  ['chain id', ({ chainId }) => `${chainId}`],
  ['state', ({ state }) => state],
  ['hash', ({ hash }) => hash],
  ['from', ({ from }) => from],
  ['to', ({ to }) => to ?? ''],
  ['value (wei)', ({ value }) => decimal(value)],
  ['fee (wei)', ({ fee }) => decimal(fee)],
  ['nonce', ({ nonce }) => decimal(nonce)],
  ['block', ({ blockNumber }) => decimal(blockNumber)],
  ['replaced by', ({ replacedBy }) => replacedBy ?? ''],
  ['reason', ({ reason }) => reason ?? ''],
  ['site', ({ origin }) => origin],
  ['data', ({ data }) => data],
];

/** A CSV cell. Text that a spreadsheet would take for a formula is escaped, since contracts and sites supply it. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

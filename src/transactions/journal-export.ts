import { invalidParams } from '../rpc/errors.js';
import type { JournalEntry } from './journal-entry.js';

/**
 * The journal as text. JSON: an array of objects, each with every field but the signed bytes. CSV (RFC 4180): one
 * line per transaction under a line of names; amounts are decimal wei.
 * @throws ProviderRpcError -32602 for another format
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

/** Quoted where it must be; a spreadsheet must not take a contract's or a site's text for a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

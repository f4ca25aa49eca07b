import { membersOf } from '../rpc/own-data.js';
import type { Hash } from '../rpc/schema.js';
import type { RecordedTransaction } from '../transactions/transactions.js';
import type { Wallet } from '../wallet/wallet.js';
import { readJson } from './protocol.js';

/** The newest transactions among which a send is looked for. */
const maxSends = 1_000;
/** Milliseconds by which a dapp's page may have noted a later time than the journal. */
const drift = 1_000;

/**
 * Resolves with the hash that the journal has for a send whose answer was lost, or `null` if it has none. Each transaction
 * is in the journal before it is sent.
 *
 * @param request `at` is when the dapp's page accepted it, milliseconds since 1970
 * @param answered hashes of other, perhaps equal, sends, which are skipped; the hash found is added
 */
export async function sendOutcomeOf(
  wallet: Pick<Wallet, 'transactions' | 'origin'>,
  request: { readonly method: string; readonly json: string; readonly at: number },
  answered: { has(hash: unknown): boolean; add(hash: unknown): unknown },
): Promise<Hash | null> {
  const [first] = (readJson(request.json) as readonly unknown[] | undefined) ?? [];
  const isIt = request.method === 'eth_sendRawTransaction' ? hasBytes(first) : hasFields(first);
  const since = request.at - drift;
  const entries = await wallet.transactions({ limit: maxSends });
  const found = entries.findLast(
    (each) =>
      each.origin === wallet.origin && each.createdAt >= since && !answered.has(each.hash) && isIt(each),
  );
  if (!found) return null;
  answered.add(found.hash);
  return found.hash;
}

const hasBytes = (raw: unknown) => (entry: RecordedTransaction) => entry.raw === String(raw).toLowerCase();

function hasFields(transaction: unknown) {
  const { from, to, value, data, input } = membersOf(transaction);
  const lower = (text: unknown) => String(text ?? '').toLowerCase();
  return (entry: RecordedTransaction): boolean =>
    entry.from === lower(from) &&
    (entry.to ?? '') === lower(to) &&
    BigInt(entry.value) === BigInt(lower(value) || '0x0') &&
    entry.data === (lower(data ?? input) || '0x');
}

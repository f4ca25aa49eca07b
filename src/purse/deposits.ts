import { resourceUnavailable, transactionRejected, userRejected } from '../rpc/core-errors.js';
import type { Hash } from '../rpc/schema.js';
import { holdOf, isOpen } from '../transactions/journal-entry.js';
import type { PurseParts } from './parts.js';
import type { Purse } from './purse.js';

/**
 * The state of the deposits of a purse.
 * - `open`: at least one is on its way.
 * - `held`: the person has to decide whether one is sent at all.
 * - `mined`: all have arrived.
 * - `failed`: one has not been carried out.
 * - `unknown`: the journal has not got one, so it was not sent.
 */
type DepositState = 'open' | 'held' | 'mined' | 'failed' | 'unknown';

/** The worst first. */
const order: readonly DepositState[] = ['unknown', 'failed', 'held', 'open', 'mined'];

type Parts = Pick<PurseParts, 'journal' | 'now'>;

export async function depositState(
  parts: Parts,
  { deposits }: Pick<Purse, 'deposits'>,
): Promise<DepositState> {
  const states = await Promise.all(deposits.map((hash) => stateOf(parts, hash)));
  return order.find((state) => states.includes(state)) ?? 'mined';
}

async function stateOf({ journal, now }: Parts, hash: Hash): Promise<DepositState> {
  const entry = await journal.find(hash);
  if (!entry) return 'unknown';
  if (isOpen(entry)) return holdOf(entry, now()) === null ? 'open' : 'held';
  if (entry.state === 'mined') return 'mined';
  const other = entry.replacedBy && (await journal.find(entry.replacedBy));
  // The person has sped it up.
  const isSame = other && other.to === entry.to && other.value === entry.value && other.data === entry.data;
  return isSame && other.state === 'mined' ? 'mined' : 'failed';
}

/**
 * Waits until the deposits of a purse are mined; the outbox sends them again until they are.
 *
 * @throws ProviderRpcError -32003 if one was not carried out; -32002 if it waits for the person; 4001 once `signal` aborts
 */
export const untilDeposited = (parts: Parts, purse: Purse, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      unwatch();
      clearInterval(timer);
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const onAbort = () => settle(() => reject(userRejected()));
    const look = async (): Promise<void> => {
      const state = await depositState(parts, purse).catch(() => 'open');
      if (state === 'open') return;
      if (state === 'mined') settle(resolve);
      else settle(() => reject(state === 'held' ? held() : failed()));
    };
    const unwatch = parts.journal.watch(look);
    // Another page may be the first to record it.
    const timer = setInterval(look, lookInterval);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else void look();
  });

const held = () =>
  resourceUnavailable('The deposit into the purse waits for the person, in the activity of the wallet.');

const failed = () => transactionRejected('the deposit into the purse was not carried out');

/** Milliseconds between two looks at the journal. */
const lookInterval = 1_000;

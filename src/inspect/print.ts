import type { WalletEvent } from '../rpc/observation.js';
import type { Snapshot } from './snapshot.js';

/** A snapshot as a plain text table: a line for each method, then HTTP, chains, subscriptions, questions, permissions and tabs. */
export function printSnapshot(snapshot: Snapshot): string {
  const { methods, http, chains, subscriptions, questions, permissions, tabs } = snapshot;
  const header = ['method', 'asked', 'answered', 'failed', 'ms', ...sources, 'sent', 'cost', 'served'];
  const rows = methods.map(({ method, asked, answered, failed, ms, from, sent, cost, served }) => [
    method,
    ...[asked, answered, failed, ms, ...sources.map((each) => from[each]), sent, cost, served].map(String),
  ]);
  return [
    ...table([header, ...rows]),
    '',
    `HTTP: ${http.requests} requests, ${http.calls} calls, ${http.retries} retries, ${http.failed} failed, ${http.bytes} bytes, ${http.ms} ms each, cost ${http.cost}`,
    ...chains.map(
      ({ chainId, head, reorganisations, cost, served, quota }) =>
        `chain ${chainId}: block ${head?.number ?? 'unknown'}, ${reorganisations} reorganisations, cost ${cost}, ${served} answered for other tabs, ${
          quota
            ? `all tabs used ${quota.used} of ${quota.perDay ?? 'an unlimited quota'}, ${quota.state}`
            : 'no quota'
        }`,
    ),
    ...subscriptions.map(
      ({ id, of, delivered, block }) =>
        `subscription ${id}: ${of ?? 'unknown'}, ${delivered} delivered, at block ${block ?? 'unknown'}`,
    ),
    ...questions.map(
      ({ of, asked, approved, refused, failed }) =>
        `question ${of}: ${asked} asked, ${approved} approved, ${refused} refused, ${failed} failed`,
    ),
    ...permissions.map(
      ({ origin, granted, used, short, ended }) =>
        `permissions of ${origin}: ${granted} granted, ${used} used, ${short} short, ${ended} ended`,
    ),
    `tabs: this one ${tabs.leads ? 'leads' : 'doesn’t lead'}, ${tabs.answeredByOthers} answered by the leader, ${tabs.served} answered for others`,
  ].join('\n');
}

/** Where a read may be answered, the nearest first. */
const sources = ['cache', 'shared', 'tab', 'service'] as const satisfies readonly WalletEvent.Source[];

/** Aligns the first column to its start, and the numbers to their end. */
function table(rows: readonly (readonly string[])[]): string[] {
  const align = (cell: string, column: number): string => {
    const width = Math.max(...rows.map((row) => row[column]?.length ?? 0));
    return column === 0 ? cell.padEnd(width) : cell.padStart(width);
  };
  return rows.map((row) => row.map(align).join('  '));
}

import type { Snapshot } from './snapshot.js';

/** A snapshot as a plain text table: a line for each method, then HTTP, chains, subscriptions, questions and tabs. */
export function printSnapshot(snapshot: Snapshot): string {
  const { methods, http, chains, subscriptions, questions, tabs } = snapshot;
  const header = ['method', 'asked', 'answered', 'failed', 'ms', ...froms, 'sent', 'cost', 'served'];
  const rows = methods.map(({ method, asked, answered, failed, ms, from, sent, cost, served }) => [
    method,
    ...[asked, answered, failed, ms, ...froms.map((each) => from[each]), sent, cost, served].map(String),
  ]);
  return [
    ...table([header, ...rows]),
    '',
    `HTTP: ${http.requests} requests, ${http.calls} calls, ${http.retries} retries, ${http.failed} failed, ${http.bytes} bytes, ${http.ms} ms each, cost ${http.cost}`,
    ...chains.map(
      ({ chainId, head, reorganisations, cost, served, quota }) =>
        `chain ${chainId}: block ${head?.number ?? 'unknown'}, ${reorganisations} reorganisations, cost ${cost}, ${served} for other tabs, ${
          quota
            ? `quota of all tabs ${quota.used} of ${quota.perDay ?? 'no limit'}, ${quota.state}`
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
    `tabs: this one ${tabs.leads ? 'leads' : 'does not lead'}, ${tabs.answeredByOthers} answered by another, ${tabs.served} for others`,
  ].join('\n');
}

const froms = ['cache', 'shared', 'tab', 'service'] as const;

/** Aligns the first column to its start, and the numbers to their end. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
}

import { closingLines, count, table } from './markdown.js';
import type { RelayReport } from './relay.js';

/** A report in Markdown. */
export function describeRelayReport(report: RelayReport): string {
  const { told, requests, troubles, defects } = report;
  return [
    `Seed ${report.seed}: ${count(report.clients)} clients, ${count(report.blocks)} blocks, ${count(report.reorgs)} reorganisations, the deepest of ${report.deepest}, in ${count(report.seconds)} s.`,
    '',
    ...table(
      ['Told', 'subscriptions', 'events', 'lost', 'doubled', 'out of order', 'invented or kept'],
      Object.entries(told).map(([kind, each]) => [
        kind,
        ...[each.subscriptions, each.events, each.lost, each.doubled, each.disordered, each.kept].map(count),
      ]),
    ),
    '',
    `Of the connections that named the block they had, ${count(told.graft_steps?.resumed ?? 0)} went on from there, and ${count(told.graft_steps?.forgotten ?? 0)} were told to read anew.`,
    '',
    ...closingLines({ requestsTitle: 'Requests to the service', requests, troubles, defects }),
  ].join('\n');
}

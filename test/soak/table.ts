import { closingLines, count, table } from './markdown.js';
import type { Report } from './soak.js';

/** A report in Markdown. */
export function describeReport(report: Report): string {
  const { told, requests, troubles, pending, defects } = report;
  return [
    `Seed ${report.seed}, dialect \`${report.dialect}\`: ${count(report.blocks)} blocks, ${count(report.mined)} mined, ${count(report.reorgs)} reorganisations, the deepest of ${report.deepest}, in ${Math.round(report.milliseconds / 1000)} s.`,
    '',
    ...table(
      ['Told', 'subscribers', 'events', 'lost', 'doubled', 'out of order', 'invented or kept'],
      Object.entries(told).map(([kind, each]) => [
        kind,
        ...[each.subscribers, each.events, each.lost, each.doubled, each.disordered, each.kept].map(count),
      ]),
    ),
    '',
    `Of ${count(pending.sent)} transactions that entered the pool, the subscriber that saw most saw ${count(pending.seen)}.`,
    '',
    ...closingLines({ requestsTitle: 'Requests', requests, troubles, defects }),
  ].join('\n');
}

import type { Report } from './soak.js';

/** A report in Markdown. */
export function describeReport(report: Report): string {
  const { told, requests, troubles, pending, defects } = report;
  const total = Object.values(requests).reduce((sum, each) => sum + each, 0);
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
    ...table(
      ['Requests', `${count(total)}`],
      Object.entries(requests)
        .sort(([, a], [, b]) => b - a)
        .map(([method, times]) => [`\`${method}\``, count(times)]),
    ),
    '',
    ...table(
      ['Trouble', 'times'],
      Object.entries(troubles).map(([what, times]) => [what, count(times)]),
    ),
    '',
    defects.length === 0 ? 'No defect.' : `${defects.length} defects:`,
    ...defects.map((each) => `- ${each}`),
    '',
  ].join('\n');
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '--:')), ...rows].map((row) => `| ${row.join(' | ')} |`);

const count = (value: number): string => value.toLocaleString('en');

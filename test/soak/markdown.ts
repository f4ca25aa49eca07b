/** What the reports of the soaks have in common, as lines of Markdown. */

export const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '--:')), ...rows].map((row) => `| ${row.join(' | ')} |`);

export const count = (value: number): string => value.toLocaleString('en');

/** Requests by method, the most frequent first; what went wrong, and how often; and what was found. */
export function closingLines(report: {
  readonly requestsTitle: string;
  readonly requests: Readonly<Record<string, number>>;
  readonly troubles: Readonly<Record<string, number>>;
  readonly defects: readonly string[];
}): readonly string[] {
  const { requestsTitle, requests, troubles, defects } = report;
  const total = Object.values(requests).reduce((sum, each) => sum + each, 0);
  return [
    ...table(
      [requestsTitle, count(total)],
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
  ];
}

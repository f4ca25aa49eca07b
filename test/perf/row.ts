/** One line of the table. */
export interface Row {
  readonly what: string;
  /** Figures as they are read, with their unit. */
  readonly ours: string;
  readonly peers?: string;
  readonly ratio?: string;
  readonly aim?: Aim;
}

/** The aim: `limit` in the unit of `value`, and `text` for the reader. */
export interface Aim {
  readonly text: string;
  readonly met: boolean;
}

/** How much is measured: the short form ends within a minute. */
export interface Extent {
  readonly short: boolean;
}

export const atMost = (value: number, limit: number, text: string): Aim => ({ text, met: value <= limit });

export const atLeast = (value: number, limit: number, text: string): Aim => ({ text, met: value >= limit });

export const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

export const milliseconds = (value: number): string =>
  `${value < 100 ? value.toFixed(1) : value.toFixed(0)} ms`;

export const times = (value: number): string => `${value.toFixed(2)}×`;

/** The rows as a Markdown table, aligned for a terminal. */
export function table(rows: readonly Row[]): string {
  const lines = [
    ['What', 'Ours', 'Peers', 'Ratio', 'Aim', ''],
    ...rows.map(({ what, ours, peers = '', ratio = '', aim }) => [
      what,
      ours,
      peers,
      ratio,
      aim?.text ?? '',
      aim ? (aim.met ? 'met' : '**missed**') : '',
    ]),
  ];
  const width = (column: number) => Math.max(3, ...lines.map((line) => (line[column] ?? '').length));
  const write = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(width(column))).join(' | ')} |`;
  const [head = [], ...body] = lines;
  return [write(head), write(head.map((_, column) => '-'.repeat(width(column)))), ...body.map(write)].join(
    '\n',
  );
}

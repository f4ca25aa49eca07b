import { type Content, drawing } from '../h.js';

const stroke = {
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': '1.75',
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
} as const;

/** A line drawing of one or more paths on a square of 20. */
export const icon = (className: string, ...paths: readonly string[]): Content =>
  drawing(
    className,
    20,
    paths.map((d) => ({ ...stroke, d })),
  );

export const chevron = (): Content => icon('chevron', 'M5 8 10 13 15 8');

/** The icon of a warning: a circled i for a notice, else a triangle. */
export const mark = (severity: 'danger' | 'caution' | 'notice'): Content =>
  severity === 'notice'
    ? icon('mark', 'M10 2.5a7.5 7.5 0 1 1 0 15a7.5 7.5 0 1 1 0-15z', 'M10 9.5v4M10 6.5v.01')
    : icon('mark', 'M10 3 17.5 16.5h-15z', 'M10 8v4M10 14.3v.01');

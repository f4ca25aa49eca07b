import type { Span } from '../service/logs/limits.js';

/** The parts of a span that are in none of some spans, in order. */
export function without({ from, to }: Span, known: readonly Span[]): readonly Span[] {
  const parts: Span[] = [];
  let start = from;
  for (const each of known) {
    if (each.to < start || each.from > to) continue;
    if (each.from > start) parts.push({ from: start, to: each.from - 1 });
    start = each.to + 1;
  }
  if (start <= to) parts.push({ from: start, to });
  return parts;
}

/** Spans with one more, in order, those that touch joined. */
export function withSpan(known: readonly Span[], added: Span): readonly Span[] {
  const joined: Span[] = [];
  for (const each of [...known, added].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && each.from <= last.to + 1)
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, each.to) };
    else joined.push(each);
  }
  return joined;
}

/** The parts of spans from one height to another. */
export const within = (known: readonly Span[], { from, to }: Span): readonly Span[] =>
  known.flatMap((each) => {
    const part = { from: Math.max(each.from, from), to: Math.min(each.to, to) };
    return part.from > part.to ? [] : [part];
  });

export const isIn = (height: number, { from, to }: Span): boolean => height >= from && height <= to;

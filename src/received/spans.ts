import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Span } from '../service/logs/limits.js';
import type { Anchor, ReceivedRecord } from './record.js';

/** The blocks that a reading reads, and the arithmetic of spans of blocks. */

/** Blocks that are to be read for some accounts. */
export interface Part {
  readonly span: Span;
  readonly accounts: readonly Address[];
  /** Blocks below it whose tokens are read once more: the node of the last reading may have lacked them. */
  readonly overlap?: number;
}

/** Blocks that the first reading looks back, and each further one. */
const firstLook = 2_000;
const furtherLook = 100_000;
/** Blocks whose tokens are read once more. */
const overlap = 500;

/** The parts that are to be read, the newest first; accounts that lack the same blocks share one. */
export function partsOf(
  before: ReceivedRecord,
  accounts: readonly Address[],
  {
    anchor,
    head,
    further,
    isFull,
  }: {
    readonly anchor: Anchor;
    readonly head: Anchor;
    readonly further: boolean;
    /** Whether as many payments are kept as may be: older ones would be left out again. */
    readonly isFull: boolean;
  },
): readonly Part[] {
  const parts = new Map<string, { span: Span; accounts: Address[] }>();
  const top = anchor.number;
  for (const account of accounts) {
    const { spans = [] } = own(before.accounts[account]);
    const lowest = spans[0]?.from ?? Math.max(1, top - firstLook + 1);
    const missing = without({ from: lowest, to: top }, spans);
    const sinceLast = missing.filter(({ from }) => from > (spans.at(-1)?.to ?? 0));
    const below = { from: Math.max(1, lowest - furtherLook), to: lowest - 1 };
    const hasGap = missing.length > sinceLast.length;
    const wanted = hasGap || spans.length === 0 || isFull ? missing : [...missing, below];
    for (const span of further ? wanted : sinceLast) {
      if (span.from > span.to) continue;
      const key = `${span.from} ${span.to}`;
      const part = parts.get(key) ?? { span, accounts: [] };
      part.accounts.push(account);
      parts.set(key, part);
    }
  }
  const [first, ...rest] = [...parts.values()].sort((a, b) => b.span.to - a.span.to);
  if (top === head.number) return first ? [first, ...rest] : [];
  const isJoined = first?.span.to === top && first.accounts.length === accounts.length;
  const newest = {
    span: { from: isJoined ? first.span.from : top + 1, to: head.number },
    ...{ accounts, overlap },
  };
  return [newest, ...(isJoined || !first ? rest : [first, ...rest])];
}

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

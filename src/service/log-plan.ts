/** Inclusive block heights. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What one `eth_getLogs` may ask for. It starts as the seed says ("Limits") and is corrected by refusals. */
export interface LogLimits {
  /** Blocks that are taken however many logs they hold. */
  always: number;
  /** Logs that are taken however many blocks they come from. */
  logs: number;
  /** Blocks that are never taken; no such limit is known at first. */
  atMost: number;
}

export const seedLimits = (): LogLimits => ({
  always: 2_000,
  logs: 10_000,
  atMost: Number.POSITIVE_INFINITY,
});

/** Cuts a range into the spans to ask for, as the answers to earlier ones suggest. */
export interface LogPlan {
  /** The next span; none while all that is left is under way. */
  next(): Span | undefined;
  read(span: Span, count: number): void;
  /** @returns false for a span that cannot be made smaller. */
  refused(span: Span): boolean;
  /** Blocks whose logs are known. */
  blocksRead(): number;
}

const widthOf = ({ from, to }: Span) => to - from + 1;

/** Of the cap, what a span is expected to fill: logs do not come evenly. */
const fill = 0.9;
/** Places at which the density of a gap is guessed. */
const samples = 64;
/** Requests that may be lost on spans that turn out too wide, beyond those that wide ones have saved. */
const lossesAllowed = 3;

/**
 * The whole range first: most fit. After a refusal its two ends, which say how dense the logs are, and then
 * spans as wide as the density between known neighbours allows; a refused one is tried at half its width. Once
 * refusals have cost more than wide spans have saved, only spans that are always taken.
 */
export function createLogPlan(range: Span, limits: LogLimits, wholeRefused = false): LogPlan {
  /** What nobody has read or is reading. */
  const open: Span[] = [range];
  const underWay = new Set<Span>();
  const known: Known[] = [];
  const half = (span: Span) => ({ span, width: Math.ceil(widthOf(span) / 2) });
  /** How wide a span may be that begins where one was refused. */
  const halved = wholeRefused ? [half(range)] : [];
  const steps = (spans: Iterable<Span>) =>
    [...spans].reduce((sum, span) => sum + Math.ceil(widthOf(span) / limits.always), 0);
  let asked = wholeRefused ? 1 : 0;
  let done = 0;
  const widestFirst = wholeRefused ? 0 : Math.min(limits.atMost, wholeFirst);
  const planned: Span[] = widthOf(range) <= widestFirst ? [range] : ends();
  /** Those that say how dense the logs are, while they are under way. */
  const soundings = new Set<Span>(planned);

  function ends(): Span[] {
    const { from, to } = range;
    const middle = Math.floor((from + to) / 2);
    if (widthOf(range) <= limits.always * 3) return [];
    return [
      { from, to: from + limits.always - 1 },
      { from: to - limits.always + 1, to },
      // Far apart the ends say little of what lies between them.
      ...(widthOf(range) > limits.always * 100 ? [{ from: middle, to: middle + limits.always - 1 }] : []),
    ];
  }

  function take(span: Span): void {
    const at = open.findIndex(({ from, to }) => from <= span.from && span.to <= to);
    const gap = open[at] as Span;
    const rest = [
      { from: gap.from, to: span.from - 1 },
      { from: span.to + 1, to: gap.to },
    ];
    open.splice(at, 1, ...rest.filter((each) => widthOf(each) > 0));
    underWay.add(span);
    asked++;
  }

  /** Logs expected in each of some equal parts of the gap: between its known neighbours in proportion. */
  function expectedIn(gap: Span): number[] {
    const below = nearest(known, ({ span }) => gap.from - span.to);
    const above = nearest(known, ({ span }) => span.from - gap.to);
    const [first, last] = [(below ?? above)?.density ?? 0, (above ?? below)?.density ?? 0];
    const start = below?.span.to ?? gap.from;
    const length = Math.max(1, (above?.span.from ?? gap.to) - start);
    const part = widthOf(gap) / samples;
    return Array.from({ length: samples }, (_, i) => {
      const share = (gap.from + (i + 0.5) * part - start) / length;
      return part * (first + (last - first) * share);
    });
  }

  /** From the gap's start, as far as an equal share of its logs should reach, at most one full answer. */
  function shareOf(gap: Span): number {
    const logs = expectedIn(gap);
    const expected = logs.reduce((sum, each) => sum + each, 0);
    let rest = expected / Math.max(1, Math.ceil(expected / (limits.logs * fill)));
    const full = logs.findIndex((each) => {
      rest -= each;
      return rest < 0;
    });
    const parts = full < 0 ? samples : full + 1 + rest / (logs[full] as number);
    return Math.ceil((parts * widthOf(gap)) / samples);
  }

  /** Undefined: wait for what is under way. */
  function widthFrom(gap: Span): number | undefined {
    const wide = [...underWay].filter((span) => widthOf(span) > limits.always);
    const losses = asked + steps(open) - steps([range]);
    if (losses > lossesAllowed) return limits.always;
    // At worst all that is under way is refused.
    if (losses + steps(wide) > lossesAllowed) return wide.length > 0 ? undefined : limits.always;
    const ceiling = halved.findLast(({ span }) => span.from <= gap.from && gap.from <= span.to)?.width;
    const share = shareOf(gap);
    return Math.max(limits.always, Math.min(share, ceiling ?? share, limits.atMost));
  }

  return {
    next() {
      let span = planned.shift();
      if (!span) {
        const gap = nearest(open, (each) => -widthOf(each), Number.NEGATIVE_INFINITY);
        // What lies between them is cut by what they say: worth waiting for.
        if (!gap || soundings.size > 0) return undefined;
        const width = widthFrom(gap);
        if (width === undefined) return undefined;
        span = { from: gap.from, to: Math.min(gap.to, gap.from + width - 1) };
      }
      take(span);
      return span;
    },
    read(span, count) {
      underWay.delete(span);
      soundings.delete(span);
      known.push({ span, density: count / widthOf(span) });
      done += widthOf(span);
    },
    refused(span) {
      const width = widthOf(span);
      if (width === 1) return false;
      underWay.delete(span);
      soundings.delete(span);
      open.push(span);
      if (width <= limits.always) limits.always = Math.ceil(width / 2);
      halved.push(half(span));
      if (span !== range) return true;
      planned.push(...ends());
      for (const end of planned) soundings.add(end);
      return true;
    },
    blocksRead: () => done,
  };
}

interface Known {
  readonly span: Span;
  /** Logs per block. */
  readonly density: number;
}

/** The one at the smallest distance above `least`. */
function nearest<T>(all: readonly T[], distance: (each: T) => number, least = 0): T | undefined {
  let best: T | undefined;
  let closest = Number.POSITIVE_INFINITY;
  for (const each of all) {
    const away = distance(each);
    if (away <= least || away >= closest) continue;
    best = each;
    closest = away;
  }
  return best;
}

/** Blocks: beyond it asking for everything at once only makes the service work for a refusal. */
const wholeFirst = 1_000_000;

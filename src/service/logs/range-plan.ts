import { type LogLimits, type Span, seedLimits, widthOf } from './limits.js';

/** Share of the limit of logs that a span is planned to fill. */
const fill = 0.98;
/** How many times wider than the widest span that was read a span may be. */
const maxGrowth = 4.5;
/** Maximum net requests wasted on refused spans: the whole range, and three more. */
const maxLosses = 4;
/** Additional ones while logs are even, so that many wide spans can be in flight at once. */
const trust = 3;
/** Difference from the mean density, as a share of it, up to which logs are even. */
const tolerance = 0.2;
/** Steps in a range from which on its middle is sampled too. */
const samplesMiddle = 15;

/**
 * Splits a range into spans to request, each as wide as the answers so far allow.
 *
 * It requests the whole range first, because most ranges fit. After a refusal it samples the ends and the middle to
 * estimate the density of logs, and then requests spans as wide as the estimate allows; one that is refused is halved. A
 * step is a span of `limits.always` blocks, which is never refused. A wide span, longer than a step, saves requests; a
 * refused one costs one. Even if all wide spans are refused, there are at most `maxLosses + trust` requests more than steps.
 */
export function createLogPlan(range: Span, limits: LogLimits, wholeRefused = false) {
  /** Gaps that are neither read nor in flight. */
  const open: Span[] = [range];
  const inFlight = new Set<Span>();
  /** The spans that were read, in the order of the chain, with their logs per block. */
  const known: (Span & { readonly density: number })[] = [];
  const stepsOf = (span: Span) => Math.ceil(widthOf(span) / limits.always);
  const steps = (spans: Iterable<Span>) => [...spans].reduce((sum, span) => sum + stepsOf(span), 0);
  const isWide = (span: Span) => widthOf(span) > limits.always;
  let requests = wholeRefused ? 1 : 0;
  /** Blocks that were read, and their logs. */
  let [done, logs] = [0, 0];
  /** The lowest and the highest density of a span that was read. */
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0];
  let widest = limits.always;
  /** Whether a wide span was refused after the samples. */
  let isUneven = false;
  let isProbing = false;
  const planned: Span[] =
    !wholeRefused && widthOf(range) <= Math.min(limits.atMost, wholeFirst) ? [range] : firstSamples();
  /** Samples that are planned or in flight. */
  const samples = new Set<Span>(planned);

  /** The newest blocks come first: what a reorg may still replace is then in one answer. */
  function firstSamples(): Span[] {
    if (!isWide(range)) return [];
    const count = Math.floor(widthOf(range) / limits.always);
    /** One of the steps into which the range divides from its start, so that a sample leaves no rest beside it. */
    const step = (at: number) => cutAt({ ...range, from: range.from + at * limits.always }, limits.always);
    const top = { ...range, from: range.to - limits.always + 1 };
    if (count <= 3) return [top];
    return [top, step(0), ...(count < samplesMiddle ? [] : [step(count >> 1)])];
  }

  function take(span: Span): void {
    const at = open.findIndex(({ from, to }) => from <= span.from && span.to <= to);
    open.splice(at, 1, ...without(open[at] as Span, span));
    inFlight.add(span);
    requests++;
  }

  /** The place of a span that starts at `from` among those that were read. */
  function placeOf(from: number): number {
    let [low, high] = [0, known.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((known[middle] as Span).from < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The blocks from the start of a gap that fill an answer, if the density changes linearly between the nearest samples. */
  function fullWidth({ from }: Span): number {
    const at = placeOf(from);
    const [below, above] = [known[at - 1], known[at]];
    const [first, last] = [below ?? above, above ?? below];
    if (!first || !last) return Number.POSITIVE_INFINITY;
    const min = isUneven ? logs / done : 0;
    const density = Math.max(min, first.density);
    const slope = (Math.max(min, last.density) - density) / (middleOf(last) - middleOf(first) || 1);
    const start = density + slope * (from - middleOf(first));
    // Solves start × width + slope × width² / 2 = full; where the density falls too fast, the whole gap fits.
    const full = fill * limits.logs;
    return (2 * full) / (start + Math.sqrt(Math.max(0, start ** 2 + 2 * slope * full)));
  }

  /** `undefined` if a wide span in flight may still save enough requests for another one. */
  function spanIn(gap: Span): Span | undefined {
    // Whole steps leave no rest beside them when they are refused.
    const unit = isUneven ? limits.always : 1;
    const width = Math.min(
      Math.floor(fullWidth(gap) / unit) * unit,
      Math.floor(maxGrowth * widest),
      limits.atMost,
    );
    const span = cutAt(gap, Math.max(limits.always, width));
    if (!isWide(span)) return span;
    const wide = [...inFlight].filter(isWide);
    // The worst case is that all wide spans in flight are refused.
    const rest = [...open.filter((each) => each !== gap), ...without(gap, span)];
    const worst = requests + 1 + steps([...wide, span, ...rest]) - stepsOf(range);
    const mean = logs / done;
    const isSteady = logs > 0 && lowest >= mean * (1 - tolerance) && highest <= mean * (1 + tolerance);
    const isEven = !isUneven && (done === 0 || isSteady);
    if (worst <= maxLosses + (isEven ? trust : 0)) return span;
    return wide.length > 0 ? undefined : cutAt(gap, limits.always);
  }

  return {
    /** The next span to request; `undefined` if none is left, or if an answer must be awaited first. */
    next(): Span | undefined {
      let span = planned.shift();
      // Samples that were planned before a lower limit was learnt are dropped.
      for (; span && span !== range && isWide(span); span = planned.shift()) samples.delete(span);
      if (!span) {
        const gap = open.reduce<Span | undefined>(
          (a, b) => (a && widthOf(a) >= widthOf(b) ? a : b),
          undefined,
        );
        // The gaps between samples are split by their density, so all samples must be read first.
        if (!gap || samples.size > 0) return undefined;
        span = spanIn(gap);
        if (!span) return undefined;
      }
      take(span);
      return span;
    },
    read(span: Span, count: number): void {
      const width = widthOf(span);
      isProbing = false;
      inFlight.delete(span);
      samples.delete(span);
      const density = count / width;
      known.splice(placeOf(span.from), 0, { ...span, density });
      lowest = Math.min(lowest, density);
      highest = Math.max(highest, density);
      done += width;
      logs += count;
      widest = Math.max(widest, width);
    },
    /** @returns false for a single block, which cannot be split */
    refused(span: Span): boolean {
      const width = widthOf(span);
      if (width === 1) return false;
      inFlight.delete(span);
      if (span === range && samples.delete(span)) {
        open.push(span);
        planned.push(...firstSamples());
        for (const each of planned) samples.add(each);
        return true;
      }
      samples.delete(span);
      if (isWide(span)) isUneven = true;
      else {
        limits.always = Math.ceil(width / 2);
        if (limits.atMost < width) limits.atMost = limits.always;
        isProbing = true;
      }
      const lower = cutAt(span, Math.ceil(stepsOf(span) / 2) * limits.always);
      open.push(lower, ...without(span, lower));
      return true;
    },
    /** Blocks whose logs are known. */
    blocksRead: () => done,
    /** Whether the limit is being searched for: only one span at a time is requested then. */
    isProbing: () => isProbing,
    /** Requests made so far, and the fewest that the remaining spans need. */
    requests(): number {
      const width = Math.max(limits.always, Math.min(limits.atMost, seedLimits().always));
      return requests + open.reduce((sum, gap) => sum + Math.ceil(widthOf(gap) / width), 0);
    },
  };
}

const cutAt = (gap: Span, width: number): Span => ({
  from: gap.from,
  to: Math.min(gap.to, gap.from + width - 1),
});

const without = (gap: Span, span: Span): Span[] =>
  [
    { from: gap.from, to: span.from - 1 },
    { from: span.to + 1, to: gap.to },
  ].filter((each) => widthOf(each) > 0);

const middleOf = ({ from, to }: Span): number => (from + to) / 2;

/** The widest range, in blocks, that is requested at once first: a wider one would only be refused. */
const wholeFirst = 1_000_000;

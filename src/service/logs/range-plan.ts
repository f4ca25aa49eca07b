import { createLogDensity } from './density.js';
import { type LogLimits, type Span, seedLimits, widthOf } from './limits.js';

/** Splits a range into spans to request, each as wide as the answers so far allow. */
export interface LogPlan {
  /** The next span to request; `undefined` if none is left, or if an answer must be awaited first. */
  next(): Span | undefined;
  read(span: Span, count: number): void;
  /** @returns false for a single block, which cannot be split */
  refused(span: Span): boolean;
  /** Blocks whose logs are known. */
  blocksRead(): number;
  /** Whether the limit is being searched for: only one span at a time is requested then. */
  isProbing(): boolean;
  /** Requests made so far, and the fewest that the remaining spans need. */
  requests(): number;
}

/** Share of the limit of logs that a span is planned to fill. */
const fill = 0.97;
/** Share of the usual deviation that is kept free. */
const caution = 0.85;
/** Deviation, as a share of the limit, above which spans are whole steps: a refused one then splits without a rest. */
const rough = 0.15;
/** Deviation of the samples, as a share of the mean, above which more samples are read. */
const unevenness = 1 / 3;
/** How many times wider than the widest span that was read a span may be. */
const growth = 5;
/** Maximum net requests wasted on refused spans: the whole range, and two more. */
const lossesAllowed = 3;
/** Additional ones while wide spans succeed and contain what was expected, so that many can be in flight at once. */
const trust = 4;
/** Steps in a range from which on its middle is sampled too. */
const samplesMiddle = 15;

/**
 * Requests the whole range first, because most ranges fit. After a refusal it samples the ends and the middle to
 * estimate the density of logs, and then requests spans as wide as the estimate allows. A step is a span of
 * `limits.always` blocks, which is never refused. A wide span, longer than a step, saves requests; a refused one costs
 * one. Even if all wide spans are refused, there are at most `lossesAllowed + trust` requests more than steps.
 */
export function createLogPlan(range: Span, limits: LogLimits, wholeRefused = false): LogPlan {
  /** Gaps that are neither read nor in flight. */
  const open: Span[] = [range];
  const inFlight = new Set<Span>();
  const density = createLogDensity(limits);
  const stepsOf = (span: Span) => Math.ceil(widthOf(span) / limits.always);
  const steps = (spans: Iterable<Span>) => [...spans].reduce((sum, span) => sum + stepsOf(span), 0);
  const isWide = (span: Span) => widthOf(span) > limits.always;
  let requests = wholeRefused ? 1 : 0;
  /** Blocks that were read, and their logs. */
  let [done, logs] = [0, 0];
  /** Whether the quarters are sampled too. */
  let samplesQuarters = false;
  let widest = limits.always;
  /** Wide spans read since the last refusal. */
  let successes = 0;
  let isProbing = false;
  const planned: Span[] =
    !wholeRefused && widthOf(range) <= Math.min(limits.atMost, wholeFirst) ? [range] : firstSamples();
  /** Samples that are planned or in flight. */
  const samples = new Set<Span>(planned);

  /** The newest blocks come first: what a reorg may still replace is then in one answer. */
  function firstSamples(): Span[] {
    const { to } = range;
    const count = Math.floor(widthOf(range) / limits.always);
    if (!isWide(range)) return [];
    const top = { from: to - limits.always + 1, to };
    if (count <= 3) return [top];
    return [top, stepAt(0), ...(count < samplesMiddle ? [] : [stepAt(1 / 2)])];
  }

  /** One of the steps into which the range divides from its start, so that a sample leaves no rest beside it. */
  function stepAt(share: number): Span {
    const steps = Math.floor(widthOf(range) / limits.always);
    const from = range.from + limits.always * Math.floor(steps * share);
    return { from, to: from + limits.always - 1 };
  }

  function addSamples(spans: readonly Span[]): void {
    planned.push(...spans);
    for (const span of spans) samples.add(span);
  }

  const isRough = () => density.deviation() > rough * limits.logs;

  /** If the samples show that the density is uneven, the quarters are sampled too, once. */
  function samplesRead(): void {
    density.sampled();
    const isUneven = density.deviation() > (unevenness * limits.always * logs) / done;
    if (samplesQuarters || !isUneven || widthOf(range) < samplesMiddle * limits.always) return;
    samplesQuarters = true;
    addSamples([stepAt(1 / 4), stepAt(3 / 4)]);
  }

  function take(span: Span): void {
    const at = open.findIndex(({ from, to }) => from <= span.from && span.to <= to);
    open.splice(at, 1, ...without(open[at] as Span, span));
    inFlight.add(span);
    requests++;
  }

  /** The start of the gap, cut so that equal parts are each expected to stay below the limit of logs. */
  function shareOf(gap: Span): Span {
    const expected = density.within(gap);
    const usual = density.deviation() * caution;
    const margin = (span: Span) => usual * Math.sqrt(widthOf(span) / limits.always);
    const most = longest(gap, (span) => expected(span) + margin(span) <= limits.logs * fill);
    const all = expected(gap);
    const shares = Math.ceil(all / expected(most));
    const equal = shares > 1 ? longest(gap, (span) => expected(span) <= all / shares) : gap;
    const whole = isRough() ? limits.always : 1;
    const width = Math.round(Math.min(widthOf(most), widthOf(equal)) / whole) * whole;
    const ceiling = Math.ceil(density.ceiling(gap.from) / whole) * whole;
    return cutAt(gap, Math.max(limits.always, Math.min(width, ceiling, growth * widest, limits.atMost)));
  }

  /** `undefined` if a wide span in flight may still save enough requests for another one. */
  function spanIn(gap: Span): Span | undefined {
    const step = cutAt(gap, limits.always);
    const wide = [...inFlight].filter(isWide);
    // The worst case is that all wide spans in flight are refused.
    const worst = requests + 1 + steps(open) + steps(wide) - stepsOf(range);
    const allowed = lossesAllowed + (isRough() ? 0 : Math.min(2 * successes, trust));
    if (worst > allowed && wide.length === 0) return step;
    const share = shareOf(gap);
    const more = stepsOf(share) + steps(without(gap, share)) - stepsOf(gap);
    if (!isWide(share) || worst + more <= allowed) return share;
    return wide.length > 0 ? undefined : step;
  }

  return {
    next() {
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
    read(span, count) {
      isProbing = false;
      inFlight.delete(span);
      density.read(span, count);
      done += widthOf(span);
      logs += count;
      widest = Math.max(widest, widthOf(span));
      if (isWide(span)) successes++;
      if (samples.delete(span) && samples.size === 0) samplesRead();
    },
    refused(span) {
      const width = widthOf(span);
      if (width === 1) return false;
      inFlight.delete(span);
      if (span === range && samples.delete(span)) {
        open.push(span);
        addSamples(firstSamples());
        return true;
      }
      successes = 0;
      open.push(span);
      if (width > limits.always) density.refused(span);
      else {
        limits.always = Math.ceil(width / 2);
        if (limits.atMost < width) limits.atMost = limits.always;
        isProbing = true;
      }
      if (samples.delete(span) && samples.size === 0) samplesRead();
      return true;
    },
    blocksRead: () => done,
    isProbing: () => isProbing,
    requests() {
      const most = Math.max(limits.always, Math.min(limits.atMost, seedLimits().always));
      return requests + open.reduce((sum, gap) => sum + Math.ceil(widthOf(gap) / most), 0);
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

/** The longest span from the start of the gap that fits; one block if none does. */
function longest(gap: Span, fits: (span: Span) => boolean): Span {
  let [least, most] = [1, widthOf(gap)];
  while (least < most) {
    const width = Math.ceil((least + most) / 2);
    if (fits(cutAt(gap, width))) least = width;
    else most = width - 1;
  }
  return cutAt(gap, least);
}

/** The widest range, in blocks, that is requested at once first: a wider one would only be refused. */
const wholeFirst = 1_000_000;

import { createLogDensity } from './density.js';
import { type LogLimits, type Span, seedLimits, widthOf } from './limits.js';

/** Cuts a range into the spans to ask for, as the answers to earlier ones suggest. */
export interface LogPlan {
  /** The next span; none while all that is left is under way, or an answer is worth waiting for. */
  next(): Span | undefined;
  read(span: Span, count: number): void;
  /** @returns false for a span that cannot be made smaller. */
  refused(span: Span): boolean;
  /** Blocks whose logs are known. */
  blocksRead(): number;
  /** While the limit is unknown, one span is asked for at a time: others would be refused as well. */
  isProbing(): boolean;
  /** Requests made so far, and the fewest that the remaining spans need. */
  requests(): number;
}

/** Of the limit, what a span is to fill. */
const fill = 0.97;
/** What is kept free for surprises, in those that are usual. */
const caution = 0.85;
/** Of the limit, the usual surprise from which on spans are whole steps: a refused one then splits without a rest. */
const rough = 0.15;
/** Of the mean, the surprise in a sounding from which on there are more of them. */
const unevenness = 1 / 3;
/** How much wider than the widest that was read a span may be: what lies between is guessed. */
const growth = 5;
/** Requests that may be lost beyond those that wide spans have saved: the whole range, and two of them. */
const lossesAllowed = 3;
/** More of them while wide spans succeed one after another and hold what was expected: many may be under way at once. */
const trust = 4;
/** Steps in a range from which on its middle is sounded too. */
const soundsMiddle = 15;

/**
 * The whole range first: most fit. After a refusal its ends and its middle, which say how dense the logs are, and
 * then spans as wide as the density between known neighbours allows. A span that is refused costs a request; one
 * that is wider than what is always taken saves some. What has been saved may be lost again, and `lossesAllowed`
 * more, with `trust` 7: at the worst so many requests are made above those in steps that are always taken.
 */
export function createLogPlan(range: Span, limits: LogLimits, wholeRefused = false): LogPlan {
  /** What nobody has read or is reading. */
  const open: Span[] = [range];
  const underWay = new Set<Span>();
  const density = createLogDensity(limits);
  const stepsOf = (span: Span) => Math.ceil(widthOf(span) / limits.always);
  const steps = (spans: Iterable<Span>) => [...spans].reduce((sum, span) => sum + stepsOf(span), 0);
  const isWide = (span: Span) => widthOf(span) > limits.always;
  let asked = wholeRefused ? 1 : 0;
  /** Blocks whose logs are known, and these logs. */
  let [done, logs] = [0, 0];
  let isFine = false;
  let widest = limits.always;
  /** Wide spans that were read since one was refused. */
  let successes = 0;
  let isProbing = false;
  const planned: Span[] =
    !wholeRefused && widthOf(range) <= Math.min(limits.atMost, wholeFirst) ? [range] : soundingsOf();
  /** Those that say how dense the logs are, while they are under way. */
  const soundings = new Set<Span>(planned);

  /** The newest blocks first: what may still be replaced is then in one answer. */
  function soundingsOf(): Span[] {
    const { to } = range;
    const count = Math.floor(widthOf(range) / limits.always);
    if (!isWide(range)) return [];
    const top = { from: to - limits.always + 1, to };
    if (count <= 3) return [top];
    return [top, stepAt(0), ...(count < soundsMiddle ? [] : [stepAt(1 / 2)])];
  }

  /** One of the steps into which the range falls, from its start: no sounding leaves a rest beside it. */
  function stepAt(share: number): Span {
    const steps = Math.floor(widthOf(range) / limits.always);
    const from = range.from + limits.always * Math.floor(steps * share);
    return { from, to: from + limits.always - 1 };
  }

  function sound(spans: readonly Span[]): void {
    planned.push(...spans);
    for (const span of spans) soundings.add(span);
  }

  const isRough = () => density.deviation() > rough * limits.logs;

  /** Where the middle belies the ends, the density is sounded between them too, once. */
  function sounded(): void {
    density.sounded();
    const isUneven = density.deviation() > (unevenness * limits.always * logs) / done;
    if (isFine || !isUneven || widthOf(range) < soundsMiddle * limits.always) return;
    isFine = true;
    sound([stepAt(1 / 4), stepAt(3 / 4)]);
  }

  function take(span: Span): void {
    const at = open.findIndex(({ from, to }) => from <= span.from && span.to <= to);
    open.splice(at, 1, ...without(open[at] as Span, span));
    underWay.add(span);
    asked++;
  }

  /** From the gap's start, an equal share of its logs, at most as many as one answer is expected to take. */
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

  /** Undefined: what is under way may yet save enough for a wide one. */
  function spanIn(gap: Span): Span | undefined {
    const step = cutAt(gap, limits.always);
    const wide = [...underWay].filter(isWide);
    // At worst all that is under way is refused.
    const worst = asked + 1 + steps(open) + steps(wide) - stepsOf(range);
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
      // Planned before the limit was known.
      for (; span && span !== range && isWide(span); span = planned.shift()) soundings.delete(span);
      if (!span) {
        const gap = open.reduce<Span | undefined>(
          (a, b) => (a && widthOf(a) >= widthOf(b) ? a : b),
          undefined,
        );
        // What lies between them is cut by what they say: worth waiting for.
        if (!gap || soundings.size > 0) return undefined;
        span = spanIn(gap);
        if (!span) return undefined;
      }
      take(span);
      return span;
    },
    read(span, count) {
      isProbing = false;
      underWay.delete(span);
      density.read(span, count);
      done += widthOf(span);
      logs += count;
      widest = Math.max(widest, widthOf(span));
      if (isWide(span)) successes++;
      if (soundings.delete(span) && soundings.size === 0) sounded();
    },
    refused(span) {
      const width = widthOf(span);
      if (width === 1) return false;
      underWay.delete(span);
      if (span === range && soundings.delete(span)) {
        open.push(span);
        sound(soundingsOf());
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
      if (soundings.delete(span) && soundings.size === 0) sounded();
      return true;
    },
    blocksRead: () => done,
    isProbing: () => isProbing,
    requests() {
      const most = Math.max(limits.always, Math.min(limits.atMost, seedLimits().always));
      return asked + open.reduce((sum, gap) => sum + Math.ceil(widthOf(gap) / most), 0);
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

/** From the gap's start, the longest that fits; one block where none does. */
function longest(gap: Span, fits: (span: Span) => boolean): Span {
  let [least, most] = [1, widthOf(gap)];
  while (least < most) {
    const width = Math.ceil((least + most) / 2);
    if (fits(cutAt(gap, width))) least = width;
    else most = width - 1;
  }
  return cutAt(gap, least);
}

/** Blocks: beyond it asking for everything at once only makes the service work for a refusal. */
const wholeFirst = 1_000_000;

import { type LogLimits, type Span, widthOf } from './limits.js';

/** Where the logs of a range lie, as far as its answers show it. */
export interface LogDensity {
  /** Logs to expect in the spans of a gap: of that much nobody has read anything. */
  within(gap: Span): (span: Span) => number;
  /** Logs by which `limits.always` blocks usually differ from what was expected of them. */
  deviation(): number;
  /** What was read so far was read to learn the density from. */
  sounded(): void;
  read(span: Span, count: number): void;
  refused(span: Span): void;
  /** How wide a span may be that begins at this height: half of what was refused there. */
  ceiling(height: number): number;
}

interface Known {
  readonly span: Span;
  readonly count: number;
}

/** Places at which the density of a span is guessed. */
const samples = 16;
/** Of the mean density, the least that is expected anywhere. */
const floor = 0.3;
/** What a refused span is taken to hold, in logs of the limit. */
const refusedHolds = 1.3;
/** How fast old surprises are forgotten, with each answer. */
const decay = 0.85;

/** Between two known spans the density is expected to change evenly, from the middle of one to that of the other. */
export function createLogDensity(limits: LogLimits): LogDensity {
  /** In the order of the chain. */
  const known: Known[] = [];
  const refusals: Span[] = [];
  let [logs, blocks] = [0, 0];
  let [squares, steps] = [0, 0];

  function learn(surprise: number, width: number): void {
    squares = squares * decay + surprise ** 2;
    steps = steps * decay + width / limits.always;
  }

  /** How many are known below a height. */
  function placeOf(height: number): number {
    let [least, most] = [0, known.length];
    while (least < most) {
      const middle = (least + most) >> 1;
      if ((known[middle] as Known).span.from < height) least = middle + 1;
      else most = middle;
    }
    return least;
  }

  const refusalsAt = (height: number) => refusals.filter(({ from, to }) => from <= height && height <= to);

  /** Logs per block at the heights of a gap. */
  function densityIn(gap: Span): (height: number) => number {
    const at = placeOf(gap.from);
    const [below, above] = [known[at - 1], known[at]];
    const refused = refusalsAt(gap.from).map((each) => (refusedHolds * limits.logs) / widthOf(each));
    const least = Math.max(blocks && (floor * logs) / blocks, ...refused);
    const [first, last] = [below ?? above, above ?? below];
    if (!first || !last) return () => least;
    const start = middleOf(first);
    const slope = (densityOf(last) - densityOf(first)) / (middleOf(last) - start || 1);
    return (height) => Math.max(least, densityOf(first) + slope * (height - start));
  }

  function within(gap: Span): (span: Span) => number {
    const density = densityIn(gap);
    return (span) => {
      const part = widthOf(span) / samples;
      let sum = 0;
      for (let i = 0; i < samples; i++) sum += part * density(span.from + (i + 0.5) * part);
      return sum;
    };
  }

  return {
    within,
    deviation: () => (steps > 0 ? Math.sqrt(squares / steps) : 0),
    sounded() {
      [squares, steps] = [0, 0];
      known.forEach(({ count }, i) => {
        const [before, after] = [known[i - 1]?.count, known[i + 1]?.count];
        if (before === undefined) return;
        // Of the last one nothing is expected, unless it is one of two.
        if (after !== undefined) learn(count - (before + after) / 2, limits.always);
        else if (i === 1) learn((count - before) / 2, limits.always);
      });
    },
    read(span, count) {
      learn(count - within(span)(span), widthOf(span));
      logs += count;
      blocks += widthOf(span);
      known.splice(placeOf(span.from), 0, { span, count });
    },
    refused(span) {
      learn(refusedHolds * limits.logs - within(span)(span), widthOf(span));
      refusals.push(span);
    },
    ceiling: (height) =>
      Math.min(Number.POSITIVE_INFINITY, ...refusalsAt(height).map((each) => Math.ceil(widthOf(each) / 2))),
  };
}

const middleOf = ({ span }: Known) => (span.from + span.to) / 2;
const densityOf = ({ span, count }: Known) => count / widthOf(span);

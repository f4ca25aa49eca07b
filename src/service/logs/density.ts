import { type LogLimits, type Span, widthOf } from './limits.js';

/** Estimates the density of logs in a range from the answers so far. */
export interface LogDensity {
  /** The expected number of logs in spans of an unread gap. */
  within(gap: Span): (span: Span) => number;
  /** The usual difference between the expected and the real number of logs in `limits.always` blocks. */
  deviation(): number;
  /** Must be called after the samples: derives {@link deviation} from them. */
  sampled(): void;
  read(span: Span, count: number): void;
  refused(span: Span): void;
  /** The widest span that may begin at this height: half of the span that was refused there. */
  ceiling(height: number): number;
}

interface Known {
  readonly span: Span;
  readonly count: number;
}

/** Heights at which the density of a span is estimated. */
const samples = 16;
/** Least expected density, as a share of the mean density. */
const floor = 0.3;
/** Logs that a refused span is taken to contain, as a share of the limit. */
const refusedHolds = 1.3;
/** Weight of earlier deviations after each answer. */
const decay = 0.85;

/** Interpolates the density linearly between the middles of the nearest spans that were read. */
export function createLogDensity(limits: LogLimits): LogDensity {
  /** In the order of the chain. */
  const known: Known[] = [];
  const refusals: Span[] = [];
  let [logs, blocks] = [0, 0];
  let [squares, steps] = [0, 0];

  function addDeviation(deviation: number, width: number): void {
    squares = squares * decay + deviation ** 2;
    steps = steps * decay + width / limits.always;
  }

  /** The number of known spans below a height. */
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

  /** Expected logs per block at the heights of a gap. */
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
    sampled() {
      [squares, steps] = [0, 0];
      known.forEach(({ count }, i) => {
        const [before, after] = [known[i - 1]?.count, known[i + 1]?.count];
        if (before === undefined) return;
        // The last sample has no expected value, unless there are only two.
        if (after !== undefined) addDeviation(count - (before + after) / 2, limits.always);
        else if (i === 1) addDeviation((count - before) / 2, limits.always);
      });
    },
    read(span, count) {
      addDeviation(count - within(span)(span), widthOf(span));
      logs += count;
      blocks += widthOf(span);
      known.splice(placeOf(span.from), 0, { span, count });
    },
    refused(span) {
      addDeviation(refusedHolds * limits.logs - within(span)(span), widthOf(span));
      refusals.push(span);
    },
    ceiling: (height) =>
      Math.min(Number.POSITIVE_INFINITY, ...refusalsAt(height).map((each) => Math.ceil(widthOf(each) / 2))),
  };
}

const middleOf = ({ span }: Known) => (span.from + span.to) / 2;
const densityOf = ({ span, count }: Known) => count / widthOf(span);

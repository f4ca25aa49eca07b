import type { ProviderRpcError } from '../../rpc/errors.js';
import type { FaultData } from '../errors/errors.js';

/** Inclusive block heights. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The limits of one `eth_getLogs`: at first as documented (docs/notes/service.md#limits), then learnt from refusals. */
export interface LogLimits {
  /** Blocks that are accepted with any number of logs. */
  always: number;
  /** Logs that are accepted from any number of blocks. */
  logs: number;
  /** Most blocks that are ever accepted; Infinity until a refusal names a limit. */
  atMost: number;
}

export const widthOf = ({ from, to }: Span): number => to - from + 1;

export const seedLimits = (): LogLimits => ({
  always: 2_000,
  logs: 10_000,
  atMost: Number.POSITIVE_INFINITY,
});

const factors: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };
const number = String.raw`(?<![\w.,])(?<digits>\d[\d,]*) ?(?<unit>[km])?`;
/** The number counts something other than blocks, or is the start of a range of heights. */
const ofOthers = String.raw`(?![\w.]| ?(?:logs|results|events|entries|bytes|[kmg]i?b|ms|s(?:econds?)?|requests|to|-|\.\.)\b| ?-)`;
const keyword = String.raw`\b(?:limit(?:ed)?|max(?:imum)?|over|above|exceed(?:s|ed|ing)?|allowed|up to|at most|than)\b`;
const filler = String.raw`(?:[\s:=<(,]|\b(?:an?|the|of|is|to|set|at|by|blocks?|ranges?|size|limit(?:ed)?|max(?:imum)?|allowed|number|requested)\b)*`;

/**
 * Forms in which refusals name the maximum number of blocks: "2,000 blocks", "a 10,000 range", or in a text that is
 * about blocks or ranges "limited to 1k", "max is 500", "over limit of 100". Neither the bounds of the
 * requested range nor the height of a single block is a limit.
 */
const patterns: readonly RegExp[] = [
  new RegExp(String.raw`(?<!(?:latest|last|newest|first|missing) )${number}[- ]?(?:blocks?|ranges?)\b`, 'gi'),
  new RegExp(`${keyword}${filler}${number}${ofOthers}`, 'gi'),
];

/**
 * Learns the limit from a refusal: a number of blocks below the requested number. A refusal about blocks without a number
 * shows that the limit is lower, if the range was too short to be refused for its logs.
 */
export function learnLimit(limits: LogLimits, { from, to }: Span, error: ProviderRpcError): void {
  const { serviceData, reason } = (error.data ?? {}) as FaultData;
  const text = `${error.message} ${serviceData === undefined ? '' : JSON.stringify(serviceData)}`;
  if (!/block|range/i.test(text)) return;
  for (const pattern of patterns)
    for (const { groups = {} } of text.matchAll(pattern)) {
      const { digits = '', unit = '' } = groups;
      const blocks = Number(digits.replaceAll(',', '')) * (factors[unit.toLowerCase()] ?? 1);
      // Some services name the requested range as the difference of its heights.
      if (blocks < 1 || blocks >= to - from || blocks === from) continue;
      limits.always = Math.min(limits.always, blocks);
      // "10000 logs or 2000 blocks": a longer range is accepted if it has fewer logs.
      if (!/\bor\b/i.test(text) || !/\b(logs|results)\b/i.test(text))
        limits.atMost = Math.min(limits.atMost, blocks);
      return;
    }
  const width = widthOf({ from, to });
  const isOfBlocks = reason === 'range-too-large' && !/\b(results|logs|events|size)\b/i.test(text);
  if (isOfBlocks && width > 1 && width <= limits.always) limits.atMost = Math.min(limits.atMost, width - 1);
}

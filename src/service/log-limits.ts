import type { ProviderRpcError } from '../rpc/errors.js';

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

export const widthOf = ({ from, to }: Span): number => to - from + 1;

export const seedLimits = (): LogLimits => ({
  always: 2_000,
  logs: 10_000,
  atMost: Number.POSITIVE_INFINITY,
});

const factors: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };
/** "2,000 blocks", "a 2K block range"; not which of the blocks there is something the matter with. */
const countOfBlocks =
  /(?<!(?:latest|last|newest|first|missing) )(?<![\d,])(?<digits>\d[\d,]*) ?(?<unit>[km])?[- ]blocks?\b/i;
/** "block range too large, max is 500"; not the bounds of the range itself, nor a number of something else. */
const rangeOf =
  /blocks? range(?:[\s:,=<]|too|large|wide|is|of|the|to|exceed(?:s|ed)?|max(?:imum)?|limit(?:ed)?|allowed)*(?<![\d,])(?<digits>\d[\d,]*) ?(?<unit>[km])?\b(?! ?(?:logs|results|to|-))/i;

/** A refusal that names a number of blocks below what was asked for names the limit (node-facts §1.8). */
export function learnLimit(limits: LogLimits, { from, to }: Span, error: ProviderRpcError): void {
  const { digits = '', unit = '' } =
    countOfBlocks.exec(error.message)?.groups ?? rangeOf.exec(error.message)?.groups ?? {};
  const blocks = Number(digits.replaceAll(',', '')) * (factors[unit.toLowerCase()] ?? 1);
  if (blocks < 1 || blocks > to - from || blocks === from) return;
  limits.atMost = Math.min(limits.atMost, blocks);
  limits.always = Math.min(limits.always, blocks);
}

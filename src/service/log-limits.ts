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

/** A refusal that names a number of blocks below what was asked for names the limit (node-facts §1.8). */
export function learnLimit(limits: LogLimits, { from, to }: Span, error: ProviderRpcError): void {
  const named = /([\d,]+)[- ]blocks?\b|blocks? range[^\d]*([\d,]+)/i.exec(error.message);
  const blocks = Number((named?.[1] ?? named?.[2] ?? '').replaceAll(',', ''));
  if (blocks < 1 || blocks > to - from) return;
  limits.atMost = Math.min(limits.atMost, blocks);
  limits.always = Math.min(limits.always, blocks);
}

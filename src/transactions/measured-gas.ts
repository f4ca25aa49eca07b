/** The node's maximum gas of an estimate, and of a transaction. */
export const estimationCap = 6_800_000n;

/** The gas that a call needs, as far as it could be measured. */
export interface MeasuredGas {
  /** A gas limit that suffices. */
  readonly gas: bigint;
  /** The call runs out of gas with a lower gas limit. Zero if that is unknown. */
  readonly minimum: bigint;
  /** `uses-all`: the call uses up whatever it gets. `unknown`: `gas` is the node's maximum, because nothing was measured. */
  readonly kind: 'measured' | 'uses-all' | 'unknown';
}

export const unknownGas: MeasuredGas = { gas: estimationCap, minimum: 0n, kind: 'unknown' };

/** The fields of a call object that the measurement reads. Others are sent with it. */
export interface SimulatedCall {
  readonly to?: string | null | undefined;
  readonly value?: string | undefined;
  readonly data?: string | undefined;
}

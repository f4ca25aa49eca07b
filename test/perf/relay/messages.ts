/** What the processes of this benchmark tell each other. */

export type Command =
  | { readonly do: 'mine' }
  | { readonly do: 'count' }
  | { readonly do: 'usage' }
  | { readonly do: 'open'; readonly clients: number; readonly reads?: boolean }
  | { readonly do: 'told' };

export interface Mined {
  readonly kind: 'mined';
  readonly height: number;
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface Ready {
  readonly kind: 'ready';
  readonly port: number;
}

/** Requests so far, by method. */
export interface Counts {
  readonly kind: 'counts';
  readonly counts: Readonly<Record<string, number>>;
}

export interface Usage {
  readonly kind: 'usage';
  /** Bytes of the process. */
  readonly resident: number;
  /** Milliseconds of a core since the process began. */
  readonly cpu: number;
}

/** What the clients were told since they were asked last. */
export interface Told {
  readonly kind: 'told';
  /** By block: when the first and when the last client had it, of how many, and each arrival. */
  readonly heads: Readonly<Record<string, readonly number[]>>;
  /** Milliseconds of each shared read. */
  readonly reads: readonly number[];
  /** Logs that arrived. */
  readonly logs: number;
  /** Connections that ended, and replies that were errors. */
  readonly lost: number;
  readonly refused: number;
}

/** Counts and times of the answers to HTTP clients since the last report. */
export interface Asked {
  readonly kind: 'asked';
  /** By height: when each client heard of it. */
  readonly heads: Readonly<Record<string, readonly number[]>>;
  /** Milliseconds of each answer. */
  readonly answers: readonly number[];
  /** Shared reads whose answer was of an older block than the client's newest height. */
  readonly torn: number;
  readonly failed: number;
}

export interface Opened {
  readonly kind: 'opened';
  readonly clients: number;
}

export type Message = Mined | Ready | Counts | Usage | Told | Asked | Opened;

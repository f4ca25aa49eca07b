import { readFileSync } from 'node:fs';

/** One row of bad-inputs.json, as its legend describes it. */
export interface Entry {
  readonly id: string;
  readonly layer: string;
  readonly method: string | null;
  readonly request?: unknown;
  readonly params?: unknown;
  readonly pre?: string;
  readonly response?: EntryResponse;
  readonly expect: Expectation;
  readonly why: string;
}

export interface EntryResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | { readonly $js: string };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Expectation {
  /** `null`: must not reject. */
  readonly code: number | null;
  readonly messageIncludes?: string;
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly behaviour?: string;
  readonly mustNotForward?: boolean;
  readonly mustNotSign?: boolean;
  readonly mustNotLogParams?: boolean;
  readonly keyNotInError?: boolean;
  readonly attempts?: number;
  readonly minAttempts?: number;
  readonly maxMs?: number;
  readonly maxHeapMB?: number;
  readonly maxMessageLength?: number;
}

const file = new URL('./bad-inputs.json', import.meta.url);

export const { entries, count } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly entries: readonly Entry[];
  readonly count: number;
};

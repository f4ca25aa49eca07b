import { readdirSync, readFileSync } from 'node:fs';
import type { Hex } from '../../../src/local/index.js';

/** A request to the node and its reply (test/support/recordings/README.md). */
export interface Recorded {
  readonly name?: string;
  readonly request?: { readonly method: string; readonly params: readonly unknown[] };
  /** The HTTP body, when the request is not a single JSON-RPC call. */
  readonly body?: unknown;
  readonly httpMethod?: string;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The HTTP status, or the client's error when there was none. */
  readonly status?: number | string;
  readonly headers?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: replies of any shape
  readonly reply: any;
}

export interface Recording {
  readonly about: { readonly context: Readonly<Record<'me' | 'me2' | 'contract' | (string & {}), Hex>> };
  readonly items: readonly Recorded[];
}

const folder = new URL('../../../../../test/support/recordings/', import.meta.url);

export const recordingNames = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length));

export const readRecording = (file: string): Recording =>
  JSON.parse(readFileSync(new URL(`${file}.json`, folder), 'utf8'));

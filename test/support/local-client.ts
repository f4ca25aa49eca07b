import { privateKeyToAccount } from 'viem/accounts';
import type { Hex, LocalService } from '../../packages/kit/src/local/index.js';

/** The reply to a request over plain `fetch`. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: replies are what the tests look at, of any shape
  readonly json: any;
}

export async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

export function clientOf({ url }: Pick<LocalService, 'url'>) {
  const ask = (method: string, ...params: unknown[]) =>
    post(url, JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }));
  return {
    /** The whole reply. */
    ask,
    /** The result; rejects with the error's code and message. */
    // biome-ignore lint/suspicious/noExplicitAny: results of any method
    async call(method: string, ...params: unknown[]): Promise<any> {
      const { json } = await ask(method, ...params);
      if (json?.error) throw new Error(`${method}: ${json.error.code} ${json.error.message}`);
      return json.result;
    },
    /** The error, as `{ status, code, message, data? }`. */
    async refusal(method: string, ...params: unknown[]) {
      const { status, json } = await ask(method, ...params);
      return { status, ...json.error };
    },
  };
}

export const alice = privateKeyToAccount(`0x${'11'.repeat(32)}`);
export const bob = privateKeyToAccount(`0x${'22'.repeat(32)}`);
export const carol = privateKeyToAccount(`0x${'33'.repeat(32)}`);
export const nobody = `0x${'99'.repeat(20)}` as const;
export const minimum = 59_240_000n;

export interface Wish {
  readonly nonce?: number;
  readonly gasPrice?: bigint;
  readonly gas?: bigint;
  readonly to?: Hex | null;
  readonly value?: bigint;
  readonly data?: Hex;
  readonly chainId?: number;
}

/** Signs a legacy transaction with viem; by default 1 wei to {@link nobody}. */
export function sign(wish: Wish = {}, account = alice): Promise<Hex> {
  const { to = nobody, ...rest } = wish;
  return account.signTransaction({
    type: 'legacy',
    chainId: 33,
    nonce: 0,
    gasPrice: 65_000_000n,
    gas: 21_000n,
    value: 1n,
    ...rest,
    ...(to !== null && { to }),
  });
}

const hex = (bytes: number) => bytes.toString(16).padStart(2, '0');

/** Creation code that deploys `runtime` (up to 255 bytes). */
export const creationOf = (runtime: string): Hex =>
  `0x60${hex(runtime.length / 2)}600c60003960${hex(runtime.length / 2)}6000f3${runtime}`;

/** Logs its second word of calldata as data under its first word as the only topic. */
export const emitter = creationOf('60203560005260003560206000a100');

/** Code that reverts with this payload (up to 255 bytes). */
export const revertingWith = (payload: string): Hex =>
  `0x60${hex(payload.length / 2)}600c60003960${hex(payload.length / 2)}6000fd${payload}`;

export const word = (value: number | bigint) => value.toString(16).padStart(64, '0');

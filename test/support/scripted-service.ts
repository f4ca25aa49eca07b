import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bodyOf, startServer } from './http-server.js';

export interface ScriptedRequest {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly id: unknown;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds, of `performance.now()`. */
  readonly at: number;
  /** Resolves when the client closes the connection before it has the whole reply. */
  readonly cut: Promise<void>;
}

export type Script = (response: ServerResponse, request: ScriptedRequest) => void | Promise<void>;

export interface ScriptedService {
  readonly key: string;
  readonly url: string;
  /** Every request so far. */
  readonly requests: readonly ScriptedRequest[];
  /** Answers the next requests: one script for each request, the last one for the rest. */
  play(...scripts: readonly Script[]): void;
  stop(): Promise<void>;
}

export const plantedKey = 'k3y-Planted0123456789abcdef';

/** An HTTP server on this machine whose replies the test scripts, byte for byte. */
export async function createScriptedService(...scripts: readonly Script[]): Promise<ScriptedService> {
  const requests: ScriptedRequest[] = [];
  let script = scripts;
  let played = 0;
  const server = await startServer(async (request, response) => {
    const at = performance.now();
    // Pages of any origin may ask, as they may ask the hosted service.
    response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { 'access-control-allow-headers': 'content-type' }).end();
      return;
    }
    const body = await bodyOf(request);
    const cut = new Promise<void>((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    const { method, params, id } = JSON.parse(body);
    const one: ScriptedRequest = {
      method,
      params,
      id,
      body,
      at,
      cut,
      path: request.url ?? '',
      headers: request.headers,
    };
    requests.push(one);
    await script[Math.min(played++, script.length - 1)]?.(response, one);
  });
  return {
    key: plantedKey,
    url: `${server.url}/v2/${plantedKey}`,
    requests,
    play(...next) {
      script = next;
      played = 0;
    },
    stop: server.stop,
  };
}

/** Any status, headers and body; `$ID` in the body becomes the id of the request. */
export const respond =
  (body: string | Buffer, status = 200, headers: Record<string, string> = {}): Script =>
  (response, { id }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body.replaceAll('$ID', String(id)) : body);
  };

export const result = (value: unknown): Script =>
  respond(`{"jsonrpc":"2.0","id":$ID,"result":${JSON.stringify(value)}}`);

export const error = (code: number, message?: string, data?: unknown): Script =>
  respond(`{"jsonrpc":"2.0","id":$ID,"error":${JSON.stringify({ code, message, data })}}`);

/** The connection ends without a reply. */
export const reset: Script = (response) => {
  response.socket?.destroy();
};

export const hang: Script = () => {};

export const later =
  (ms: number, script: Script): Script =>
  async (response, request) => {
    await sleep(ms);
    await script(response, request);
  };

/** A reply that never ends, one byte at a time. */
export const drip: Script = async (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  while (!response.destroyed) {
    response.write(' ');
    await sleep(20);
  }
};

/** A body of `mebibytes`, as fast as the reader takes it; `taken` is called with the bytes written so far. */
export const flood =
  (mebibytes: number, taken: (bytes: number) => void = () => {}): Script =>
  async (response) => {
    const part = Buffer.alloc(2 ** 20, 0x20);
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    response.writeHead(200, { 'content-type': 'application/json' });
    for (let sent = 0; sent < mebibytes && !response.destroyed; sent++) {
      if (!response.write(part)) await once(response, 'drain', { signal: closed.signal }).catch(() => {});
      taken((sent + 1) * part.length);
    }
    response.end();
  };

/** A small body that inflates to `mebibytes`. */
export const gzipBomb = (mebibytes: number): Script =>
  respond(gzipSync(Buffer.alloc(mebibytes * 2 ** 20, 0x20)), 200, { 'content-encoding': 'gzip' });

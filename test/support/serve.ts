import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { basename, dirname, extname, join } from 'node:path';
import { bundlePages } from './bundle-page.js';
import { type HttpServer, startServer } from './http-server.js';

export type Served = Pick<HttpServer, 'url' | 'stop'>;

export interface Document {
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export declare namespace servePage {
  interface Options {
    /** The page at `/`. */
    html?: string;
    /** `Content-Security-Policy` of that page. */
    csp?: string;
    /** Whether pages of other origins may read the files. Default false. */
    cors?: boolean;
    /** Further pages, by the host and the path of the request: several sites on one machine. */
    documents?: (hostname: string, path: string) => Document | undefined;
    /** Classic scripts by their path. */
    scripts?: Readonly<Record<string, string>>;
  }
}

/**
 * Serves a page on 127.0.0.1. The address of a TypeScript module of the project, such as `/test/e2e/browser/tabs-page.ts`,
 * answers with its bundle.
 */
export async function servePage(options: servePage.Options = {}): Promise<Served> {
  const bundles = new Map<string, Promise<unknown>>();
  const files = new Map<string, string | Uint8Array>(Object.entries(options.scripts ?? {}));

  /** A module is bundled when it is first asked for. */
  async function bundle(path: string): Promise<void> {
    const found = await bundlePages({ [basename(path)]: path.slice(1) });
    for (const [file, body] of found) files.set(join(dirname(path), file), body);
  }

  return listen(options, async (request, response) => {
    const path = pathOf(request);
    if (path.endsWith('.ts')) {
      const bundled = bundles.get(path) ?? bundle(path);
      bundles.set(path, bundled);
      await bundled;
    }
    const body = files.get(path);
    answer(response, body ? 200 : 404, contentTypes['.js'], body);
  });
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const pathOf = (request: IncomingMessage) => new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
const typeOf = (request: IncomingMessage) => contentTypes[extname(pathOf(request))];
const readFrom = (folder: string, request: IncomingMessage) =>
  readFile(join(folder, pathOf(request))).catch(() => null);

/** Serves the files of a folder on 127.0.0.1 as they are, and a page at `/` beside them. */
export function serveFiles(
  root: string,
  page: Pick<servePage.Options, 'html' | 'csp' | 'cors'> = {},
): Promise<Served> {
  return listen(page, async (request, response) => {
    const body = await readFrom(root, request);
    if (page.cors) response.setHeader('access-control-allow-origin', '*');
    if (body) answer(response, 200, typeOf(request), body);
    else answer(response, 404);
  });
}

function listen(
  { html, csp, documents }: Pick<servePage.Options, 'html' | 'csp' | 'documents'>,
  files: RequestListener,
): Promise<Served> {
  return startServer((request, response) => {
    const document = documents?.(request.headers.host?.replace(/:\d+$/, '') ?? '', pathOf(request));
    if (document) {
      for (const [name, value] of Object.entries(document.headers ?? {})) response.setHeader(name, value);
      return answer(response, 200, contentTypes['.html'], document.html);
    }
    if (html === undefined || !/^\/(\?|$)/.test(request.url ?? '')) return files(request, response);
    if (csp !== undefined) response.setHeader('content-security-policy', csp);
    return answer(response, 200, contentTypes['.html'], html);
  });
}

function answer(response: ServerResponse, status: number, type = 'text/plain', body?: string | Uint8Array) {
  response.writeHead(status, { 'content-type': type }).end(body);
}

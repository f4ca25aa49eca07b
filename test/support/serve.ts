import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer, type PluginOption } from 'vite';
import { type HttpServer, startServer } from './http-server.js';
import { workerSource } from './worker-source.js';

export type Served = Pick<HttpServer, 'url' | 'stop'>;

export declare namespace servePage {
  interface Options {
    /** The page at `/`; every other path, and `/` without it, is a file below the root. */
    html?: string;
    /** `Content-Security-Policy` of that page. */
    csp?: string;
    /** The folder of the files; by default the project's, so that `/src/…ts` can be imported. */
    root?: string;
    /** A folder with a built page, whose files take precedence and are served unchanged. */
    files?: string;
    plugins?: PluginOption[];
    /** Packages that the page imports beside those of `src`, to be prebundled. */
    packages?: string[];
  }
}

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Serves a page on 127.0.0.1 whose modules may be TypeScript: an address such as `/src/index.ts` answers with
 * the compiled module, its imports resolved. Nothing is injected, and nothing reloads the page.
 */
export async function servePage(options: servePage.Options = {}): Promise<Served> {
  const cacheDir = await mkdtemp(join(projectRoot, 'node_modules', '.vite-page-'));
  const vite = await createServer({
    configFile: false,
    root: options.root ?? projectRoot,
    cacheDir,
    appType: 'custom',
    publicDir: false,
    logLevel: 'error',
    plugins: [workerSource(), ...(options.plugins ?? [])],
    // No discovery: it would reload the page. eventemitter3 is CommonJS, which no browser reads.
    optimizeDeps: { noDiscovery: true, include: ['eventemitter3', ...(options.packages ?? [])] },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  });
  const served = await listen(options, async (request, response) => {
    const body = options.files === undefined ? null : await readFrom(options.files, request);
    if (body) answer(response, 200, typeOf(request), body);
    else vite.middlewares(request, response, () => answer(response, 404));
  });
  return {
    url: served.url,
    async stop() {
      await served.stop();
      await vite.close();
      await rm(cacheDir, { recursive: true, force: true });
    },
  };
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
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
  page: Pick<servePage.Options, 'html' | 'csp'> = {},
): Promise<Served> {
  return listen(page, async (request, response) => {
    const body = await readFrom(root, request);
    if (body) answer(response, 200, typeOf(request), body);
    else answer(response, 404);
  });
}

function listen(
  { html, csp }: Pick<servePage.Options, 'html' | 'csp'>,
  files: RequestListener,
): Promise<Served> {
  return startServer((request, response) => {
    if (html === undefined || !/^\/(\?|$)/.test(request.url ?? '')) return files(request, response);
    if (csp !== undefined) response.setHeader('content-security-policy', csp);
    return answer(response, 200, contentTypes['.html'], html);
  });
}

function answer(response: ServerResponse, status: number, type = 'text/plain', body?: string | Buffer) {
  response.writeHead(status, { 'content-type': type }).end(body);
}

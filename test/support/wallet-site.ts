import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import type { SiteConfiguration } from '../../src/site/configuration.js';
import { fileAt } from '../../src/site/header-files.js';
import { headersOf } from '../../src/site/headers.js';

/** A `wallet.json` that is right, as an object. */
export const siteOptions = (origin: string, more: object = {}) => ({
  origin,
  name: 'Example Wallet',
  networks: [{ chainId: 31, url: 'https://rpc.example/planted-key' }],
  allow: ['https://app.example.com', 'https://shop.example.com'],
  ...more,
});

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.css': 'text/css; charset=utf-8',
};

/** Answers a request from the folder of a wallet's site, with the headers that a deployment has. */
export async function answerFromSite(
  folder: string,
  configuration: SiteConfiguration,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', configuration.origin);
  const file = fileAt(pathname);
  const name = pathname === '/' ? 'index.html' : pathname;
  const body = file && (await readFile(join(folder, name)).catch(() => null));
  if (!file || !body) return void response.writeHead(404).end();
  response.writeHead(200, { ...headersOf(file, configuration), 'Content-Type': types[extname(name)] });
  response.end(body);
}

/** Answers by the host of the request: several sites at one port. */
export const byHost =
  (sites: Readonly<Record<string, RequestListener>>): RequestListener =>
  (request, response) => {
    const site = sites[(request.headers.host ?? '').replace(/:\d+$/, '')];
    if (site) site(request, response);
    else response.writeHead(404).end();
  };

/**
 * The service worker of the wallet's site, which makes it an app. It serves the files of one release with the headers that they
 * came with, and refuses any other path of the site. It holds no part of the wallet, and no page can tell it anything: it
 * listens to no messages.
 */
import { askingLock } from '../../src/bridge/asking-turn.js';
import {
  hashOf,
  hasPolicy,
  type ReleaseFile,
  readSiteRelease,
  unlistedPaths,
} from '../../src/site/release.js';

/** The global scope of a service worker, which the DOM's types lack. */
interface ServiceWorker {
  readonly clients: { get(id: string): Promise<object | undefined> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
}
interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  readonly clientId: string;
  readonly resultingClientId: string;
  respondWith(response: Promise<Response>): void;
}

const worker = globalThis as unknown as ServiceWorker;
const { locks } = navigator;

/** The cache of the names of releases: `/current`, `/next` and, for each client, the one with which it started. */
const names = 'graft:app';
/** Beginning of the names of the caches of releases. */
const prefix = 'graft:release:';
/** The entry of a release's cache that is written after all files. */
const completeMark = '/release.json';
/** Milliseconds that the server may take for a file. */
const timeout = 60_000;
/** Files that are fetched at a time. */
const lanes = 6;

const readName = async (path: string): Promise<string | undefined> =>
  (await caches.match(path, { cacheName: names }))?.text();

async function writeName(path: string, release: string): Promise<void> {
  await (await caches.open(names)).put(path, new Response(release));
}

const isWritten = (path: string, release: string): Promise<boolean> =>
  writeName(path, release).then(
    () => true,
    () => false,
  );

const findFile = (release: string, path: string): Promise<Response | undefined> =>
  caches.match(path, { cacheName: prefix + release });

/** Two versions of this worker may run at once, so that a variable would not do. */
const inTurn = <T>(what: string, work: () => Promise<T>): Promise<T> =>
  locks.request(`${names}:${what}`, work) as Promise<T>;

/** Asks the server which release it has, and holds that ready for the next navigation. */
async function update(): Promise<void> {
  const response = await fetchUncached('/release.json');
  const text = await response.text();
  const files = response.ok ? readSiteRelease(text) : null;
  if (files === null) return;
  const listed = await hashOf(text);
  const current = await readName('/current');
  const isHeld =
    listed === current || (await findFile(listed, completeMark)) !== undefined || (await hold(listed, files));
  // A release that the server has withdrawn before it was taken is not taken later either.
  if (current) await writeName('/next', isHeld ? listed : current);
  else if (isHeld) await writeName('/current', listed);
}

/** Fetches all files of a release before it keeps any. Returns whether it holds the release. */
async function hold(release: string, files: readonly ReleaseFile[]): Promise<boolean> {
  const name = prefix + release;
  try {
    const responses = new Map<string, Response>();
    const waiting = [...files];
    const run = async () => {
      for (let file = waiting.pop(); file; file = waiting.pop()) {
        try {
          responses.set(file.path, await fetchFile(file));
        } catch (error) {
          waiting.length = 0;
          throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, run));
    const cache = await caches.open(name);
    for (const [path, response] of responses) await cache.put(path, response);
    await cache.put(completeMark, new Response());
    return true;
  } catch {
    await caches.delete(name);
    return false;
  }
}

/** Fetches past all caches. A redirect to another origin fails; some hosts redirect from /frame.html to /frame. */
const fetchUncached = (path: string): Promise<Response> =>
  fetch(path, { cache: 'no-store', mode: 'same-origin', signal: AbortSignal.timeout(timeout) });

/** @throws Error for a response that is not the file of the release with its policy */
async function fetchFile({ path, sha256: hash, policy }: ReleaseFile): Promise<Response> {
  const response = await fetchUncached(path);
  const body = await response.arrayBuffer();
  if (response.status !== 200 || !hasPolicy(response.headers, policy) || (await hashOf(body)) !== hash)
    throw new Error(`${path} is not that of the release.`);
  // Browsers refuse a navigation's response that is marked as redirected; the copy is not.
  return new Response(body, { headers: response.headers });
}

/** Removes the releases with which no client has started that is still open. */
async function removeOld(): Promise<void> {
  const ids = (await (await caches.open(names)).keys()).flatMap(({ url }) => url.split('/client/')[1] ?? []);
  const closed: string[] = [];
  for (const id of ids) if (!(await worker.clients.get(id))) closed.push(id);
  await inTurn('start', async () => {
    const cache = await caches.open(names);
    for (const id of closed) await cache.delete(`/client/${id}`);
    const used = await Promise.all((await cache.keys()).map(({ url }) => readName(url)));
    for (const name of await caches.keys())
      if (name.startsWith(prefix) && !used.includes(name.slice(prefix.length))) await caches.delete(name);
  });
}

/** Whether a document of the wallet asks its person something. A lock ends with the document that holds it. */
async function isAsking(): Promise<boolean> {
  const { held = [] } = await locks.query();
  return held.some(({ name }) => name?.startsWith(askingLock));
}

/** The release of a document that starts: the next one, unless a question is open. */
const startClient = (id: string): Promise<string | undefined> =>
  inTurn('start', async () => {
    const [current, next] = await Promise.all([readName('/current'), readName('/next')]);
    const takesNext = next !== undefined && next !== current && !(await isAsking());
    // Where the browser has no room even for a name, the document starts with the release that is held.
    const isTaken = takesNext && (await isWritten('/current', next));
    const release = isTaken ? next : current;
    if (release !== undefined) await isWritten(`/client/${id}`, release);
    return release;
  });

async function answer(event: FetchEvent, path: string): Promise<Response> {
  const { request, clientId, resultingClientId } = event;
  if (request.mode === 'navigate') {
    const release = await startClient(resultingClientId);
    // The browser has deleted the caches.
    if (release === undefined) return fetch(request);
    // Some hosts serve /frame.html as /frame too.
    const found = (await findFile(release, path)) ?? (await findFile(release, `${path}.html`));
    return found ?? Response.error();
  }
  const started = await readName(`/client/${clientId}`);
  const held = (await caches.keys()).flatMap((name) =>
    name.startsWith(prefix) ? name.slice(prefix.length) : [],
  );
  for (const release of [started, await readName('/current'), ...held]) {
    const found = release && (await findFile(release, path));
    if (found) return found;
  }
  return held.length > 0 ? Response.error() : fetch(request);
}

worker.addEventListener('install', (event) => {
  const install = async () => {
    // A worker that holds a release already is replaced even if the server lists none.
    await inTurn('update', update).catch(() => {});
    if (!(await readName('/current'))) throw new Error('The site has no release that can be taken.');
    await worker.skipWaiting();
  };
  event.waitUntil(install());
});

worker.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (origin !== location.origin || method !== 'GET' || unlistedPaths.includes(pathname)) return;
  const answered = answer(event, pathname === '/' ? '/index.html' : pathname);
  event.respondWith(answered);
  if (mode !== 'navigate') return;
  const refresh = () =>
    inTurn('update', async () => {
      await update().catch(() => {});
      await removeOld();
    });
  event.waitUntil(answered.then(refresh, refresh));
});

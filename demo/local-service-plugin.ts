import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Plugin, runnerImport } from 'vite';
import type { createLocalService, LocalNode, LocalService } from '../packages/kit/src/local/index.js';
import type { NodeRelay } from '../packages/relay/src/node.js';

const liePath = '/_demo/lie';

/** Where a page finds the local service. */
export interface LocalEndpoint {
  readonly url: string;
  readonly chainId: number;
  /** Another node of the same chain; none behind a relay. */
  readonly other?: string;
  /** Makes the first node lie about payments, and tell the truth again: takes a POST of `on` or `off`. */
  readonly lie: string;
  /** The WebSocket of the relay. */
  readonly push?: string;
  /** Where coins come from. */
  readonly faucet: string;
}

/** The Vite plugin, with an `api` that other plugins call. */
export interface LocalServicePlugin extends Plugin {
  readonly api: {
    /** The page's local service, or the relay in front of it; `null` when there is none. */
    service(): Promise<LocalEndpoint | null>;
  };
}

/**
 * Starts the local service with Vite's dev server and closes it with it, unless `VITE_SERVICE_URL` names another service. A
 * build has none.
 * The page gets its URL by `import { local } from 'virtual:local-service'`.
 *
 * With `GRAFT_RELAY=1` the page is given a relay in front of it, without the key: docs/guides/relay.md.
 *
 * A second node of the chain answers beside it, so that the page finds the truth where the first one lies.
 *
 * By default it mines a block every three seconds, so that a transaction is visibly pending for a moment.
 */
export function localService(options: createLocalService.Options = {}): LocalServicePlugin {
  const id = 'virtual:local-service';
  let started: Promise<LocalService> | undefined;
  let relayed: Promise<NodeRelay | undefined> | undefined;
  let second: Promise<LocalNode> | undefined;
  let isEnabled = true;
  const service = async () => {
    if (!started) return null;
    const { baseUrl, url, chainId } = await started;
    const relay = await relayed;
    const other = await second;
    return {
      chainId,
      faucet: `${baseUrl}/_local/faucet`,
      lie: liePath,
      ...(relay
        ? { url: `${relay.url}/${chainId}`, push: `${relay.url.replace('http', 'ws')}/${chainId}` }
        : { url, ...(other && { other: other.url }) }),
    };
  };
  return {
    api: { service },
    name: 'local-service',
    configResolved(config) {
      isEnabled = config.mode !== 'test' && !config.env.VITE_SERVICE_URL;
    },
    configureServer(server) {
      if (!isEnabled) return;
      const entry = fileURLToPath(new URL('../packages/kit/src/local/index.ts', import.meta.url));
      started = runnerImport<typeof import('../packages/kit/src/local/index.js')>(entry).then(({ module }) =>
        module.createLocalService({ mining: { interval: 3_000 }, ...options }),
      );
      relayed = started.then((service) =>
        process.env.GRAFT_RELAY === '1' ? startRelay(service) : undefined,
      );
      relayed.catch(() => {});
      second = started.then((service) => service.addNode());
      second.catch(() => {});
      let undo = (): void => {};
      server.middlewares.use(liePath, async (request, response) => {
        const isOn = request.method === 'POST' && (await text(request)) === 'on';
        undo();
        undo = isOn ? ((await started)?.controls.lie('false-receipt') ?? undo) : () => {};
        response.writeHead(204).end();
      });
      started.catch((error) => server.config.logger.error(`The local service did not start: ${error}`));
      server.httpServer?.once('close', () => {
        relayed?.then((relay) => relay?.stop());
        started?.then((service) => service.close());
      });
    },
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    async load(resolved) {
      if (resolved !== `\0${id}`) return undefined;
      return `export const local = ${JSON.stringify(await service())};\n`;
    },
  };
}

/** For every page of this machine, and any number of its reads. */
async function startRelay({ chainId, url }: LocalService): Promise<NodeRelay> {
  const entry = fileURLToPath(new URL('../packages/relay/src/node.ts', import.meta.url));
  const { module } = await runnerImport<typeof import('../packages/relay/src/node.js')>(entry);
  const limits = { messagesPerSecond: 200, messageBurst: 600, readsPerMinute: 6_000, readBurst: 6_000 };
  return module.serveRelay({
    networks: [{ chainId, url, interval: 1_000 }],
    origins: ['*'],
    open: true,
    limits,
    port: 0,
    drain: 0,
    admin: { port: 0 },
  });
}

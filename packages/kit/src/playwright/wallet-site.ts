import type { BrowserContext, Frame, Page, Route } from 'playwright-core';
import { createNetworks, isOnThisMachine, type NetworkOptions } from '../../../../src/service/networks.js';
import { handleName } from '../testing/page-protocol.js';

/** The wallet's own site in a browser context, for dapps that reach the wallet over a bridge. */
export type WalletSite = Awaited<ReturnType<typeof openWalletSite>>;

/**
 * Serves the documents of the wallet's site with the headers of a deployment, so that a test needs no server for it. They are
 * empty: {@link pageScript} puts the wallet into them.
 */
export async function openWalletSite(context: BrowserContext, { origin, networks }: openWalletSite.Options) {
  /** Windows that are being opened. */
  const opening = new Set<Promise<void>>();
  let opened: Promise<Page> | undefined;
  await context.route(
    (url) => url.origin === origin,
    (route) => serve(route),
  );
  const windows = (): readonly Page[] =>
    context
      .pages()
      .filter(
        (page) =>
          page.url().startsWith(origin) && /^\/(window|connect)\.html#/.test(page.url().slice(origin.length)),
      );
  const services = new Set(createNetworks(networks).flatMap(({ urls }) => urls.filter(isOnThisMachine)));
  await context.route((url) => services.has(url.href), forward);
  return {
    /** Clicks the button "Continue in the wallet" in a frame. Resolves when the window is there. */
    async proceed(frame: Frame): Promise<void> {
      const button = frame.locator('[data-graft=continue] button').first();
      // The page may navigate away before the window opens, or deny windows to its frames.
      const opens = Promise.all([
        context.waitForEvent('page', { timeout: openTimeout }),
        button.click({ timeout: openTimeout }),
      ]).then(
        () => {},
        () => {},
      );
      opening.add(opens);
      await opens;
      opening.delete(opens);
    },
    /** Whether a window of the wallet is open, or is being opened, in which it may still ask. */
    isBusy(): boolean {
      return opening.size > 0 || windows().length > 0;
    },
    /** Resolves when no window of the wallet is open, nor is being opened. */
    async closed(): Promise<void> {
      for (;;) {
        await Promise.all(opening);
        const open = windows();
        if (open.length === 0) return;
        await Promise.all(open.map((page) => page.waitForEvent('close', { timeout: 0 })));
      }
    },
    /** Opens the wallet's own page, once. @param dapp the origin whose session it has */
    async home(dapp: string): Promise<Page> {
      if (!opened || (await opened).isClosed()) opened = context.newPage();
      const page = await opened;
      const url = `${origin}/?dapp=${encodeURIComponent(dapp)}`;
      if (page.url() !== url) await page.goto(url);
      return page;
    },
  };
}

/** Milliseconds. */
const openTimeout = 5_000;

/** A script of a popup may have run in the empty document before it, and installs the wallet when its handle is read. */
const html = `<!doctype html><title>Wallet</title><link rel="icon" href="data:,"><body><script>window.${handleName}</script>`;

/** The headers that change what a dapp's page can do with the document. */
const headers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/': { 'cross-origin-opener-policy': 'same-origin' },
  '/frame.html': {
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'cross-origin',
  },
  '/window.html': { 'cross-origin-opener-policy': 'same-origin' },
  '/connect.html': {},
};

/**
 * Sends a request to a service on this machine from here: a browser lets pages that came from no server reach none
 * (Local Network Access).
 */
async function forward(route: Route): Promise<void> {
  try {
    await route.fulfill({ response: await route.fetch({ timeout: 0 }) });
  } catch {
    // The service does not answer, or the page was left.
    await route.abort('connectionfailed').catch(() => {});
  }
}

function serve(route: Route): Promise<void> {
  const found = headers[new URL(route.request().url()).pathname];
  return found
    ? route.fulfill({ contentType: 'text/html', headers: { ...found }, body: html })
    : route.fulfill({ status: 404 });
}

export declare namespace openWalletSite {
  interface Options {
    /** The origin of the wallet's site. */
    readonly origin: string;
    readonly networks: readonly NetworkOptions[];
  }
}

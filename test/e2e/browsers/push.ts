import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalService } from '../../../packages/kit/src/local/index.js';
import type { BrowserName, Tab, TestBrowser } from '../../support/browsers/browser.js';
import { launchBrowser } from '../../support/browsers/launch.js';
import { clientOf } from '../../support/local-client.js';
import { deployEmitter, type RelayRig, socketsOf, startRelay } from '../../support/relay-server.js';
import { type Served, servePage } from '../../support/serve.js';
import { until } from '../../support/until.js';
import type { LeaderPage } from '../browser/leader-page.js';

/** Two windows of one origin follow a chain through the WebSocket of a relay. In Chromium more of it is tested. */
export function describePush(name: BrowserName): void {
  describe(`blocks from a relay in ${name}`, () => {
    let relay: RelayRig;
    let service: LocalService;
    let contract: Awaited<ReturnType<typeof deployEmitter>>;
    let served: Served;
    let browser: TestBrowser;
    let tabs: Tab[] = [];
    let isStopped = false;

    beforeAll(async () => {
      [relay, served, browser] = await Promise.all([
        startRelay(),
        servePage({
          html: '<!doctype html><title>Tabs</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/leader-page.ts"></script>',
        }),
        launchBrowser(name),
      ]);
      service = relay.service;
      contract = await deployEmitter(service);
      const parameters = [
        ['service', relay.url],
        ['service', service.url],
        ['push', relay.socketUrl],
        ['contract', contract.address],
        ['interval', '1000'],
      ];
      const url = `${served.url}/?${new URLSearchParams(parameters)}`;
      tabs = [await browser.open(url), await browser.open(url)];
      for (const tab of tabs) await until(() => tab.evaluate(() => 'page' in window), { interval: 50 });
    });

    afterAll(async () => {
      await browser?.close();
      await served?.stop();
      if (isStopped) await service?.close();
      else await relay?.[Symbol.asyncDispose]();
    });

    const sockets = () => socketsOf(relay.node);

    /** Mines a block with a log. Resolves when each window has been told of both. */
    async function mine(): Promise<void> {
      await contract.emit(1, 7);
      await service.controls.mine();
      const { hash } = await clientOf(service).call('eth_getBlockByNumber', 'latest', false);
      for (const tab of tabs)
        await until(
          () =>
            tab.evaluate((wanted) => {
              const { heads, logs } = (window as never as { page: LeaderPage }).page;
              return heads.at(-1)?.hash === wanted && logs.at(-1)?.blockHash === wanted;
            }, hash),
          { interval: 50, timeout: 30_000, failure: 'A window is not told of the block and its log.' },
        );
    }

    /** Each window was told each block and its log once, in order. */
    async function expectWhole(): Promise<void> {
      for (const tab of tabs) {
        const { heads, logs } = await tab.evaluate(() => {
          const { heads, logs } = (window as never as { page: LeaderPage }).page;
          return { heads, logs };
        });
        expect(heads.length).toBeGreaterThan(1);
        for (const [i, { parentHash }] of heads.slice(1).entries()) expect(parentHash).toBe(heads[i]?.hash);
        expect(logs.map(({ blockHash }) => blockHash)).toEqual(heads.map(({ hash }) => hash));
      }
    }

    test('two windows share one WebSocket, and each gets every block and log once', async () => {
      await until(() => String(sockets()) === '1,1', {
        timeout: 30_000,
        failure: 'There is not one socket.',
      });
      for (let i = 0; i < 3; i++) await mine();
      expect(sockets()).toEqual([1, 1]);
      await expectWhole();
    });

    test('when the relay is gone, they go on with their own polls', async () => {
      await relay.node.stop();
      isStopped = true;
      for (let i = 0; i < 2; i++) await mine();
      await expectWhole();
    });
  });
}

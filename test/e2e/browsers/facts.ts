import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BridgeSite, startBridgeSite } from '../../support/bridge-site.js';
import type { BrowserName, Place, Tab, TestBrowser } from '../../support/browsers/browser.js';
import { launchBrowser } from '../../support/browsers/launch.js';
import { personAt } from '../../support/browsers/person.js';
import { until } from '../../support/until.js';

/** The style of the bridge's frame while it is hidden. */
const hidden =
  'all:initial;display:block;position:fixed;inset:0;width:0;height:0;overflow:hidden;visibility:hidden';

/** What docs/notes/browsers.md says of a browser as far as the bridge relies on it. It changes with the browser. */
export function describeFacts(name: BrowserName): void {
  describe(`what the bridge relies on in ${name}`, () => {
    let site: BridgeSite;
    let browser: TestBrowser;

    beforeAll(async () => {
      [site, browser] = await Promise.all([startBridgeSite(), launchBrowser(name)]);
    });

    afterAll(async () => {
      await browser?.close();
      await site?.stop();
    });

    const open = (origin: string) => browser.open(`${origin}/blank`);

    /** Inserts a frame of the wallet. */
    async function insert(tab: Tab, id: string, style = ''): Promise<Place> {
      const url = `${site.wallet}/blank?${id}`;
      await tab.evaluate(
        (url, style) => {
          const frame = document.createElement('iframe');
          frame.src = url;
          frame.setAttribute('style', style);
          document.body.append(frame);
          return new Promise<void>((resolve) => frame.addEventListener('load', () => resolve()));
        },
        url,
        style,
      );
      return until(() => tab.frame(url));
    }

    test('a frame has the storage and the channels of its windows where the note says so', async () => {
      const home = await open(site.wallet);
      await home.evaluate(() => {
        localStorage.setItem('mark', 'of the window');
        void navigator.locks.request('held', () => new Promise(() => {}));
        new BroadcastChannel('hear').onmessage = ({ target }) =>
          (target as BroadcastChannel).postMessage('heard');
      });
      const shared = [];
      const places = [
        [site.app, name !== 'WebKit'],
        [site.other, false],
      ] as const;
      for (const [origin, isShared] of places) {
        const tab = await open(origin);
        const frame = await insert(tab, 'storage');
        shared.push(
          await frame.evaluate(async (isShared) => {
            const channel = new BroadcastChannel('hear');
            const heard = new Promise((resolve) => {
              channel.onmessage = () => resolve(true);
              setTimeout(resolve, isShared ? 30_000 : 500, false);
            });
            channel.postMessage('?');
            return {
              storage: localStorage.getItem('mark') !== null,
              channel: await heard,
              locks: await navigator.locks.request('held', { ifAvailable: true }, (lock) => lock === null),
            };
          }, isShared),
        );
        await tab.close();
      }
      await home.close();
      const all = (has: boolean) => ({ storage: has, channel: has, locks: has });
      expect(shared).toEqual(places.map(([, isShared]) => all(isShared)));
    });

    test('a window opens in the task of a click; after a message through a port only where the note says so', async () => {
      const tab = await open(site.app);
      const opened = [];
      for (const waits of [false, true]) {
        await tab.evaluate((waits) => {
          const button = document.createElement('button');
          button.textContent = 'Open';
          button.onclick = () => {
            button.remove();
            const open = () => {
              const opened = window.open('/blank?opened', '_blank', 'popup') !== null;
              Object.assign(window, { opened });
            };
            if (!waits) {
              open();
              return;
            }
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = open;
            port2.postMessage('now');
          };
          delete (window as { opened?: boolean }).opened;
          document.body.append(button);
        }, waits);
        await personAt(tab).click('Open');
        opened.push(
          await until(() =>
            tab.evaluate(() => {
              const { opened } = window as { opened?: boolean };
              return opened === undefined ? null : [opened];
            }),
          ),
        );
      }
      expect(opened.flat()).toEqual([true, name !== 'WebKit']);
      await tab.close();
    });

    test('the hidden frame is not slowed down, nothing tells whether a frame is covered, and no port tells that it has closed', async () => {
      const tab = await open(site.app);
      const count = (frame: Place) =>
        frame.evaluate(async () => {
          let count = 0;
          const timer = setInterval(() => count++, 50);
          await new Promise((resolve) => setTimeout(resolve, 1_500));
          clearInterval(timer);
          return count;
        });
      const [seen, unseen] = [await insert(tab, 'seen'), await insert(tab, 'unseen', hidden)];
      // Where it is slowed down, a timer comes once a second.
      expect(await count(unseen)).toBeGreaterThan((await count(seen)) / 4);
      expect(await seen.evaluate(() => 'isVisible' in IntersectionObserverEntry.prototype)).toBe(false);

      await unseen.evaluate(() => {
        window.onmessage = ({ ports: [port] }) => Object.assign(window, { port });
      });
      await tab.evaluate(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {};
        port1.addEventListener('close', () => Object.assign(window, { told: true }));
        const frame = document.querySelector('iframe:last-of-type') as HTMLIFrameElement;
        frame.contentWindow?.postMessage('port', '*', [port2]);
        setTimeout(() => frame.remove(), 200);
      });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await tab.evaluate(() => 'told' in window)).toBe(false);
      await tab.close();
    });
  });
}

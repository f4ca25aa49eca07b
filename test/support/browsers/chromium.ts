import type { CDPSession, Frame, Page } from 'playwright-core';
import { launchPlainChromium } from '../chromium.js';
import { callOf, type Place, type Tab, type TestBrowser } from './browser.js';

/** Chromium, driven over the DevTools protocol. */
export async function launchTabbedChromium(): Promise<TestBrowser> {
  // The tests have a certificate of their own.
  const browser = await launchPlainChromium('--ignore-certificate-errors');
  const [context] = browser.contexts();
  if (!context) throw new Error('The browser has no context.');
  const known = new WeakMap<Page, Tab>();
  let count = 0;

  function tabOf(page: Page): Tab {
    const tab = known.get(page) ?? makeTab(page);
    known.set(page, tab);
    return tab;
  }

  function makeTab(page: Page): Tab {
    count += 1;
    let devtools: Promise<CDPSession> | undefined;
    return {
      id: `${count}`,
      async evaluate(read, ...args) {
        devtools ??= page.context().newCDPSession(page);
        // What Playwright evaluates would count as a click.
        const { result, exceptionDetails } = await (await devtools).send('Runtime.evaluate', {
          ...{ expression: callOf(read, args), awaitPromise: true, returnByValue: true },
        });
        if (exceptionDetails)
          throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return JSON.parse(result.value);
      },
      clickAt: (x, y) => page.mouse.click(x, y),
      type: (...keys) => press(page, keys),
      async goto(to) {
        await page.goto(to);
      },
      async reload() {
        await page.reload();
      },
      activate: () => page.bringToFront(),
      picture: () => page.screenshot({ scale: 'css' }),
      async frame(part) {
        const frame = page.frames().find((each) => each !== page.mainFrame() && each.url().includes(part));
        return frame ? placeOf(frame) : null;
      },
      close: () => page.close(),
    };
  }

  return {
    name: 'Chromium',
    version: browser.version(),
    async open(to) {
      const page = await context.newPage();
      await page.goto(to);
      return tabOf(page);
    },
    tabs: async () => context.pages().map(tabOf),
    close: () => browser.close(),
  };
}

const placeOf = (frame: Frame): Place => ({
  evaluate: async (read, ...args) => JSON.parse(await frame.evaluate<string>(callOf(read, args))),
  async clickAt(x, y) {
    const box = await (await frame.frameElement()).boundingBox();
    await frame.page().mouse.click((box?.x ?? 0) + x, (box?.y ?? 0) + y);
  },
  type: (...keys) => press(frame.page(), keys),
});

async function press({ keyboard }: Page, keys: readonly string[]): Promise<void> {
  for (const key of keys) await keyboard.press(key);
}

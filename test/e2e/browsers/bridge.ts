import { recoverMessageAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BridgeSite, startBridgeSite } from '../../support/bridge-site.js';
import type { BrowserName, Tab, TestBrowser } from '../../support/browsers/browser.js';
import { launchBrowser } from '../../support/browsers/launch.js';
import { personAt } from '../../support/browsers/person.js';
import { until } from '../../support/until.js';
import type { BridgeAppPage } from '../browser/bridge-app-page.js';
import type { BridgeWalletPage } from '../browser/bridge-wallet-page.js';

const mnemonic = 'test test test test test test test test test test test junk';
const password = 'Tr0ub4dor and a horse';
const friend = `0x${'aa'.repeat(20)}`;

/** A wallet on an origin of its own, in a browser that cannot show that its frame is uncovered. */
export function describeBridge(name: BrowserName): void {
  describe(`the bridge in ${name}`, () => {
    let site: BridgeSite;
    let browser: TestBrowser;
    let account: `0x${string}`;

    beforeAll(async () => {
      [site, browser] = await Promise.all([startBridgeSite(), launchBrowser(name)]);
      const home = await visit(site.wallet);
      account = await home.evaluate(
        async (phrase, secret) =>
          (
            await (window as never as { page: BridgeWalletPage }).page
              .make({})
              .importMnemonic(phrase, { password: secret })
          ).address,
        mnemonic,
        password,
      );
      await home.close();
      await site.service.controls.faucet(account);
    });

    afterAll(async () => {
      await browser?.close();
      await site?.stop();
    });

    async function visit(url: string): Promise<Tab> {
      const tab = await browser.open(url);
      await until(() => tab.evaluate(() => 'page' in window), { interval: 50 });
      return tab;
    }

    /** Makes a request without a click. Resolves when it is answered, with `{ result }` or `{ code, data }`. */
    const ask = (tab: Tab, method: string, ...params: unknown[]) =>
      tab.evaluate(
        (name, given) =>
          (window as never as { page: BridgeAppPage }).page.ask(name, ...given) as Promise<Answer>,
        method,
        params,
      );

    /** Makes a request, in a click or without one. */
    async function begin(
      tab: Tab,
      method: string,
      params: readonly unknown[] = [],
      inClick = true,
    ): Promise<void> {
      await tab.evaluate(
        (name, given, inClick) => {
          const button = document.createElement('button');
          const answers = window as { answer?: unknown };
          delete answers.answer;
          button.textContent = 'Ask';
          button.onclick = () => {
            button.remove();
            (window as never as { page: BridgeAppPage }).page
              .ask(name, ...given)
              .then((answer) => Object.assign(answers, { answer }));
          };
          document.body.append(button);
          if (!inClick) button.click();
        },
        method,
        params,
        inClick,
      );
      if (inClick) await personAt(tab).click('Ask');
    }

    const answerOf = (tab: Tab) =>
      until(() => tab.evaluate(() => (window as { answer?: unknown }).answer ?? null) as Promise<Answer>, {
        ...{ interval: 50, timeout: 20_000, failure: 'The request is not answered.' },
      });

    /** The window that the wallet has opened. */
    const windowBeside = (...known: readonly Tab[]) =>
      until(
        async () => {
          for (const tab of await browser.tabs()) {
            if (known.some(({ id }) => id === tab.id)) continue;
            if (await tab.evaluate(() => location.pathname.length > 1 && 'page' in window).catch(() => false))
              return tab;
          }
          return null;
        },
        { interval: 100, timeout: 20_000, failure: 'No window of the wallet opens.' },
      );

    const isOpen = async ({ id }: Tab) => (await browser.tabs()).some((tab) => tab.id === id);

    test('asks in windows of its own: connects, signs and sends for a dapp of its site', async () => {
      const app = await visit(site.app);
      expect(await ask(app, 'eth_accounts')).toEqual({ result: [] });
      expect(await ask(app, 'eth_getBalance', account, 'latest')).toEqual({ result: '0xde0b6b3a7640000' });

      await begin(app, 'eth_requestAccounts');
      const first = await windowBeside(app);
      expect(await (await personAt(first).question('connect')).answer('Connect')).toContain(
        new URL(site.app).host,
      );
      expect(await answerOf(app)).toEqual({ result: [account] });
      await until(async () => !(await isOpen(first)), { interval: 50 });

      await begin(app, 'personal_sign', ['0x68656c6c6f', account]);
      const signing = await personAt(await windowBeside(app)).question('message');
      await signing.fill('Wallet password', password);
      await signing.answer('Sign');
      const { result: signature } = (await answerOf(app)) as { result: `0x${string}` };
      expect((await recoverMessageAddress({ message: 'hello', signature })).toLowerCase()).toBe(account);

      await begin(app, 'eth_sendTransaction', [{ from: account, to: friend, value: '0x1' }]);
      const sending = await personAt(await windowBeside(app)).question('transaction');
      // A window that has stayed for the next question is still unlocked.
      if ((await sending.read()).includes('Wallet password')) await sending.fill('Wallet password', password);
      await sending.answer('Send');
      const { result: hash } = await answerOf(app);
      await until(async () => (await ask(app, 'eth_getTransactionReceipt', hash)).result !== null);
      await app.close();
    });

    test('a frame without the storage of its windows has no wallet, and never offers to make one', async () => {
      for (const [url, shares] of [
        [site.app, name !== 'WebKit'],
        [site.other, false],
      ] as const) {
        const app = await visit(url);
        await ask(app, 'eth_chainId');
        expect([url, await until(() => app.evaluate(askFrame))]).toEqual([
          url,
          shares ? 'locked' : 'unavailable',
        ]);
        await app.close();
      }
    });

    test('without a click a button opens the window, and closing that is a refusal', async () => {
      const app = await visit(site.app);
      expect(await ask(app, 'eth_accounts')).toEqual({ result: [account] });
      await begin(app, 'personal_sign', ['0x68656c6c6f', account], false);
      await personAt(app).click('Continue in the wallet');
      const window = await windowBeside(app);
      await personAt(window).question('message');
      await window.close();
      expect(await answerOf(app)).toMatchObject({ code: 4001 });

      await begin(app, 'personal_sign', ['0x68656c6c6f', account], false);
      await personAt(app).click('Cancel');
      expect(await answerOf(app)).toMatchObject({ code: -32002, data: { reason: 'popup-blocked' } });
      await app.close();
    });

    test('serves a dapp of another site, which knows its account after a reload', async () => {
      const app = await visit(site.other);
      expect(await ask(app, 'eth_accounts')).toEqual({ result: [] });
      await begin(app, 'eth_requestAccounts');
      const window = await windowBeside(app);
      expect(await (await personAt(window).question('connect')).answer('Connect')).toContain(
        new URL(site.other).host,
      );
      expect(await answerOf(app)).toEqual({ result: [account] });
      await app.reload();
      await until(() => app.evaluate(() => 'page' in window), { interval: 50 });
      expect(await ask(app, 'eth_accounts')).toEqual({ result: [account] });
      await app.close();
    });
  });
}

/** Runs in the dapp's page, whose shadow roots are open here: the state of the wallet in its frame; `null` if that is silent. */
function askFrame(): Promise<string | null> {
  const root = document.querySelector('[data-graft=bridge]')?.shadowRoot;
  return new Promise((resolve) => {
    window.addEventListener('message', ({ data }) => {
      if (data?.vaultState) resolve(data.vaultState);
    });
    setTimeout(resolve, 1_000, null);
    root?.querySelector('iframe')?.contentWindow?.postMessage('vaultState', '*');
  });
}

interface Answer {
  readonly result?: unknown;
  readonly code?: number;
}

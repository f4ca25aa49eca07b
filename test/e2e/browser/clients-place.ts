import type { Browser, JSHandle, Page } from 'playwright-core';
import { openDialog } from '../../support/dialog-driver.js';
import type { PartialClient } from '../clients/client.js';
import type { Decision, OpenPlace } from '../clients/place.js';
import type { ClientsPage, PageSettings } from './clients-page.js';

const password = 'a password for the libraries';
const seldom = 3_600_000;

/** A place of the matrix that is a page of a real browser: the person is at the real dialog, with mouse and keys. */
export const openInPage =
  ({ browser, url, library }: openInPage.Options): OpenPlace =>
  async ({ known, chains, pollingInterval }) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const mishaps: unknown[] = [];
    page.on('pageerror', (error) => mishaps.push(error));

    let decision: Decision = 'approve';
    const asked: string[] = [];
    await page.exposeFunction('asked', (kind: string) => {
      asked.push(kind);
      answer(page, decision).catch((error: unknown) => mishaps.push(error));
    });

    const load = async (looks = seldom): Promise<JSHandle<ClientsPage>> => {
      const settings: PageSettings = { library, known, chains, pollingInterval, looks };
      await page.goto(`${url}/?settings=${encodeURIComponent(JSON.stringify(settings))}`);
      await page.waitForFunction(() => 'page' in window);
      return page.evaluateHandle(() => (window as unknown as { page: ClientsPage }).page);
    };
    let here = await load();

    const accounts = await here.evaluate(async ({ wallet }, secret) => {
      const { account } = await wallet.create(secret);
      return [account.address, (await wallet.addAccount()).address] as const;
    }, password);
    const acts = await here.evaluate(({ client }) => Object.keys(client));
    const call = (act: string, args: readonly unknown[]) =>
      here.evaluate(
        ({ client }, [name, given]) => (client[name as 'seen'] as (...given: unknown[]) => unknown)(...given),
        [act, args] as const,
      );
    const client = Object.fromEntries(
      acts.map((act) => [act, (...args: readonly unknown[]) => call(act, args)]),
    ) as unknown as PartialClient;

    return {
      accounts,
      client: () => client,
      decide: async (next) => {
        decision = next;
      },
      async asked() {
        if (mishaps.length > 0) throw mishaps[0];
        return [...asked];
      },
      async share(accounts) {
        const before = decision;
        decision = { accounts };
        await here.evaluate(({ wallet }) =>
          wallet.provider.request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] }),
        );
        decision = before;
      },
      revoke: () => here.evaluate(({ wallet }) => wallet.disconnect()),
      look: async (block) =>
        void (await here.evaluate(
          ({ wallet }, number) =>
            wallet.provider.request({ method: 'eth_getBlockByNumber', params: [number, false] }),
          block as `0x${string}`,
        )),
      chooseChain: (chainId) => here.evaluate(({ wallet }, id) => wallet.switchChain(id), chainId),
      removeChains: () =>
        here.evaluate(async ({ wallet }) => {
          for (const { chainId } of wallet.state().networks) await wallet.removeNetwork(chainId);
        }),
      async reload(looks) {
        here = await load(looks);
      },
      close: () => context.close(),
    };
  };

export declare namespace openInPage {
  interface Options {
    readonly browser: Browser;
    /** Where `clients-page.ts` is served. */
    readonly url: string;
    readonly library: PageSettings['library'];
  }
}

/** The buttons that agree, whatever is asked. */
const agreeing = ['Connect', 'Switch', 'Add network', 'Sign', 'Send', 'Confirm', 'Close'];

async function answer(page: Page, decision: Decision): Promise<void> {
  const dialog = await openDialog(page);
  if (decision === 'refuse') await dialog.click('Reject');
  else {
    if (typeof decision === 'object') {
      const choices = await dialog.evaluate((shown) =>
        Array.from(shown.querySelectorAll<HTMLInputElement>('input[type=checkbox]'), (tick) => ({
          name: tick.labels?.[0]?.textContent ?? '',
          ticked: tick.checked,
        })),
      );
      for (const { name, ticked } of choices)
        if (ticked !== decision.accounts.some((each) => name.toLowerCase().includes(each)))
          await dialog.click(name);
    }
    if (await dialog.evaluate((shown) => shown.querySelector('input[type=password]') !== null))
      await dialog.fill('Wallet password', password);
    const { name } = (await dialog.buttons()).find((button) => agreeing.includes(button.name)) ?? {};
    await dialog.click(name as string);
  }
  await dialog.closed();
}

import type { Browser, Frame, JSHandle } from 'playwright-core';
import type { BridgeSites } from '../../support/bridge-sites.js';
import { type Decision, decide } from '../../support/person.js';
import { until } from '../../support/until.js';
import type { Client } from '../clients/client.js';
import type { OpenPlace } from '../clients/place.js';
import type { Placement } from '../clients/placements.js';
import type { ClientsPage, PageSettings } from './clients-page.js';
import type { WalletSettings } from './clients-wallet.js';
import type { ClientsWalletPage } from './clients-wallet-page.js';

const password = 'a password for the libraries';
const seldom = 3_600_000;

/** A place of the matrix that is a page of a real browser: the person is at the real dialog, with mouse and keys. */
export const openInBrowser =
  ({ browser, sites, library, placement }: openInBrowser.Options): OpenPlace =>
  async ({ known, chains, pollingInterval }) => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    context.setDefaultTimeout(30_000);
    const mishaps: unknown[] = [];
    context.on('weberror', (error) => mishaps.push(error.error()));

    let decision: Decision = 'approve';
    const asked: string[] = [];
    await context.exposeBinding('asked', ({ frame }, kind: string) => {
      asked.push(kind);
      decide(frame, decision, password).catch((error: unknown) => mishaps.push(error));
    });

    const page = await context.newPage();
    const site = `${library.replace(/\W+/g, '-')}-${placement}`.toLowerCase();
    const isBridged = placement !== 'page';

    /** The dapp, and the document in which its wallet is. */
    const load = async (looks = seldom) => {
      const wallet: WalletSettings = { known, looks };
      const origin = sites.configure(site, {});
      const dapp: PageSettings = {
        ...{ ...wallet, library, chains, pollingInterval },
        ...(isBridged && { host: origin('wallet') }),
      };
      const allow = [origin('app')];
      const frameMayAsk = placement === 'frame' ? allow : [];
      sites.configure(site, { dapp, wallet: { ...wallet, allow, frameMayAsk } });
      await page.goto(origin('app'));
      await page.waitForFunction(() => 'page' in window);
      const frame = isBridged ? await frameOf(origin('wallet')) : page.mainFrame();
      await frame.waitForFunction(() => 'page' in window);
      return {
        dapp: (await page.evaluateHandle('page')) as JSHandle<ClientsPage>,
        owner: (await frame.evaluateHandle('page')) as JSHandle<ClientsWalletPage>,
      };
    };
    const frameOf = (host: string): Promise<Frame> =>
      until(() => page.frames().find((frame) => frame.url() === `${host}/frame.html`));
    let here = await load();

    const accounts = await here.owner.evaluate(async ({ wallet }, secret) => {
      const { account } = await wallet.create(secret);
      return [account.address, (await wallet.addAccount()).address] as const;
    }, password);
    const acts = await here.dapp.evaluate(({ client }) => Object.keys(client));
    const call = (act: string, args: readonly unknown[]) =>
      here.dapp.evaluate(
        ({ client }, [name, given]) => (client[name as 'seen'] as (...given: unknown[]) => unknown)(...given),
        [act, args] as const,
      );
    const client = Object.fromEntries(
      acts.map((act) => [act, (...args: readonly unknown[]) => call(act, args)]),
    ) as unknown as Client;

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
        await here.dapp.evaluate(({ provider }) =>
          provider.request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] }),
        );
        decision = before;
      },
      revoke: () => here.owner.evaluate(({ wallet }) => wallet.disconnect()),
      look: async (block) =>
        void (await here.dapp.evaluate(
          ({ provider }, number) =>
            provider.request({ method: 'eth_getBlockByNumber', params: [number, false] }),
          block as `0x${string}`,
        )),
      chooseChain: (chainId) => here.owner.evaluate(({ wallet }, id) => wallet.switchChain(id), chainId),
      removeChains: () =>
        here.owner.evaluate(async ({ wallet }) => {
          for (const { chainId } of wallet.state().networks) await wallet.removeNetwork(chainId);
        }),
      async reload(looks) {
        here = await load(looks);
      },
      close: () => context.close(),
    };
  };

export declare namespace openInBrowser {
  interface Options {
    readonly browser: Browser;
    /** With `clients-page.ts` as the dapp and `clients-wallet-page.ts` as the wallet. */
    readonly sites: BridgeSites;
    readonly library: PageSettings['library'];
    readonly placement: Placement;
  }
}

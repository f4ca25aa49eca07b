import type { BrowserContext, Frame, Locator, Page } from 'playwright-core';
import type { Address, Hash } from '../../../../src/rpc/schema.js';
import type { Wallet } from '../../../../src/wallet/wallet.js';
import { createChannel } from '../testing/channel.js';
import { readPermission, type TestPermission } from '../testing/grant.js';
import {
  channelName,
  type DocumentHandle,
  handleName,
  type PageHandle,
  type PageMessage,
} from '../testing/page-protocol.js';
import type { Answers, TestQuestions } from '../testing/scripted.js';
import { answerInDialog } from './answer-in-dialog.js';
import { pageScript } from './page-script.js';
import { addressesOf, readSettings, type WalletOptions } from './settings.js';
import { openWalletSite, type WalletSite } from './wallet-site.js';

/**
 * A wallet in the pages of a test, and the questions that it asks.
 *
 * @example
 * const wallet = await installWallet(page, { chain, dialog: true });
 * await page.goto('http://127.0.0.1:3000');
 * await page.click('text=Pay');
 * await wallet.dialog().getByRole('button', { name: 'Reject' }).click();
 * const panel = await wallet.openPanel('receive');
 * console.log(await panel.textContent(), wallet.accounts);
 */
export interface TestWallet extends TestQuestions {
  /** Addresses of its accounts, in order, in lower case. */
  readonly accounts: readonly Address[];
  /**
   * Calls a function of the wallet, such as `lock` or `switchChain`, in the page that asked last, at first in the first
   * one; with `bridge`, in the wallet's own page, which it opens. Arguments and result travel as JSON.
   * @throws Error with the message of the wallet's own error; or if no page has loaded the wallet yet
   *
   * @example
   * const wallet = await installWallet(page, { chain });
   * await page.goto('http://127.0.0.1:3000');
   * await wallet.call('lock');
   */
  call<Name extends WalletFunction>(
    name: Name,
    ...args: Parameters<Wallet[Name]>
  ): Promise<Awaited<ReturnType<Wallet[Name]>>>;
  /**
   * Gives the site of the page a permission to send without a question, on the active chain, in the page that {@link call} takes:
   * as the site requests it, with its questions approved by the kit, in no dialog. Connects the site first where it isn't. After a
   * reload the next payment under it is one question, to unlock.
   *
   * @returns the context of the permission, for `wallet.call('endPermission', context)`
   * @throws Error naming the member that is wrong, or with the message of the wallet's own error
   *
   * @example
   * const wallet = await installWallet(page, { chain });
   * await page.goto('http://127.0.0.1:3000');
   * await wallet.grant({ amount: 10n ** 16n, payees: ['0x5afe51de5afe51de5afe51de5afe51de5afe51de'] });
   * await wallet.expectNoQuestion(() => page.click('text=Pay'));
   */
  grant(permission: TestPermission): Promise<Hash>;
  /**
   * As in {@link TestQuestions}. An action ends when its promise is resolved, the requests that the pages had made by then are
   * answered, and with `bridge` the wallet's windows are closed.
   */
  expectNoQuestion<Result = void>(during?: number | (() => Result | Promise<Result>)): Promise<Result>;
  /** The open dialog, for locators. @throws Error without `dialog: true`; with `bridge` also while no window asks */
  dialog(): Locator;
  /**
   * Opens the wallet's panel over the page, with `bridge` over the wallet's own page, and returns it for locators. Rejects
   * without `dialog: true`.
   */
  openPanel(view?: Parameters<Wallet['open']>[0]): Promise<Locator>;
}

/** The functions of `Wallet` whose arguments and results are data. */
export type WalletFunction = Exclude<
  { [Name in keyof Wallet]: Wallet[Name] extends (...args: never[]) => unknown ? Name : never }[keyof Wallet],
  'announce' | 'watch' | 'observe' | 'usage' | 'open'
>;

/**
 * Puts a wallet into a page, or into all pages of a context, that are loaded from here on: before their own scripts, as
 * `window.ethereum` and by EIP-6963. Its questions go to the test, or to the rules in `answers`.
 *
 * The page must have been served by HTTPS or from this machine, since the wallet needs WebCrypto. Frames get no wallet.
 *
 * With `bridge` the kit serves the wallet's site in the whole context instead, for a dapp that uses `connectBridge`, and
 * answers in the site's windows.
 *
 * @example
 * const wallet = await installWallet(page, { chain: { chainId: 33, url: service.url } });
 * await page.goto('http://127.0.0.1:3000');
 * await page.click('text=Connect');
 * await wallet.approve({ kind: 'connect' });
 *
 * @throws Error for an option that is wrong
 */
export async function installWallet(
  target: Page | BrowserContext,
  options: installWallet.Options,
): Promise<TestWallet> {
  const { dialog: isShown, password, bridge, networks } = readSettings(options);
  const accounts = await addressesOf(options);
  // The wallet's window is a page of the context.
  const scope = bridge !== undefined && 'mainFrame' in target ? target.context() : target;
  const site =
    bridge === undefined ? null : await openWalletSite(scope as BrowserContext, { origin: bridge, networks });
  let latest: Page | undefined;
  const { questions, receive, leave } = createChannel<Frame>({
    answers: options.answers,
    timeout: options.timeout,
    perform: isShown
      ? (question, answer, frame) => answerInDialog(frame, question, answer, password)
      : undefined,
  });
  const watch = (page: Page) => {
    const leavePage = () => leave((frame) => frame.page() === page);
    page.on('close', () => {
      leavePage();
      if (latest === page) latest = undefined;
    });
    page.on('framenavigated', (frame) => frame === page.mainFrame() && leavePage());
  };
  const pages = () => ('mainFrame' in scope ? [scope] : scope.pages());
  for (const page of pages()) watch(page);
  if (!('mainFrame' in scope)) scope.on('page', watch);
  await scope.exposeBinding(channelName, ({ frame }, message: PageMessage) => {
    if (message.type === 'continue') return site?.proceed(frame);
    if (message.type === 'ask') latest = frame.page();
    return receive(message, frame);
  });
  await scope.addInitScript(await pageScript(options));

  const page = (): Page => {
    const found = latest ?? pages()[0];
    if (!found) throw new Error('No page is open');
    return found;
  };
  /** The wallet's own page, with the session of the dapp that asked last, at first of the first one. */
  const home = (site: WalletSite): Promise<Page> => {
    const origins = pages().map((each) => /^https?:\/\/[^/?#]+/.exec(each.url())?.[0]);
    const dapp = questions.asked.at(-1)?.origin ?? origins.find((each) => each && each !== bridge);
    if (!dapp) throw notLoaded();
    return site.home(dapp);
  };
  /** The page, when it has the wallet and the wallet this function. */
  const pageWith = async (member: string): Promise<Page> => {
    const found = site ? await home(site) : page();
    const members = await found.evaluate((global) => {
      const { wallet } = (Reflect.get(window, global) ?? {}) as Partial<PageHandle>;
      return (
        wallet && Object.entries(wallet).flatMap(([name, of]) => (typeof of === 'function' ? [name] : []))
      );
    }, handleName);
    if (!members) throw notLoaded();
    if (!members.includes(member))
      throw new Error(`The wallet has no function ${member}; it has ${members.join(', ')}`);
    return found;
  };
  const requireDialog = (name: string) => {
    if (!isShown) throw new Error(`wallet.${name}() needs the option dialog: true`);
  };
  return {
    ...questions,
    accounts,
    call: async (name, ...args) => (await callIn(await pageWith(name), name, args, true)) as never,
    async grant(permission) {
      const request = readPermission(permission);
      const found = await pageWith('endPermission');
      return found.evaluate(([global, given]) => (Reflect.get(window, global) as PageHandle).grant(given), [
        handleName,
        request,
      ] as const);
    },
    async expectNoQuestion<Result>(during?: number | (() => Result | Promise<Result>)) {
      if (typeof during === 'function')
        return questions.expectNoQuestion(async () => {
          const result = await during();
          await settled(pages());
          await site?.closed();
          return result;
        });
      await questions.expectNoQuestion(during);
      while (site?.isBusy()) await questions.expectNoQuestion(50);
      return undefined as Result;
    },
    dialog() {
      requireDialog('dialog');
      if (site && !latest)
        throw new Error('No window of the wallet asks: wallet.dialog() is there after wallet.nextQuestion()');
      return page().locator('[data-graft] dialog[open]');
    },
    async openPanel(view) {
      requireDialog('openPanel');
      const found = await pageWith('open');
      // It resolves only when the panel is closed.
      await callIn(found, 'open', [view], false);
      return found.locator('[data-graft=panel] .panel');
    },
  };
}

/** Calls a function of the wallet in its page, and waits for its result or only for the call. */
const callIn = (page: Page, name: keyof Wallet, args: readonly unknown[], isAwaited: boolean) =>
  page.evaluate(
    async ([global, member, params, awaits]) => {
      const { wallet, ready } = Reflect.get(window, global) as PageHandle;
      await ready;
      const result = (wallet[member] as (...args: readonly unknown[]) => unknown)(...params);
      return awaits ? result : undefined;
    },
    [handleName, name, args, isAwaited] as const,
  );

/** Resolves when the requests that these pages have made are answered. */
const settled = (pages: readonly Page[]): Promise<unknown> =>
  Promise.all(
    pages
      .flatMap((page) => page.frames())
      .map((frame) =>
        frame
          .evaluate(
            (global) => (Reflect.get(window, global) as DocumentHandle | undefined)?.settled(),
            handleName,
          )
          // The frame is gone, and its requests with it.
          .catch(() => {}),
      ),
  );

const notLoaded = () => new Error('No page has loaded the wallet yet: it is there after page.goto()');

export declare namespace installWallet {
  /** The options of {@link installWallet}. */
  interface Options extends WalletOptions {
    /** Answers questions without the test. Default: every question waits for the test. */
    readonly answers?: Answers | undefined;
    /** Milliseconds that the test waits for a question. Default 10,000. */
    readonly timeout?: number | undefined;
  }
}

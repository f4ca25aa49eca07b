import { recoverMessageAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowanceFor } from '../../support/allowance.js';
import { type BridgeSite, startBridgeSite } from '../../support/bridge-site.js';
import type { BrowserName, Tab, TestBrowser } from '../../support/browsers/browser.js';
import { launchBrowser } from '../../support/browsers/launch.js';
import { personAt } from '../../support/browsers/person.js';
import { clientOf } from '../../support/local-client.js';
import { until } from '../../support/until.js';
import type { BridgeAppPage } from '../browser/bridge-app-page.js';
import type { BridgeWalletPage, FrameAnswers } from '../browser/bridge-wallet-page.js';

const mnemonic = 'test test test test test test test test test test test junk';
const password = 'Tr0ub4dor and a horse';
const friend = `0x${'aa'.repeat(20)}`;

/** Windows in which four approvals each are asked for, one after another: 5 of them are 20 approvals. */
const approvalRounds = Number(process.env.APPROVAL_ROUNDS ?? 1);
/** Milliseconds over which these approvals are spread: twice as long as an unlock lasts without one. */
const approvalTime = 600_000;
/** Milliseconds after which an unlock ends without an approval. */
const lockTime = 300_000;

/** Moves of a game under one permission. `MOVES=200` is the full size. */
const moves = Number(process.env.MOVES ?? 20);

/** A wallet on an origin of its own. */
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
    async function begin(tab: Tab, method: string, params: unknown = [], inClick = true): Promise<void> {
      await tab.evaluate(
        (name, given, inClick) => {
          const button = document.createElement('button');
          const answers = window as { answer?: unknown };
          delete answers.answer;
          button.textContent = 'Ask';
          button.onclick = () => {
            button.remove();
            (window as never as { page: BridgeAppPage }).page.bridge.provider
              .request({ method: name as 'eth_chainId', params: given as never })
              .then(
                (result: unknown) => ({ result: result ?? true }),
                ({ code, data }) => ({ code, data }),
              )
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
        ...{ interval: 50, timeout: 30_000, failure: 'The request is not answered.' },
      });

    /** The window that the wallet has opened, once its person looks at it. */
    async function windowBeside(...known: readonly Tab[]): Promise<Tab> {
      const window = await openedBeside(known);
      await window.activate();
      return window;
    }

    const openedBeside = (known: readonly Tab[]) =>
      until(
        async () => {
          for (const tab of await browser.tabs()) {
            if (known.some(({ id }) => id === tab.id)) continue;
            if (await tab.evaluate(() => location.pathname.length > 1 && 'page' in window).catch(() => false))
              return tab;
          }
          return null;
        },
        { interval: 100, timeout: 30_000, failure: 'No window of the wallet opens.' },
      );

    /** Whether the frame in pages of this origin shares the storage of the wallet's windows. */
    const shares = (origin: string) => origin === site.app && name !== 'WebKit';

    /** Clicks "Continue in the wallet" in the frame, which lies over the whole page. */
    async function continueInFrame(app: Tab): Promise<void> {
      if (name !== 'WebKit') {
        const frame = await until(() => app.frame('frame.html'), { interval: 50 });
        return personAt(frame).click('Continue in the wallet');
      }
      // The driver of WebKit does not reach into a frame in a shadow root.
      let last = '';
      const at = await until(
        async () => {
          const now = (await app.evaluate(askFrame, 'button')) as { x: number; y: number } | null;
          const isStill = now !== null && JSON.stringify(now) === last;
          last = JSON.stringify(now);
          return isStill ? now : null;
        },
        { interval: 50, timeout: 30_000, failure: 'The frame shows no button.' },
      );
      await app.clickAt(at.x, at.y);
    }

    /** The window for a request that was begun in a click: a frame with a storage of its own opens it by a button. */
    async function windowFor(app: Tab, origin: string): Promise<Tab> {
      if (!shares(origin)) await continueInFrame(app);
      return windowBeside(app);
    }

    /**
     * The window that shows a question of this kind: the one that is open, or another, where that has closed before the
     * request was made. A frame with a storage of its own opens that by a button.
     */
    async function windowAsking(app: Tab, origin: string, kind: string): Promise<Tab> {
      const asks = async (tab: Tab) => (await tab.evaluate(drawnQuestion).catch(() => null)) === kind;
      const window = await until(
        async () => {
          for (const tab of await browser.tabs()) if (tab.id !== app.id && (await asks(tab))) return tab;
          const needsClick = !shares(origin) && (await app.evaluate(askFrame, 'button')) !== null;
          if (needsClick) await continueInFrame(app);
          return null;
        },
        { interval: 50, timeout: 30_000, failure: `No window asks a question of kind ${kind}.` },
      );
      await window.activate();
      return window;
    }

    const isOpen = async ({ id }: Tab) => (await browser.tabs()).some((tab) => tab.id === id);

    test('asks in windows of its own, with one password for all approvals', async () => {
      const app = await visit(site.app);
      expect(await ask(app, 'eth_accounts')).toEqual({ result: [] });
      expect(await ask(app, 'eth_getBalance', account, 'latest')).toEqual({ result: '0xde0b6b3a7640000' });

      await begin(app, 'eth_requestAccounts');
      const first = await windowFor(app, site.app);
      expect(await (await personAt(first).question('connect')).answer('Connect')).toContain(
        new URL(site.app).host,
      );
      expect(await answerOf(app)).toEqual({ result: [account] });
      await until(async () => !(await isOpen(first)), { interval: 50 });

      const pass = async (milliseconds: number, window?: Tab) => {
        site.advance(milliseconds);
        await app.evaluate(askFrame, 'advance', milliseconds);
        // It closes by itself while a receipt is waited for.
        await window
          ?.evaluate(
            (time) => (globalThis as never as { page: BridgeWalletPage }).page.advance(time),
            milliseconds,
          )
          .catch(async (error) => {
            if (await isOpen(window)) throw error;
          });
      };
      let passwords = 0;
      for (let round = 0; round < approvalRounds; round++) {
        let window: Tab | undefined;
        for (const method of ['personal_sign', 'personal_sign', 'personal_sign', 'eth_sendTransaction']) {
          const isSend = method === 'eth_sendTransaction';
          const params = isSend ? [{ from: account, to: friend, value: '0x1' }] : ['0x68656c6c6f', account];
          await begin(app, method, params);
          const kind = isSend ? 'transaction' : 'message';
          window = await windowAsking(app, site.app, kind);
          const question = await personAt(window).question(kind);
          if ((await question.read()).includes('Wallet password')) {
            passwords++;
            await question.fill('Wallet password', password);
          }
          await question.answer(isSend ? 'Send' : 'Sign');
          const { result } = (await answerOf(app)) as { result: `0x${string}` };
          if (isSend)
            await until(async () => (await ask(app, 'eth_getTransactionReceipt', result)).result !== null);
          else
            expect((await recoverMessageAddress({ message: 'hello', signature: result })).toLowerCase()).toBe(
              account,
            );
          await pass(approvalTime / (approvalRounds * 4), window);
        }
        const last = window as Tab;
        await until(async () => !(await isOpen(last)), { interval: 50 });
      }
      expect(passwords).toBe(1);

      await pass(lockTime);
      await begin(app, 'personal_sign', ['0x68656c6c6f', account]);
      const late = await windowAsking(app, site.app, 'message');
      expect(await (await personAt(late).question('message')).answer('Reject')).toContain('Wallet password');
      expect(await answerOf(app)).toMatchObject({ code: 4001 });
      await app.close();
      // Else the next test takes it for its own.
      await until(async () => !(await isOpen(late)), { interval: 50 });
    }, 180_000);

    // WebKit gives each frame a storage of its own, from which nothing is signed.
    if (name !== 'WebKit')
      test(
        'signs the moves of a game in the frame, after one question for all of them',
        async () => {
          const { call } = clientOf(site.service);
          // The wallet's clock is ahead since the first test. A permission begins when the chain's has reached that too.
          await call('evm_increaseTime', `0x${((approvalTime + lockTime) / 1_000).toString(16)}`);
          await site.service.controls.mine();
          const app = await visit(site.app);
          expect(await ask(app, 'eth_accounts')).toEqual({ result: [account] });
          const tabs = (await browser.tabs()).length;
          await app.evaluate(countWindows);
          const limit = 10n ** 16n;
          await begin(app, 'wallet_requestExecutionPermissions', [allowanceFor(account, friend, limit)]);
          const window = await windowAsking(app, site.app, 'permission');
          const question = await personAt(window).question('permission');
          if ((await question.read()).includes('Wallet password'))
            await question.fill('Wallet password', password);
          await question.answer('Allow');
          const { result } = (await answerOf(app)) as { result: [{ context: string }] };
          await until(async () => !(await isOpen(window)), { interval: 50 });

          const state = async () => ({
            count: Number(await call('eth_getTransactionCount', account, 'latest')),
            balance: BigInt(await call('eth_getBalance', account, 'latest')),
          });
          const before = await state();
          for (let move = 1; move <= moves; move++)
            expect([move, await app.evaluate(playMove, { from: account, to: friend, value: '0x1' })]).toEqual(
              [move, '0x1'],
            );
          expect(await app.evaluate(() => (window as unknown as CountingWindow).opened)).toBe(1);
          expect((await browser.tabs()).length).toBe(tabs);
          const after = await state();
          expect(after.count - before.count).toBe(moves);

          const home = await visit(site.wallet);
          const left = await home.evaluate(async () => {
            const wallet = (window as never as { page: BridgeWalletPage }).page.make({});
            return (await wallet.permissions()).map((permission) => permission.left);
          });
          expect(left.map(BigInt)).toEqual([limit - (before.balance - after.balance)]);
          await home.close();
          const [{ context: permissionContext }] = result;
          expect(await ask(app, 'wallet_revokeExecutionPermission', { permissionContext })).toEqual({
            result: {},
          });
          await app.close();
        },
        60_000 + moves * 2_000,
      );

    test('draws no question in the frame, whatever a page asks for', async () => {
      const app = await visit(site.app);
      expect(await ask(app, 'eth_accounts')).toEqual({ result: [account] });
      await app.evaluate((requests) => {
        const button = document.createElement('button');
        button.textContent = 'Ask for all';
        button.onclick = () => {
          const { provider } = (window as never as { page: BridgeAppPage }).page.bridge;
          const outcomes = requests.map(([method, params]) =>
            provider.request({ method: method as 'eth_chainId', params: params as never }).then(
              () => 'result',
              ({ code }) => code,
            ),
          );
          Promise.all(outcomes).then((answer) => Object.assign(window, { answer }));
          button.remove();
        };
        document.body.append(button);
      }, questions(account));
      await personAt(app).click('Ask for all');
      const window = await windowFor(app, site.app);
      const kinds: string[] = [];
      while (kinds.length < questions(account).length) {
        const kind = await until(() => window.evaluate(nextQuestion), { interval: 50 });
        const drawn = [await app.evaluate(askFrame, 'drawn'), await app.evaluate(drawnQuestion)];
        expect([kind, ...drawn]).toEqual([kind, null, null]);
        kinds.push(kind);
        // After the third refusal in a minute the others would not be drawn.
        await until(() => app.evaluate(askFrame, 'forget'));
        await (await personAt(window).question(kind)).click('Reject');
      }
      expect(new Set(kinds).size).toBe(7);
      // A refusal to watch a token is not reported (EIP-747).
      expect(((await answerOf(app)) as unknown as unknown[]).sort()).toEqual([
        ...Array(8).fill(4001),
        'result',
      ]);
      await until(() => app.evaluate(askFrame, 'forget'));
      await app.close();
    });

    test('serves no page that another page holds in a frame', async () => {
      const outer = await visit(site.other);
      await outer.evaluate((url) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
      }, `${site.app}/#nested`);
      const inner = await until(() => outer.frame('#nested'), { interval: 50 });
      await until(() => inner.evaluate(() => 'page' in globalThis), { interval: 50 });
      const answer = inner.evaluate(
        () => (window as never as { page: BridgeAppPage }).page.ask('eth_requestAccounts') as Promise<Answer>,
      );
      expect(await answer).toMatchObject({ code: expect.toBeOneOf([4100, -32002]) });
      await outer.close();
    });

    test('a frame without the storage of its windows has no wallet, and never offers to make one', async () => {
      for (const [url, shares] of [
        [site.app, name !== 'WebKit'],
        [site.other, false],
      ] as const) {
        const app = await visit(url);
        await ask(app, 'eth_chainId');
        expect([url, await until(() => app.evaluate(askFrame, 'vaultState'))]).toEqual([
          url,
          shares ? 'locked' : 'unavailable',
        ]);
        await app.close();
      }
    });

    test('without a click a button opens the window, and closing that is a refusal', async () => {
      const app = await visit(site.app);
      expect(await ask(app, 'eth_accounts')).toEqual({ result: [account] });
      const isInPage = shares(site.app);
      await begin(app, 'personal_sign', ['0x68656c6c6f', account], false);
      await (isInPage ? personAt(app).click('Continue in the wallet') : continueInFrame(app));
      const window = await windowBeside(app);
      await personAt(window).question('message');
      await window.close();
      expect(await answerOf(app)).toMatchObject({ code: 4001 });

      await begin(app, 'personal_sign', ['0x68656c6c6f', account], false);
      if (isInPage) await personAt(app).click('Cancel');
      else {
        await until(() => app.evaluate(askFrame, 'button'));
        await app.type('Escape');
      }
      expect(await answerOf(app)).toMatchObject({ code: -32002, data: { reason: 'popup-blocked' } });
      await app.close();
    });

    test('serves a dapp of another site, which knows its account after a reload', async () => {
      const app = await visit(site.other);
      expect(await ask(app, 'eth_accounts')).toEqual({ result: [] });
      await begin(app, 'eth_requestAccounts');
      const window = await windowFor(app, site.other);
      expect(await (await personAt(window).question('connect')).answer('Connect')).toContain(
        new URL(site.other).host,
      );
      expect(await answerOf(app)).toEqual({ result: [account] });
      await app.reload();
      await until(() => app.evaluate(() => 'page' in window), { interval: 50 });
      expect(await ask(app, 'eth_accounts')).toEqual({ result: [account] });
      await app.close();
    });

    // WebKit's frames have no wallet on any site: a game is played from the purse there.
    const purseMoves = name === 'WebKit' ? moves : 5;
    test(
      'a dapp of another site spends from a purse after one question, without a window',
      async () => {
        const { call } = clientOf(site.service);
        const app = await visit(site.other);
        expect(await ask(app, 'eth_accounts')).toEqual({ result: [account] });
        const permission = allowanceFor(account, friend, 10n ** 16n);
        await begin(app, 'wallet_requestExecutionPermissions', [permission]);
        const window = await windowFor(app, site.other);
        const unlocking = await personAt(window).question('unlock');
        await unlocking.fill('Wallet password', password);
        await unlocking.answer('Unlock');
        expect(await (await personAt(window).question('permission')).answer('Move and allow')).toContain(
          'It can’t spend more than the purse has.',
        );
        const { result } = (await answerOf(app)) as unknown as { result: readonly { from: `0x${string}` }[] };
        const purse = result[0]?.from as `0x${string}`;
        await until(async () => !(await isOpen(window)), { interval: 50 });
        expect(await ask(app, 'eth_accounts')).toEqual({ result: [account, purse] });

        const tabs = (await browser.tabs()).length;
        const before = Number(await call('eth_getTransactionCount', purse, 'latest'));
        for (let move = 1; move <= purseMoves; move++) {
          // The frame's key outlasts the page.
          if (move === 4) {
            await app.reload();
            await until(() => app.evaluate(() => 'page' in window), { interval: 50 });
          }
          expect([move, await app.evaluate(playMove, { from: purse, to: friend, value: '0x1' })]).toEqual([
            move,
            '0x1',
          ]);
        }
        expect(Number(await call('eth_getTransactionCount', purse, 'latest')) - before).toBe(purseMoves);
        expect(await ask(app, 'personal_sign', '0x00', purse)).toMatchObject({ code: 4200 });
        expect((await browser.tabs()).length).toBe(tabs);
        await app.close();
      },
      60_000 + purseMoves * 3_000,
    );

    test('names the header of a page of another site that cuts the wallet’s windows off', async () => {
      const app = await visit(`${site.other}/coop`);
      const before = (await browser.tabs()).length;
      await ask(app, 'eth_chainId');
      await begin(app, 'wallet_requestPermissions', [{ eth_accounts: {} }]);
      await continueInFrame(app);
      expect(await answerOf(app)).toEqual({
        code: -32002,
        data: { reason: 'no-window', header: 'Cross-Origin-Opener-Policy' },
      });
      // The window, which can do nothing, does not stay.
      await until(async () => (await browser.tabs()).length === before, { interval: 100 });
      await app.close();
    });

    test('draws one question of two dapps that ask at once, and the person chooses which', async () => {
      const asked: { app: Tab; window: Tab }[] = [];
      for (const origin of [site.app, site.other]) {
        const app = await visit(origin);
        // The other one may have a purse as well.
        expect(await ask(app, 'eth_accounts')).toMatchObject({ result: expect.arrayContaining([account]) });
        await app.activate();
        await begin(app, 'personal_sign', ['0x68656c6c6f', account]);
        if (!shares(origin)) await continueInFrame(app);
        asked.push({ app, window: await windowBeside(app, ...asked.flatMap(Object.values<Tab>)) });
      }
      const [first, second] = asked as [(typeof asked)[0], (typeof asked)[0]];
      const drawn = () => Promise.all(asked.map(({ window }) => window.evaluate(drawnQuestion)));
      await until(async () => `${await drawn()}` === 'message,waiting', { interval: 50 });

      await second.window.activate();
      await personAt(second.window).click('Answer this one first');
      const seen: string[] = [];
      await until(
        async () => {
          seen.push(`${await drawn()}`);
          return seen.at(-1) === 'waiting,message';
        },
        { interval: 50 },
      );
      expect(seen).not.toContain('message,message');
      const text = await (await personAt(second.window).question('message')).answer('Reject');
      expect(text).toContain(new URL(site.other).host);
      expect(await answerOf(second.app)).toMatchObject({ code: 4001 });

      await first.window.activate();
      const left = await personAt(first.window).question('message');
      expect(await left.answer('Reject')).toContain(new URL(site.app).host);
      expect(await answerOf(first.app)).toMatchObject({ code: 4001 });
      for (const { app } of asked) {
        await until(() => app.evaluate(askFrame, 'forget'));
        await app.close();
      }
    });
  });
}

/** One request for each kind of question. */
const questions = (account: string): readonly (readonly [method: string, params: unknown])[] => [
  ['wallet_requestPermissions', [{ eth_accounts: {} }]],
  ['eth_sendTransaction', [{ from: account, to: friend, value: '0x1' }]],
  ['eth_signTransaction', [{ from: account, to: friend, value: '0x1' }]],
  ['personal_sign', ['0x68656c6c6f', account]],
  ['eth_sign', [account, '0x68656c6c6f']],
  ['eth_signTypedData_v4', [account, typedData]],
  ['wallet_switchEthereumChain', [{ chainId: '0x21' }]],
  [
    'wallet_watchAsset',
    { type: 'ERC20', options: { address: friend, symbol: 'TOK', decimals: 18 } } as never,
  ],
  [
    'wallet_sendCalls',
    [
      {
        ...{ version: '2.0.0', chainId: '0x1f', from: account, atomicRequired: false },
        calls: [
          { to: friend, value: '0x1' },
          { to: friend, value: '0x2' },
        ],
      },
    ],
  ],
];

const typedData = JSON.stringify({
  types: { EIP712Domain: [{ name: 'chainId', type: 'uint256' }], Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
  domain: { chainId: 31 },
  message: { text: 'hello' },
});

/** Runs in a page. Returns the kind of the question that it draws, or `null`. */
const drawnQuestion = (): string | null =>
  document.querySelector('[data-graft]:not([data-graft=bridge])')?.getAttribute('data-graft') ?? null;

/** Runs in the dapp's page, whose shadow roots are open here: what the wallet's frame answers; `null` if it is silent. */
function askFrame(asked: keyof FrameAnswers, given?: unknown): Promise<unknown> {
  const root = document.querySelector('[data-graft=bridge]')?.shadowRoot;
  return new Promise((resolve) => {
    const onMessage = ({ data }: MessageEvent) => {
      if (data?.answered !== asked) return;
      window.removeEventListener('message', onMessage);
      resolve(data.value);
    };
    window.addEventListener('message', onMessage);
    setTimeout(resolve, 1_000, null);
    root?.querySelector('iframe')?.contentWindow?.postMessage({ asked, given }, '*');
  });
}

type CountingWindow = Window & { opened: number };

/** Runs in the dapp's page: counts the windows that it opens from now on. */
function countWindows(): void {
  const page = window as unknown as CountingWindow;
  const { open } = page;
  page.opened = 0;
  page.open = (...args) => {
    page.opened++;
    return open.apply(page, args);
  };
}

/** Runs in the dapp's page: sends a transaction. Resolves with its outcome, once it is mined. */
async function playMove(transaction: object): Promise<unknown> {
  const { ask } = (window as never as { page: BridgeAppPage }).page;
  const sent = (await ask('eth_sendTransaction', transaction)) as { result?: unknown };
  if (sent.result === undefined) return sent;
  for (;;) {
    const { result } = (await ask('eth_getTransactionReceipt', sent.result)) as {
      result: { status: unknown } | null;
    };
    if (result) return result.status;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Runs in a window. Returns the kind of the next question, or `null`. */
function nextQuestion(): string | null {
  const host = document.querySelector('[data-graft]:not([data-seen])');
  host?.setAttribute('data-seen', '');
  return host?.getAttribute('data-graft') ?? null;
}

interface Answer {
  readonly result?: unknown;
  readonly code?: number;
}

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import type { Approver } from '../../../../src/approvals/question.js';
import { createMemoryStorage, createVolatileMemory } from '../../../../src/index.js';
import { values } from '../../../support/keys.js';
import { later, openPage, type Page, withKeys } from '../../../support/page.js';
import { until } from '../../../support/until.js';

/** Several questions at once, and dialogs that die. */

const never = new Promise<never>(() => {});
const pages: Page[] = [];
const open = (options: Partial<openPage.Options> = {}): Page => {
  const url = 'http://127.0.0.1:1/key';
  const networks = [
    { chainId: 31, url },
    { chainId: 30, url },
    { chainId: 33, url },
  ];
  const page = openPage({ networks, ...options });
  pages.push(page);
  return page;
};
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});

const switchTo = (page: Page, chainId: string) => page.request('wallet_switchEthereumChain', [{ chainId }]);
const sign = (page: Page) => page.request('personal_sign', ['0x68', values.$A0]);

describe('the queue', () => {
  test('different questions are shown one after the other, in the order of the requests', async () => {
    const page = open();
    const first = later();
    page.decide(() => first.given);
    const asked = [switchTo(page, '0x1e'), switchTo(page, '0x21'), switchTo(page, '0x1e')];
    await until(() => page.questions.length > 0);
    page.decide(() => true);
    first.answer(true);
    await Promise.all(asked);
    expect(page.questions.map((each) => 'target' in each && each.target.chainId)).toEqual([30, 33]);
    expect(page.payloads('chainChanged')).toEqual(['0x1e', '0x21']);
  });

  test('the 21st question of a page is refused with -32005; requests that share a question count once', async () => {
    const page = open();
    page.decide(() => never);
    const joined = Array.from({ length: 50 }, () => switchTo(page, '0x1e'));
    for (const each of joined) each.catch(() => {});
    for (let i = 0; i < 19; i++) sign(page).catch(() => {});
    await until(() => page.questions.length === 1);
    expect(await page.refusal('personal_sign', ['0x68', values.$A0])).toMatchObject({
      code: -32005,
      message: expect.stringContaining('pending approvals'),
    });
    expect(await page.refusal('wallet_switchEthereumChain', [{ chainId: '0x21' }])).toMatchObject({
      code: -32005,
    });
  });

  test('a request that is aborted leaves the shared dialog to the others', async () => {
    const page = open({ session: 'accounts' });
    const { given, answer } = later();
    page.decide(() => given);
    const gone = new AbortController();
    const leaves = page.provider.request({ method: 'eth_requestAccounts' }, { signal: gone.signal });
    const stays = page.request('wallet_requestPermissions', [{ eth_accounts: {} }]);
    await until(() => page.questions.length > 0);
    gone.abort();
    await expect(leaves).rejects.toMatchObject({ code: 4001 });
    answer(true);
    expect(await stays).toMatchObject([{ parentCapability: 'eth_accounts' }]);
    expect(page.questions).toHaveLength(1);
  });

  test('a permission that a listener revokes during accountsChanged stays revoked', async () => {
    const page = open({ session: 'accounts' });
    page.provider.on('accountsChanged', ([first]: readonly string[]) => {
      if (first !== undefined) page.wallet.disconnect();
    });
    const both = [1, 2].map(() => page.refusal('eth_requestAccounts'));
    for (const each of both) expect(await each).toMatchObject({ code: 4100 });
    expect(await page.request('eth_accounts')).toEqual([]);
    expect(page.payloads('accountsChanged')).toEqual([[values.$A0], []]);
  });

  test('a switch back by a listener is not undone by requests that shared the question', async () => {
    const page = open();
    page.provider.once('chainChanged', () => page.wallet.switchChain(31));
    expect(await Promise.all([switchTo(page, '0x1e'), switchTo(page, '0x1e')])).toEqual([null, null]);
    expect(page.payloads('chainChanged')).toEqual(['0x1e', '0x1f']);
    expect(await page.request('eth_chainId')).toBe('0x1f');
  });
});

describe('a listener that throws', () => {
  test('does not stop the others, the switch resolves, and the page’s error handler gets the error', async () => {
    const page = open();
    const raised: unknown[] = [];
    const real = queueMicrotask;
    vi.stubGlobal('queueMicrotask', (task: () => void) =>
      real(() => {
        try {
          task();
        } catch (error) {
          raised.push(error);
        }
      }),
    );
    const mine = new Error('mine');
    const heard: string[] = [];
    page.provider.on('chainChanged', () => {
      throw mine;
    });
    page.provider.on('chainChanged', (id: string) => heard.push(id));
    expect(await switchTo(page, '0x1e')).toBeNull();
    vi.unstubAllGlobals();
    expect(heard).toEqual(['0x1e']);
    expect(raised).toEqual([mine]);
  });
});

describe('a dialog that dies', () => {
  let service: LocalService;
  beforeEach(async () => {
    service = await createLocalService({ chainId: 31 });
    await service.controls.faucet(values.$A0, 10n ** 18n);
  });
  afterEach(() => service.close());
  const pay = (page: Page) =>
    page.request('eth_sendTransaction', [{ from: values.$A0, to: values.$X, value: '0x1' }]);

  test('leaves no pending question and no lock to the page that opens again', async () => {
    const kept = { storage: createMemoryStorage(), memory: createVolatileMemory() };
    const networks = [{ chainId: 31, url: service.url }];
    const first = await withKeys(open({ ...kept, networks, session: 'none' }));
    first.decide(() => never);
    const lost = pay(first).catch((error: { code: number }) => error.code);
    await until(() => first.questions.at(-1)?.kind === 'transaction');
    // Another page of the same wallet is held up by nothing, although the dialog still stands there.
    const beside = open({ ...kept, networks });
    const hash = await pay(beside);
    expect(hash).toMatch(/^0x/);
    first.close();
    expect(await lost).toBe(4001);
    const again = open({ ...kept, networks });
    expect(again.questions).toEqual([]);
    expect(await pay(again)).not.toBe(hash);
    expect(again.questions).toHaveLength(1);
    expect((await again.wallet.transactions()).map(({ nonce }) => nonce)).toEqual(['0x0', '0x1']);
  });

  test('is no refusal when its approver fails, and the next question is shown', async () => {
    const frames: ((error: Error) => void)[] = [];
    const approver: Approver = {
      ask: () => new Promise((_resolve, reject) => frames.push(reject)),
    };
    const page = open({ approver: () => approver });
    const codes: unknown[] = [];
    for (const chainId of ['0x1e', '0x21'])
      switchTo(page, chainId).catch((error: { code: number }) => codes.push(error.code));
    await until(() => frames.length === 1);
    frames[0]?.(new Error('The frame was removed.'));
    await until(() => frames.length === 2);
    expect(codes).toEqual([-32002]);
    page.close();
    await until(() => codes.length === 2);
    expect(codes).toEqual([-32002, 4001]);
  });
});

import { recoverMessageAddress, recoverTypedDataAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { order } from '../../../demo/dapp/signing.js';
import type { BrowserName, Tab, TestBrowser } from '../../support/browsers/browser.js';
import { launchBrowser } from '../../support/browsers/launch.js';
import { type Person, personAt } from '../../support/browsers/person.js';
import { type Demo, startDemo } from '../../support/demo.js';
import { openShadowsFirst } from '../../support/open-shadows.js';
import { until } from '../../support/until.js';

const password = 'a password nobody else has';

/** What a person does with the demo, in one browser: real input, storage, locks and worker, and a service with a real EVM. */
export function describeStory(name: BrowserName): void {
  describe(`the story in ${name}`, () => {
    let demo: Demo;
    let browser: TestBrowser;
    let tab: Tab;
    let person: Person;
    let account: string;

    beforeAll(async () => {
      [demo, browser] = await Promise.all([
        startDemo({ plugins: [openShadowsFirst()] }),
        launchBrowser(name),
      ]);
      tab = await browser.open(demo.url);
      person = personAt(tab);
    });

    afterAll(async () => {
      await browser?.close();
      await demo?.stop();
    });

    const answer = async (kind: string, button: string) => (await person.question(kind)).answer(button);

    /** What the hex in the result line of a card is, once its action ended well. */
    const outcome = (id: string) =>
      until(
        () =>
          tab.evaluate((id) => {
            const line = document.getElementById(id);
            return line?.dataset.state === 'good' ? (line.querySelector('code')?.title ?? '') : null;
          }, id),
        { interval: 50, failure: `${id} does not end well` },
      ) as Promise<`0x${string}`>;

    const latestBlock = (from: Tab) =>
      from.evaluate(() => Number(document.querySelector('#blocks b')?.textContent?.replace(/\D/g, '') ?? 0));

    test('a wallet is created, and its words are repeated', async () => {
      await person.click('Create a wallet');
      await person.fill('New password', password);
      await person.fill('Repeat the password', password);
      await person.click('Create the wallet');
      await person.see('Write down these words');
      const words = await tab.evaluate(() =>
        Array.from(
          document.querySelector('[data-graft=panel]')?.shadowRoot?.querySelectorAll('ol.phrase li') ?? [],
          (item) => item.textContent ?? '',
        ),
      );
      expect(words).toHaveLength(12);
      // A click that comes as the window moves or takes the focus is not accepted: a person clicks once more.
      const isNext = async () => (await person.read()).includes('Type the words with these numbers.');
      const attempt = async () => {
        if (await isNext()) return true;
        await person.click('I wrote them down').catch(() => {});
        return isNext();
      };
      await until(attempt, { interval: 1_000, timeout: 30_000 });
      const asked = (await person.read()).match(/^Word \d+$/gm) ?? [];
      expect(asked).toHaveLength(3);
      for (const label of asked) await person.fill(label, words[Number(label.slice(5)) - 1] as string);
      await person.click('Check');
      await person.see('Account 1');
    });

    test('coins arrive, and the dapp finds the wallet and connects', async () => {
      await person.click('Get test coins');
      await person.see(/^10 tRBTC$/m);
      await person.click(/^Connect Graft/);
      expect(await answer('connect', 'Connect')).toContain('Account 1');
      account = await until(() => tab.evaluate(() => document.getElementById('dapp-account')?.title));
      expect(account).toMatch(/^0x[\da-f]{40}$/);
    });

    test('a payment is signed in the page and mined by the service', async () => {
      await person.click('Send payment');
      expect(await answer('transaction', 'Send')).toContain('0.25 tRBTC');
      expect(await outcome('pay-result')).toMatch(/^0x[\da-f]{64}$/);
      await person.click('Activity');
      await person.see('Sent 0.25 tRBTC');
      await person.click('Home');
    });

    test('a message and an order are signed by the account', async () => {
      await person.click('Sign message');
      await answer('message', 'Sign');
      const message = await tab.evaluate(
        () => (document.getElementById('message') as HTMLTextAreaElement).value,
      );
      const signature = await outcome('message-result');
      expect((await recoverMessageAddress({ message, signature })).toLowerCase()).toBe(account);

      const deadline = await tab.evaluate(
        () => (document.getElementById('order-deadline') as HTMLTimeElement).dateTime,
      );
      await person.click('Sign order');
      await answer('typed-data', 'Sign');
      const typedData = order({ maker: account, chainId: 33, deadline: new Date(deadline) });
      const signer = await recoverTypedDataAddress({
        ...(typedData as unknown as Parameters<typeof recoverTypedDataAddress>[0]),
        signature: await outcome('typed-result'),
      });
      expect(signer.toLowerCase()).toBe(account);
    });

    test('new blocks and the transfers of a token arrive by themselves', async () => {
      await person.click('Deploy a token');
      await answer('transaction', 'Confirm');
      await person.see('1,000 LEAF');
      const before = await latestBlock(tab);
      await person.click('Send tokens');
      await answer('transaction', 'Send');
      await person.see('987.5 LEAF');
      await until(() =>
        tab.evaluate(() => document.querySelector('#transfers b')?.textContent === '12.5 LEAF'),
      );
      expect(await latestBlock(tab)).toBeGreaterThan(before);
    });

    test('after a reload the wallet is locked, the dapp connected, and the next question unlocks it', async () => {
      await tab.reload();
      await person.see(/9\.7\d+ tRBTC/);
      await person.see(/^Unlock$/m);
      expect(await tab.evaluate(() => document.getElementById('dapp-account')?.title)).toBe(account);
      await person.click('Sign message');
      const question = await person.question('message');
      await question.fill('Wallet password', password);
      await question.answer('Sign');
      expect(await outcome('message-result')).toMatch(/^0x[\da-f]{130}$/);
    });

    test('a second window receives blocks from the first, and by itself when that has closed', async () => {
      const second = await browser.open(demo.url);
      await until(() => latestBlock(second));
      const locks = () =>
        second.evaluate(async () => {
          const { held = [], pending = [] } = await navigator.locks.query();
          const leading = (each: LockInfo) => each.name?.includes(':shared-');
          return { held: held.filter(leading).length, pending: pending.filter(leading).length };
        });
      expect(await locks()).toEqual({ held: 1, pending: 1 });
      await tab.close();
      const last = await latestBlock(second);
      await until(async () => (await latestBlock(second)) > last, { interval: 100 });
      expect(await locks()).toEqual({ held: 1, pending: 0 });
    });
  });
}

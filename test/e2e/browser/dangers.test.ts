import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Question, TypedDataField } from '../../../src/approvals/question.js';
import type { Warning } from '../../../src/approvals/warning.js';
import { launchChromium } from '../../support/chromium.js';
import { type DialogDriver, openDialog } from '../../support/dialog-driver.js';
import { english } from '../../support/english.js';
import { fc } from '../../support/property.js';
import * as questions from '../../support/questions.js';
import { type Served, servePage } from '../../support/serve.js';
import { scenePage } from '../../support/ui-scenes.js';
import { until } from '../../support/until.js';
import type { UiPage } from './ui-page.js';

/** Every danger is in view when a question can be approved, whatever its subject and the size of the window are. */

const sizes = [
  { width: 360, height: 480 },
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
] as const;

let served: Served;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [served, browser] = await Promise.all([servePage({ html: scenePage }), launchChromium()]);
  page = await browser.newPage({ viewport: sizes[0], reducedMotion: 'reduce' });
  await page.goto(served.url);
  await page.waitForFunction(() => 'ui' in window);
});

afterEach(() => page.reload().then(() => page.waitForFunction(() => 'ui' in window)));

afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

async function ask(
  question: Question,
  language?: 'en' | 'es' | 'pt',
  more: UiPage.Options = {},
): Promise<DialogDriver> {
  await page.evaluate(([asked, options]) => (window as unknown as { ui: UiPage }).ui.ask(asked, options), [
    question,
    language ? { language, ...more } : more,
  ] as const);
  return openDialog(page, { kind: question.kind });
}

const close = async (dialog: DialogDriver) => {
  await dialog.press('Escape');
  await dialog.closed();
};

/** Runs in the page: where the dangers are, whether all of the buttons is in view, and what can be scrolled on. */
function look(dialog: HTMLDialogElement) {
  const isInView = (element: Element, within: Element | null) => {
    const boxes = [...element.getClientRects()];
    const limit = within?.getBoundingClientRect();
    return boxes.every(
      ({ left, top, right, bottom }) =>
        left >= 0 &&
        top >= Math.max(0, limit?.top ?? 0) - 1 &&
        right <= innerWidth &&
        bottom <= Math.min(innerHeight, limit?.bottom ?? innerHeight) + 1,
    );
  };
  const pinned = dialog.querySelector('.dangers');
  const body = dialog.querySelector('.body') as HTMLElement;
  const confirm = dialog.querySelector('.confirm') as HTMLElement;
  return {
    isConfirmable: confirm.getAttribute('aria-disabled') === 'false',
    isButtonInView: isInView(confirm, null),
    dangers: Array.from(dialog.querySelectorAll('[data-severity=danger]'), (each) => isInView(each, pinned)),
    isAtEnd: body.scrollTop + body.clientHeight >= body.scrollHeight - 2,
    bodyHeight: body.clientHeight,
    scrollHeight: body.scrollHeight,
    isOverflowing: dialog.scrollHeight > dialog.clientHeight + 1,
    /** What is not collapsed and scrolls by itself, so that its end may not have been in view. */
    inner: Array.from(dialog.querySelectorAll('.body *, .dangers *'))
      .filter(
        (each) =>
          /auto|scroll/.test(getComputedStyle(each).overflowY) && !each.closest('details:not([open])'),
      )
      .filter((each) => each.scrollHeight > each.clientHeight + 1)
      .map((each) => each.className || each.localName),
  };
}

const waitForConfirm = (dialog: DialogDriver) =>
  until(async () => (await dialog.evaluate(look)).isConfirmable, {
    timeout: 30_000,
    interval: 20,
    failure: 'The dialog cannot be confirmed.',
  });

const codes = Object.keys(english.warning) as Warning['code'][];
const pieces = [
  'lorem ',
  'a',
  '\n',
  '\n\n\n\n',
  '\u00a0'.repeat(60),
  'x'.repeat(300),
  'e\u0301\u0302\u0303\u0304',
  '漢字',
  'שלום ',
];
const text = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 400 })
  .map((parts) => parts.join(''));
const field: fc.Arbitrary<TypedDataField> = fc.record({
  path: text.map((each) => each.slice(0, 500)),
  type: fc.constantFrom('string', 'bytes', 'uint256[]'),
  value: text,
});
const subject: fc.Arbitrary<Question> = fc.oneof(
  text.map((each) => ({ ...questions.greeting, text: each })),
  text.map(
    (each) => ({ ...questions.signIn, signIn: { ...questions.signIn.signIn, statement: each } }) as Question,
  ),
  fc
    .array(field, { minLength: 1, maxLength: 200 })
    .map((fields) => ({ ...questions.typedData, fields }) as Question),
  fc.nat({ max: 3000 }).map(
    (size): Question => ({
      ...questions.payment,
      transaction: { ...questions.payment.transaction, data: `0x${'ab'.repeat(size)}` },
    }),
  ),
  text.map(
    (label) => ({ ...questions.payment, account: { ...questions.payment.account, label } }) as Question,
  ),
  fc.constantFrom(
    ...(Object.values(questions.examples).filter(
      // One asks for the password alone, the other only informs.
      ({ kind }) => kind !== 'unlock' && kind !== 'pay-elsewhere',
    ) as Question[]),
  ),
);
const warning: fc.Arbitrary<Warning> = fc.record(
  {
    code: fc.constantFrom(...codes.filter((code) => code !== 'insufficient-funds')),
    severity: fc.constantFrom('danger', 'caution', 'notice'),
    detail: text.map((each) => each.slice(0, 400)),
  },
  { requiredKeys: ['code', 'severity'] },
);
const scene = fc.record({
  question: subject,
  warnings: fc.array(warning, { maxLength: 6 }),
  first: warning.map((each): Warning => ({ ...each, severity: 'danger' })),
  size: fc.constantFrom(...sizes),
  locked: fc.boolean(),
  language: fc.constantFrom('en', 'es', 'pt'),
});

/** Scenes of a run; `DANGER_SCENES` makes it a long one. */
const count = Number(process.env.DANGER_SCENES ?? 12);

describe('dangers', () => {
  test(
    'are in view when the question can be approved, and its end was in view before',
    async () => {
      await fc.assert(
        fc.asyncProperty(scene, async ({ question, warnings, first, size, locked, language }) => {
          await page.setViewportSize(size);
          const dialog = await ask(
            { ...question, warnings: [first, ...warnings], locked } as Question,
            language,
          );
          const before = await dialog.evaluate(look);
          expect(before).toMatchObject({ isConfirmable: false, isButtonInView: true, isOverflowing: false });
          expect(before.inner).toEqual([]);
          expect(before.dangers).not.toEqual([]);
          expect(before.dangers).not.toContain(false);
          expect(before.bodyHeight).toBeGreaterThan(40);
          if (!before.isAtEnd) {
            await page.waitForTimeout(300);
            expect((await dialog.evaluate(look)).isConfirmable).toBe(false);
            await dialog.evaluate((shown) => {
              const body = shown.querySelector('.body') as HTMLElement;
              body.scrollTop = body.scrollHeight;
            });
          }
          await waitForConfirm(dialog);
          const after = await dialog.evaluate(look);
          expect(after).toMatchObject({ isButtonInView: true, isOverflowing: false });
          expect(after.dangers).not.toContain(false);
          await close(dialog);
        }),
        { seed: 5, numRuns: count, endOnFailure: true },
      );
    },
    20_000 + count * 2_000,
  );

  test('stay in view above a subject of 10,000 pixels, which has to be scrolled to its end', async () => {
    await page.setViewportSize(sizes[0]);
    const dialog = await ask({
      ...questions.typedData,
      fields: Array.from({ length: 400 }, (_, index) => ({
        path: `orders[${index}]\n\n\n\n`,
        type: 'string',
        value: 'line\n'.repeat(30),
      })),
      warnings: [{ code: 'gives-right', severity: 'danger' }],
    });
    await page.waitForTimeout(700);
    expect(await dialog.evaluate(look)).toMatchObject({
      isConfirmable: false,
      dangers: [true],
      isAtEnd: false,
    });
    // Each press of the key or the button shows the next part.
    const { scrollHeight, bodyHeight } = await dialog.evaluate(look);
    const presses = Math.ceil(scrollHeight / (bodyHeight * 0.8));
    expect(presses).toBeLessThan(150);
    for (let pressed = 0; pressed < presses && !(await dialog.evaluate(look)).isAtEnd; pressed++) {
      const { x, y } = await dialog.evaluate((shown) => {
        const { left, top } = (shown.querySelector('.rest') as Element).getBoundingClientRect();
        return { x: left + 20, y: top + 10 };
      });
      await page.mouse.click(x, y);
    }
    await waitForConfirm(dialog);
    expect(await dialog.evaluate(look)).toMatchObject({ dangers: [true], isAtEnd: true });
    await close(dialog);
  });

  test('a question that fits is read as soon as it is shown', async () => {
    await page.setViewportSize(sizes[2]);
    const dialog = await ask(questions.payment);
    await waitForConfirm(dialog);
    expect(await dialog.evaluate((shown) => shown.querySelector('.rest'))).toBeNull();
    await close(dialog);
  });
});

describe('a window that is too small', () => {
  test.each([
    ['a tab', { width: 319, height: 640 }, { width: 320, height: 640 }],
    ['a window of the wallet', { width: 359, height: 640 }, { width: 360, height: 640 }],
    ['a window of the wallet', { width: 500, height: 479 }, { width: 500, height: 480 }],
    ['a window that a page opened', { width: 359, height: 640 }, { width: 360, height: 640 }],
    ['a window that a page opened', { width: 500, height: 479 }, { width: 500, height: 480 }],
  ])('says so and approves nothing until it is larger: %s of %j', async (kind, small, large) => {
    const opened = page;
    if (kind === 'a window that a page opened') {
      const popup = page.waitForEvent('popup');
      await page.evaluate(() => void window.open(location.href, '', 'popup'));
      page = await popup;
      await page.waitForFunction(() => 'ui' in window);
    }
    try {
      await page.setViewportSize(small);
      const dialog = await ask(
        questions.connect,
        'en',
        kind === 'a window of the wallet' ? { inWindow: true } : {},
      );
      await expect.poll(() => dialog.error()).toBe(english.tooSmall);
      expect((await dialog.evaluate(look)).isConfirmable).toBe(false);
      await page.setViewportSize(large);
      await dialog.click('Connect');
      await dialog.closed();
    } finally {
      if (page !== opened) await page.close();
      page = opened;
    }
  });
});

const withoutPasskeys = () =>
  page.evaluate(() => (window as unknown as { ui: UiPage }).ui.wallet.change({ passkeys: [] }));

describe('a low tab', () => {
  /** Runs in the page: scrolls to the button, and says where it and what must be in view are. */
  const scrollToButton = (shown: HTMLDialogElement) => {
    const confirm = shown.querySelector('.confirm') as HTMLElement;
    confirm.scrollIntoView({ block: 'end' });
    const boxes = Array.from(shown.querySelectorAll('.site, .dangers, .dangers li'), (each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return top >= -1 && bottom <= innerHeight + 1;
    });
    const { left, top, width, height } = confirm.getBoundingClientRect();
    const at = { x: left + width / 2, y: top + height / 2 };
    const hit = (shown.getRootNode() as ShadowRoot).elementFromPoint(at.x, at.y);
    return { boxes, at, isHit: hit === confirm };
  };

  test.each([
    [320, 256],
    [320, 400],
    [640, 256],
  ])('keeps the origin and the dangers in view, at %i × %i', async (width, height) => {
    await page.setViewportSize({ width, height });
    await withoutPasskeys();
    for (const locked of [false, true]) {
      const dialog = await ask({
        ...questions.unlimitedApproval,
        locked,
        warnings: [
          { code: 'gives-right', severity: 'danger' },
          { code: 'simulation-reverts', severity: 'danger', detail: 'paused' },
        ],
      } as Question);
      // The offer to read on leads to the end.
      const offer = () => dialog.evaluate((shown) => shown.querySelector('.rest') !== null);
      await expect.poll(offer).toBe(true);
      expect((await dialog.evaluate(look)).isConfirmable).toBe(false);
      const press = () =>
        dialog.evaluate((shown) => {
          const button = shown.querySelector<HTMLElement>('.rest');
          button?.click();
          return button === null;
        });
      await until(press, { interval: 30 });
      if (locked) await dialog.fill('Wallet password', 'several words are better');
      await dialog.evaluate(scrollToButton);
      await waitForConfirm(dialog);
      const { boxes, at, isHit } = await dialog.evaluate(scrollToButton);
      expect([boxes.includes(false), isHit]).toEqual([false, true]);
      await page.waitForTimeout(500);
      await page.mouse.click(at.x, at.y);
      await dialog.closed();
    }
  });
});

describe('texts that a page makes long', () => {
  test('ten items of a longer list are shown, and the others are collapsed with their number', async () => {
    await page.setViewportSize(sizes[2]);
    const accounts = Array.from({ length: 25 }, (_, index) => ({
      address: `0x${String(index).padStart(40, '0')}` as const,
      label: `Account ${index + 1}`,
    }));
    const fields = accounts.map(({ label }) => ({ path: label, type: 'string', value: 'x' }));
    const long: [Question, string][] = [
      [{ ...questions.typedData, fields }, 'dt'],
      [
        { ...questions.connect, accounts, selected: accounts.slice(3, 5).map(({ address }) => address) },
        '.choice',
      ],
    ];
    for (const [question, item] of long) {
      const dialog = await ask(question);
      const shown = () =>
        dialog.evaluate(
          (element, selector) =>
            Array.from(element.querySelectorAll(`.body ${selector}`)).filter((each) => each.checkVisibility())
              .length,
          item,
        );
      const few = await shown();
      expect([question.kind, few]).toEqual([question.kind, question.kind === 'typed-data' ? few : 10]);
      await dialog.click('15 more, 25 in total');
      expect([question.kind, (await shown()) - few]).toEqual([question.kind, 15]);
      await close(dialog);
    }
  });

  test('items of an order, holders of a right and resources of a sign-in are never collapsed', async () => {
    await page.setViewportSize(sizes[2]);
    const names = Array.from({ length: 25 }, (_, index) => `Item${index + 1}`);
    const addressOf = (index: number) => `0x${String(index).padStart(40, '0')}` as const;
    const items = names.map((symbol, index) => ({
      token: { address: addressOf(index), symbol },
      amount: '1',
      tokenId: '7',
    }));
    const holders = names.map((path, index) => ({ path, address: addressOf(index) }));
    const { orderRight, otherRight, signIn } = questions;
    const long = [
      { ...orderRight, right: { ...orderRight.right, gives: items } },
      { ...orderRight, right: { ...orderRight.right, takes: items } },
      { ...otherRight, right: { ...otherRight.right, holders } },
      {
        ...signIn,
        signIn: { ...signIn.signIn, resources: names.map((name) => `https://x.example/${name}`) },
      },
    ];
    for (const question of long) {
      const dialog = await ask(question as unknown as Question);
      const shown = await dialog.evaluate((element) =>
        Array.from(element.querySelectorAll('.body li, .body dt'), (each) =>
          each.checkVisibility() ? `${each.textContent} ` : '',
        ).join('\n'),
      );
      expect(names.filter((name) => !new RegExp(`${name}\\b`).test(shown))).toEqual([]);
      await close(dialog);
    }
  });

  test('a call of a batch is never collapsed', async () => {
    await page.setViewportSize(sizes[2]);
    const { account, fee, total, balance, origin, network, warnings } = questions.payment;
    const calls = Array.from({ length: 12 }, () => questions.payment);
    const batch = {
      id: 'batch',
      kind: 'calls',
      locked: false,
      ...{ account, fee, total, balance, origin, network },
    };
    const dialog = await ask({ ...batch, warnings, calls } as unknown as Question);
    const shown = await dialog.evaluate((element) =>
      Array.from(element.querySelectorAll('.rows dt, summary'), (each) =>
        each.checkVisibility() ? each.textContent : null,
      ).filter((text) => text?.startsWith('#12 ')),
    );
    expect(shown.length).toBe(2);
    await close(dialog);
  });

  test('the accounts of a vault that is not proven must be read to their end', async () => {
    await page.setViewportSize(sizes[2]);
    await withoutPasskeys();
    const accounts = Array.from({ length: 60 }, (_, index) => `0x${String(index).padStart(40, '0')}`);
    accounts[0] = questions.account.address;
    await page.evaluate(
      (data) => (window as unknown as { ui: UiPage }).ui.wallet.fail('unlock', -32002, data),
      {
        reason: 'vault-unproven',
        accounts,
        known: [questions.account.address],
        passkeys: [],
        losesPassword: false,
      },
    );
    const dialog = await ask({ ...questions.payment, locked: true } as Question);
    await dialog.fill('Wallet password', 'several words are better');
    await dialog.click('Send');
    await expect.poll(() => dialog.title()).toBe(english.unprovenTitle);
    await page.waitForTimeout(700);
    expect(await dialog.evaluate(look)).toMatchObject({ isConfirmable: false, isAtEnd: false });
    await dialog.click(english.unprovenConfirm);
    await expect.poll(() => dialog.title()).not.toBe(english.unprovenTitle);
    await close(dialog);
  });

  test('an account that would be shared is never collapsed', async () => {
    const accounts = Array.from({ length: 30 }, (_, index) => ({
      address: `0x${String(index).padStart(40, '0')}` as const,
      label: `Account ${index + 1}`,
    }));
    const selected = accounts.slice(12, 26).map(({ address }) => address);
    const dialog = await ask({ ...questions.connect, accounts, selected });
    const hidden = await dialog.evaluate(
      (element) =>
        Array.from(element.querySelectorAll<HTMLInputElement>('input:checked')).filter(
          (tick) => !tick.checkVisibility(),
        ).length,
    );
    expect(hidden).toBe(0);
    await close(dialog);
  });
});

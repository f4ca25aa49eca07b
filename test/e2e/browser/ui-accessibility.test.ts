import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { openShadows } from '../../support/open-shadows.js';
import * as questions from '../../support/questions.js';
import { type Served, servePage } from '../../support/serve.js';
import type { UiPage } from './ui-page.js';

/**
 * Every view of the dialog and the panel: axe finds nothing, nothing is wider than a small screen, everything that is
 * pressed is large enough, and the focus is always somewhere.
 */

const csp = "default-src 'self'; style-src 'self'; require-trusted-types-for 'script'";
const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>An app</title>
    <link rel="icon" href="/favicon.ico">
    <script type="module" src="/test/e2e/browser/ui-page.ts"></script>
  </head>
  <body><main><h1>An app</h1><div id="place"></div></main></body>
</html>`;
const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

let served: Served;
let browser: Browser;
let page: Page;
let problems: string[];

beforeAll(async () => {
  served = await servePage({ html, csp });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 900, height: 900 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(15_000);
  problems = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await openShadows(page);
  await page.goto(served.url);
  await page.waitForFunction(() => 'ui' in window);
  await page.evaluate(axe);
});
afterEach(async () => {
  await page.close();
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
});

type Options = UiPage.Options;
/** Brings the page to a view. */
type Scene = (options: Options) => Promise<void>;

const ui = <Args extends readonly unknown[]>(run: (ui: UiPage, ...args: Args) => void, ...args: Args) =>
  page.evaluate(
    `((ui, ...args) => { const __name = (it) => it; return (${run})(ui, ...args); })(window.ui, ...${JSON.stringify(args)})`,
  );
const button = (name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).first();
const press = (...names: (string | RegExp)[]): Promise<void> =>
  names.reduce(async (before, name) => {
    await before;
    await button(name).click();
  }, Promise.resolve());

const asks =
  (question: unknown, ...names: (string | RegExp)[]): Scene =>
  async (options) => {
    await ui((page, asked, given) => page.ask(asked as never, given as never), question, options);
    await page.locator('dialog h2').waitFor();
    await press(...names);
  };
const opens =
  (view: string, names: readonly (string | RegExp)[] = [], holds: object | null = null): Scene =>
  async (options) => {
    await ui(
      (page, name, held, given) => page.open(name as never, (held ?? undefined) as never, given as never),
      view,
      holds,
      options,
    );
    await page.locator('.panel h2').waitFor();
    await press(...names);
    await page.locator('.panel h2').waitFor();
  };
const fill = async (fields: Readonly<Record<string, string>>) => {
  for (const [label, text] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(text);
};
const then =
  (scene: Scene, ...more: (() => Promise<unknown>)[]): Scene =>
  async (options) => {
    await scene(options);
    for (const each of more) await each();
  };

const { id, origin, network } = questions.payment;
const onboarding = { id, origin, network, locked: false, warnings: [], kind: 'onboarding', vault: 'empty' };
const locked = { ...questions.payment, locked: true };
const password = 'several words are better';
const passwords = () => fill({ 'New password': password, 'The same again': password });
const choose = (label: string) => () => page.getByRole('radio', { name: new RegExp(label) }).check();
const warned = {
  ...questions.payment,
  warnings: [
    { code: 'simulation-reverts', severity: 'danger', detail: 'paused' },
    { code: 'high-fee', severity: 'caution' },
    { code: 'gas-raised', severity: 'notice', detail: '0x5208' },
  ],
};
const fee = (price: string) => ({ gasPrice: price, fee: '0x13e9f8cb000' });
const choosing = {
  ...questions.unlimitedApproval,
  choices: {
    fees: { slow: fee('0x3938700'), normal: fee('0x3e252e0'), fast: fee('0x55d4a80') },
    minimum: '0x3938700',
    maximum: '0x5f5e100',
    allowance: `${2n ** 256n - 1n}`,
  },
  waiting: { index: 2, count: 3 },
};

const dialogs: Record<string, Scene> = {
  ...Object.fromEntries(Object.entries(questions.examples).map(([name, question]) => [name, asks(question)])),
  'a locked wallet with a passkey': asks(locked),
  'a locked wallet': asks(locked, 'Use the password'),
  'a wrong password': async (options) => {
    await asks(locked)(options);
    await press('Use the password');
    await ui((page) => page.wallet.fail('unlock', 4100));
    await fill({ 'Wallet password': password });
    await button('Send').click();
    await page.locator('#error:not(:empty)').waitFor();
  },
  warnings: asks(warned),
  'a fee and a limit to choose': then(asks(choosing), async () => {
    for (const summary of await page.locator('summary').all()) await summary.click();
    await choose('Other')();
  }),
  'too little for it': asks({ ...questions.payment, shortfall: '0x1' }),
  'onboarding: welcome': asks(onboarding),
  'onboarding: lost': asks({ ...onboarding, vault: 'missing' }),
  'onboarding: password': asks(onboarding, 'Create a wallet'),
  'onboarding: passkey': asks(onboarding, 'Create a wallet', 'Use a passkey instead'),
  'onboarding: phrase': then(asks(onboarding, 'Create a wallet'), passwords, () =>
    press('Create the wallet'),
  ),
  'onboarding: quiz': then(asks(onboarding, 'Create a wallet'), passwords, () =>
    press('Create the wallet', 'I wrote them down'),
  ),
  'onboarding: import': asks(onboarding, 'I have a wallet already'),
  'onboarding: import a phrase': then(asks(onboarding, 'I have a wallet already', 'Continue'), () =>
    page.locator('summary').click(),
  ),
  'onboarding: a wrong phrase': then(asks(onboarding, 'I have a wallet already', 'Continue'), () =>
    press('Continue'),
  ),
  'onboarding: import a key': then(asks(onboarding, 'I have a wallet already'), choose('Private key'), () =>
    press('Continue'),
  ),
  'onboarding: import a file': then(asks(onboarding, 'I have a wallet already'), choose('Backup file'), () =>
    press('Continue'),
  ),
  'recovery: forgotten': asks(locked, 'Forgot the password?'),
  'recovery: erase': asks(locked, 'Forgot the password?', 'Erase this wallet'),
};

const panels: Record<string, Scene> = {
  home: then(opens('home'), () => page.getByText('PUNK').waitFor()),
  'home, locked': opens('home', [], { vault: 'locked' }),
  'home, with nothing': opens('home', [], { tokens: [], transactions: [] }),
  send: then(
    opens('send'),
    () => fill({ To: 'alice.rsk', Amount: '0.25' }),
    () => page.getByText('Fast').waitFor(),
  ),
  'send, with mistakes': then(
    opens('send'),
    () => fill({ To: '0x1234', Amount: '1,234' }),
    () => press('Review and send'),
    () => page.locator('.error:not(:empty)').waitFor(),
  ),
  receive: then(opens('receive'), () => page.locator('.qr').waitFor()),
  activity: then(opens('activity'), () => page.getByText('Refused').waitFor()),
  'activity, empty': opens('activity', [], { transactions: [] }),
  'a waiting transaction': opens('activity', [/Sent 0.25 tRBTC.*Waiting/]),
  'an unsent transaction': opens('activity', [/Allowed spending/]),
  'a failed transaction': opens('activity', [/Failed/]),
  accounts: then(opens('accounts'), () => page.locator('summary').click()),
  'accounts, locked': opens('accounts', [], { vault: 'locked' }),
  account: opens('accounts', ['Details of Old key']),
  'private key': then(
    opens('accounts', ['Details of Savings', 'Show the private key']),
    () => fill({ 'Wallet password': password }),
    () => press('Show'),
    () => page.getByText('5e5e5e').waitFor(),
  ),
  keystore: opens('accounts', ['Details of Savings', 'Save a keystore file']),
  import: opens('accounts', ['Import another']),
  sites: opens('sites'),
  'sites, none': opens('sites', [], { permissions: {} }),
  networks: opens('networks'),
  'a new network': opens('networks', ['Add a network']),
  settings: opens('settings'),
  'settings: phrase': opens('settings', [/Recovery phrase/]),
  'settings: words': then(
    opens('settings', [/Recovery phrase/]),
    () => fill({ 'Wallet password': password }),
    () => press('Show the words'),
    () => page.getByText('sausage').first().waitFor(),
  ),
  'settings: backup file': opens('settings', ['Backup file']),
  'settings: password': opens('settings', ['Change the password']),
  'settings: passkeys': then(opens('settings', ['Passkeys']), () => page.locator('summary').click()),
  'settings: erase': opens('settings', ['Erase this wallet']),
  unlock: opens('home', ['Unlock'], { vault: 'locked' }),
  'a new wallet': opens('home', [], { vault: 'empty', accounts: [] }),
};

/** What axe finds, one line for each element. */
async function violations(): Promise<readonly string[]> {
  const results = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], rules: { region: { enabled: false } } })`,
  )) as AxeResults;
  return results.violations.flatMap(({ id: rule, nodes }) =>
    nodes.map(
      ({ html: element, failureSummary }) => `${rule}: ${element.slice(0, 120)} ${failureSummary ?? ''}`,
    ),
  );
}

/** Elements that are wider than the screen or than what they are in. */
const overflowing = () =>
  page.evaluate(() => {
    const root = document.querySelector('[data-graft]')?.shadowRoot as ShadowRoot;
    const wide = Array.from(root.querySelectorAll<HTMLElement>('*')).filter((part) => {
      const style = getComputedStyle(part);
      if (part.clientWidth === 0 || style.display === 'inline' || part.closest('.unseen, svg')) return false;
      const { left, right } = part.getBoundingClientRect();
      return (
        left < -1 ||
        right > innerWidth + 1 ||
        (part.scrollWidth > part.clientWidth + 1 && style.overflowX === 'visible')
      );
    });
    return wide.map((part) => part.outerHTML.slice(0, 100));
  });

/** Controls that are smaller than a finger. A tick box counts with its label. */
const small = () =>
  page.evaluate(() => {
    const root = document.querySelector('[data-graft]')?.shadowRoot as ShadowRoot;
    const controls = root.querySelectorAll<HTMLElement>('button, a, select, summary, input, textarea');
    return Array.from(controls)
      .map((control) => (control as HTMLInputElement).closest<HTMLElement>('label.choice') ?? control)
      .filter((control) => control.getClientRects().length > 0)
      .filter((control) => {
        const { width, height } = control.getBoundingClientRect();
        return height < 43.5 || width < 43.5;
      })
      .map(
        (control) =>
          `${Math.round(control.getBoundingClientRect().height)} ${control.outerHTML.slice(0, 100)}`,
      );
  });

const focused = () =>
  page.evaluate(() => {
    const host = document.activeElement;
    return host?.shadowRoot?.activeElement?.localName ?? host?.localName ?? 'nothing';
  });

/** Whether the main action can be seen without scrolling. */
const actionInView = () =>
  page.evaluate(() => {
    const root = document.querySelector('[data-graft]')?.shadowRoot as ShadowRoot;
    const action = root.querySelector('.foot .confirm');
    if (!action) return true;
    const { top, bottom } = action.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

describe.each([
  ['dialog', dialogs],
  ['panel', panels],
])('the %s', (_, scenes) => {
  test.each(Object.keys(scenes))('%s', async (name) => {
    for (const theme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width: 900, height: 900 });
      await scenes[name]?.({ theme });
      expect(await violations(), theme).toEqual([]);
      expect(await focused(), theme).not.toBe('body');
      // Also what a page of 640 px is at 200 %.
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await overflowing(), theme).toEqual([]);
      expect(await small(), theme).toEqual([]);
      expect(await actionInView(), theme).toBe(true);
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
  });
});

/** Those that can be reached without pressing what has another name there. */
const inAnyLanguage: Record<string, Scene> = {
  ...Object.fromEntries(Object.entries(questions.examples).map(([name, question]) => [name, asks(question)])),
  onboarding: asks(onboarding),
  'a locked wallet': asks(locked),
  'a fee and a limit to choose': asks(choosing),
  'too little for it': asks({ ...questions.payment, shortfall: '0x1' }),
  ...Object.fromEntries(
    ['home', 'send', 'receive', 'activity', 'accounts', 'sites', 'networks', 'settings'].map((view) => [
      `panel: ${view}`,
      opens(view),
    ]),
  ),
  'panel: a new wallet': opens('home', [], { vault: 'empty', accounts: [] }),
};

describe.each<[string, Options]>([
  ['Spanish', { language: 'es' }],
  ['Portuguese', { language: 'pt' }],
  ['a language from right to left', { pseudo: true }],
])('in %s, on 320 pixels', (_, options) => {
  test.each(Object.keys(inAnyLanguage))('%s', async (name) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await inAnyLanguage[name]?.(options);
    expect(await overflowing()).toEqual([]);
    expect(await small()).toEqual([]);
    expect(await violations()).toEqual([]);
  });
});

describe('a panel that stays on the page', () => {
  test('takes no focus when it appears, and is as clean as the other', async () => {
    await ui((page) => page.place('home', {}));
    await page.getByText('PUNK').waitFor();
    expect(await focused()).toBe('body');
    expect(await violations()).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowing()).toEqual([]);
    await press('Accounts');
    await expect.poll(focused).toBe('h2');
  });

  test('is used by the keyboard alone', async () => {
    await ui((page) => page.place('home', {}));
    await page.getByText('PUNK').waitFor();
    const visited: string[] = [];
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      const name = await page.evaluate(() => {
        const active = document.activeElement?.shadowRoot?.activeElement;
        return active && (active.getAttribute('aria-label') ?? active.textContent);
      });
      if (name) visited.push(name);
    }
    for (const name of [
      'Back up now',
      'Copy address',
      'Lock',
      'Send',
      'Receive',
      'Home',
      'Activity',
      'Settings',
    ])
      expect(visited).toContain(name);
    await button('Receive').focus();
    await page.keyboard.press('Enter');
    await page.locator('.qr').waitFor();
    expect(await focused()).toBe('h2');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('PUNK').waitFor();
    expect(await focused()).toBe('h2');
  });

  test('follows the theme and the language that the person chooses, after a reload too', async () => {
    await ui((page) => page.place('settings', {}));
    await page.getByLabel('Colours').selectOption('dark');
    await page.getByLabel('Language').selectOption('es');
    await page.getByText('Apariencia').or(page.getByText('Aspecto')).first().waitFor();
    const ground = () => page.locator('.panel').evaluate((panel) => getComputedStyle(panel).backgroundColor);
    expect(await ground()).toBe('rgb(22, 24, 28)');
    await page.reload();
    await page.waitForFunction(() => 'ui' in window);
    await ui((page) => page.place('settings', {}));
    await page.getByText('Idioma').waitFor();
    expect(await ground()).toBe('rgb(22, 24, 28)');
  });
});

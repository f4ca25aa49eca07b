import type { Page } from 'playwright-core';
import type { Question } from '../../src/approvals/question.js';
import type { RecordedTransaction } from '../../src/transactions/transactions.js';
import type { PanelView } from '../../src/ui/index.js';
import type { SendQuestion } from '../../src/ui/results/outcome.js';
import type { Words } from '../../src/ui/words/words.js';
import type { UiPage } from '../e2e/browser/ui-page.js';
import { english } from './english.js';
import { contacts, type FakeWallet, received, toldTransactions } from './fake-wallet.js';
import * as questions from './questions.js';
import { recipient } from './questions.js';
import { hashOf, sentFor } from './sent-transactions.js';
import { until } from './until.js';

/** The page that the scenes are played in (`ui-page.ts`). */
export const scenePage = `<!doctype html>
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

type Held = Partial<FakeWallet['holds']>;

/** Brings the page to a view of the dialog or the panel, or to the line of results. */
export type Scene = (options: UiPage.Options) => Promise<void>;

export interface Scenes {
  readonly dialogs: Readonly<Record<string, Scene>>;
  readonly panels: Readonly<Record<string, Scene>>;
  /** The line that shows what became of a transaction. */
  readonly results: Readonly<Record<string, Scene>>;
}

const { id, origin, network } = questions.payment;
const onboarding = { id, origin, network, locked: false, warnings: [], kind: 'onboarding', vault: 'empty' };
const locked = { ...questions.payment, locked: true };
const password = 'several words are better';
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

/** Runs a function with `window.ui` in the page. */
export const inUi = <Args extends readonly unknown[]>(
  page: Page,
  run: (ui: UiPage, ...args: Args) => void,
  ...args: Args
): Promise<void> =>
  page.evaluate(
    `((ui, ...args) => { const __name = (it) => it; return (${run})(ui, ...args); })(window.ui, ...${JSON.stringify(args)})`,
  );

/**
 * Every view of the dialog and the panel, reached as a person reaches it who reads `words`. What is pressed and filled in is
 * called by its English text; an `…` at its end stands for what follows.
 */
export function scenesOf(page: Page, words: Words = english): Scenes {
  const translations = translationsOf(words);
  const say = (text: string): RegExp => {
    const start = text.replace(/…$/, '');
    const patterns = translations(start).map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^(${patterns.join('|')})${text === start ? '$' : ''}`);
  };
  const press = async (...names: string[]): Promise<void> => {
    for (const name of names) {
      const button = page.getByRole('button', { name: say(name) }).first();
      await until(async () => {
        if ((await button.getAttribute('aria-disabled')) !== 'true') return true;
        await readToEnd();
        return false;
      });
      await button.click();
    }
  };
  const fill = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(say(label)).fill(text);
  };
  /**
   * Scrolls a question or step that is higher than the window, as a person has to before it can be approved. A step may be
   * drawn after its button was found, so this is repeated.
   */
  const readToEnd = () =>
    page.locator('dialog :is(.dangers, .body)').evaluateAll((areas) => {
      for (const area of areas) area.scrollTo(0, area.scrollHeight);
    });
  /** Reads a step to its end. Until then the line that says so may still move the buttons, and a press would miss one. */
  const read = () =>
    until(async () => {
      await readToEnd();
      return (await page.locator('dialog .confirm').getAttribute('aria-disabled')) !== 'true';
    });
  const passwords = () => fill({ 'New password': password, 'Repeat the password': password });
  const usePasskey = [read, () => press('Use a passkey instead')];
  const choose = (label: string) => () => page.getByRole('radio', { name: say(`${label}…`) }).check();

  /** Asks; on the wallet's own site, where a passkey gives this, unless that is `null`. */
  const asksWhere =
    (atHome: Partial<FakeWallet['passkey']> | null, question: unknown, names: readonly string[]): Scene =>
    async (options) => {
      const ask = (ui: UiPage, gives: typeof atHome, asked: unknown, given: UiPage.Options) => {
        ui.reset();
        ui.wallet.ownSite = gives !== null;
        Object.assign(ui.wallet.passkey, gives);
        ui.ask(asked as Question, given);
      };
      await inUi(page, ask, atHome, question, options);
      await page.locator('dialog h2').waitFor();
      await press(...names);
    };
  const asks = (question: unknown, ...names: string[]): Scene => asksWhere(null, question, names);
  const asksAtHome = (question: unknown, gives: Partial<FakeWallet['passkey']>, ...names: string[]): Scene =>
    asksWhere(gives, question, names);
  const opens =
    (view: PanelView, names: readonly string[] = [], holds: Held = {}): Scene =>
    async (options) => {
      const open = (ui: UiPage, name: PanelView, held: Held, given: UiPage.Options) => {
        ui.reset();
        ui.open(name, held, given);
      };
      await inUi(page, open, view, holds, options);
      await page.locator('.panel h2').waitFor();
      await press(...names);
      await page.locator('.panel h2').waitFor();
    };
  const then =
    (scene: Scene, ...more: (() => Promise<unknown>)[]): Scene =>
    async (options) => {
      await scene(options);
      for (const each of more) await each();
    };
  const opensLine = (part: string | RegExp, holds: Held = {}): Scene =>
    then(opens('activity', [], holds), () =>
      page
        .locator('.panel li button')
        .filter({ has: page.getByText(typeof part === 'string' ? say(part) : part) })
        .first()
        .click(),
    );
  const told = { transactions: toldTransactions, received };
  const opensPayment = (part: string | RegExp): Scene =>
    then(opensLine(part, told), () => page.locator('.panel .rows').waitFor());
  const opensTold = then(opens('activity', [], told), () =>
    page.locator('.panel summary').getByText(/3/).waitFor(),
  );

  /** Selects the account to look at, and leads to a view. */
  const watches = (name: string): Scene =>
    then(opens('accounts', [], { contacts, received }), async () => {
      await page.getByText('Cold wallet').click();
      if (name === 'Send') await press('Home');
      await press(name);
    });
  const many = Array.from({ length: 12 }, (_, index) => ({
    address: `0x${`${index + 10}`.repeat(20)}` as const,
    name: `Contact ${index + 1}`,
  }));

  const dialogs: Record<string, Scene> = {
    ...Object.fromEntries(
      Object.entries(questions.examples).map(([name, question]) => [name, asks(question)]),
    ),
    'a locked wallet with a passkey': asks(locked),
    'a locked wallet': asks(locked, 'Use the password'),
    'a wrong password': async (options) => {
      await asks(locked)(options);
      await press('Use the password');
      await inUi(page, (ui) => ui.wallet.fail('unlock', 4100));
      await fill({ 'Wallet password': password });
      await readToEnd();
      await press('Send');
      await page.locator('#error:not(:empty)').waitFor();
    },
    warnings: asks(warned),
    'a fee and a limit to choose': then(asks(choosing), async () => {
      await until(async () => {
        await readToEnd();
        return (await page.locator('dialog .rest').count()) === 0;
      });
      for (const summary of await page.locator('summary').all()) await summary.click();
      await choose('Custom')();
    }),
    'too little for it': asks({ ...questions.payment, shortfall: '0x1' }),
    'too little for it: receive': then(asks({ ...questions.payment, shortfall: '0x1' }, 'Receive'), () =>
      page.locator('.qr').waitFor(),
    ),
    'onboarding: welcome': asks(onboarding),
    'onboarding: lost': asks({ ...onboarding, vault: 'missing' }),
    'onboarding: password': asks(onboarding, 'Create a wallet'),
    'onboarding: passkey': then(asks(onboarding, 'Create a wallet'), ...usePasskey),
    'onboarding: phrase': then(asks(onboarding, 'Create a wallet'), passwords, () =>
      press('Create the wallet'),
    ),
    'onboarding: quiz': then(asks(onboarding, 'Create a wallet'), passwords, () =>
      press('Create the wallet', 'I wrote them down'),
    ),
    'onboarding: import': asks(onboarding, 'I already have a wallet'),
    'onboarding: import a phrase': then(asks(onboarding, 'I already have a wallet', 'Continue'), () =>
      page.locator('summary').click(),
    ),
    'onboarding: a wrong phrase': then(asks(onboarding, 'I already have a wallet', 'Continue'), () =>
      press('Continue'),
    ),
    'onboarding: import a key': then(asks(onboarding, 'I already have a wallet'), choose('Private key'), () =>
      press('Continue'),
    ),
    'onboarding: import a file': then(
      asks(onboarding, 'I already have a wallet'),
      choose('Backup file'),
      () => press('Continue'),
    ),
    'onboarding: lost, at home': asksAtHome({ ...onboarding, vault: 'missing' }, {}),
    'onboarding: a recovery passkey': then(asksAtHome(onboarding, {}, 'Create a wallet'), ...usePasskey),
    'onboarding: a passkey that restores': then(
      asksAtHome(onboarding, {}, 'Create a wallet'),
      ...usePasskey,
      () => press('Create the wallet'),
      () => page.getByRole('button', { name: say('Show the words') }).waitFor(),
    ),
    'onboarding: a passkey of one device': then(
      asksAtHome(onboarding, { restores: false }, 'Create a wallet'),
      ...usePasskey,
      () => press('Create the wallet'),
      () => page.locator('.phrase').waitFor(),
    ),
    'onboarding: recall': asksAtHome(onboarding, {}, 'Use my passkey'),
    'onboarding: no passkey to recall': async (options) => {
      await asksAtHome(onboarding, {}, 'Use my passkey')(options);
      await inUi(page, (ui) => ui.wallet.fail('restoreFromPasskey', 4001));
      await press('Use my passkey');
      await page.locator('#error:not(:empty)').waitFor();
    },
    'onboarding: an unused wallet': then(
      asksAtHome(onboarding, { confirm: { address: recipient, found: 'unused' } }, 'Use my passkey'),
      () => press('Use my passkey'),
      () => page.getByRole('button', { name: say('Use this wallet') }).waitFor(),
    ),
    'recovery: forgotten, at home': asksAtHome(locked, {}, 'Forgot your password?'),
    'recovery: forgotten': asks(locked, 'Forgot your password?'),
    'recovery: erase': asks(locked, 'Forgot your password?', 'Erase this wallet'),
  };

  const panels: Record<string, Scene> = {
    home: then(opens('home'), () => page.getByText('PUNK').waitFor()),
    'home, locked': opens('home', [], { vault: 'locked' }),
    'home, with nothing': opens('home', [], { tokens: [], transactions: [] }),
    'home, with a price': then(opens('home', [], { chainId: 30 }), () => page.locator('.about').waitFor()),
    'send, with a price': then(
      opens('send', [], { chainId: 30 }),
      () => fill({ Amount: '0.25' }),
      () => page.locator('.about').waitFor(),
    ),
    send: then(
      opens('send'),
      () => fill({ To: 'alice.rsk', Amount: '0.25' }),
      () => page.getByText(say('Fast')).first().waitFor(),
    ),
    'send, with mistakes': then(
      opens('send'),
      () => fill({ To: '0x1234', Amount: '1,234' }),
      () => press('Review and send'),
      () => page.locator('.error:not(:empty)').waitFor(),
    ),
    'send, to choose from': then(opens('send', [], { contacts }), () => page.getByText('Alice').waitFor()),
    'send, to a contact': then(
      opens('send', [], { contacts }),
      () => page.locator('.suggestions').getByText('Alice').click(),
      () => page.locator('#recipient-note .party').waitFor(),
    ),
    'send, with locked contacts': then(opens('send', [], { contacts, vault: 'locked' }), () =>
      page.getByText(say('Unlock to see your contacts')).waitFor(),
    ),
    'send, from an account to look at': then(watches('Send'), () =>
      fill({ To: 'alice.rsk', Amount: '0.25' }),
    ),
    'send, as a code': then(
      watches('Send'),
      () => fill({ To: recipient, Amount: '0.25' }),
      () => press('Show the code'),
      () => page.locator('.qr').waitFor(),
    ),
    contacts: then(opens('contacts', [], { contacts }), () => page.getByText('Alice').waitFor()),
    'contacts, none': then(opens('contacts'), () =>
      page.getByRole('button', { name: say('Add a contact') }).waitFor(),
    ),
    'contacts, many': then(opens('contacts', [], { contacts: many }), () =>
      page.getByText('Contact 12', { exact: true }).waitFor(),
    ),
    'contacts, locked': then(opens('contacts', [], { contacts, vault: 'locked' }), () =>
      page.locator('.panel .confirm').waitFor(),
    ),
    'a contact': then(
      opens('contacts', [], { contacts }),
      () => page.getByText('Cold wallet').click(),
      () => page.getByRole('button', { name: say('Remove this contact') }).waitFor(),
    ),
    'a new contact': then(opens('contacts', ['Add a contact']), () => fill({ Address: 'alice.rsk' })),
    'a new contact that looks like another': then(
      opens('contacts', ['Add a contact'], { contacts }),
      () => fill({ Address: `0x7099${'0'.repeat(32)}79c8`, Name: 'Alicia' }),
      async () => {
        const data = { reason: 'look-alike', resembles: contacts[0]?.address };
        await inUi(page, (ui, given) => ui.wallet.fail('saveContact', -32602, given), data);
      },
      () => press('Save the contact'),
      () => page.locator('.panel .warnings').waitFor(),
    ),
    receive: then(opens('receive'), () => page.locator('.qr').waitFor()),
    activity: then(opens('activity'), () => page.getByText(say('Refused')).first().waitFor()),
    'activity, empty': opens('activity', [], { transactions: [] }),
    'a waiting transaction': opensLine('Waiting'),
    'an unsent transaction': opensLine('Allowed spending'),
    'a failed transaction': opensLine('Failed'),
    'activity, with what came in': opensTold,
    'activity: doubtful payments': then(opensTold, () => page.locator('.panel summary').click()),
    'activity, unread': then(opens('activity'), async () => {
      await page.getByRole('button', { name: say('Look further back') }).waitFor();
      await inUi(page, (ui) => ui.wallet.fail('received', -32002));
      await press('Look further back');
      await page.locator('.error:not(:empty)').waitFor();
    }),
    'a transaction with effects': opensLine(/RIF.*tRBTC/, told),
    'a new contract': opensLine('Deployed a contract', told),
    'an arriving payment': opensPayment('Arriving'),
    'a received collectible': opensPayment(/PUNK/),
    accounts: then(opens('accounts'), () => page.locator('summary').click()),
    'accounts, locked': opens('accounts', [], { vault: 'locked' }),
    'accounts, with one to look at': opens('accounts', [], { contacts }),
    'an account to look at': then(opens('accounts', ['Details of Cold wallet'], { contacts }), () =>
      page.getByRole('button', { name: say('Stop looking at it') }).waitFor(),
    ),
    'an account to look at, locked': then(
      opens('accounts', ['Details of Cold wallet'], { contacts, vault: 'locked' }),
      () => page.locator('.panel .confirm').waitFor(),
    ),
    'home of an account to look at': then(watches('Home'), () => page.getByText('PUNK').waitFor()),
    'activity of an account to look at': then(watches('Activity'), () =>
      page.getByText(say('Read them')).waitFor(),
    ),
    'a new account to look at': then(opens('accounts', ['Look at an account']), () =>
      fill({ Address: 'alice.rsk' }),
    ),
    account: opens('accounts', ['Details of Old key']),
    'private key': then(
      opens('accounts', ['Details of Savings', 'Show the private key']),
      () => fill({ 'Wallet password': password }),
      () => press('Show'),
      () => page.getByText('5e5e5e').waitFor(),
    ),
    keystore: opens('accounts', ['Details of Savings', 'Save a keystore file']),
    allowances: opens('accounts', ['Details of Savings', 'Allowances']),
    'allowances, none': opens('accounts', ['Details of Savings', 'Allowances'], { allowances: [] }),
    bitcoin: then(
      opens('accounts', ['Details of Savings', 'Bitcoin']),
      () => page.locator('.qr').waitFor(),
      () => page.getByText(say('Sent to Bitcoin')).first().waitFor(),
    ),
    'bitcoin, none': opens('accounts', ['Details of Savings', 'Bitcoin'], { pegOuts: [] }),
    'bitcoin: convert': then(
      opens('accounts', ['Details of Savings', 'Bitcoin', 'Convert to bitcoin']),
      () => fill({ Amount: '0.5' }),
      () => page.getByText(say('You receive')).waitFor(),
    ),
    'bitcoin: too little': then(
      opens('accounts', ['Details of Savings', 'Bitcoin', 'Convert to bitcoin']),
      () => fill({ Amount: '0.002' }),
      () => press('Review and send'),
      () => page.locator('.error:not(:empty)').waitFor(),
    ),
    'bitcoin: key': then(
      opens('accounts', ['Details of Savings', 'Bitcoin', 'Show the Bitcoin key']),
      () => fill({ 'Wallet password': password }),
      () => press('Show'),
      () => page.getByText('cWIF').waitFor(),
    ),
    import: opens('accounts', ['Import another']),
    sites: opens('sites'),
    'sites, none': opens('sites', [], { permissions: {} }),
    networks: opens('networks'),
    'a new network': opens('networks', ['Add a network']),
    settings: opens('settings'),
    'settings: phrase': opens('settings', ['Recovery phrase…']),
    'settings: words': then(
      opens('settings', ['Recovery phrase…']),
      () => fill({ 'Wallet password': password }),
      () => press('Show the words'),
      () => page.getByText('sausage').first().waitFor(),
    ),
    'settings: backup file': opens('settings', ['Backup file']),
    'settings: password': opens('settings', ['Change password']),
    'settings: passkeys': then(opens('settings', ['Passkeys']), () => page.locator('summary').click()),
    'settings: erase': opens('settings', ['Erase this wallet']),
    unlock: opens('home', ['Unlock'], { vault: 'locked' }),
    'a new wallet': opens('home', [], { vault: 'empty', accounts: [] }),
  };

  const follows =
    (question: SendQuestion, ...entries: readonly Partial<RecordedTransaction>[]): Scene =>
    async (options) => {
      const sent = entries.map((entry, index) =>
        sentFor(payment, { hash: hashOf(`${index + 1}`), ...entry }),
      );
      const follow = (ui: UiPage, ...args: Parameters<UiPage['follow']>) => {
        ui.reset();
        ui.follow(...args);
      };
      await inUi(page, follow, question, sent, options);
      await page.locator('.result [role=status] span').waitFor();
    };
  const { payment } = questions;
  const slow = { createdAt: Date.now() - 100_000 };
  const calls: SendQuestion = { ...payment, kind: 'calls', calls: [payment, payment] };
  const reason =
    'ERC20: transfer amount exceeds balance, which is a reason that takes more than one line here';

  const results: Record<string, Scene> = {
    sent: follows(payment, {}),
    'sent, and slow': follows(payment, slow),
    'in a block': follows(payment, { state: 'mined' }),
    failed: follows(payment, { state: 'reverted', reason }),
    'part of a batch': follows(calls, { state: 'mined' }, { ...slow, nonce: '0x2b' }),
  };

  return { dialogs, panels, results };
}

/** What an English text is in other words: more than one where the English texts are the same. */
function translationsOf(words: Words): (text: string) => readonly string[] {
  const pairs: [english: string, other: string][] = [];
  const collect = (one: unknown, other: unknown): void => {
    if (typeof one === 'string') pairs.push([one, other as string]);
    else if (typeof one === 'object' && one !== null)
      for (const [key, value] of Object.entries(one))
        collect(value, (other as Record<string, unknown> | undefined)?.[key]);
  };
  collect(english, words);
  return (text) => {
    const found = pairs.flatMap(([one, other]) => {
      const names = Array.from(one.matchAll(/\{(\w+)\}/g), ([, name]) => name as string);
      const values = names.length < 2 && one.split(/\{\w+\}/);
      if (!values || !text.startsWith(values[0] as string) || !text.endsWith(values[1] ?? '')) return [];
      if (names.length === 0) return text === one ? [other] : [];
      if (one === `{${names[0]}}`) return [];
      const value = text.slice((values[0] as string).length, text.length - (values[1] as string).length);
      return [other.replace(`{${names[0]}}`, value)];
    });
    return found.length > 0 ? found : [text];
  };
}

// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startOnboarding, startSetup } from '../../../../src/ui/onboarding/onboarding.js';
import { startRecovery } from '../../../../src/ui/onboarding/recovery.js';
import { phrase } from '../../../support/fake-owner.js';
import { type FakeStage, fakeStage, stepOf } from '../../../support/fake-stage.js';
import { payment } from '../../../support/questions.js';

const words = phrase.split(' ');
const password = 'several words are better';
let stage: FakeStage;

beforeEach(() => {
  stage = fakeStage();
});
afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

const start = (replaceMissing = false) =>
  startSetup({ stage, site: 'app.example', replaceMissing, replace: false });

/** Answers the three questions about the phrase. */
function repeat(change: (word: string, index: number) => string = (word) => word) {
  const fields = Array.from(stage.content().querySelectorAll('input'));
  for (const field of fields) {
    const index = Number(field.id.replace('word-', ''));
    field.value = change(words[index] as string, index);
  }
  return fields.map(({ id }) => Number(id.replace('word-', '')));
}

async function toPhrase() {
  start();
  await stage.confirm();
  stage.type('new-password', password);
  stage.type('repeat-password', password);
  expect(await stage.confirm()).toBeNull();
}

test('the functions that set a wallet up begin to load with the first step', () => {
  const prepare = vi.fn(() => Promise.reject(new Error('not loaded')));
  stage = fakeStage();
  Object.assign(stage.owner, { prepare });
  start();
  expect(prepare).toHaveBeenCalledOnce();
  expect(stage.content().textContent).not.toBe('');
});

describe('a wallet with a password', () => {
  test('is created, backed up and done', async () => {
    await toPhrase();
    expect(stage.owner.calls).toEqual([['create', password, {}], ['persist']]);
    expect(Array.from(stage.content().querySelectorAll('ol li'), (word) => word.textContent)).toEqual(words);
    await stage.confirm();
    expect(stage.content().textContent).not.toContain('sausage');
    expect(new Set(repeat()).size).toBe(3);
    expect(await stage.confirm()).toBeNull();
    expect(stage.owner.calls.at(-1)).toEqual(['confirmBackup']);
    expect(stage.ends).toEqual([['done']]);
  });

  test('can be backed up later', async () => {
    await toPhrase();
    stage.other();
    expect(stage.ends).toEqual([['done']]);
    expect(stage.owner.calls.map(([name]) => name)).not.toContain('confirmBackup');
  });

  test('a wrong word is named by its number, and the phrase can be looked at again', async () => {
    await toPhrase();
    await stage.confirm();
    const first = Math.min(...repeat());
    repeat((word, index) => (index === first ? 'zoo' : word.toUpperCase()));
    expect(await stage.confirm()).toBe(`Word ${first + 1} is wrong. Check what you wrote down.`);
    expect(stage.ends).toEqual([]);
    stage.other();
    expect(stage.title()).toBe('Write down these words');
  });

  test.each([
    ['seven77', 'seven77', 'Choose at least 8 characters.'],
    ['', '', 'Choose at least 8 characters.'],
    ['long enough', 'long enouhg', 'The passwords don’t match.'],
  ])('the password "%s" with "%s" is refused', async (first, second, problem) => {
    start();
    await stage.confirm();
    stage.type('new-password', first);
    stage.type('repeat-password', second);
    expect(await stage.confirm()).toBe(problem);
    expect(stage.owner.calls).toEqual([]);
  });

  test('replaces one that is lost, and says so', async () => {
    start(true);
    expect(stage.content().textContent).toContain('its data is lost or damaged');
    await stage.confirm();
    stage.type('new-password', password);
    stage.type('repeat-password', password);
    await stage.confirm();
    expect(stage.owner.calls[0]).toEqual(['create', password, { replaceMissing: true }]);
  });

  test('going back and cancelling leave everything as it was', async () => {
    start();
    await stage.confirm();
    stage.other();
    expect(stage.title()).toBe('Set up your wallet');
    stage.other();
    expect(stage.ends).toEqual([['cancelled']]);
    expect(stage.owner.calls).toEqual([]);
  });
});

describe('a wallet with a passkey', () => {
  beforeEach(() => vi.stubGlobal('PublicKeyCredential', class {}));

  async function toPasskey() {
    start();
    await stage.confirm();
    stage.press('Use a passkey instead');
    expect(stage.title()).toBe('Open it with a passkey');
    await stage.confirm();
    await stage.confirm();
    repeat();
    await stage.confirm();
    stage.type('passkey-name', 'My phone');
  }

  test('is backed up first, and only then made', async () => {
    await toPasskey();
    expect(stage.owner.calls).toEqual([['newMnemonic']]);
    expect(await stage.confirm()).toBeNull();
    expect(stage.owner.calls.slice(1)).toEqual([
      ['importMnemonic', phrase, { passkey: { name: 'My phone' } }],
      ['confirmBackup'],
      ['persist'],
    ]);
    expect(stage.ends).toEqual([['done']]);
  });

  test('where the device cannot, a password takes its place, and the phrase stays the same', async () => {
    await toPasskey();
    stage.owner.fail('importMnemonic', 4200);
    expect(await stage.confirm()).toBeNull();
    expect(stage.content().textContent).toContain('can’t protect a wallet with a passkey');
    expect(stage.content().textContent).not.toContain('Use a passkey instead');
    stage.type('new-password', password);
    stage.type('repeat-password', password);
    await stage.confirm();
    expect(stage.owner.calls).toContainEqual(['importMnemonic', phrase, { password }]);
    expect(stage.ends).toEqual([['done']]);
  });

  test.each([
    ['127.0.0.1', false],
    ['[::1]', false],
    ['localhost', true],
    ['1.example', true],
  ])('is offered on a page of the host %s: %s', async (hostname, isOffered) => {
    vi.stubGlobal('location', { hostname });
    start();
    await stage.confirm();
    expect(stage.content().textContent?.includes('Use a passkey instead')).toBe(isOffered);
  });

  test('a passkey that the person cancels can be tried again', async () => {
    await toPasskey();
    stage.owner.fail('importMnemonic', 4001);
    expect(await stage.confirm()).toBe('No passkey was created. Try again, or use a password instead.');
    expect(await stage.confirm()).toBeNull();
    expect(stage.ends).toEqual([['done']]);
  });
});

test('where the browser has no passkeys, none is offered', async () => {
  vi.stubGlobal('PublicKeyCredential', undefined);
  start();
  await stage.confirm();
  expect(stage.content().textContent).not.toContain('passkey');
});

test('the question of a site names it', async () => {
  startOnboarding(stage, { ...payment, kind: 'onboarding', vault: 'empty' } as never);
  await stepOf(stage, 'Set up your wallet');
  expect(stage.content().textContent).not.toContain('lost');
});

describe('a passkey on the wallet’s own site', () => {
  const recall = async () => {
    stage.owner.ownSite = true;
    start();
    stage.press('Use my passkey');
    return stage.confirm();
  };
  const choosePasskey = async () => {
    stage.owner.ownSite = true;
    start();
    await stage.confirm();
    stage.press('Use a passkey instead');
  };

  beforeEach(() => vi.stubGlobal('PublicKeyCredential', class {}));

  test('brings a wallet back, which is offered first where one was lost', async () => {
    stage.owner.ownSite = true;
    start(true);
    expect(stage.content().textContent).toContain('Create a wallet');
    await stage.confirm();
    expect(stage.title()).toBe('Bring your wallet back');
    expect(await stage.confirm()).toBeNull();
    expect(stage.owner.calls).toEqual([
      ['restoreFromPasskey', { name: 'My wallet', replace: false, replaceMissing: true }],
      ['persist'],
    ]);
    expect(stage.ends).toMatchObject([['done', [{}, {}]]]);
  });

  test.each([
    [4001, 'No passkey was used.'],
    [4100, 'This passkey unlocks a wallet, but can’t bring one back.'],
    [4200, 'This device or browser can’t bring a wallet back'],
  ])('says what to do when it fails with %i, and can be tried again', async (code, text) => {
    stage.owner.fail('restoreFromPasskey', code);
    expect(await recall()).toContain(text);
    expect(await stage.confirm()).toBeNull();
    expect(stage.ends).toHaveLength(1);
  });

  test.each(['unused', 'unknown'] as const)('asks about a wallet that is %s first', async (found) => {
    const { address } = payment.account;
    stage.owner.passkey.confirm = { address, found };
    expect(await recall()).toBeNull();
    expect(stage.title()).toBe('Is this your wallet?');
    expect(stage.content().textContent?.toLowerCase()).toContain(address);
    stage.other();
    await stepOf(stage, 'Bring your wallet back');
    expect(stage.ends).toEqual([]);
    await stage.confirm();
    expect(stage.title()).toBe('Is this your wallet?');
    expect(await stage.confirm()).toBeNull();
    expect(stage.ends).toMatchObject([['done', [{}, {}]]]);
  });

  test('makes a wallet, and its words can be looked at', async () => {
    await choosePasskey();
    stage.type('passkey-name', 'Family wallet');
    expect(await stage.confirm()).toBeNull();
    expect(stage.owner.calls[0]).toEqual(['createFromPasskey', 'Family wallet', {}]);
    expect(stage.title()).toBe('Your passkey brings this wallet back');
    stage.other();
    expect(Array.from(stage.content().querySelectorAll('ol li'), (word) => word.textContent)).toEqual(words);
    stage.other();
    expect(stage.ends).toEqual([['done']]);
  });

  test('goes on to the words if it stays on its device', async () => {
    stage.owner.passkey.restores = false;
    await choosePasskey();
    expect(await stage.confirm()).toBeNull();
    expect(stage.title()).toBe('Write down these words');
    await stage.confirm();
    repeat();
    await stage.confirm();
    expect(stage.owner.calls.at(-1)).toEqual(['confirmBackup']);
  });

  test('leads to a password where the device cannot make it', async () => {
    await choosePasskey();
    stage.owner.fail('createFromPasskey', 4200);
    await stage.confirm();
    expect(stage.title()).toBe('Choose a password');
    expect(stage.content().textContent).toContain('can’t protect a wallet with a passkey');
  });

  test('is not offered anywhere else', async () => {
    start();
    expect(stage.content().textContent).not.toContain('Use my passkey');
    startRecovery(stage);
    expect(stage.content().textContent).not.toContain('Use my passkey');
  });

  test('takes the place of a forgotten password, after a typed word', async () => {
    stage.owner.ownSite = true;
    startRecovery(stage);
    stage.press('Use my passkey');
    stage.type('typed', 'replace');
    expect(await stage.confirm()).toBeNull();
    expect(await stage.confirm()).toBeNull();
    expect(stage.owner.calls[0]).toEqual([
      'restoreFromPasskey',
      { name: 'My wallet', replace: true, replaceMissing: false },
    ]);
  });
});

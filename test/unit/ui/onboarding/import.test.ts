// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { importStep } from '../../../../src/ui/onboarding/import.js';
import { phrase } from '../../../support/fake-owner.js';
import { type FakeStage, fakeStage, stepOf } from '../../../support/fake-stage.js';
import { account, savings } from '../../../support/questions.js';
import { waitFor } from '../../../support/wait-for.js';

const password = 'several words are better';
let stage: FakeStage;
let goneBack: number;

beforeEach(() => {
  stage = fakeStage();
  goneBack = 0;
});
afterEach(() => document.body.replaceChildren());

const kinds = ['phrase', 'backup', 'private-key', 'keystore'] as const;
async function choose(kind: (typeof kinds)[number], more: object = {}) {
  const setup = { stage, site: null, replaceMissing: false, replace: false, ...more };
  stage.show(importStep(setup, () => goneBack++));
  for (const radio of stage.content().querySelectorAll('input')) radio.checked = radio.value === kind;
  expect(await stage.confirm()).toBeNull();
}

async function protect() {
  expect(stage.title()).toBe('Choose a password');
  stage.type('new-password', password);
  stage.type('repeat-password', password);
  return stage.confirm();
}

/** Puts a file into the field for it. */
function chooseFile(text: string) {
  const field = stage.content().querySelector('#file') as HTMLInputElement;
  const file = { size: text.length, text: async () => text };
  Object.defineProperty(field, 'files', { value: [file], configurable: true });
}

describe('a backup file that cannot be checked', () => {
  const data = {
    ...{ reason: 'vault-unproven', accounts: [account.address], known: [], passkeys: [] },
    losesPassword: false,
  };

  test('is restored after the person agreed to its accounts', async () => {
    await choose('backup');
    chooseFile('{}');
    stage.type('file-password', 'a file password');
    await stage.confirm();
    stage.owner.fail('restore', -32002, data);
    expect(await protect()).toBeNull();
    expect(stage.title()).toBe('Are these your accounts?');
    expect(stage.owner.calls).toEqual([['restore', '{}', 'a file password', { password }]]);
    expect(await stage.confirm()).toBeNull();
    expect(stage.owner.calls.slice(1)).toEqual([
      ['restore', '{}', 'a file password', { password, acceptUnproven: [account.address] }],
      ['persist'],
    ]);
    expect(stage.ends).toMatchObject([['done', [account, savings]]]);
  });

  test('which is not the own one is not restored', async () => {
    await choose('backup');
    chooseFile('{}');
    stage.type('file-password', 'a file password');
    await stage.confirm();
    stage.owner.fail('restore', -32002, data);
    await protect();
    stage.other();
    expect([stage.title(), stage.owner.calls.length, stage.ends]).toEqual(['Backup file', 1, []]);
  });
});

describe('a recovery phrase', () => {
  const typePhrase = (text: string) => {
    (stage.content().querySelector('#phrase') as HTMLTextAreaElement).value = text;
  };

  test('is imported with a new password, then used accounts are looked for', async () => {
    await choose('phrase');
    typePhrase(`  ${phrase.toUpperCase().replaceAll(' ', '\n')} `);
    expect(await stage.confirm()).toBeNull();
    expect(await protect()).toBeNull();
    expect(stage.owner.calls.slice(0, 2)).toEqual([['importMnemonic', phrase, { password }], ['persist']]);
    await stepOf(stage, 'Looking for your accounts');
    await waitFor(() => expect(stage.ends).toEqual([['done', [savings]]]));
  });

  test('can have a passphrase', async () => {
    await choose('phrase');
    typePhrase(phrase);
    stage.type('passphrase', 'Trezor ');
    await stage.confirm();
    await protect();
    expect(stage.owner.calls[0]).toEqual(['importMnemonic', phrase, { password, passphrase: 'Trezor ' }]);
  });

  test.each([
    ['one two three', 'A recovery phrase has 12, 15, 18, 21 or 24 words. You typed 3.'],
    ['', 'A recovery phrase has 12, 15, 18, 21 or 24 words. You typed 0.'],
    [phrase.replace('sausage', 'sausege'), 'Word 6 isn’t in the word list. Check its spelling.'],
    [
      phrase.replace('yellow', 'zoo'),
      'These are valid words, but not a valid phrase. Check for a wrong or misplaced word.',
    ],
  ])('"%s" is refused with what is wrong', async (text, problem) => {
    await choose('phrase');
    typePhrase(text);
    expect(await stage.confirm()).toBe(problem);
    expect(stage.owner.calls).toEqual([]);
  });

  test('into an open wallet it needs no password', async () => {
    await choose('phrase', { isOpen: true });
    typePhrase(phrase);
    expect(await stage.confirm()).toBeNull();
    expect(stage.owner.calls[0]).toEqual(['importMnemonic', phrase, {}]);
  });

  test('a file that replaces a wallet is confirmed with a typed word first', async () => {
    await choose('phrase', { replace: true });
    typePhrase(phrase);
    await stage.confirm();
    expect(await protect()).toBeNull();
    expect(stage.title()).toBe('Replace the wallet?');
    expect(await stage.confirm()).toBe('Type “replace” to continue');
    expect(stage.owner.calls).toEqual([]);
    stage.type('typed', ' Replace ');
    expect(await stage.confirm()).toBeNull();
    expect(stage.owner.calls[0]).toEqual(['importMnemonic', phrase, { password, replace: true }]);
  });
});

describe('a private key', () => {
  test('a private key is imported', async () => {
    await choose('private-key');
    stage.type('private-key', ` 0x${'5e'.repeat(32)} `);
    await stage.confirm();
    await protect();
    expect(stage.owner.calls[0]).toEqual(['importPrivateKey', `0x${'5e'.repeat(32)}`, { password }]);
    expect(stage.ends).toEqual([['done', [account]]]);
  });

  test.each(['', '0x', '5e'.repeat(31), `${'5e'.repeat(31)}zz`])('"%s" is no private key', async (text) => {
    await choose('private-key');
    stage.type('private-key', text);
    expect(await stage.confirm()).toBe('This isn’t a private key: a key has 64 hexadecimal digits.');
  });
});

describe.each([
  ['keystore', 'importKeystore'],
  ['backup', 'restore'],
] as const)('a %s file', (kind, method) => {
  const text = '{"version":3}';

  test('is imported with its own password', async () => {
    await choose(kind);
    chooseFile(text);
    stage.type('file-password', 'of the file');
    expect(await stage.confirm()).toBeNull();
    await protect();
    expect(stage.owner.calls[0]).toEqual([method, text, 'of the file', { password }]);
  });

  test('a file that is missing, cut short, or has no password is refused at once', async () => {
    await choose(kind);
    expect(await stage.confirm()).toBe('Choose a file.');
    chooseFile('{"version":3');
    stage.type('file-password', 'of the file');
    expect(await stage.confirm()).toContain('The file can’t be read');
    chooseFile(text);
    stage.type('file-password', '');
    expect(await stage.confirm()).toBe('Enter the file’s password.');
    expect(stage.owner.calls).toEqual([]);
  });

  test.each([
    [4100, 'This isn’t the file’s password.'],
    [-32602, 'The file can’t be read. It’s another kind of file, or part of it is missing.'],
    [-32002, 'A newer version made this file, or this browser couldn’t store its content.'],
  ])('a refusal of a file with %i is explained without code or developer text', async (code, problem) => {
    await choose(kind);
    chooseFile(text);
    stage.type('file-password', 'of the file');
    await stage.confirm();
    stage.owner.fail(method, code);
    expect(await protect()).toBe(problem);
    // Nothing that was entered is lost: going back leads to the form.
    stage.other();
    expect(stage.content().querySelector('#file')).not.toBeNull();
  });
});

test('a phrase or a backup replaces a wallet, and either brings all accounts back', async () => {
  await choose('phrase', { replace: true });
  stage.other();
  expect(Array.from(stage.content().querySelectorAll('input'), ({ value }) => value)).toEqual([
    'phrase',
    'backup',
  ]);
  stage.other();
  expect(goneBack).toBe(1);
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  type Wallet,
} from '../../../../src/index.js';
import { createFakeNode, type FakeNode } from '../../../../test/support/fake-node.js';
import { hastenKdfOfFile } from '../../../../test/support/hasty-kdf-of-file.js';
import { mnemonic, origin, password, values } from '../../../../test/support/keys.js';
import { type ScriptedApprover, scripted } from '../../src/testing/scripted.js';

hastenKdfOfFile();

let node: FakeNode;
let wallet: Wallet | undefined;

beforeEach(async () => {
  node = await createFakeNode(31);
});
afterEach(async () => {
  wallet?.destroy();
  await node.stop();
});

/** A wallet with two accounts, whose questions go to a test. */
async function open(options?: scripted.Options): Promise<{ wallet: Wallet; person: ScriptedApprover }> {
  const person = scripted(options);
  const made = createWallet({
    networks: [{ chainId: 31, url: node.url }],
    origin,
    storage: createMemoryStorage(),
    memory: createVolatileMemory(),
    approver: () => person,
  });
  wallet = made;
  await made.importMnemonic(mnemonic, { password });
  await made.addAccount();
  return { wallet: made, person };
}

test('an approval gives the accounts that the test has chosen', async () => {
  const { wallet, person } = await open();
  const connected = wallet.provider.request({ method: 'eth_requestAccounts' });
  await person.approve({ kind: 'connect' }, { accounts: [values.$A1] });
  expect(await connected).toEqual([values.$A1]);
});

test('a choice that is not offered is an error, and the question stays open', async () => {
  const { wallet, person } = await open();
  const connected = wallet.provider.request({ method: 'eth_requestAccounts' });
  const choose = (choice: object) => person.approve({ kind: 'connect' }, choice);
  await expect(choose({ accounts: [origin] })).rejects.toThrow(
    `accounts: a value that is no address is not offered; the question offers ${values.$A0}, ${values.$A1}`,
  );
  await expect(choose({ acounts: [values.$A1] })).rejects.toThrow(
    'choice: there is no member "acounts"; its members are accounts, gasPrice, allowance',
  );
  await choose({ accounts: [values.$A1.toUpperCase().replace('0X', '0x')] });
  expect(await connected).toEqual([values.$A1]);
});

test.each<[string, scripted.Options['answers'], string]>([
  [
    'a choice that is not offered',
    [{ kind: 'connect', answer: { approved: true, accounts: [origin] } }],
    'accounts: a value that is no address is not offered',
  ],
  [
    'a function that returns something else',
    () => 'yes' as 'approve',
    'answers: expected "approve", "reject" or an object with approved: true or false',
  ],
  [
    'a function that throws',
    () => {
      throw new Error('The rule of the test');
    },
    'The rule of the test',
  ],
])('a rule that is wrong refuses the question, and fails the next wait: %s', async (_, answers, message) => {
  const { wallet, person } = await open({ answers: answers as NonNullable<typeof answers> });
  await expect(wallet.provider.request({ method: 'eth_requestAccounts' })).rejects.toMatchObject({
    code: 4001,
  });
  await expect(person.nextQuestion()).rejects.toThrow(message);
});

describe('options that are wrong are an error at once', () => {
  const verdict = 'expected "approve", "reject" or an object with approved: true or false';
  test.each<[string, object, string]>([
    ['a member', { pasword: 'a secret' }, 'options: there is no member "pasword"; its members are answers, '],
    ['no list of rules', { answers: 'approve' }, 'answers: expected a list of rules, or a function'],
    [
      'a member of a rule',
      { answers: [{ knd: 'connect', answer: 'approve' }] },
      'answers[0]: there is no member "knd"; its members are kind, ',
    ],
    ['another answer', { answers: [{ answer: 'yes' }] }, `answers[0].answer: ${verdict}`],
    ['no answer', { answers: [{ kind: 'connect' }] }, `answers[0].answer: ${verdict}`],
    ['an answer without approved', { answers: [{ answer: {} }] }, `answers[0].answer: ${verdict}`],
    [
      'a member of an answer',
      { answers: [{ answer: { approved: true, acounts: [] } }] },
      'answers[0].answer: there is no member "acounts"; its members are approved, accounts, ',
    ],
  ])('%s', (_, options, message) => {
    expect(() => scripted(options)).toThrow(message);
  });
});

test('an expectation that is wrong is an error at once', async () => {
  const { person } = await open();
  const match = { knd: 'connect' } as object;
  for (const wait of [person.approve, person.reject, person.nextQuestion])
    await expect(wait(match)).rejects.toThrow('match: there is no member "knd"');
});

test('no question within the time limit is an error that says what was expected', async () => {
  const { person } = await open({ timeout: 10 });
  await expect(person.approve()).rejects.toThrow(
    /^No question was asked within 10 ms; expected any question$/,
  );
});

test('a test may wait for a question before it is asked', async () => {
  const { wallet, person } = await open();
  const approved = person.approve({ kind: 'connect' });
  expect(await wallet.provider.request({ method: 'eth_requestAccounts' })).toEqual([values.$A0]);
  expect((await approved).kind).toBe('connect');
});

test('the password unlocks; without it a locked question is refused, whatever the test says', async () => {
  for (const [options, code] of [
    [{ password }, undefined],
    [{}, 4001],
  ] as const) {
    const { wallet, person } = await open({ ...options, answers: [{ kind: 'connect', answer: 'approve' }] });
    await wallet.provider.request({ method: 'eth_requestAccounts' });
    await wallet.lock();
    const signed = wallet.provider
      .request({ method: 'personal_sign', params: ['0x68656c6c6f', values.$A0] })
      .then(
        () => undefined,
        (error) => error.code,
      );
    await person.approve({ kind: 'message' });
    expect(await signed).toBe(code);
  }
});

test('a question that the page has withdrawn is not open any more', async () => {
  const { wallet, person } = await open();
  const connected = wallet.provider.request({ method: 'eth_requestAccounts' }).catch((error) => error.code);
  await person.nextQuestion({ kind: 'connect' });
  wallet.destroy();
  expect(await connected).toBe(4001);
  await person.expectNoQuestion(10);
});

test('a wait for a question ends with the error that none can be asked', async () => {
  const { person } = await open();
  const waiting = person.approve({ kind: 'connect' });
  person.fail(new Error('The page has no wallet'));
  await expect(waiting).rejects.toThrow('The page has no wallet');
  await expect(person.expectNoQuestion(10)).rejects.toThrow('The page has no wallet');
});

describe('expectNoQuestion with an action', () => {
  test('resolves with its result once it has ended', async () => {
    const { wallet, person } = await open();
    expect(await person.expectNoQuestion(() => wallet.provider.request({ method: 'eth_chainId' }))).toBe(
      '0x1f',
    );
    expect(await person.expectNoQuestion(() => 7)).toBe(7);
  });

  test('fails with its error', async () => {
    const { person } = await open();
    const failing = () => Promise.reject(new Error('The page was closed'));
    await expect(person.expectNoQuestion(failing)).rejects.toThrow('The page was closed');
    const throwing = () => {
      throw new Error('A mistake');
    };
    await expect(person.expectNoQuestion(throwing)).rejects.toThrow('A mistake');
  });

  test('fails at once with a question, which stays open', async () => {
    const { wallet, person } = await open();
    let connected: Promise<unknown> | undefined;
    await expect(
      person.expectNoQuestion(() => {
        connected = wallet.provider.request({ method: 'eth_requestAccounts' });
        return connected;
      }),
    ).rejects.toThrow('Expected no question, but was asked { kind: "connect"');
    let isStarted = false;
    await expect(
      person.expectNoQuestion(() => {
        isStarted = true;
      }),
    ).rejects.toThrow('Expected no question, but was asked { kind: "connect"');
    expect(isStarted).toBe(false);
    await person.approve({ kind: 'connect' });
    expect(await connected).toEqual([values.$A0]);
  });

  test('fails with a question that a rule has answered', async () => {
    const { wallet, person } = await open({ answers: [{ kind: 'connect', answer: 'approve' }] });
    await expect(
      person.expectNoQuestion(() => wallet.provider.request({ method: 'eth_requestAccounts' })),
    ).rejects.toThrow('Expected no question, but was asked { kind: "connect"');
  });

  test('fails where no question can be asked', async () => {
    const { person } = await open();
    await expect(
      person.expectNoQuestion(() => {
        person.fail(new Error('The page has no wallet'));
        return new Promise(() => {});
      }),
    ).rejects.toThrow('The page has no wallet');
  });
});

test('expectNoQuestion fails with a question that is asked meanwhile', async () => {
  const { wallet, person } = await open();
  const none = person.expectNoQuestion(5_000);
  const connected = wallet.provider.request({ method: 'eth_requestAccounts' }).catch(() => {});
  await expect(none).rejects.toThrow('Expected no question, but was asked { kind: "connect"');
  await person.reject();
  await connected;
});

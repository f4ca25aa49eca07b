import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryStorage, createVolatileMemory, createWallet, type Wallet } from '../../../src/index.js';
import { createChannel } from '../../../src/testing/channel.js';
import { type ScriptedApprover, scripted } from '../../../src/testing/scripted.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { mnemonic, origin, password, values } from '../../support/keys.js';
import { greeting } from '../../support/questions.js';

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

test('expectNoQuestion fails with a question that is asked meanwhile', async () => {
  const { wallet, person } = await open();
  const none = person.expectNoQuestion(5_000);
  const connected = wallet.provider.request({ method: 'eth_requestAccounts' }).catch(() => {});
  await expect(none).rejects.toThrow('Expected no question, but was asked { kind: "connect"');
  await person.reject();
  await connected;
});

test('a channel answers the pages apart, and takes back the questions of the one that was left', async () => {
  const { questions, receive, leave } = createChannel<string>();
  const first = receive({ type: 'ask', id: '1', question: greeting }, 'first page');
  const second = receive({ type: 'ask', id: '2', question: greeting }, 'second page');
  leave((page) => page === 'first page');
  expect(await first).toEqual({ approved: false });
  await questions.approve({ kind: 'message' });
  expect(await second).toEqual({ approved: true });
});

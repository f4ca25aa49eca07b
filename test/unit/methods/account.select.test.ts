import { afterAll, beforeAll, expect, test } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Address, Answer, Question, Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** The question is of accounts alone: no service is asked. */
let wallet: Wallet;
let first: Address;
let second: Address;
let answer: (question: Question) => boolean | Answer = () => true;
const approver = headless({ password: 'correct horse', answer: (question) => answer(question) });

beforeAll(async () => {
  wallet = openWallet({
    networks: [{ chainId: 31, url: 'https://rpc.example/none' }],
    approver: () => approver,
  });
  const mnemonic = 'test test test test test test test test test test test junk';
  first = (await wallet.importMnemonic(mnemonic, { password: 'correct horse' })).address;
  second = (await wallet.addAccount()).address;
});
afterAll(() => wallet.destroy());

const select = () => wallet.provider.request({ method: 'eth_selectAccounts' });

test('an account can be exchanged for another one by a question', async () => {
  expect(await wallet.provider.request({ method: 'eth_requestAccounts' })).toEqual([first]);
  answer = () => ({ approved: true, accounts: [second] });
  const asked = approver.asked.length;
  expect(await select()).toEqual([second]);
  expect(approver.asked.slice(asked)).toMatchObject([{ kind: 'connect', selected: [first] }]);
  expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([second]);
});

test('refused, after one question, and nothing changes', async () => {
  answer = () => false;
  const asked = approver.asked.length;
  await expect(select()).rejects.toMatchObject({ code: 4001 });
  expect(approver.asked.length - asked).toBe(1);
  expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([second]);
});

test('params', async () => {
  await expect(
    wallet.provider.request({ method: 'eth_selectAccounts', params: [1] } as never),
  ).rejects.toMatchObject({ code: -32602 });
});

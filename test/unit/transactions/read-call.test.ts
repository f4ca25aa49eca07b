import { encodeFunctionData, parseAbi } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { type HeadlessApprover, headless } from '../../../packages/kit/src/testing/index.js';
import type { TransactionQuestion } from '../../../src/approvals/question.js';
import type { Hex, Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** Calls as a page sends them, and what the person is told. */

const password = 'correct horse';
const attacker = '0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e';
const contract = '0x7070707070707070707070707070707070707070';
/** RIF on the test network. */
const tRif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
const word = `0x${'12'.repeat(32)}`;
const most = 2n ** 256n - 1n;

let local: LocalService;
let wallet: Wallet;
let approver: HeadlessApprover;
let from: Hex;

beforeAll(async () => {
  local = await createLocalService({ chainId: 31 });
  approver = headless({ password, answer: ({ kind }) => kind !== 'transaction' });
  wallet = openWallet({
    networks: [{ chainId: 31, url: local.url }],
    approver: () => approver,
    describeCall: async () => ({ name: 'claim', arguments: [] }),
  });
  ({ address: from } = await wallet.importPrivateKey(generatePrivateKey(), { password }));
  await local.controls.faucet(from, 10n ** 19n);
  await wallet.provider.request({ method: 'eth_requestAccounts' });
});
afterAll(async () => {
  wallet?.destroy();
  await local?.close();
});

const encode = (signature: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: parseAbi([`function ${signature}`] as never), args } as never);

/** The question about a call, which the person refuses. */
async function ask(data: Hex, to: Hex = contract): Promise<TransactionQuestion> {
  const request = wallet.provider.request({
    method: 'eth_sendTransaction',
    params: [{ from, to, data, gas: '0x186a0' }],
  });
  await expect(request).rejects.toMatchObject({ code: 4001 });
  return approver.asked.at(-1) as TransactionQuestion;
}
const codesOf = ({ warnings }: TransactionQuestion) =>
  warnings.map(({ code, severity }) => `${code} ${severity}`);

describe('a transaction', () => {
  test.each<[string, readonly unknown[], object]>([
    [
      'transferAndCall(address,uint256,bytes)',
      [attacker, 5n, '0x'],
      { name: 'transfer', to: attacker, amount: '5' },
    ],
    ['send(address,uint256,bytes)', [attacker, 5n, '0x'], { name: 'transfer', to: attacker, amount: '5' }],
    [
      'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
      [attacker, attacker, most, 1n, 27, word, word],
      { name: 'approve', spender: attacker, unlimited: true },
    ],
    ['approveAndCall(address,uint256,bytes)', [attacker, 7n, '0x'], { name: 'approve', amount: '7' }],
  ])('%s names who gets what, and offers no limit to change', async (signature, args, call) => {
    const question = await ask(encode(signature, args));
    expect(question.call).toMatchObject({ ...call, token: { address: contract } });
    expect(question.recipient?.address).toBe(attacker);
    expect(question.choices).not.toHaveProperty('allowance');
  });

  test.each<[string, readonly unknown[], string]>([
    ['transferOwnership(address)', [attacker], 'changes-control danger'],
    ['upgradeTo(address)', [attacker], 'changes-control danger'],
    ['authorizeOperator(address)', [attacker], 'approval-for-all danger'],
    [
      'multicall(bytes[])',
      [[encode('approve(address,uint256)', [attacker, most])]],
      'unlimited-approval danger',
    ],
    [
      'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
      [
        contract,
        0n,
        encode('setApprovalForAll(address,bool)', [attacker, true]),
        0,
        0n,
        0n,
        0n,
        attacker,
        attacker,
        '0x',
      ],
      'approval-for-all danger',
    ],
  ])('%s has the warning %s', async (signature, args, code) => {
    expect(codesOf(await ask(encode(signature, args)))).toContain(code);
  });

  test('an unknown call of a known token is a danger, whatever the page’s ABI calls it', async () => {
    expect(codesOf(await ask('0x12345678', tRif))).toContain('unknown-call danger');
    expect(codesOf(await ask('0x12345678'))).not.toContain('unknown-call caution');
  });

  test('a dangerous call inside a function that only the page’s ABI knows is a danger', async () => {
    const inner = encode('approve(address,uint256)', [attacker, most]);
    const question = await ask(encode('claim(bytes)', [inner]));
    expect(question.described).toMatchObject({ name: 'claim' });
    expect(codesOf(question)).toContain('unlimited-approval danger');
  });

  test('a payment without data has no tree, and the question survives a copy', async () => {
    const request = wallet.provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to: attacker, value: '0x1' }],
    });
    await expect(request).rejects.toMatchObject({ code: 4001 });
    expect(approver.asked.at(-1)).not.toHaveProperty('tree');
    const question = await ask(encode('multicall(bytes[])', [[encode('upgradeTo(address)', [attacker])]]));
    expect(structuredClone(question)).toMatchObject({ tree: { inner: [{ method: 'upgradeTo' }] } });
  });
});

import { parseEther } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Hex, Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** What is signed where it is not what the page asked for, and what a call that must fail is shown as. */

const friend = `0x${'aa'.repeat(20)}` as const;
const lowest = 59_240_000n;

let local: LocalService;
let wallet: Wallet;
let from: Hex;
const approver = headless({ password: 'correct horse' });

beforeAll(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', switches: { accountQuota: false } });
  wallet = openWallet({
    networks: [{ chainId: 31, url: local.url }],
    approver: () => approver,
    pollingInterval: 30,
  });
  ({ address: from } = await wallet.importPrivateKey(generatePrivateKey(), { password: 'correct horse' }));
  await local.controls.faucet(from, parseEther('10'));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
});
afterEach(() => {
  local.controls.clearFaults();
  local.controls.setMinimumGasPrice(lowest);
});
afterAll(async () => {
  wallet.destroy();
  await local.close();
});

/** Sends, and gives what the person saw and what was signed. */
async function send(change: object) {
  const hash = await wallet.provider.request({
    method: 'eth_sendTransaction',
    params: [{ from, to: friend, value: '0x1', ...change }],
  });
  const question = approver.asked.at(-1);
  if (question?.kind !== 'transaction') throw new Error('no transaction was asked about');
  return { question, entry: (await wallet.transactions()).find((entry) => entry.hash === hash), hash };
}
const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;

test.each([10_000_000_000n, 80n * lowest + 1n, 10n ** 20n])(
  'a price of %i wei over the cap of the network is lowered to it, and the person gets a notice',
  async (price) => {
    const { question, entry } = await send({ gasPrice: quantity(price) });
    expect(entry?.gasPrice).toBe(quantity(80n * lowest));
    expect(question.transaction.gasPrice).toBe(entry?.gasPrice);
    expect(question.fee).toBe(quantity(21_000n * 80n * lowest));
    expect(question.warnings).toContainEqual({
      code: 'gas-price-lowered',
      severity: 'notice',
      detail: expect.stringMatching(/ Gwei → 4\.7392 Gwei$/),
    });
  },
);

test('a price of exactly the cap is left as it is', async () => {
  const { question, entry } = await send({ gasPrice: quantity(80n * lowest) });
  expect(entry?.gasPrice).toBe(quantity(80n * lowest));
  expect(question.warnings.map(({ code }) => code)).not.toContain('gas-price-lowered');
});

test('a price over 1,000 gwei is refused where no minimum bounds it', async () => {
  local.controls.setMinimumGasPrice(0n);
  await local.controls.mine();
  // The wallet may be reading the block before, and shares that reply.
  await expect
    .poll(() => wallet.provider.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }))
    .toMatchObject({ minimumGasPrice: '0x0' });
  await expect(send({ gasPrice: quantity(10n ** 13n) })).rejects.toMatchObject({ code: -32003 });
});

test('gas and gasLimit that differ are refused, equal ones are one value', async () => {
  await expect(send({ gas: '0x5208', gasLimit: '0x5209' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('gasLimit'),
  });
  const { entry } = await send({ gas: '0x7530', gasLimit: '0x007530' });
  expect(entry?.gas).toBe('0x7530');
});

test.each([
  ['a payment', { gas: '0x1' }, 21_000n],
  ['data', { gas: '0x5208', data: '0x00ff' }, 21_020n],
  ['a creation', { gas: '0x5208', to: undefined, value: '0x0', data: '0x00ff' }, 53_022n],
])(
  'gas under the intrinsic cost of %s is raised, and the person gets a notice',
  async (_what, change, intrinsic) => {
    const { question, entry, hash } = await send(change);
    expect(BigInt(entry?.gas as Hex)).toBeGreaterThanOrEqual(intrinsic);
    expect(question.warnings).toContainEqual({
      code: 'gas-raised',
      severity: 'notice',
      detail: `${BigInt(change.gas)} → ${BigInt(entry?.gas as Hex)}`,
    });
    const receipt = await wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    expect(receipt).not.toBeNull();
  },
);

test('gas that is enough to start and too little to end is left as it is, and shown as a failure', async () => {
  // Stores a value: 20,000 on top of the cost of a creation.
  const { question, entry } = await send({
    to: undefined,
    value: '0x0',
    data: '0x600160005500',
    gas: '0xd2f0',
  });
  expect(entry?.gas).toBe('0xd2f0');
  expect(question.warnings).toContainEqual({
    code: 'simulation-reverts',
    severity: 'danger',
    detail: 'out of gas: 54000 is not enough',
  });
});

test.each([
  ['an invalid instruction', '0xfe'],
  ['an endless loop', '0x5b600056'],
])('a call that must fail (%s) is a danger with its reason', async (_name, code) => {
  // Deploys a contract whose only code it is.
  const size = (code.length - 2) / 2;
  const init = `0x6${(size - 1).toString(16)}${code.slice(2)}60005260${size.toString(16).padStart(2, '0')}60${(32 - size).toString(16).padStart(2, '0')}f3`;
  const { hash } = await send({ to: undefined, value: '0x0', data: init });
  const receipt = await wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
  expect(receipt?.status).toBe('0x1');
  const { question } = await send({ to: receipt?.contractAddress, value: '0x0', data: '0x01' });
  expect(question.warnings[0]).toEqual({
    code: 'simulation-reverts',
    severity: 'danger',
    detail: 'it uses up all gas: an invalid instruction or an endless loop',
  });
});

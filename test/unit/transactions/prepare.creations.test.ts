import { createPublicClient, createWalletClient, custom, encodeFunctionData, parseEther } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { rootstockRegtest } from '../../../src/adapters/viem.js';
import type { Hex, Wallet } from '../../../src/index.js';
import {
  bornWithKidCode,
  factoryAbi,
  factoryCode,
  kidCode,
} from '../../support/contracts/factory.generated.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { word } from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** A dapp with viem creates contracts through a factory: docs/notes/node.md#gas-estimates. */

const limit = 6_800_000n;
let local: LocalService;
let wallet: Wallet;
let from: Hex;
let factory: Hex;
let kid: Hex;
const approver = headless({ password: 'correct horse' });

const dapp = () => {
  const transport = custom(wallet.provider);
  return {
    reads: createPublicClient({ chain: rootstockRegtest, transport }),
    writes: createWalletClient({ account: from, chain: rootstockRegtest, transport }),
  };
};

beforeAll(async () => {
  local = await createLocalService({ dialect: 'node', switches: { accountQuota: false } });
  wallet = openWallet({
    networks: [{ chainId: 33, url: local.url }],
    approver: () => approver,
    pollingInterval: 30,
  });
  ({ address: from } = await wallet.importPrivateKey(generatePrivateKey(), { password: 'correct horse' }));
  await local.controls.faucet(from, parseEther('10'));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  const { reads, writes } = dapp();
  const deployed = async (data: Hex) => {
    const hash = await writes.sendTransaction({ data });
    return (await reads.getTransactionReceipt({ hash })).contractAddress as Hex;
  };
  [factory, kid] = [await deployed(factoryCode), await deployed(`${kidCode}${word(1)}`)];
});
afterAll(async () => {
  wallet?.destroy();
  await local?.close();
});

const dataOf = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: factoryAbi, functionName, args } as never);

/** Sends what the dapp wants, and returns the question and the receipt. */
async function send(transaction: { to?: Hex; data: Hex; value?: bigint; gas?: bigint }) {
  const { reads, writes } = dapp();
  const hash = await writes.sendTransaction(transaction as { to: Hex; data: Hex });
  const question = approver.asked.at(-1);
  if (question?.kind !== 'transaction') throw new Error('no transaction was asked about');
  return { question, receipt: await reads.getTransactionReceipt({ hash }) };
}
const codesOf = ({ warnings }: { readonly warnings: readonly { readonly code: string }[] }) =>
  warnings.map(({ code }) => code);

const creations: [string, () => { to?: Hex; data: Hex; value?: bigint }, atMost: bigint][] = [
  ['a creation with a result', () => ({ to: factory, data: dataOf('plain', [7n]) }), 13n],
  ['a creation without a result', () => ({ to: factory, data: dataOf('plainNoReturn', [7n]) }), 13n],
  ['a minimal proxy', () => ({ to: factory, data: dataOf('clone', [kid]) }), 13n],
  ['two creations', () => ({ to: factory, data: dataOf('twice', [7n]) }), 13n],
  ['a creation with value', () => ({ to: factory, data: dataOf('paid', [7n]), value: 5n }), 15n],
  ['a creation and a call', () => ({ to: factory, data: dataOf('thenInit', [7n]) }), 13n],
  ['a creation that only this account may make', () => ({ to: factory, data: dataOf('owned', [7n]) }), 25n],
  ['a deployment whose constructor creates', () => ({ data: bornWithKidCode }), 25n],
];

describe('a dapp with viem sends', () => {
  test.each(creations)('%s: no danger, a fee near the paid one, mined', async (_, transaction, tenths) => {
    const { question, receipt } = await send(transaction());
    expect(question.warnings.filter(({ severity }) => severity === 'danger')).toEqual([]);
    expect(codesOf(question)).not.toContain('gas-unknown');
    expect(receipt.status).toBe('success');
    const paid = receipt.gasUsed * receipt.effectiveGasPrice;
    expect(BigInt(question.fee)).toBeGreaterThanOrEqual(paid);
    expect(BigInt(question.fee) * 10n).toBeLessThanOrEqual(paid * tenths);
  });

  test.each([creations[0], creations[6], creations[7]] as typeof creations)(
    '%s with the gas that the provider estimates',
    async (_, transaction) => {
      const gas = await dapp().reads.estimateGas({ account: from, ...transaction() });
      expect(gas).toBeLessThan(500_000n);
      const { question, receipt } = await send({ ...transaction(), gas });
      expect(codesOf(question)).not.toContain('simulation-reverts');
      expect(receipt.status).toBe('success');
    },
  );

  test.each([creations[0], creations[3], creations[4]] as typeof creations)(
    '%s with exactly the gas that it used before',
    async (_, transaction) => {
      const { receipt: before } = await send(transaction());
      // A margin for the sixty-fourth that the engine keeps from inner calls.
      const { question, receipt } = await send({ ...transaction(), gas: (before.gasUsed * 51n) / 50n });
      expect(codesOf(question)).not.toContain('simulation-reverts');
      expect(receipt.status).toBe('success');
    },
  );
});

const out = { code: 'simulation-reverts', severity: 'danger' };
const usesAll = { ...out, detail: 'it uses up all gas: an invalid instruction or an endless loop' };

test.each(['thenLoop', 'thenInvalid'] as const)('%s is a danger with its reason', async (name) => {
  const { question, receipt } = await send({ to: factory, data: dataOf(name, [7n]) });
  expect(question.warnings[0]).toEqual(usesAll);
  expect(receipt.status).toBe('reverted');
});

test('a contract that is too large is a danger that says so', async () => {
  const { question, receipt } = await send({ data: '0x6160016000f3' });
  expect(question.warnings[0]).toEqual({
    ...out,
    detail:
      'it uses up all gas: an invalid instruction, an endless loop, or a contract of more than 24,576 bytes',
  });
  expect(receipt.status).toBe('reverted');
});

test('half the gas that a creation needs is a danger', async () => {
  const { question, receipt } = await send({ to: factory, data: dataOf('plain', [7n]), gas: 80_000n });
  expect(question.warnings[0]).toEqual({ ...out, detail: 'out of gas: 80000 is not enough' });
  expect(receipt.status).toBe('reverted');
});

test('a revert after a creation keeps its data', async () => {
  const estimate = wallet.provider.request({
    method: 'eth_estimateGas',
    params: [{ from, to: factory, data: dataOf('thenRevert', [7n]) }],
  });
  await expect(estimate).rejects.toMatchObject({ code: 3, data: expect.stringMatching(/^0x08c379a0/) });
  const { question } = await send({ to: factory, data: dataOf('thenRevert', [7n]) });
  expect(question.warnings[0]).toEqual({ ...out, detail: 'made for nothing' });
});

test('gas that cannot be measured is the maximum of the network, with a caution', async () => {
  const { question, receipt } = await send({ to: factory, data: dataOf('ownedNoReturn', [7n]) });
  expect(BigInt(question.transaction.gas)).toBe(limit);
  expect(question.warnings).toContainEqual({ code: 'gas-unknown', severity: 'caution' });
  expect(codesOf(question)).not.toContain('simulation-reverts');
  expect(receipt.status).toBe('success');
});

test('the fees of a creation are those of its measured gas', async () => {
  const fees = await wallet.fees({ to: factory, data: dataOf('plainNoReturn', [7n]), from } as never);
  expect(BigInt(fees.gas)).toBeLessThan(200_000n);
});

test('a gas limit of blocks above the node’s maximum for a transaction is not used', async () => {
  await using wide = await createLocalService({
    dialect: 'node',
    blockGasLimit: 9_800_000,
    switches: { accountQuota: false },
  });
  const { url } = wide;
  const other = openWallet({
    networks: [{ chainId: 33, url }],
    approver: () => approver,
    pollingInterval: 30,
  });
  const account = await other.importPrivateKey(generatePrivateKey(), { password: 'correct horse' });
  await wide.controls.faucet(account.address, parseEther('10'));
  await other.provider.request({ method: 'eth_requestAccounts' });
  const transaction = { from: account.address, data: `0x5b600056` };
  await other.provider.request({ method: 'eth_sendTransaction', params: [transaction as never] });
  expect(approver.asked.at(-1)).toMatchObject({ transaction: { gas: `0x${limit.toString(16)}` } });
  other.destroy();
});

test('a revert that the node cannot read is asked about', async () => {
  // Reverts with the selector of Error(string) alone.
  const { question } = await send({ data: '0x6308c379a060e01b60005260046000fd' });
  expect(codesOf(question)).toContain('simulation-unavailable');
  expect(question.warnings.filter(({ severity }) => severity === 'danger')).toEqual([]);
});

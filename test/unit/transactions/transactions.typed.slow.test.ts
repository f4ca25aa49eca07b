import { parseEther } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnvilProcess, startAnvil } from '../../../packages/kit/src/local/anvil-process.js';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Hex, Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/**
 * The day the chain's blocks name a base fee. A real EVM whose blocks do (zero, as RSKIP-546 would have it) stands for
 * the chain of that day, the local service for the chain of today.
 */

const friend = `0x${'aa'.repeat(20)}` as const;
const accessList = [{ address: friend, storageKeys: [`0x${'01'.repeat(32)}` as const] }];

let anvil: AnvilProcess;
let local: LocalService;
const wallets: Wallet[] = [];

beforeAll(async () => {
  anvil = await startAnvil(['--chain-id', '31', '--base-fee', '0', '--gas-price', '0']);
  local = await createLocalService({ chainId: 31 });
});
afterAll(async () => {
  for (const wallet of wallets) wallet.destroy();
  await anvil.stop();
  await local.close();
});

const call = async (url: string, method: string, ...params: unknown[]) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return ((await response.json()) as { result: never }).result;
};

async function open(url: string) {
  const approver = headless({ password: 'correct horse' });
  const wallet = openWallet({
    networks: [{ chainId: 31, url }],
    approver: () => approver,
    pollingInterval: 30,
  });
  wallets.push(wallet);
  const { address: from } = await wallet.importPrivateKey(generatePrivateKey(), {
    password: 'correct horse',
  });
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  const send = (change: object): Promise<Hex> =>
    wallet.provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to: friend, value: '0x1', ...change }],
    });
  return { wallet, from, send, asked: approver.asked };
}

test('blocks with a base fee of zero: types 1 and 2 are signed as requested, with the cap as the tip', async () => {
  const url = `http://127.0.0.1:${anvil.port}/`;
  const { wallet, from, send, asked } = await open(url);
  await call(url, 'anvil_setBalance', from, '0x8ac7230489e80000');
  const market = await send({ maxFeePerGas: '0x3b9aca00', maxPriorityFeePerGas: '0x1' });
  const listed = await send({ type: '0x1', accessList, gasPrice: '0x3b9aca00', gas: '0xffff' });
  const legacy = await send({ gasPrice: '0x3b9aca00' });
  const types: unknown[] = [];
  for (const hash of [market, listed, legacy]) {
    const {
      type,
      accessList: list,
      maxFeePerGas,
      maxPriorityFeePerGas,
    } = await call(url, 'eth_getTransactionByHash', hash);
    types.push([type, list, maxFeePerGas === maxPriorityFeePerGas]);
    await expect
      .poll(async () => (await wallet.transactions()).find((entry) => entry.hash === hash)?.state)
      .toBe('mined');
  }
  expect(types).toEqual([
    ['0x2', [], true],
    ['0x1', accessList, true],
    ['0x0', undefined, true],
  ]);
  expect(asked.filter(({ kind }) => kind === 'transaction')).toMatchObject([
    { transaction: { transactionType: '0x2' } },
    { transaction: { transactionType: '0x1', accessList } },
    {},
  ]);
  expect(await wallet.provider.request({ method: 'eth_maxPriorityFeePerGas' })).toBe('0x0');
});

test('signed bytes of type 2 are sent where the chain knows them', async () => {
  const url = `http://127.0.0.1:${anvil.port}/`;
  const { wallet, from } = await open(url);
  await call(url, 'anvil_setBalance', from, '0x8ac7230489e80000');
  const raw = await wallet.provider.request({
    method: 'eth_signTransaction',
    params: [{ from, to: friend, value: '0x1', type: '0x2', maxFeePerGas: '0x3b9aca00' }],
  });
  expect(raw.slice(0, 4)).toBe('0x02');
  const hash = await wallet.provider.request({ method: 'eth_sendRawTransaction', params: [raw] });
  await expect
    .poll(() => call(url, 'eth_getTransactionReceipt', hash))
    .toMatchObject({ status: '0x1', type: '0x2' });
});

test('blocks without a base fee: everything is signed as legacy, and an access list is refused', async () => {
  const { wallet, from, send } = await open(local.url);
  await local.controls.faucet(from, parseEther('1'));
  const hash = await send({ type: '0x2', maxFeePerGas: '0x3b9aca00', maxPriorityFeePerGas: '0x1' });
  expect(await wallet.provider.request({ method: 'eth_getTransactionByHash', params: [hash] })).toMatchObject(
    {
      type: '0x0',
    },
  );
  await expect(send({ type: '0x1', accessList })).rejects.toMatchObject({ code: -32602 });
});

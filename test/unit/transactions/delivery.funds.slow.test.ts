import { keccak256 } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createLocalService,
  type LocalNode,
  type LocalService,
} from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createMemoryStorage, type Hex, type Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { createProxy } from '../../support/proxy.js';

hastenKdfOfFile();

/**
 * An account whose coins have just come, behind a balancer with a node that does not know of them: that node refuses what
 * the chain accepts.
 */
const friend = `0x${'aa'.repeat(20)}` as const;
const coins = 10n ** 18n;
const unfundedEstimate = (id: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'insufficient funds for transfer' } });

let local: LocalService;
let behind: LocalNode;
let proxy: Awaited<ReturnType<typeof createProxy>>;
let wallet: Wallet;
let from: Hex;
/** How many of the next requests of a method go to the node that is behind. */
let misled: Record<string, number>;
let asked: string[];
/** The bytes that were sent. */
let raw: string[];

beforeAll(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'manual' });
  behind = await local.addNode({ lag: 1_000 });
  let url = local.url;
  proxy = await createProxy({
    pick: () => url,
    async rule({ id, method, params }) {
      asked.push(method);
      if (method === 'eth_sendRawTransaction') raw.push(String(params?.[0]));
      const isMisled = (misled[method] ?? 0) > 0;
      url = isMisled ? behind.url : local.url;
      if (isMisled) misled[method] = (misled[method] ?? 0) - 1;
      // RSKj estimates without coins, geth does not.
      return isMisled && method === 'eth_estimateGas' ? { body: unfundedEstimate(id) } : undefined;
    },
  });
});
afterAll(() => Promise.all([proxy.stop(), local.close()]));

beforeEach(async () => {
  [misled, asked, raw] = [{}, [], []];
  const key = generatePrivateKey();
  from = privateKeyToAccount(key).address.toLowerCase() as Hex;
  await local.controls.mine();
  await local.controls.faucet(from, coins);
  await local.controls.mine();
  wallet = openWallet({
    networks: [{ chainId: 31, url: proxy.url }],
    approver: () => headless({ password: 'correct horse' }),
    storage: createMemoryStorage(),
    pollingInterval: 30,
  });
  await wallet.importPrivateKey(key, { password: 'correct horse' });
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  asked = [];
});
afterEach(() => wallet.destroy());

const send = (change: object = {}) =>
  wallet.provider.request({
    method: 'eth_sendTransaction',
    params: [{ from, to: friend, value: '0x1', ...change }],
  });
const states = async () => (await wallet.transactions()).map(({ state }) => state);
const sends = () => asked.filter((method) => method === 'eth_sendRawTransaction').length;

test.each([1, 2])(
  'a send that nodes without the coins refuse %i times is offered to the next one',
  async (times) => {
    misled = { eth_sendRawTransaction: times };
    const hash = await send();
    expect([await states(), sends()]).toEqual([['sent'], times + 1]);
    await local.controls.mine();
    await expect
      .poll(() => wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }))
      .toMatchObject({ status: '0x1' });
  },
);

test('a third refusal is passed on, and nothing stays open', async () => {
  misled = { eth_sendRawTransaction: 3 };
  await expect(send()).rejects.toMatchObject({ code: -32003, message: /^insufficient funds for gas/ });
  expect([await states(), sends()]).toEqual([['refused'], 3]);
});

test('coins that a payment before it takes: the first refusal is passed on', async () => {
  const most = `0x${((coins * 6n) / 10n).toString(16)}`;
  await send({ value: most });
  const [first] = raw;
  await expect(send({ value: most })).rejects.toMatchObject({ code: -32003, message: /^insufficient funds/ });
  // The first payment may be offered again meanwhile.
  expect([await states(), raw.filter((each) => each !== first).length]).toEqual([['sent', 'refused'], 1]);
});

test('bytes of an account that is not of the wallet are offered to the next node as well', async () => {
  const key = privateKeyToAccount(generatePrivateKey());
  await local.controls.faucet(key.address, coins);
  await local.controls.mine();
  const raw = await key.signTransaction({
    ...{ type: 'legacy', chainId: 31, nonce: 0, to: friend, value: 1n, gas: 21_000n, gasPrice: 70_000_000n },
  });
  misled = { eth_sendRawTransaction: 1 };
  const hash = await wallet.provider.request({ method: 'eth_sendRawTransaction', params: [raw] });
  expect([hash, sends()]).toEqual([keccak256(raw), 2]);
});

test('an estimate that a node without the coins refuses is read again', async () => {
  misled = { eth_estimateGas: 1 };
  await send();
  const estimates = asked.filter((method) => method === 'eth_estimateGas').length;
  expect([await states(), estimates]).toEqual([['sent'], 2]);
});

import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { createMemoryStorage, createVolatileMemory, createWallet, type Wallet } from '../../../src/index.js';
import type { Address, Hash, Hex, Log, Receipt } from '../../../src/rpc/schema.js';
import { word } from '../../support/simulated-chain.js';
import { until } from '../../support/until.js';

/** Pages that come and go over one storage, before a real EVM and real HTTP. */

let local: LocalService;
let account: PrivateKeyAccount;
let contract: Address;
let nonce = 0;
let storage = createMemoryStorage();
const wallets: Wallet[] = [];

beforeEach(async () => {
  local = await createLocalService({ mining: 'manual', dialect: 'node' });
  storage = createMemoryStorage();
  account = privateKeyToAccount(word(0xacc0_0448));
  nonce = 0;
  await local.controls.faucet(account.address);
  const { provider } = open();
  // Runtime code: LOG1 without data, the first word of the call data as its topic.
  const deployed = await send(provider, undefined, '0x6860003560006000a10060005260096017f3');
  await local.controls.mine();
  const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [deployed] });
  contract = (receipt as Receipt).contractAddress as Address;
});

afterEach(async () => {
  for (const wallet of wallets.splice(0)) wallet.destroy();
  await local.close();
});

type Provider = Wallet['provider'];

/** A page is loaded. */
function open(origin = 'https://dapp.example') {
  const wallet = createWallet({
    networks: [{ chainId: 33, url: local.url }],
    memory: createVolatileMemory(),
    storage,
    origin,
    pollingInterval: 50,
  });
  wallets.push(wallet);
  const { provider } = wallet;
  const heard: { id: Hex; result: unknown }[] = [];
  let isKnown = false;
  let early = 0;
  provider.on('message', (message) => {
    const { subscription: id, result } = (message as { data: { subscription: Hex; result: unknown } }).data;
    if (!isKnown) early += 1;
    heard.push({ id, result });
  });
  return {
    provider,
    logs: () => heard.map(({ result }) => result as Log),
    early: () => early,
    async go(kind: string, options: object): Promise<Hex> {
      const id = await provider.request({ method: 'eth_subscribe', params: [kind, options] } as never);
      isKnown = true;
      return id as Hex;
    },
    close: () => wallet.destroy(),
  };
}

async function send(provider: Provider, to: Address | undefined, data: Hex): Promise<Hash> {
  const transaction = await account.signTransaction({
    type: 'legacy',
    chainId: 33,
    nonce: nonce++,
    gas: 100_000n,
    gasPrice: 100_000_000n,
    ...(to && { to }),
    data,
  });
  return (await provider.request({ method: 'eth_sendRawTransaction', params: [transaction] })) as Hash;
}

async function emit(provider: Provider, ...topics: readonly number[]): Promise<void> {
  for (const topic of topics) {
    await send(provider, contract, word(topic));
    await local.controls.mine();
  }
}

const topicsOf = (logs: readonly Log[]) =>
  logs.map(({ topics, removed }) => (removed ? -1 : 1) * Number(topics[0]));

const calm = () => new Promise((resolve) => setTimeout(resolve, 200));

test('resume: after a reload, missed results come first, and none twice', async () => {
  const wanted = { address: contract, resume: 'my-events' };
  const first = open();
  await first.go('logs', wanted);
  await emit(first.provider, 1);
  await until(() => first.logs().length === 1);
  await calm();
  first.close();

  const other = open('https://other.example');
  await emit(other.provider, 2, 3);
  await local.controls.mine(30);
  await emit(other.provider, 4);
  await other.go('logs', wanted);

  const second = open();
  await second.go('logs', wanted);
  await emit(second.provider, 5);
  await until(() => second.logs().length === 4);
  await calm();
  expect(topicsOf(second.logs())).toEqual([2, 3, 4, 5]);
  expect(second.logs().map(({ removed }) => removed)).toEqual([false, false, false, false]);
  expect(second.early()).toBe(0);
  // The name is the origin's own.
  expect(topicsOf(other.logs())).toEqual([5]);
});

test('logs of blocks that left the chain while no page was open are removed before new ones come', async () => {
  const wanted = { address: contract, resume: 'my-events' };
  const first = open();
  await first.go('logs', wanted);
  await emit(first.provider, 1, 2, 3);
  await until(() => first.logs().length === 3);
  await calm();
  first.close();

  // The transactions of the blocks that leave are mined again, in one.
  await local.controls.reorg(2);
  const second = open();
  await emit(second.provider, 4);
  await second.go('logs', wanted);
  await until(() => second.logs().length === 5);
  await calm();
  expect(topicsOf(second.logs())).toEqual([-3, -2, 2, 3, 4]);
  expect(second.logs()[0]).toEqual({ ...first.logs()[2], removed: true });
  expect(second.logs()[2]?.blockHash).not.toBe(first.logs()[1]?.blockHash);
});

test('resume of newHeads', async () => {
  const first = open();
  await first.go('newHeads', { resume: 'heads' });
  await local.controls.mine();
  await until(() => first.logs().length === 1);
  await calm();
  first.close();
  await local.controls.mine(5);
  const second = open();
  await second.go('newHeads', { resume: 'heads' });
  await until(() => second.logs().length === 5);
  await calm();
  const numbers = second.logs().map((head) => Number((head as unknown as { number: Hex }).number));
  const begin = Number((first.logs()[0] as unknown as { number: Hex }).number);
  expect(numbers).toEqual([1, 2, 3, 4, 5].map((each) => begin + each));
});

test('an invalid cursor name, or one for a kind that cannot be resumed', async () => {
  const { go } = open();
  for (const resume of ['', ' ', 'a b', 'é', 'x'.repeat(65), 7, true, {}, ['a']])
    await expect(go('logs', { resume })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('params[1].resume'),
    });
  for (const kind of ['syncing', 'newPendingTransactions'])
    await expect(go(kind, { resume: 'a' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('params[1].resume'),
    });
  await expect(go('logs', { resume: 'a', adress: contract })).rejects.toMatchObject({ code: -32602 });
  for (const [kind, options] of [
    ['logs', { resume: null }],
    ['newHeads', { resume: null }],
    ['logs', { resume: 'x'.repeat(64), topics: [] }],
    ['newHeads', {}],
  ] as const)
    expect(await go(kind, options)).toMatch(/^0x/);
});

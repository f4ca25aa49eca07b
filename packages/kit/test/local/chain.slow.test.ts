import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  alice,
  bob,
  clientOf,
  emitter,
  nobody,
  sign,
  type Wish,
  word,
} from '../../../../test/support/local-client.js';
import { waitFor } from '../../../../test/support/wait-for.js';
import { createLocalService, type Hex, type LocalService } from '../../src/local/index.js';

let service: LocalService;
let call: ReturnType<typeof clientOf>['call'];
let refusal: ReturnType<typeof clientOf>['refusal'];
const coin = 10n ** 18n;
const start = async (options: Parameters<typeof createLocalService>[0]) => {
  service = await createLocalService(options);
  ({ call, refusal } = clientOf(service));
};
afterEach(() => service?.close());

const send = async (wish: Wish = {}): Promise<Hex> => call('eth_sendRawTransaction', await sign(wish));
const headNumber = async () => Number(await call('eth_blockNumber'));
const blockAt = (number: number | string) =>
  call('eth_getBlockByNumber', typeof number === 'number' ? `0x${number.toString(16)}` : number, false);

describe('mining', () => {
  test('by default each transaction is mined in a block of its own', async () => {
    await start({});
    await service.controls.faucet(alice.address, coin);
    expect(await headNumber()).toBe(1);
    const hash = await send();
    expect((await call('eth_getTransactionReceipt', hash)).blockNumber).toBe('0x2');
    await send({ nonce: 2 });
    expect(await headNumber()).toBe(2);
    await send({ nonce: 1 });
    expect([await headNumber(), (await blockAt('latest')).transactions.length]).toEqual([3, 2]);
  });

  test('mining manual mines only on demand', async () => {
    await start({ mining: 'manual' });
    await service.controls.faucet(alice.address, coin);
    const hash = await send();
    expect(await headNumber()).toBe(0);
    await service.controls.mine(3);
    expect(await headNumber()).toBe(3);
    expect((await call('eth_getTransactionReceipt', hash)).blockNumber).toBe('0x1');
  });

  test('mining interval mines by time, and setMining changes it', async () => {
    await start({ mining: { interval: 20 } });
    await waitFor(async () => expect(await headNumber()).toBeGreaterThan(1), { interval: 5 });
    service.controls.setMining('manual');
    await service.controls.mine();
    const head = await headNumber();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await headNumber()).toBe(head);
  });

  test('concurrent sends are handled one at a time', async () => {
    await start({});
    await service.controls.faucet(alice.address, coin);
    await service.controls.faucet(bob.address, coin);
    const raws = [];
    for (let nonce = 0; nonce < 8; nonce++) raws.push(await sign({ nonce }), await sign({ nonce }, bob));
    const hashes = await Promise.all(raws.map((raw) => call('eth_sendRawTransaction', raw)));
    for (const hash of hashes) expect((await call('eth_getTransactionReceipt', hash)).status).toBe('0x1');
    expect(await headNumber()).toBe(18);
  });

  test('chainId sets the chain id of replies and signatures', async () => {
    await start({ chainId: 31 });
    await service.controls.faucet(alice.address, coin);
    expect([await call('eth_chainId'), await call('net_version')]).toEqual(['0x1f', '31']);
    expect((await refusal('eth_sendRawTransaction', await sign())).message).toBe('Invalid chainId: 33');
    const hash = await send({ chainId: 31 });
    expect((await call('eth_getTransactionByHash', hash)).v).toMatch(/^0x6[12]$/);
  });

  test('fees and balances are exact, without a base fee', async () => {
    await start({});
    await service.controls.faucet(alice.address, coin);
    for (let nonce = 0; nonce < 12; nonce++) await send({ nonce, gas: 40_000n });
    const left = coin - 12n * (21_000n * 65_000_000n + 1n);
    expect(BigInt(await call('eth_getBalance', alice.address))).toBe(left);
    const { paidFees, miner } = await blockAt('latest');
    expect(BigInt(paidFees)).toBe(21_000n * 65_000_000n);
    expect(BigInt(await call('eth_getBalance', miner))).toBe(12n * 21_000n * 65_000_000n);
  });
});

describe('reorg', () => {
  beforeEach(async () => {
    await start({ mining: 'manual' });
    await service.controls.faucet(alice.address, coin);
    await service.controls.mine(2);
  });

  test('by default the new branch is one block longer and mines the orphaned transactions', async () => {
    const hash = await send({ value: 5n });
    await service.controls.mine(3);
    const before = [await blockAt(2), await blockAt(3), await blockAt(4), await blockAt(5)];
    await service.controls.reorg(3);
    expect(await headNumber()).toBe(6);
    const after = [await blockAt(2), await blockAt(3), await blockAt(4), await blockAt(5)];
    expect(after[0].hash).toBe(before[0].hash);
    for (const i of [1, 2, 3]) expect(after[i].hash).not.toBe(before[i].hash);
    for (const i of [1, 2, 3]) expect(after[i].parentHash).toBe(after[i - 1].hash);
    expect(BigInt((await blockAt(6)).totalDifficulty)).toBeGreaterThan(BigInt(before[3].totalDifficulty));
    const receipt = await call('eth_getTransactionReceipt', hash);
    expect([receipt.blockNumber, receipt.blockHash]).toEqual(['0x3', after[1].hash]);
    expect(await call('eth_getBalance', nobody)).toBe('0x5');
  });

  test('orphaned blocks and their logs are still found by hash', async () => {
    const creation = await send({ to: null, data: emitter, gas: 100_000n, value: 0n });
    await service.controls.mine();
    const { contractAddress } = await call('eth_getTransactionReceipt', creation);
    await send({ nonce: 1, to: contractAddress, data: `0x${word(1)}${word(2)}`, gas: 60_000n, value: 0n });
    await service.controls.mine();
    const left = await blockAt('latest');
    await service.controls.reorg(1);
    expect((await call('eth_getBlockByHash', left.hash, false)).transactions).toEqual(left.transactions);
    expect(await call('eth_getLogs', { blockHash: left.hash })).toHaveLength(1);
    expect(await call('eth_getBalance', nobody, { blockHash: left.hash })).toBe(null);
    expect((await call('eth_getTransactionReceipt', left.transactions[0])).blockHash).not.toBe(left.hash);
  });

  test('transactions pending returns them to the pool', async () => {
    const hash = await send();
    await service.controls.mine();
    const waiting = await send({ nonce: 1 });
    await service.controls.reorg(1, { transactions: 'pending' });
    expect(await call('eth_getTransactionReceipt', hash)).toBe(null);
    for (const each of [hash, waiting])
      expect((await call('eth_getTransactionByHash', each)).blockHash).toBe(null);
    expect(await headNumber()).toBe(4);
    await service.controls.mine();
    for (const each of [hash, waiting])
      expect((await call('eth_getTransactionReceipt', each)).blockNumber).toBe('0x5');
  });

  test('transactions dropped loses them', async () => {
    const hash = await send({ value: 5n });
    await service.controls.mine();
    await service.controls.reorg(1, { transactions: 'dropped' });
    expect(await call('eth_getTransactionByHash', hash)).toBe(null);
    await service.controls.mine();
    expect(await call('eth_getTransactionReceipt', hash)).toBe(null);
    expect(await call('eth_getTransactionCount', alice.address)).toBe('0x0');
  });

  test('blocks sets the length of the new branch, zero included', async () => {
    await service.controls.reorg(1, { blocks: 0 });
    expect(await headNumber()).toBe(1);
    await service.controls.reorg(1, { blocks: 5 });
    expect(await headNumber()).toBe(5);
  });

  test('faucet credits survive repeated reorganisations', async () => {
    await service.controls.faucet(bob.address, 7n);
    await service.controls.mine(2);
    for (const depth of [1, 4, 2, 5]) {
      await service.controls.reorg(depth);
      expect(await call('eth_getBalance', bob.address), `after depth ${depth}`).toBe('0x7');
      expect(await call('eth_getBalance', alice.address)).toBe('0xde0b6b3a7640000');
    }
  });

  test('no reply shows the chain between two branches', async () => {
    await service.controls.mine(10);
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) {
      const switched = service.controls.reorg(8);
      const numbers = await Promise.all(Array.from({ length: 10 }, headNumber));
      const blocks = await Promise.all(numbers.map(blockAt));
      expect(blocks.map(({ number }) => Number(number))).toEqual(numbers);
      seen.push(...numbers);
      await switched;
    }
    expect(seen.every((number, i) => i === 0 || number >= (seen[i - 1] as number))).toBe(true);
  });

  test('a depth beyond the genesis block is rejected', async () => {
    for (const depth of [0, 3, 1.5]) await expect(service.controls.reorg(depth)).rejects.toThrow(RangeError);
    expect(await headNumber()).toBe(2);
  });
});

describe('the node', () => {
  test('a restart empties the pool and keeps the chain', async () => {
    await start({ mining: 'manual' });
    await service.controls.faucet(alice.address, coin);
    await service.controls.mine(2);
    const head = await blockAt('latest');
    const hash = await send();
    await service.controls.restart();
    expect(await call('eth_getTransactionByHash', hash)).toBe(null);
    await service.controls.mine();
    expect(await call('eth_getTransactionReceipt', hash)).toBe(null);
    expect((await blockAt(2)).hash).toBe(head.hash);
    expect(await send()).toBe(hash);
  });

  test('evm_ methods mine, snapshot, revert and shift the time', async () => {
    await start({ mining: 'manual' });
    await service.controls.faucet(alice.address, coin);
    expect(await call('evm_mine')).toBe(null);
    const id = await call('evm_snapshot');
    await send();
    expect(await call('evm_startMining')).toBe(null);
    await send({ nonce: 1 });
    expect(await call('evm_stopMining')).toBe(null);
    expect(await headNumber()).toBe(2);
    expect(await call('evm_revert', id)).toBe(true);
    expect(await call('evm_revert', id)).toBe(true);
    expect(await call('evm_revert', '0xffff')).toBe(false);
    expect(await headNumber()).toBe(1);
    expect(await call('eth_getTransactionCount', alice.address)).toBe('0x0');
    expect(await call('evm_increaseTime', '0x10')).toBe('0x10');
    expect(await call('evm_increaseTime', '100')).toBe('0x74');
    const before = Number((await blockAt('latest')).timestamp);
    await service.controls.mine();
    expect(Number((await blockAt('latest')).timestamp) - before).toBeGreaterThanOrEqual(116);
    expect(await call('evm_reset')).toBe(null);
    expect(await headNumber()).toBe(0);
  });

  test('setSyncing sets the result of eth_syncing', async () => {
    await start({});
    const status = { startingBlock: '0x0', currentBlock: '0x1', highestBlock: '0x2' } as const;
    service.controls.setSyncing(status);
    expect(await call('eth_syncing')).toEqual(status);
    service.controls.setSyncing(false);
    expect(await call('eth_syncing')).toBe(false);
  });

  test('engine replaces anvil by another EVM', async () => {
    const asked: string[] = [];
    await start({
      engine: async ({ chainId }) => {
        const nothing = async () => {};
        return {
          request: async (method) => {
            asked.push(method);
            return `0x${chainId.toString(16)}`;
          },
          submit: nothing,
          drop: nothing,
          mine: nothing,
          rollback: nothing,
          setBalance: nothing,
          increaseTime: nothing,
          snapshot: async () => '0x1',
          restore: async () => true,
          reset: nothing,
          close: nothing,
        };
      },
    });
    expect(await call('eth_getBalance', nobody)).toBe('0x21');
    await service.controls.mine(10_000);
    expect(await headNumber()).toBe(10_000);
    expect(asked).toEqual(['eth_getBalance']);
  });
});

import { expect, test } from 'vitest';
import { ProviderRpcError } from '../../src/rpc/errors.js';
import { readHistory } from '../../src/subscriptions/history.js';
import { address, createSimulatedChain } from '../chain/simulated-chain.js';

function setUp(blocks: number) {
  const chain = createSimulatedChain();
  for (let i = 1; i <= blocks; i++) chain.mine({ address: address(1 + (i % 2)) });
  return chain;
}

test('default: the wanted logs of a range that fits, in one request', async () => {
  const chain = setUp(50);
  const logs = await readHistory(chain.service, { address: address(1) }, 11, 20);
  expect(logs).toEqual(
    chain
      .canonical()
      .slice(11, 21)
      .flatMap(chain.logsOf)
      .filter((log) => log.address === address(1)),
  );
  expect(chain.asked).toEqual([
    { method: 'eth_getLogs', params: [{ fromBlock: '0xb', toBlock: '0x14', address: address(1) }] },
  ]);
});

test('behavior: more than 2,000 blocks are asked for in pieces', async () => {
  const chain = setUp(4_500);
  const logs = await readHistory(chain.service, {}, 1, 4_500);
  expect(logs.map((log) => Number(log.blockNumber))).toEqual(Array.from({ length: 4_500 }, (_, i) => i + 1));
  expect(chain.requests()).toBe(3);
});

test('behavior: a piece that is refused as too large is halved', async () => {
  const chain = setUp(100);
  chain.intercept((_method, [filter]) => {
    const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
    if (Number(toBlock) - Number(fromBlock) >= 30) throw new ProviderRpcError(-32005, 'more than 20 logs');
    return undefined;
  });
  expect(await readHistory(chain.service, {}, 1, 100)).toHaveLength(100);
});

test('behavior: an empty range asks nothing', async () => {
  const chain = setUp(1);
  expect(await readHistory(chain.service, {}, 5, 4)).toEqual([]);
  expect(chain.requests()).toBe(0);
});

test('error: other failures, one block that is too much, and more than 100,000 blocks', async () => {
  const chain = setUp(3);
  await expect(readHistory(chain.service, {}, 0, 100_000)).rejects.toMatchObject({ code: -32005 });
  expect(chain.requests()).toBe(0);
  chain.intercept(() => {
    throw new ProviderRpcError(-32005, 'too much');
  });
  await expect(readHistory(chain.service, {}, 1, 3)).rejects.toMatchObject({
    code: -32005,
    message: 'too much',
  });
  chain.intercept(() => {
    throw new ProviderRpcError(-32002, 'gone');
  });
  await expect(readHistory(chain.service, {}, 1, 3)).rejects.toMatchObject({ code: -32002 });
});

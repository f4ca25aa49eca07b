import { expect, test } from 'vitest';
import { blockInterval } from '../../../src/chain/interval.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';

const hosted = ['https://rpc.testnet.example/key'];

function interval(blockTime: number, blocks: number, urls: readonly string[] = hosted) {
  const chain = createSimulatedChain({ blockTime, urls });
  for (let i = 1; i < blocks; i++) chain.mine();
  return blockInterval(chain.service, chain.canonical());
}

test('half of the observed block time', () => {
  expect(interval(20, 40)).toBe(10_000);
  expect(interval(15, 2)).toBe(7_500);
});

test('25-second blocks are assumed until two are known', () => {
  const { service } = createSimulatedChain({ urls: hosted });
  expect(blockInterval(service, [])).toBe(12_000);
  expect(interval(3, 1)).toBe(12_000);
});

test('never under 1 s nor over 12 s, whatever the timestamps say', () => {
  expect(interval(1, 10)).toBe(1_000);
  expect(interval(0, 10)).toBe(1_000);
  expect(interval(-50, 10)).toBe(1_000);
  expect(interval(3_600, 10)).toBe(12_000);
  const { service, head } = createSimulatedChain({ urls: hosted });
  const odd = [head(), { ...head(), number: '0x1', timestamp: 'later' }] as const;
  expect(blockInterval(service, odd as never)).toBe(1_000);
});

test('a service on this machine is asked each second', () => {
  expect(
    interval(60, 10, ['http://127.0.0.1:4444/key', 'http://rpc.localhost:1/key', 'http://[::1]:1/key']),
  ).toBe(1_000);
  expect(interval(60, 10, ['http://127.0.0.1:4444/key', ...hosted])).toBe(12_000);
  expect(interval(60, 10, ['https://localhost.example/key'])).toBe(12_000);
  expect(interval(60, 10, ['no url'])).toBe(12_000);
});

import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bornWithKidCode,
  factoryAbi,
  factoryCode,
  kidCode,
} from '../../../../test/support/contracts/factory.generated.js';
import { alice, clientOf, sign, word } from '../../../../test/support/local-client.js';
import { createLocalService, type Hex, type LocalService } from '../../src/local/index.js';

/** Dry runs where Rootstock's EVM differs from the engine's (docs/notes/node.md#gas-estimates, #the-evm). */

const limit = 6_800_000;
let node: LocalService;
let seed: LocalService;
let factory: Hex;
let kid: Hex;
let client: ReturnType<typeof clientOf>;
let seedClient: ReturnType<typeof clientOf>;

async function deploy(at: ReturnType<typeof clientOf>, data: Hex, nonce: number): Promise<Hex> {
  const raw = await sign({ nonce, to: null, data, gas: 3_000_000n, value: 0n });
  const hash = await at.call('eth_sendRawTransaction', raw);
  return (await at.call('eth_getTransactionReceipt', hash)).contractAddress;
}

beforeAll(async () => {
  [node, seed] = await Promise.all([
    createLocalService({ dialect: 'node', switches: { accountQuota: false } }),
    createLocalService(),
  ]);
  [client, seedClient] = [clientOf(node), clientOf(seed)];
  for (const service of [node, seed]) await service.controls.faucet(alice.address, 10n ** 18n);
  [factory, kid] = [await deploy(client, factoryCode, 0), await deploy(client, `${kidCode}${word(1)}`, 1)];
  await deploy(seedClient, factoryCode, 0);
});
afterAll(() => Promise.all([node?.close(), seed?.close()]));

type Name = (typeof factoryAbi)[number] extends infer Item
  ? Item extends { readonly type: 'function'; readonly name: infer Each }
    ? Each
    : never
  : never;

const callOf = (functionName: Name, args: readonly unknown[] = [1n]) => ({
  from: alice.address,
  to: factory,
  data: encodeFunctionData({ abi: factoryAbi, functionName, args } as never),
});
const estimate = async (call: object) => Number(await client.call('eth_estimateGas', call));

describe('the estimate of a call that creates a contract', () => {
  const atLimit: [string, () => object][] = [
    ['a creation with a result', () => callOf('plain')],
    ['a creation without a result', () => callOf('plainNoReturn')],
    ['a minimal proxy', () => callOf('clone', [kid])],
    ['two creations', () => callOf('twice')],
    ['a creation with value', () => ({ ...callOf('paid'), value: '0x1' })],
    ['a creation with a salt', () => callOf('salted')],
    ['a deployment whose constructor creates', () => ({ from: alice.address, data: bornWithKidCode })],
  ];
  test.each(atLimit)('is the whole budget for %s', async (_, call) => {
    expect(await estimate(call())).toBe(limit);
    expect(await estimate({ ...call(), gas: '0x4c4b40' })).toBe(5_000_000);
  });

  const figures: [string, () => object][] = [
    ['a creation and a call with all gas', () => callOf('thenInit')],
    ['a minimal proxy and a call with all gas', () => callOf('cloneThenInit', [kid, 5n])],
    ['a creation in an inner call', () => callOf('viaSelf')],
    ['a plain deployment', () => ({ from: alice.address, data: `${kidCode}${word(1)}` })],
  ];
  test.each(figures)('is a figure for %s', async (_, call) => {
    expect(await estimate(call())).toBeGreaterThan(50_000);
    expect(await estimate(call())).toBeLessThan(300_000);
  });

  test('is a figure in the seed dialect', async () => {
    expect(Number(await seedClient.call('eth_estimateGas', callOf('plain')))).toBeLessThan(300_000);
  });

  test('is the revert where it reverts', async () => {
    expect(await client.refusal('eth_estimateGas', callOf('thenRevert'))).toMatchObject({
      code: -32015,
      message: 'VM Exception while processing transaction: revert made for nothing',
    });
  });

  test.each(['thenLoop', 'thenInvalid'] as const)('is the whole budget for %s', async (name) => {
    expect(await estimate(callOf(name))).toBe(limit);
  });
});

describe('the estimate of a call whose inner calls may fail', () => {
  let nonce = 2;
  const contract = (runtime: string): Promise<Hex> => {
    const size = word(runtime.length / 2).slice(-2);
    return deploy(client, `0x60${size}600c60003960${size}6000f3${runtime}`, nonce++);
  };
  /** Calls a contract with all gas, whatever comes of it. */
  const careless = (to: Hex) => contract(`6000600060006000600073${to.slice(2)}5af15000`);
  const stores = '60016000556001600155600160025500';
  /** Stores the address of a contract that it creates, or zero. */
  const creates = '66620000646000f360005260076019'.concat('6000f060005500');

  test.each([
    ['one that writes', stores, 1],
    ['one inside another', stores, 3],
    ['a creation', creates, 1],
  ])('suffices for them: %s', async (_, runtime, levels) => {
    const target = await contract(runtime);
    let to = target;
    for (let i = 0; i < levels; i++) to = await careless(to);
    const gas = BigInt(await estimate({ from: alice.address, to }));
    const hash = await client.call(
      'eth_sendRawTransaction',
      await sign({ nonce: nonce++, to, data: '0x', gas, value: 0n }),
    );
    expect(await client.call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
    expect(BigInt(await client.call('eth_getStorageAt', target, '0x0', 'latest'))).not.toBe(0n);
  });
});

test('the payload of a creation that reverted is lost', async () => {
  const lost = {
    code: -32015,
    message: 'VM Exception while processing transaction: transaction reverted',
    data: '0x',
  };
  expect(await client.refusal('eth_call', callOf('plain', [13n]), 'latest')).toMatchObject(lost);
  expect(await client.refusal('eth_call', callOf('viaSelf', [13n]), 'latest')).toMatchObject(lost);
  expect(await client.refusal('eth_estimateGas', callOf('plain', [13n]))).toMatchObject(lost);
  expect(await client.refusal('eth_call', { data: `${kidCode}${word(13)}` }, 'latest')).toMatchObject({
    message: 'VM Exception while processing transaction: revert unlucky',
  });
  expect(await seedClient.refusal('eth_call', callOf('plain', [13n]), 'latest')).toMatchObject({
    message: 'VM Exception while processing transaction: revert unlucky',
  });
});

test('an inner call that fails with all gas fails the whole execution', async () => {
  expect(await client.call('eth_call', callOf('tryInvalid', []), 'latest')).toBe('0x');
  expect(await estimate(callOf('tryInvalid', []))).toBe(limit);
  expect(await client.call('eth_call', callOf('tryInvalidWithGas', []), 'latest')).toBe(`0x${word(0)}`);
  expect(await estimate(callOf('tryInvalidWithGas', []))).toBeLessThan(60_000);
  expect(await seedClient.call('eth_call', callOf('tryInvalid', []), 'latest')).toBe(`0x${word(0)}`);
});

test.each([
  ['its selector alone', '08c379a0'],
  ['an offset beyond its end', `08c379a0${'f'.repeat(64)}`],
  ['a length beyond its end', `08c379a0${word(32)}${word(1000)}`],
])('a malformed Error(string), %s, is an internal error', async (_, payload) => {
  const size = word(payload.length / 2).slice(-2);
  const data = `0x60${size}600c60003960${size}6000fd${payload}`;
  for (const method of ['eth_call', 'eth_estimateGas']) {
    const params = method === 'eth_call' ? [{ data }, 'latest'] : [{ data }];
    expect(await client.refusal(method, ...params)).toEqual({
      status: 200,
      code: -32603,
      message: 'Internal server error',
    });
  }
});

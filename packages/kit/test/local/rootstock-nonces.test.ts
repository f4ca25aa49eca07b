import { encodeFunctionData, getContractAddress } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  bornWithKidCode,
  factoryAbi,
  factoryCode,
} from '../../../../test/support/contracts/factory.generated.js';
import { alice, clientOf, sign } from '../../../../test/support/local-client.js';
import { createLocalService, type Hex, type LocalService } from '../../src/local/index.js';

/** Nonces of contracts (docs/notes/node.md#the-evm). */

let service: LocalService;
let call: ReturnType<typeof clientOf>['call'];
beforeEach(async () => {
  service = await createLocalService({ dialect: 'node', switches: { accountQuota: false } });
  ({ call } = clientOf(service));
  await service.controls.faucet(alice.address, 10n ** 18n);
});
afterEach(() => service?.close());

async function send(nonce: number, data: Hex, to: Hex | null = null): Promise<Hex> {
  const hash = await call(
    'eth_sendRawTransaction',
    await sign({ nonce, to, data, gas: 3_000_000n, value: 0n }),
  );
  return (await call('eth_getTransactionReceipt', hash)).contractAddress;
}
const plain = encodeFunctionData({ abi: factoryAbi, functionName: 'plain', args: [1n] });
const nonceOf = async (address: Hex) => Number(await call('eth_getTransactionCount', address, 'latest'));
const lastOf = async (to: Hex): Promise<Hex> => {
  const data = encodeFunctionData({ abi: factoryAbi, functionName: 'last' });
  return `0x${(await call('eth_call', { to, data }, 'latest')).slice(-40)}`;
};

test('a contract that a transaction creates begins at 0, and one that a contract creates at 1', async () => {
  const factory = await send(0, factoryCode);
  expect(await nonceOf(factory)).toBe(0);
  const first = getContractAddress({ from: factory, nonce: 0n }).toLowerCase();
  expect(`0x${(await call('eth_call', { to: factory, data: plain }, 'latest')).slice(-40)}`).toBe(first);
  await send(1, plain, factory);
  expect(await lastOf(factory)).toBe(first);
  expect(await nonceOf(factory)).toBe(1);
  expect(await nonceOf(first as Hex)).toBe(1);
});

test('a contract whose constructor creates counts its creations', async () => {
  expect(await nonceOf(await send(0, bornWithKidCode))).toBe(1);
});

test('a creation that fails leaves no contract', async () => {
  const address = await send(0, '0xfe');
  expect(await nonceOf(address)).toBe(0);
  expect(await nonceOf(alice.address)).toBe(1);
});

test('the nonce holds over a reorganisation and over blocks that follow at once', async () => {
  service.controls.setMining('manual');
  const hash = await call(
    'eth_sendRawTransaction',
    await sign({ nonce: 0, to: null, data: factoryCode, gas: 3_000_000n, value: 0n }),
  );
  await service.controls.mine(3);
  const { contractAddress } = await call('eth_getTransactionReceipt', hash);
  expect(await nonceOf(contractAddress)).toBe(0);
  await service.controls.reorg(2);
  expect(await nonceOf(contractAddress)).toBe(0);
  await service.controls.reorg(4);
  expect(await nonceOf(contractAddress)).toBe(0);
});

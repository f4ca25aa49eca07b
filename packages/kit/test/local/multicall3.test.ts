import { keccak256 } from 'viem';
import { expect, test } from 'vitest';
import { clientOf } from '../../../../test/support/local-client.js';
import { createLocalService } from '../../src/local/index.js';
import { multicall3 } from '../../src/local/multicall3.js';

/** The hash of the contract's code (EIP-1052) on every chain that has it, as its users publish it. */
const published = '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891';

test.each([30, 31, 33])(
  'chain %i has the published code of Multicall3 from its first block on, and keeps it',
  async (chainId) => {
    await using service = await createLocalService({ chainId });
    const { call } = clientOf(service);
    const hashAt = async (block: string) => keccak256(await call('eth_getCode', multicall3.address, block));
    expect(await hashAt('latest')).toBe(published);
    await service.controls.mine(3);
    await service.controls.reorg(3);
    expect([await hashAt('0x0'), await hashAt('0x1'), await hashAt('latest')]).toEqual(
      Array(3).fill(published),
    );
    await call('evm_reset');
    expect(await hashAt('latest')).toBe(published);
  },
);

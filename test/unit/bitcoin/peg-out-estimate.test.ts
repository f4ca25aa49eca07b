import { encodeFunctionData, parseAbi, parseEther } from 'viem';
import { describe, expect, test } from 'vitest';
import { type BitcoinNetwork, bitcoinNetwork } from '../../../src/bitcoin/network.js';
import { estimatePegOut } from '../../../src/bitcoin/peg-out-estimate.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import type { Hex } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import { bridge } from '../../support/bridge-world.js';

/** Estimates of a peg-out, with the answers of a bridge and without them. */

const abi = parseAbi([
  'function getEstimatedFeesForPegOutAmount(uint256) view returns (uint256)',
  'function getEstimatedFeesForNextPegOutEvent() view returns (uint256)',
  'function getNextPegoutCreationBlockNumber() view returns (uint256)',
]);
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const amount = parseEther('0.005');
const calls = {
  ofAmount: (value: bigint) =>
    encodeFunctionData({ abi, functionName: 'getEstimatedFeesForPegOutAmount', args: [value] }),
  ofNext: encodeFunctionData({ abi, functionName: 'getEstimatedFeesForNextPegOutEvent' }),
  height: encodeFunctionData({ abi, functionName: 'getNextPegoutCreationBlockNumber' }),
};

/** A bridge that answers some calls; the others fail. */
function answering(answers: Readonly<Record<Hex, unknown>>, chainId = 30) {
  const asked: Hex[] = [];
  const service = {
    network: { chainId },
    async request(method: string, [call, block]: readonly [{ to: Hex; data: Hex }, string]) {
      if (method === 'eth_blockNumber') return '0x7a1200';
      expect([method, call.to, block]).toEqual(['eth_call', bridge, 'latest']);
      asked.push(call.data);
      if (!(call.data in answers)) throw new ProviderRpcError(3, 'execution reverted');
      return answers[call.data];
    },
  } as unknown as Service;
  const estimate = (value = amount) =>
    estimatePegOut(service, bitcoinNetwork(chainId) as BitcoinNetwork, value);
  return { asked, estimate };
}

test('an estimate has the fee for the amount, the next batch and the confirmations', async () => {
  const { asked, estimate } = answering({
    [calls.ofAmount(amount)]: word(12_000n),
    [calls.height]: word(8_000_360n),
  });
  expect(await estimate()).toEqual({
    ...{ amount: 500_000n, dust: 0n, minimum: 400_000n, fee: 12_000n },
    ...{ nextBatch: 8_000_360, confirmations: 4_000, blocksLeft: 4_360, verdict: 'enough' },
  });
  expect(asked).toHaveLength(2);
});

test('an estimate where the bridge knows no fee for an amount has that of the next batch', async () => {
  const { asked, estimate } = answering({ [calls.ofNext]: word(15_000n), [calls.height]: word(1n) });
  expect(await estimate()).toMatchObject({ fee: 15_000n, verdict: 'enough' });
  expect(asked).toHaveLength(3);
});

test('an estimate invents nothing where the bridge does not answer', async () => {
  expect(await answering({}).estimate()).toEqual({
    ...{ amount: 500_000n, dust: 0n, minimum: 400_000n, fee: undefined },
    ...{ nextBatch: undefined, confirmations: 4_000, blocksLeft: undefined, verdict: 'unknown' },
  });
});

test.each<[string, unknown]>([
  ['nothing', '0x'],
  ['zero', word(0n)],
  ['more than all bitcoin', word(21n * 10n ** 14n + 1n)],
  ['the largest number', word(2n ** 256n - 1n)],
  ['two words', `${word(1n)}${'0'.repeat(64)}`],
  ['a quantity', '0x1'],
  ['null', null],
])('an answer of %s is left out', async (_name, answer) => {
  const answers = { [calls.ofAmount(amount)]: answer, [calls.ofNext]: answer, [calls.height]: answer };
  const { fee, nextBatch } = await answering(answers).estimate();
  expect(fee).toBeUndefined();
  // A height may be more than the satoshis that exist.
  if (nextBatch !== undefined) expect(nextBatch).toBe(21 * 10 ** 14 + 1);
});

describe('the verdict', () => {
  const verdictOf = async (value: bigint, fee: bigint, chainId = 30) =>
    (
      await answering({ [calls.ofAmount(value)]: word(fee), [calls.ofNext]: word(fee) }, chainId).estimate(
        value,
      )
    ).verdict;

  test.each<[chainId: number, minimum: string]>([
    [30, '0.004'],
    [31, '0.0025'],
    [33, '0.0025'],
  ])('is too little below the minimum of chain %i, %s', async (chainId, minimum) => {
    const least = parseEther(minimum);
    expect(await verdictOf(least, 1_000n, chainId)).toBe('enough');
    expect(await verdictOf(least - 1n, 1_000n, chainId)).toBe('too-little');
  });

  test('is a caution below twice the fee and the margin of the network', async () => {
    expect(await verdictOf(parseEther('0.036'), 1_000_000n)).toBe('enough');
    expect(await verdictOf(parseEther('0.036') - 10n ** 10n, 1_000_000n)).toBe('near-fee');
    expect(await verdictOf(parseEther('0.036') - 10n ** 10n, 1_000_000n, 31)).toBe('near-fee');
    expect(await verdictOf(parseEther('0.024'), 1_000_000n, 33)).toBe('enough');
    expect(await verdictOf(parseEther('0.024') - 1n, 1_000_000n, 33)).toBe('near-fee');
  });

  test('is a caution, without a fee, where the fee is as much as the amount', async () => {
    const value = parseEther('0.005');
    const { estimate } = answering({ [calls.ofAmount(value)]: word(500_000n) });
    expect(await estimate(value)).toMatchObject({ fee: undefined, verdict: 'near-fee' });
  });

  test('does not ask for the fee of an amount below the minimum, which would fail', async () => {
    const value = parseEther('0.001');
    const { asked, estimate } = answering({ [calls.ofNext]: word(5n) });
    expect(await estimate(value)).toMatchObject({ fee: 5n, verdict: 'too-little' });
    expect(asked).not.toContain(calls.ofAmount(value));
  });
});

test('less than a satoshi is lost', async () => {
  const value = amount + 10n ** 10n - 1n;
  expect(await answering({}).estimate(value)).toMatchObject({ amount: 500_000n, dust: 10n ** 10n - 1n });
  expect(await answering({}).estimate(1n)).toMatchObject({ amount: 0n, dust: 1n, verdict: 'too-little' });
});

test.each([
  ['that is due', 8_000_000n, 4_000],
  ['that was due', 7_999_000n, 4_000],
  ['too far away to be true', 8_000_721n, undefined],
])('an estimate for a batch %s has the blocks that are left', async (_name, height, left) => {
  const { estimate } = answering({ [calls.ofAmount(amount)]: word(1n), [calls.height]: word(height) });
  expect((await estimate()).blocksLeft).toBe(left);
});

test('an estimate waits for a bridge that is silent as long as it may', async () => {
  const silent = { network: { chainId: 30 }, request: () => new Promise(() => {}) } as unknown as Service;
  const network = bitcoinNetwork(30) as BitcoinNetwork;
  expect(await estimatePegOut(silent, network, amount, 5)).toMatchObject({
    ...{ minimum: 400_000n, fee: undefined, nextBatch: undefined, verdict: 'unknown' },
  });
});

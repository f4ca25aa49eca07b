import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import type { Hex } from '../../../../src/rpc/schema.js';
import { parseSigned } from '../../../../src/rpc/signed-transaction.js';
import { createRandom } from '../../../../test/support/random.js';
import { senderOf } from '../../src/access/sender.js';

const random = createRandom(5);
const bytes = (length: number): Hex =>
  `0x${Array.from({ length: 2 * length }, () => Math.floor(random() * 16).toString(16)).join('')}`;

test('the sender of 60 transactions of all types is that of viem', async () => {
  for (let i = 0; i < 60; i++) {
    const account = privateKeyToAccount(bytes(32));
    const common = { chainId: 31, nonce: i, gas: 21_000n, to: bytes(20), value: BigInt(i), data: bytes(i) };
    const raw = await account.signTransaction(
      [
        { type: 'legacy', gasPrice: 65_000_000n, ...common } as const,
        { type: 'eip2930', gasPrice: 65_000_000n, ...common } as const,
        { type: 'eip1559', maxFeePerGas: 65_000_000n, maxPriorityFeePerGas: 1n, ...common } as const,
      ][i % 3] as Parameters<typeof account.signTransaction>[0],
    );
    expect(senderOf(parseSigned(raw, 31, 'raw', true))).toBe(account.address.toLowerCase());
  }
});

test('a signature that no key has made has no sender', async () => {
  const account = privateKeyToAccount(bytes(32));
  const raw = await account.signTransaction({ type: 'legacy', chainId: 31, gasPrice: 1n, gas: 21_000n });
  const parsed = parseSigned(raw, 31, 'raw', true);
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  // x = 5 is on no point of the curve.
  for (const r of [0n, 5n, order])
    expect(senderOf({ ...parsed, signature: { ...parsed.signature, r } })).toBeUndefined();
  for (const s of [0n, order])
    expect(senderOf({ ...parsed, signature: { ...parsed.signature, s } })).toBeUndefined();
});

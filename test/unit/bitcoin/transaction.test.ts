import { describe, expect, test } from 'vitest';
import { readTransaction } from '../../../src/bitcoin/transaction.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { bitcoinTransaction } from '../../support/bridge-world.js';
import { fc } from '../../support/property.js';

/** The coinbase of Bitcoin's first block. */
const genesis: Hex = `0x01000000${'01'}${'00'.repeat(32)}ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000`;
/** The signed example "P2SH-P2WPKH" of BIP 143. */
const bip143: Hex =
  '0x01000000000101db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a5477010000001716001479091972186c449eb1ded22b78e40d009bdf0089feffffff02b8b4eb0b000000001976a914a457b684d7f0d539a46a45bbc043f35b59d0d96388ac0008af2f000000001976a914fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac02473044022047ac8e878352d3ebbde1c94ce3a10d057c24175747116f8288e5d794d12d482f0220217f36a485cae903c713331d877c1f64677e3622ad4010726870540656fe9dcb012103ad1d8e89212f0b92c74d23bb710c00662ad1470198ac48c43f7d6f93a2a2687392040000';

test('the coinbase of the first block has its published id and output', () => {
  expect(readTransaction(genesis)).toEqual({
    id: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
    outputs: [{ amount: 50n * 10n ** 8n, script: expect.stringMatching(/^0x41.*ac$/) }],
  });
});

test('the id of a transaction with a witness leaves the witness out', () => {
  expect(readTransaction(bip143)).toEqual({
    id: 'ef48d9d0f595052e0f8cdcf825f7a5e50b6a388a81f206f3f4846e5ecd7a0c23',
    outputs: [
      { amount: 199_996_600n, script: '0x76a914a457b684d7f0d539a46a45bbc043f35b59d0d96388ac' },
      { amount: 800_000_000n, script: '0x76a914fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac' },
    ],
  });
});

describe('bytes that are not exactly one transaction are refused', () => {
  test('cut anywhere, or with a byte too much', () => {
    for (const whole of [genesis, bip143]) {
      for (let end = 2; end < whole.length; end += 2)
        expect(readTransaction(whole.slice(0, end) as Hex)).toBeNull();
      expect(readTransaction(`${whole}00`)).toBeNull();
    }
  });

  test.each<[string, Hex]>([
    ['without inputs', `0x02000000${'00'}${'01'}${'00'.repeat(8)}0000000000`],
    ['without outputs', `0x02000000${'01'}${'00'.repeat(36)}00ffffffff0000000000`],
    [
      'a number of inputs in a longer form than it needs',
      genesis.replace('0x0100000001', '0x01000000fd0100') as Hex,
    ],
    [
      'a number of inputs of eight bytes',
      genesis.replace('0x0100000001', '0x01000000ff0100000000000000') as Hex,
    ],
    ['a false number of inputs', genesis.replace('0x0100000001', '0x01000000feffffffff') as Hex],
    ['more than all bitcoin', genesis.replace('00f2052a01000000', '0140075af0750700') as Hex],
    ['another flag than that of a witness', bip143.replace('0x010000000001', '0x010000000002') as Hex],
  ])('%s', (_name, raw) => {
    expect(readTransaction(raw)).toBeNull();
  });

  test('any bytes are read or refused without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
        readTransaction(`0x${Buffer.from(bytes).toString('hex')}`);
      }),
    );
  });
});

test('transactions of many inputs and outputs, as the bridge signs them, have the id that Node computes', () => {
  const output = fc.record({
    amount: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    script: fc.constant(`0x76a914${'5a'.repeat(20)}88ac` as Hex),
  });
  fc.assert(
    fc.property(
      fc.array(output, { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 260 }),
      fc.boolean(),
      (outputs, inputs, hasWitness) => {
        const { raw, id } = bitcoinTransaction(outputs, { inputs, hasWitness });
        expect(readTransaction(raw)).toEqual({ id, outputs });
      },
    ),
    { numRuns: 30 },
  );
});

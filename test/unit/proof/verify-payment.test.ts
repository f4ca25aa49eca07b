import { describe, expect, test } from 'vitest';
import type { PaymentProof } from '../../../src/proof/payment-proof.js';
import { rulesOf } from '../../../src/proof/rules.js';
import { verifyPayment } from '../../../src/proof/verify-payment.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { wordOf } from '../../../src/rpc/hex.js';
import type { Address, Hex } from '../../../src/rpc/schema.js';
import { bitsIn, flipBit } from '../../support/mined-blocks.js';
import {
  leaf,
  shop,
  type TestChain,
  testProof,
  topicOf,
  transferTopic,
} from '../../support/proven-payment.js';
import { createRandom } from '../../support/random.js';

const wanted: verifyPayment.Options = { to: shop, value: 1_000n, chainId: 33, floor: 3n };

function refusal(proof: unknown, options: Partial<verifyPayment.Options> = {}): ProviderRpcError {
  try {
    verifyPayment(proof as PaymentProof, { ...wanted, ...options });
  } catch (error) {
    if (error instanceof ProviderRpcError) return error;
    throw error;
  }
  throw new Error('The proof was accepted.');
}

test('a payment is proven, and the result says what of', () => {
  const proof = testProof();
  const payment = verifyPayment(JSON.stringify(proof), wanted);
  expect(payment).toMatchObject({ chainId: 33, to: shop, value: 1_000n, confirmations: 12, difficulty: 3n });
  expect(payment.block).toMatchObject({ number: 1_000, time: 1_760_000_000 });
  expect(payment.newest).toBe(1_760_000_300);
  expect(payment.statement).toBe(
    `Miners of Bitcoin have worked on block 1000 of chain 33 and on 12 blocks on top of it, each with a difficulty of at least 3. In it, transaction ${payment.transaction} has succeeded and paid 1000 wei to ${shop}.`,
  );
  expect(verifyPayment(proof, { ...wanted, to: shop.toUpperCase().replace('0X', '0x') as Address })).toEqual(
    payment,
  );
  expect(verifyPayment(proof, { ...wanted, value: 1n }).value).toBe(1_000n);
});

describe('tokens', () => {
  const transfer = (from: Address, to: Address, value: bigint, address = leaf) => ({
    ...{ address, topics: [transferTopic, topicOf(from), topicOf(to)] },
    data: `0x${wordOf(value)}` as Hex,
  });
  const paying = (...logs: ReturnType<typeof transfer>[]) =>
    testProof({ payment: { to: leaf, value: 0n, logs } });
  const other: Address = `0x${'0b'.repeat(20)}`;

  test('the transfers of the token to the recipient are summed up, less those from it', () => {
    const proof = paying(
      ...[transfer(other, shop, 700n), transfer(other, shop, 500n), transfer(shop, other, 100n)],
      ...[transfer(other, leaf, 9_000n), transfer(other, shop, 9_000n, other)],
    );
    expect(verifyPayment(proof, { ...wanted, token: leaf })).toMatchObject({ value: 1_100n, token: leaf });
    expect(refusal(proof, { token: leaf, value: 1_101n }).message).toBe(
      'proof: The transaction pays 1100, not 1101.',
    );
  });
  test('a transfer of the recipient to itself pays nothing', () => {
    expect(refusal(paying(transfer(shop, shop, 5_000n)), { token: leaf }).data).toMatchObject({
      verdict: 'claimed',
    });
  });
  test('a token with an id, another event, and data of another length are no payment', () => {
    const whole = transfer(other, shop, 5_000n);
    const not = [
      { ...whole, topics: [...whole.topics, topicOf(shop)] },
      { ...whole, topics: [topicOf(other), ...whole.topics.slice(1)] },
      { ...whole, data: `${whole.data}00` as Hex },
    ];
    for (const log of not)
      expect(refusal(paying(log), { token: leaf }).message).toContain('pays no such token');
  });
});

describe('each refusal says what is missing', () => {
  const proof = testProof();
  const json = JSON.stringify(proof);
  const last = proof.blocks.at(-1) as PaymentProof['blocks'][number];
  const cases: [title: string, proof: unknown, options: Partial<verifyPayment.Options>, message: string][] = [
    ['no file', undefined, {}, 'The proof is not a JSON object.'],
    ['a list', [proof], {}, 'The proof is not a JSON object.'],
    ['a file that is cut off', json.slice(0, -20), {}, 'The proof is not JSON: it may be cut off.'],
    ['a huge file', `${json}${' '.repeat(1_048_576)}`, {}, 'The proof is larger than 1 MiB.'],
    ['deep nesting', '['.repeat(200_000), {}, 'The proof is not JSON: it may be cut off.'],
    ['another file', { ...proof, format: 'receipt' }, {}, 'The file is not a payment proof.'],
    ['another version', { ...proof, version: 2 }, {}, 'The proof is of version 2; 1 is known.'],
    ['another chain', { ...proof, chainId: 31 }, {}, 'The payment is on chain 31, not on 33.'],
    ['no blocks', { ...proof, blocks: [] }, {}, 'The proof has no blocks.'],
    [
      'too many blocks',
      { ...proof, blocks: Array(65).fill(last) },
      {},
      'The proof has 65 blocks; at most 64 are read.',
    ],
    [
      'too few confirmations',
      proof,
      { confirmations: 13 },
      'The proof has 12 blocks on top of the payment, not 13.',
    ],
    [
      'a difficulty below the floor',
      proof,
      { floor: 4n },
      'The difficulty of a block is below 4, so that its work proves little.',
    ],
    [
      'a chain without a floor',
      proof,
      { floor: undefined },
      'Nothing on this chain is proven without a floor of difficulty, which its owner sets.',
    ],
    [
      'the future',
      proof,
      { now: 1_000 * (1_760_000_300 - 901) },
      'A block is from the future, or this clock is wrong.',
    ],
    ['another recipient', proof, { to: leaf }, `The transaction pays nothing to ${leaf}.`],
    ['too little', proof, { value: 1_001n }, 'The transaction pays 1000, not 1001.'],
    ['a token that was not paid', proof, { token: leaf }, `The transaction pays no such token to ${shop}.`],
    ['a failed payment', testProof({ payment: { isFailed: true } }), {}, 'The transaction has failed.'],
    [
      'one signed for another chain',
      testProof({ payment: { chainId: 30 }, chainId: 33 }),
      {},
      'The transaction was signed for chain 30.',
    ],
    [
      'a swapped receipt',
      { ...proof, receipt: testProof({ index: 2 }).receipt },
      {},
      'The trie holds something else at this index.',
    ],
    ['a swapped place', { ...proof, index: 2 }, {}, 'The nodes of the trie do not lead to its root.'],
    [
      'a block that is left out',
      { ...proof, blocks: proof.blocks.filter((_, at) => at !== 3) },
      { confirmations: 11 },
      'A block does not follow the one before it.',
    ],
    [
      'too many nodes',
      { ...proof, receiptNodes: Array(17).fill('0x40') },
      {},
      'The part receiptNodes of the proof is not a list of 1 to 16 nodes.',
    ],
    [
      'a Merkle proof that is too long',
      { ...proof, blocks: [{ ...last, merkleProof: `0x${'00'.repeat(992)}` }] },
      {},
      'The part merkleProof of the proof is missing, too long or not hexadecimal.',
    ],
    [
      'nested headers',
      { ...proof, blocks: [{ ...last, header: '0xc1c0' }] },
      {},
      'A header of the proof is not flat.',
    ],
  ];
  test.each(cases)('%s', (_, given, options, message) => {
    expect(refusal(given, options)).toMatchObject({
      code: -32602,
      message: `proof: ${message}`,
      data: { reason: 'proof' },
    });
  });

  test('a checkpoint is held against the blocks', () => {
    const { block } = verifyPayment(proof, wanted);
    const checkpoint = {
      number: block.number + 1,
      hash: block.hash,
      difficulty: 3n,
      timestamp: block.time + 30,
    };
    expect(refusal(proof, { checkpoint }).message).toContain(
      'another than the one that is known at its height',
    );
    expect(
      refusal(proof, { checkpoint: { ...checkpoint, number: 1, timestamp: 2_000_000_000 } }).message,
    ).toContain('older than one that is known');
    expect(refusal(proof, { checkpoint: { ...checkpoint, number: 9_999, timestamp: 1 } }).message).toContain(
      'newer than one that is known',
    );
    expect(
      verifyPayment(proof, {
        ...wanted,
        checkpoint: { number: 1_000, hash: block.hash, difficulty: 3n, timestamp: block.time },
      }).confirmations,
    ).toBe(12);
  });

  test('mainnet has the floor of the release', () => {
    const mainnet = testProof({ payment: { chainId: 30 }, number: 5_000_000 });
    expect(refusal(mainnet, { chainId: 30, floor: undefined }).data).toMatchObject({
      verdict: 'contradicted',
    });
    expect(rulesOf(30).floor).toBe(7n * 10n ** 21n);
  });

  test.each<[string, unknown]>([
    ['to', { to: 'shop.rsk' }],
    ['value', { value: 5 }],
    ['value', { value: 0n }],
    ['token', { token: 7 }],
    ['confirmations', { confirmations: -1 }],
    ['floor', { floor: 0n }],
    ['chainId', { chainId: '30' }],
    ['maxBlocks', { maxBlocks: 0 }],
  ])('a wrong option is named: %s', (name, change) => {
    expect(refusal(proof, change as object)).toMatchObject({
      code: -32602,
      message: expect.stringContaining(`${name}: expected`),
    });
  });
});

/** DAMAGED=1000000 is the soak. */
const runs = Number(process.env.DAMAGED ?? 1_000);

test(
  'no damaged proof is accepted',
  () => {
    const random = createRandom(29);
    const upTo = (limit: number) => Math.floor(random() * limit);
    const oneOf = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;
    const proofs = Array.from({ length: 8 }, (_, seed): PaymentProof => {
      const chain: TestChain = { others: 2 + 7 * seed, index: seed, confirmations: 2 + seed, random };
      return testProof(chain);
    });
    const texts = ['header', 'bitcoinHeader', 'merkleProof', 'coinbase'] as const;
    for (let run = 0; run < runs; run++) {
      const proof = oneOf(proofs);
      const { blocks, transactionNodes, receiptNodes } = proof;
      const at = upTo(blocks.length);
      const flip = (hex: Hex): Hex => (bitsIn(hex) === 0 ? '0x00' : flipBit(hex, upTo(bitsIn(hex))));
      const cut = (hex: Hex): Hex => oneOf([hex.slice(0, -2), `${hex}00`]) as Hex;
      const damage = oneOf([flip, flip, flip, cut]);
      const inList = <T>(list: readonly T[], place: number, change: (each: T) => T) =>
        list.map((each, i) => (i === place ? change(each) : each));
      // Another nonce of the newest block may be work as well: no later block names that one.
      const name = oneOf(at === blocks.length - 1 ? texts.filter((each) => each !== 'bitcoinHeader') : texts);
      const other = oneOf(proofs.filter((each) => each !== proof))
        .blocks[0] as PaymentProof['blocks'][number];
      const changed: PaymentProof = oneOf([
        () => ({ ...proof, transaction: damage(proof.transaction) }),
        () => ({ ...proof, receipt: damage(proof.receipt) }),
        () => ({ ...proof, transactionNodes: inList(transactionNodes, transactionNodes.length - 1, flip) }),
        () => ({ ...proof, receiptNodes: inList(receiptNodes, receiptNodes.length - 1, flip) }),
        () => ({ ...proof, index: proof.index + 1 + upTo(300) }),
        () => ({
          ...proof,
          blocks: inList(blocks, at, (block) => ({ ...block, [name]: damage(block[name]) })),
        }),
        () => ({ ...proof, blocks: inList(blocks, at, (block) => ({ ...block, header: other.header })) }),
        () => ({ ...proof, blocks: inList(blocks, at, (block) => ({ ...block, coinbase: other.coinbase })) }),
        () => ({ ...proof, blocks: inList(blocks, at, () => other) }),
      ])();
      expect(refusal(changed, { confirmations: 1 }).data, `run ${run}`).toMatchObject({ reason: 'proof' });
    }
  },
  60_000 + 20 * runs,
);

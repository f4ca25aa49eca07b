import { mineBlock } from '../../packages/kit/src/local/mining.js';
import { readHeader } from '../../src/proof/header.js';
import { type PaymentProof, writeProof } from '../../src/proof/payment-proof.js';
import { rulesOf } from '../../src/proof/rules.js';
import { nodesAbove, rootOfValues } from '../../src/proof/trie.js';
import { bytesToHex, hexToBytes, integerToBytes, toQuantity } from '../../src/rpc/hex.js';
import { encodeRlp, type RlpItem } from '../../src/rpc/rlp.js';
import type { Address, Block, Hash, Hex } from '../../src/rpc/schema.js';

/** A block of a chain that exists only in a test, and a proof of one of its transactions. */

export const shop: Address = `0x${'5a'.repeat(20)}`;
export const leaf: Address = `0x${'7e'.repeat(20)}`;
export const transferTopic: Hash = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const topicOf = (address: Address): Hash => `0x${address.slice(2).padStart(64, '0')}`;

export interface TestLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

export interface TestPayment {
  readonly to?: Address;
  readonly value?: bigint;
  readonly logs?: readonly TestLog[];
  readonly isFailed?: boolean;
  /** 0 for a signature for no chain. */
  readonly chainId?: number;
}

export interface TestChain {
  readonly payment?: TestPayment;
  /** Other transactions of the block. */
  readonly others?: number;
  readonly index?: number;
  readonly confirmations?: number;
  readonly difficulty?: bigint;
  /** The chain that the proof names; the payment's by default. */
  readonly chainId?: number;
  readonly time?: number;
  readonly number?: number;
  readonly random?: () => number;
}

const none = new Uint8Array(0);
const integer = (value: bigint | number): Uint8Array => integerToBytes(BigInt(value));

function transactionOf({ to = shop, value = 1_000n, chainId = 33 }: TestPayment, nonce: number): Uint8Array {
  const v = chainId === 0 ? 27 : 35 + 2 * chainId;
  const fields: RlpItem = [
    ...[integer(nonce), integer(60_000_000n), integer(21_000n), hexToBytes(to), integer(value), none],
    ...[integer(v), integer(2n ** 250n + BigInt(nonce)), integer(2n ** 249n)],
  ];
  return encodeRlp(fields);
}

function receiptOf({ logs = [], isFailed = false }: TestPayment, index: number): Uint8Array {
  const status = isFailed ? none : Uint8Array.of(1);
  const entries = logs.map(({ address, topics, data }) => [
    hexToBytes(address),
    topics.map(hexToBytes),
    hexToBytes(data),
  ]);
  const gasUsed = integer(21_000 * (index + 1));
  return encodeRlp([status, gasUsed, new Uint8Array(256), entries, integer(21_000), status]);
}

const bytes32 = (random: () => number): Hash =>
  bytesToHex(Uint8Array.from({ length: 32 }, () => Math.floor(256 * random()))) as Hash;

/** The blocks, oldest first: that of the payment, and those on top of it. */
function testBlocks(chain: TestChain, roots: Partial<Block>): Block[] {
  const {
    confirmations = 12,
    difficulty = 3n,
    time = 1_760_000_000,
    number = 1_000,
    random = () => 0.5,
  } = chain;
  const blocks: Block[] = [];
  let parentHash = bytes32(random);
  for (let height = 0; height <= confirmations; height++) {
    const block = mineBlock(
      {
        number: toQuantity(number + height),
        parentHash,
        sha3Uncles: bytes32(random),
        miner: shop,
        stateRoot: bytes32(random),
        transactionsRoot: bytes32(random),
        receiptsRoot: bytes32(random),
        logsBloom: `0x${'00'.repeat(256)}`,
        difficulty: toQuantity(difficulty),
        gasLimit: '0x67c280',
        gasUsed: '0x5208',
        timestamp: toQuantity(time + 25 * height),
        extraData: '0x',
        paidFees: '0x1',
        minimumGasPrice: '0x3938700',
        uncles: [],
        transactions: [],
        ...(height === 0 && roots),
      } as unknown as Block,
      { headerVersion: random() < 0.5 ? 0 : 1, nodeFields: random() < 0.5 },
    );
    blocks.push(block);
    parentHash = block.hash as Hash;
  }
  return blocks;
}

/** A proof that is right by the rules of `chainId`, with a floor of the difficulty. */
export function testProof(chain: TestChain = {}): PaymentProof {
  const { payment = {}, others = 3, index = 1, chainId = payment.chainId ?? 33 } = chain;
  const plan = Array.from(
    { length: others + 1 },
    (_, at): TestPayment => (at === index ? payment : { to: leaf, value: BigInt(at) }),
  );
  const transactions = plan.map(transactionOf);
  const receipts = plan.map(receiptOf);
  const blocks = testBlocks(chain, {
    transactionsRoot: bytesToHex(rootOfValues(transactions)),
    receiptsRoot: bytesToHex(rootOfValues(receipts)),
  });
  const rules = rulesOf(33);
  return writeProof({
    ...{ chainId, index, blocks: blocks.map((block) => readHeader(block, rules)) },
    transaction: transactions[index] as Uint8Array,
    receipt: receipts[index] as Uint8Array,
    transactionNodes: nodesAbove(transactions, index),
    receiptNodes: nodesAbove(receipts, index),
  });
}

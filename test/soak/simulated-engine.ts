import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { StoredBlock } from '../../packages/kit/src/local/chain.js';
import { matches } from '../../packages/kit/src/local/criteria.js';
import { decodeSigned, type SignedTransaction } from '../../packages/kit/src/local/decode.js';
import { type Engine, EngineError } from '../../packages/kit/src/local/engine.js';
import { bloomBits } from '../../src/rpc/bloom.js';
import { bytesToHex, toQuantity } from '../../src/rpc/hex.js';
import type { Address, Hash, Hex, Log, Transaction } from '../../src/rpc/schema.js';
import { createRandom } from '../support/random.js';

/** A block of the simulated chain. `order` counts the blocks in the order in which they were mined. */
export interface SimulatedBlock extends StoredBlock {
  readonly order: number;
  readonly block: StoredBlock['block'] & { readonly number: Hex; readonly hash: Hash };
}

/**
 * The engine port of the local service without an EVM: blocks with random transactions and logs. The same seed and the
 * same changes give the same blocks, so two engines are two nodes of one chain. The `Service` port over a chain without
 * HTTP is test/support/simulated-chain.ts.
 */
export interface SimulatedEngine extends Engine {
  /** From block 0 to the head. */
  chain(): readonly SimulatedBlock[];
  /** Every block that ever was in the chain. */
  known: ReadonlyMap<Hash, SimulatedBlock>;
}

export interface Contents {
  readonly addresses: readonly Address[];
  readonly topics: readonly Hash[];
}

const word = (text: string): Hash => bytesToHex(keccak_256(utf8ToBytes(text)));
export const contents: Contents = {
  addresses: ['a', 'b', 'c', 'd', 'e', 'f'].map((name): Address => `0x${word(name).slice(26)}`),
  topics: ['Transfer', 'Approval', 'Deposit', 'Withdrawal', 'alice', 'bob', 'carol'].map(word),
};

const zeros = (bytes: number): Hex => `0x${'0'.repeat(bytes * 2)}`;
/** How many blocks in a row have a similar number of logs: many, none or a few. */
const stretch = 40;

export function createSimulatedEngine({ seed, chainId }: { seed: number; chainId: number }): SimulatedEngine {
  const known = new Map<Hash, SimulatedBlock>();
  const bits = new Map<Hex, readonly number[]>();
  const nonces = new Map<Address, number>();
  const chain: SimulatedBlock[] = [];
  let waiting: SignedTransaction[] = [];
  /** Changes with each rollback, so that blocks mined afterwards have other hashes. */
  let branch = 0;

  function bloomOf(logs: readonly Log[]): Hex {
    const bloom = new Uint8Array(256);
    for (const value of logs.flatMap(({ address, topics }) => [address, ...topics])) {
      const found = bits.get(value) ?? bloomBits(value);
      bits.set(value, found);
      for (const bit of found) (bloom[255 - (bit >> 3)] as number) |= 1 << (bit & 7);
    }
    return bytesToHex(bloom);
  }

  function mineOne(): void {
    const number = chain.length;
    const parentHash = chain.at(-1)?.block.hash ?? (zeros(32) as Hash);
    const hash = word(`${seed} ${parentHash} ${branch}`);
    const random = createRandom(Number.parseInt(hash.slice(2, 10), 16));
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const mood = createRandom(seed + Math.floor(number / stretch))();
    const count = mood < 0.3 ? 0 : mood > 0.92 ? 5 + Math.floor(random() * 15) : Math.floor(random() * 4);
    const place = { blockHash: hash, blockNumber: toQuantity(number) };

    const logs: Log[] = [];
    const made: Transaction[] = [];
    while (logs.length < count) {
      const at = { ...place, transactionIndex: toQuantity(made.length) };
      // Of the height, not of the block: after a reorganisation the same transaction is in another block.
      const transactionHash = word(`${seed} transaction ${number} ${made.length}`);
      for (let left = 1 + Math.floor(random() * 3); left > 0 && logs.length < count; left--) {
        const topics = Array.from({ length: Math.floor(random() * 4) }, () => pick(contents.topics));
        const logIndex = toQuantity(logs.length);
        const data = toQuantity(Math.floor(random() * 2 ** 32)).padEnd(66, '0') as Hex;
        logs.push({ ...at, transactionHash, logIndex, address: pick(contents.addresses), topics, data });
      }
      const [from, to] = [pick(contents.addresses), pick(contents.addresses)];
      made.push({ ...blank, ...at, hash: transactionHash, from, to, nonce: toQuantity(number) });
    }
    const sent = waiting.map(
      (each, at): Transaction => ({
        ...blank,
        ...place,
        transactionIndex: toQuantity(made.length + at),
        hash: each.hash,
        from: each.from,
        to: each.to,
        nonce: toQuantity(each.nonce),
        gasPrice: toQuantity(each.gasPrice),
      }),
    );
    for (const { from } of waiting) nonces.set(from, (nonces.get(from) ?? 0) + 1);
    waiting = [];
    const block = {
      ...blankBlock,
      number: toQuantity(number),
      hash,
      parentHash,
      logsBloom: bloomOf(logs),
      timestamp: toQuantity(1_700_000_000 + number * 25),
      transactions: [...made, ...sent],
    };
    const mined = { block: block as unknown as SimulatedBlock['block'], logs, order: known.size };
    chain.push(mined);
    known.set(hash, mined);
  }

  const find = (selector: unknown) => chain[selector === 'latest' ? chain.length - 1 : Number(selector)];
  const onChain = (hash: unknown) => {
    const found = known.get(hash as Hash);
    return found && chain[Number(found.block.number)] === found ? found : undefined;
  };
  function cut(depth: number): void {
    for (const { block } of chain.splice(chain.length - depth))
      for (const { from } of block.transactions as Transaction[]) {
        const nonce = nonces.get(from);
        if (nonce !== undefined) nonces.set(from, nonce - 1);
      }
    branch += 1;
  }

  function logsIn({ blockHash, fromBlock, toBlock, address, topics }: EngineFilter): readonly Log[] {
    if (blockHash !== undefined) {
      const found = onChain(blockHash);
      if (!found) throw new EngineError(-32000, 'unknown block');
      return found.logs;
    }
    const criteria = { addresses: address ?? [], topics: (topics ?? []).map((each) => each ?? []) };
    return chain
      .slice(Number(fromBlock), Number(toBlock) + 1)
      .flatMap(({ logs }) => logs.filter((log) => matches(criteria, log)));
  }

  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_blockNumber: () => toQuantity(chain.length - 1),
    eth_getBlockByNumber: ([selector]) => {
      if (selector !== 'pending') return find(selector)?.block ?? null;
      const head = (chain.at(-1) as SimulatedBlock).block;
      return {
        ...head,
        number: toQuantity(chain.length),
        hash: null,
        parentHash: head.hash,
        transactions: [],
      };
    },
    eth_getBlockByHash: ([hash]) => onChain(hash)?.block ?? null,
    eth_getBlockReceipts: ([selector]) =>
      (find(selector)?.block.transactions as Transaction[] | undefined)?.map(({ gasPrice }) => ({
        gasUsed: '0x5208',
        effectiveGasPrice: gasPrice,
      })) ?? null,
    eth_getLogs: ([filter]) => logsIn(filter as EngineFilter),
    eth_getBalance: () => '0x56bc75e2d63100000',
    eth_getTransactionCount: ([address]) => toQuantity(nonces.get(address as Address) ?? 0),
  };

  mineOne();
  return {
    keepsHashes: true,
    known,
    chain: () => chain,
    async request(method, params) {
      const answer = answers[method];
      if (!answer) throw new EngineError(-32601, 'method not found');
      return answer(params);
    },
    async submit(raw) {
      waiting.push(decodeSigned(raw, chainId));
    },
    async drop(hash) {
      waiting = waiting.filter((each) => each.hash !== hash);
    },
    async mine(count) {
      for (let i = 0; i < count; i++) mineOne();
    },
    async rollback(depth) {
      cut(depth);
    },
    async setBalance() {},
    async increaseTime() {},
    async snapshot() {
      throw new EngineError(-32601, 'method not found');
    },
    async restore() {
      return false;
    },
    async reset() {
      cut(chain.length - 1);
    },
    async close() {},
  };
}

interface EngineFilter {
  readonly blockHash?: Hash;
  readonly fromBlock?: Hex;
  readonly toBlock?: Hex;
  readonly address?: readonly Address[];
  readonly topics?: readonly (readonly Hash[] | null)[];
}

const blank = {
  gas: '0x5208',
  gasPrice: '0x3938700',
  value: '0x0',
  input: '0x',
  v: '0x66',
  r: '0x1',
  s: '0x1',
  type: '0x0',
} as const;

const blankBlock = {
  sha3Uncles: zeros(32),
  transactionsRoot: zeros(32),
  stateRoot: zeros(32),
  receiptsRoot: zeros(32),
  miner: zeros(20),
  extraData: '0x',
  size: '0x220',
  gasLimit: '0x67c280',
  gasUsed: '0x0',
} as const;

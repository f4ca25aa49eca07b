import { keccak256 } from 'viem';
import { createScriptedService, error, result, type Script } from './scripted-service.js';

/** A small node in the dialect of the hosted service, over HTTP, whose replies a test can replace. */
export interface FakeNode {
  readonly url: string;
  readonly key: string;
  readonly chain: Chain;
  /** Every request since the last `reset`. */
  readonly requests: readonly {
    readonly method: string;
    readonly params: readonly unknown[];
    readonly body: string;
  }[];
  /** How many requests of one method there were since the last `reset`. */
  count(method: string): number;
  /** Answers `method` by these scripts instead: one for each request, the last one for the rest. */
  override(method: string, ...scripts: readonly Script[]): void;
  /** Ends the overrides, empties the pool and forgets the requests. */
  reset(): void;
  stop(): Promise<void>;
}

/** The state of the node's chain, which tests may change. */
export interface Chain {
  minedNonce: number;
  balance: bigint;
  minimumGasPrice: bigint;
  readonly blocks: FakeBlock[];
  /** Raw bytes in the pool or mined, by hash. */
  readonly transactions: Map<string, string>;
  /** Where false, `eth_getTransactionByHash` answers null. */
  findsTransactions: boolean;
  /** An account and the nonce that it used in the head block, with a transaction signed elsewhere. */
  rival: { readonly from: string; readonly nonce: number; readonly fields: object } | null;
  mine(content?: { transactions?: readonly string[]; logs?: readonly object[] }): FakeBlock;
  /** Replaces the newest block. */
  reorg(): FakeBlock;
}

export interface FakeBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly transactions: readonly string[];
  readonly logs: readonly object[];
}

const minimumGasPrice = 59_240_000n;
const firstHeight = 100;
const hex = (value: bigint | number) => `0x${value.toString(16)}`;

export async function createFakeNode(chainId = 31): Promise<FakeNode> {
  const overrides = new Map<string, Script>();
  let made = 0;

  const blockAfter = (parent: FakeBlock | undefined, content: Partial<FakeBlock> = {}): FakeBlock => {
    made += 1;
    const number = hex(parent === undefined ? firstHeight : Number(parent.number) + 1);
    const hash = keccak256(`0x${made.toString(16).padStart(8, '0')}`);
    const { transactions = [], logs = [] } = content;
    return { number, hash, parentHash: parent?.hash ?? `0x${'11'.repeat(32)}`, transactions, logs };
  };
  const append = (parent: FakeBlock | undefined, content?: Partial<FakeBlock>): FakeBlock => {
    const block = blockAfter(parent, content);
    chain.blocks.push(block);
    return block;
  };
  const chain: Chain = {
    minedNonce: 0,
    balance: 10n ** 20n,
    minimumGasPrice,
    blocks: [],
    transactions: new Map(),
    findsTransactions: true,
    rival: null,
    mine: (content) => append(chain.blocks.at(-1), content),
    reorg() {
      chain.blocks.pop();
      return append(chain.blocks.at(-1));
    },
  };
  chain.mine();
  chain.mine();

  const shown = (block: FakeBlock | undefined) =>
    block === undefined
      ? null
      : {
          number: block.number,
          hash: block.hash,
          parentHash: block.parentHash,
          logsBloom: `0x${(block.logs.length > 0 ? 'ff' : '00').repeat(256)}`,
          transactions: block.transactions,
          minimumGasPrice: hex(chain.minimumGasPrice),
          gasLimit: hex(6_800_000),
          gasUsed: '0x0',
          difficulty: '0x1',
          totalDifficulty: hex(Number(block.number)),
          timestamp: hex(1_700_000_000 + Number(block.number)),
          uncles: [],
        };
  const at = (selector: unknown) =>
    selector === 'latest' || selector === 'pending'
      ? chain.blocks.at(-1)
      : chain.blocks.find(({ number, hash }) => number === selector || hash === selector);
  const mined = (hash: unknown) => chain.blocks.find((block) => block.transactions.includes(String(hash)));

  const replies: Readonly<Record<string, (params: readonly unknown[]) => Script>> = {
    eth_chainId: () => result(hex(chainId)),
    net_version: () => result(String(chainId)),
    eth_blockNumber: () => result(at('latest')?.number),
    eth_gasPrice: () => result(hex(chain.minimumGasPrice)),
    eth_getBalance: () => result(hex(chain.balance)),
    eth_getTransactionCount: ([, selector]) => {
      const isBefore = String(selector).startsWith('0x') && Number(selector) < Number(at('latest')?.number);
      return result(hex(chain.rival && !isBefore ? chain.rival.nonce + 1 : chain.minedNonce));
    },
    eth_estimateGas: () => result('0x5208'),
    eth_call: () => result('0x'),
    eth_getCode: () => result('0x'),
    eth_syncing: () => result(false),
    eth_getBlockByNumber: ([selector, full]) => {
      const block = shown(at(selector));
      if (!block || full !== true || !chain.rival) return result(block);
      const { from, nonce, fields } = chain.rival;
      return result({ ...block, transactions: [{ ...fields, from, nonce: hex(nonce) }] });
    },
    eth_getBlockByHash: ([hash]) => result(shown(at(hash))),
    eth_getLogs: ([filter]) => {
      const { blockHash, fromBlock, toBlock } = filter as { [name in string]?: string };
      const [first, last] = [at(fromBlock ?? blockHash), at(toBlock ?? blockHash)];
      if (!first || !last) return result([]);
      return result(
        chain.blocks
          .slice(chain.blocks.indexOf(first), chain.blocks.indexOf(last) + 1)
          .flatMap(({ logs }) => logs),
      );
    },
    eth_getTransactionByHash: ([hash]) =>
      result(
        chain.findsTransactions && chain.transactions.has(String(hash))
          ? { hash, nonce: '0x0', blockHash: mined(hash)?.hash ?? null }
          : null,
      ),
    eth_getTransactionReceipt: ([hash]) => {
      const block = mined(hash);
      return result(
        block
          ? {
              transactionHash: hash,
              blockHash: block.hash,
              blockNumber: block.number,
              status: '0x1',
              logs: [],
            }
          : null,
      );
    },
    eth_sendRawTransaction: ([raw]) => {
      const hash = keccak256(raw as `0x${string}`);
      if (chain.transactions.has(hash))
        return error(-32010, 'pending transaction with same hash already exists');
      chain.transactions.set(hash, String(raw));
      return result(hash);
    },
  };

  const answer: Script = (response, one) => {
    const reply = replies[one.method];
    const script = overrides.get(one.method) ?? reply?.(one.params) ?? error(-32601, `no ${one.method} here`);
    return script(response, one);
  };
  const service = await createScriptedService(answer);
  let from = 0;

  return {
    url: service.url,
    key: service.key,
    chain,
    get requests() {
      return service.requests.slice(from);
    },
    count: (method) => service.requests.slice(from).filter((one) => one.method === method).length,
    override(method, ...scripts) {
      let played = 0;
      overrides.set(method, (response, one) =>
        scripts[Math.min(played++, scripts.length - 1)]?.(response, one),
      );
    },
    reset() {
      overrides.clear();
      from = service.requests.length;
      Object.assign(chain, {
        minedNonce: 0,
        balance: 10n ** 20n,
        minimumGasPrice,
        findsTransactions: true,
        rival: null,
      });
      chain.transactions.clear();
    },
    stop: service.stop,
  };
}

/** Puts the transaction into the pool, then answers by another script. */
export const acceptThen =
  (node: () => FakeNode, then: Script): Script =>
  (response, one) => {
    const raw = String(one.params[0]) as `0x${string}`;
    node().chain.transactions.set(keccak256(raw), raw);
    return then(response, one);
  };

import { createBlocks, type MinedBlock } from '../chain/blocks.js';
import { balancesIn, balancesProgram } from '../rpc/calls-program.js';
import { badReply } from '../rpc/core-errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { checkData, checkQuantity, isHash } from '../rpc/results.js';
import { type Address, type Hash, type Hex, isAddress, type Log } from '../rpc/schema.js';
import { readTransferLog, tokenTopics, topicOf } from '../rpc/token-events.js';
import type { Span } from '../service/logs/limits.js';
import { readLogs } from '../service/logs/logs.js';
import { cut, mayBeCut } from '../service/logs/refusal.js';
import type { Service } from '../service/service.js';
import type { ReceivedPayment } from './received.js';
import type { Anchor } from './record.js';

/** Reads of the chain for payments, by one request but where it says otherwise. @throws RequestsSpent */
export interface PaymentReads {
  /** How many requests are left. */
  left(): number;
  newest(): Promise<Anchor>;
  /** `null` where the node has no block at this height. */
  block(height: number): Promise<Anchor | null>;
  /** The payments in tokens to some accounts. @throws ProviderRpcError that `mayBeTooLarge` recognises for too wide a span */
  tokens(span: Span, accounts: readonly Address[]): Promise<readonly ReceivedPayment[]>;
  /**
   * The payments in the chain's coin that transactions made, by a request for each hundred of their traces. Those of contracts are not
   * among them: the node looks for the recipients of transactions only.
   */
  coins(span: Span, accounts: readonly Address[]): Promise<readonly ReceivedPayment[]>;
  /** The coins that contracts paid to the senders of transactions, by a request for each hundred traces of these. */
  innerCoins(span: Span, accounts: readonly Address[]): Promise<readonly ReceivedPayment[]>;
  /** The balances of some accounts at a height, wei. */
  balances(height: number, accounts: readonly Address[]): Promise<readonly bigint[]>;
  /** How many transactions an account had sent at a height. */
  nonce(height: number, account: Address): Promise<bigint>;
}

/** Blocks that one `trace_filter` of the hosted service may search, and traces that it gives. */
export const maxTraced = 2_000;
const tracesAtOnce = 100;

/** Thrown where a reading has spent its requests. */
export class RequestsSpent extends Error {
  /** The height up to which traces were read. */
  readonly reached: number | null;
  constructor(reached: number | null = null) {
    super('The requests of this reading are spent.');
    this.reached = reached;
  }
}

export function createPaymentReads(
  given: Pick<Service, 'network' | 'request'>,
  requests: number,
): PaymentReads {
  let left = requests;
  const service: Pick<Service, 'network' | 'request'> = {
    network: given.network,
    async request(...call) {
      if (left === 0) throw new RequestsSpent();
      left -= 1;
      return given.request(...call);
    },
  };
  // Nothing aborts a reading.
  const { signal } = new AbortController();
  const blocks = createBlocks(service);
  const anchorOf = ({ number, hash, timestamp }: MinedBlock): Anchor => {
    const at = Number(timestamp) * 1_000;
    if (!(new Date(at).getTime() >= 0)) throw badReply('eth_getBlockByNumber', 'a block without a time');
    return { number: Number(number), hash, at };
  };

  /** The traces of transactions to accounts, or from them, in the order of the chain. */
  const tracesOf = async (
    { from, to }: Span,
    filter: { readonly [side in 'toAddress' | 'fromAddress']?: readonly Address[] },
  ): Promise<readonly Trace[]> => {
    const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
    const traces: Trace[] = [];
    for (;;) {
      const query = { ...range, ...filter, after: traces.length, count: tracesAtOnce };
      let page: readonly Trace[] = [];
      const check = (result: unknown) => {
        page = readTraces(result);
      };
      try {
        await service.request('trace_filter', [query], { check });
      } catch (error) {
        const last = traces.at(-1);
        throw error instanceof RequestsSpent && last ? new RequestsSpent(Number(last.blockNumber)) : error;
      }
      traces.push(...page);
      if (page.length < tracesAtOnce) return traces;
    }
  };

  return {
    left: () => left,
    newest: async () => anchorOf(await blocks.latest(signal)),
    async block(height) {
      const block = await blocks.at(height, signal);
      return block && anchorOf(block);
    },
    async tokens({ from, to }, accounts) {
      const topics = [[tokenTopics.transfer], null, accounts.map(topicOf)];
      const filter = { fromBlock: toQuantity(from), toBlock: toQuantity(to), topics };
      const logs = await readLogs(service as Service, filter);
      // So many blocks are accepted with any number of logs.
      if (to - from >= maxTraced && mayBeCut(logs)) throw cut();
      return logs.flatMap((log) => tokenPayment(log) ?? []);
    },
    coins: async (span, accounts) => outerPayments(await tracesOf(span, { toAddress: accounts }), accounts),
    innerCoins: async (span, accounts) =>
      innerPayments(await tracesOf(span, { fromAddress: accounts }), accounts),
    async balances(height, accounts) {
      const [account] = accounts;
      const place = toQuantity(height);
      if (accounts.length === 1)
        return [
          BigInt(
            (await service.request('eth_getBalance', [account, place], { check: checkQuantity })) as Hex,
          ),
        ];
      const check = (result: unknown) => {
        checkData(result);
        if (balancesIn(result as Hex, accounts.length) === null)
          throw new Error('not a word for each account');
      };
      const call = { data: balancesProgram(accounts) };
      const result = (await service.request('eth_call', [call, place], { check })) as Hex;
      return balancesIn(result, accounts.length) ?? [];
    },
    nonce: async (height, account) =>
      BigInt(
        (await service.request('eth_getTransactionCount', [account, toQuantity(height)], {
          check: checkQuantity,
        })) as Hex,
      ),
  };
}

function tokenPayment(log: Log): ReceivedPayment | null {
  const { blockNumber, blockHash, transactionHash: transaction, logIndex } = log;
  const transfer = readTransferLog(log);
  if (!transfer || !blockNumber || !blockHash || !transaction || !logIndex) return null;
  const { token, from, to: account, amount, tokenId } = transfer;
  return own<ReceivedPayment>({
    ...{ account, from, token, amount: toQuantity(amount), blockNumber, logIndex },
    ...{ transaction: lowerHash(transaction), blockHash: lowerHash(blockHash) },
    ...(tokenId !== undefined && { tokenId: toQuantity(tokenId) }),
  });
}

/** A call, as Parity defined its trace: block numbers are JSON numbers (docs/notes/node.md#methods-listed-by-name-only). */
interface Trace {
  readonly from: Address;
  /** Absent where it creates a contract. */
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly transaction: Hash;
  readonly blockNumber: Hex;
  readonly blockHash: Hash;
  /** Its place in the tree of calls: empty for the transaction itself. */
  readonly path: readonly number[];
  readonly hasFailed: boolean;
}

const lowerHash = (hash: Hash): Hash => hash.toLowerCase() as Hash;

/** @throws Error for what is no list of traces */
function readTraces(result: unknown): readonly Trace[] {
  if (result !== null && !Array.isArray(result)) throw new Error('not an array');
  return (result ?? []).map(readTrace);
}

/** @throws Error for a trace without its place in the chain */
function readTrace(value: unknown): Trace {
  type Parts = Readonly<Record<string, unknown>>;
  const { action, blockNumber, blockHash, transactionHash, traceAddress, error } = own(
    Object(value) as Parts,
  );
  const fields = own(Object(action) as Parts);
  // A contract that destroys itself pays what it has.
  const [from, to, amount] = [
    fields.from ?? fields.address,
    fields.to ?? fields.refundAddress,
    fields.value ?? fields.balance,
  ];
  const isWhole =
    isAddress(from) &&
    (to === undefined || isAddress(to)) &&
    Number.isSafeInteger(blockNumber) &&
    Array.isArray(traceAddress) &&
    isHash(blockHash) &&
    isHash(transactionHash) &&
    /^0x[0-9a-f]{1,64}$/i.test(`${amount ?? '0x0'}`);
  if (!isWhole) throw new Error('a trace without its place in the chain');
  return {
    from: from.toLowerCase() as Address,
    to: to?.toLowerCase() as Address | undefined,
    // A delegated call has the value of another one.
    value: ['delegatecall', 'staticcall', 'callcode'].includes(`${fields.callType}`)
      ? 0n
      : BigInt(`${amount ?? '0x0'}`),
    ...{
      transaction: lowerHash(transactionHash),
      blockHash: lowerHash(blockHash),
      path: traceAddress as number[],
    },
    blockNumber: toQuantity(blockNumber as number),
    hasFailed: error !== undefined && error !== null,
  };
}

function outerPayments(traces: readonly Trace[], accounts: readonly Address[]): readonly ReceivedPayment[] {
  const isPayment = ({ path, from, to, value, hasFailed }: Trace) =>
    path.length === 0 && to !== undefined && to !== from && accounts.includes(to) && value > 0n && !hasFailed;
  return traces.filter(isPayment).map((trace) => coinPayment(trace, trace.value));
}

/** Sums up what each contract paid to an account in a transaction, without calls inside failed ones. */
function innerPayments(traces: readonly Trace[], accounts: readonly Address[]): readonly ReceivedPayment[] {
  const failed = new Set(
    traces.filter(({ hasFailed }) => hasFailed).map((each) => pathOf(each, each.path.length)),
  );
  const hasFailed = (trace: Trace) =>
    Array.from({ length: trace.path.length + 1 }, (_, depth) => pathOf(trace, depth)).some((path) =>
      failed.has(path),
    );
  const sums = new Map<string, { readonly trace: Trace; amount: bigint }>();
  for (const trace of traces) {
    const { path, to, from, value, transaction } = trace;
    if (path.length === 0 || to === undefined || !accounts.includes(to) || value === 0n || hasFailed(trace))
      continue;
    const key = `${transaction} ${from} ${to}`;
    const sum = sums.get(key) ?? { trace, amount: 0n };
    sum.amount += value;
    sums.set(key, sum);
  }
  return [...sums.values()].map(({ trace, amount }) => coinPayment(trace, amount));
}

const pathOf = ({ transaction, path }: Trace, depth: number): string =>
  `${transaction} ${path.slice(0, depth)} ${depth}`;

const coinPayment = (
  { from, to, transaction, blockNumber, blockHash }: Trace,
  amount: bigint,
): ReceivedPayment =>
  own<ReceivedPayment>({
    ...{ account: to as Address, from, token: null, amount: toQuantity(amount) },
    ...{ transaction, blockNumber, blockHash },
  });

import { createBlocks } from '../chain/blocks.js';
import { balancesProgram } from '../rpc/calls-program.js';
import { badReply } from '../rpc/core-errors.js';
import { errorCode, isProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { checkData, checkQuantity, checkWholeReceiptOf } from '../rpc/results.js';
import { type Address, type Hash, type Hex, isAddress, type Log, type Receipt } from '../rpc/schema.js';
import { readTransferLog, tokenTopics, topicOf } from '../rpc/token-events.js';
import type { Span } from '../service/logs/limits.js';
import { readLogs } from '../service/logs/logs.js';
import { cut, isLacking, mayBeCut } from '../service/logs/refusal.js';
import type { Service } from '../service/service.js';
import type { ReceivedPayment } from './received.js';
import type { Anchor } from './record.js';

/** Reads of the chain for payments, each of one request but where it says otherwise. */
export interface PaymentReads {
  /** How many requests are left. */
  left(): number;
  newest(): Promise<Anchor>;
  /** `null` where the node has no block at this height. */
  block(height: number): Promise<Anchor | null>;
  /** The payments in tokens to some accounts. @throws ProviderRpcError that `mayBeTooLarge` recognises for too wide a span */
  tokens(span: Span, accounts: readonly Address[]): Promise<readonly ReceivedPayment[]>;
  /**
   * The payments in the chain's coin that transactions made, by a request for a hundred of them. Those of contracts are not among them:
   * the node looks for the recipients of transactions only. `null` where the service has no `trace_filter`.
   */
  coins(span: Span, accounts: readonly Address[]): Promise<readonly ReceivedPayment[] | null>;
  /** The balances of some accounts at a height, wei. */
  balances(height: number, accounts: readonly Address[]): Promise<readonly bigint[]>;
  /** The payments like this one in its transaction, where that is now, read once; none where it is in no block, or has failed. */
  again(payment: ReceivedPayment): Promise<readonly ReceivedPayment[]>;
}

/** Blocks that one `trace_filter` may search, and traces that it gives (docs/notes/service.md#limits). */
export const maxTraced = 2_000;
const tracesAtOnce = 100;

/** Thrown where a reading has spent its requests. */
export class RequestsSpent extends Error {}

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
  const { signal } = new AbortController();
  const blocks = createBlocks(service);
  const anchorOf = ({
    number,
    hash,
    timestamp,
  }: {
    readonly number: Hex;
    readonly hash: Hash;
    readonly timestamp: Hex;
  }): Anchor => ({
    number: Number(number),
    hash,
    at: Number(timestamp) * 1_000,
  });

  const receipts = new Map<Hash, Promise<Receipt | null>>();
  const receiptOf = (hash: Hash): Promise<Receipt | null> => {
    const check = (result: unknown) => checkWholeReceiptOf(result, [hash]);
    const receipt =
      receipts.get(hash) ??
      (service.request('eth_getTransactionReceipt', [hash], { check }) as Promise<Receipt | null>);
    receipts.set(hash, receipt);
    return receipt;
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
      if (to > from && mayBeCut(logs)) throw cut();
      return logs.flatMap((log) => tokenPayment(log) ?? []);
    },
    async coins({ from, to }, accounts) {
      const payments: ReceivedPayment[] = [];
      for (let after = 0; ; after += tracesAtOnce) {
        const query = {
          ...{ fromBlock: toQuantity(from), toBlock: toQuantity(to), toAddress: accounts },
          ...{ after, count: tracesAtOnce },
        };
        let traces: unknown;
        try {
          traces = await service.request('trace_filter', [query]);
        } catch (error) {
          if (after === 0 && isWithoutTraces(error)) return null;
          throw error;
        }
        if (traces !== null && !Array.isArray(traces)) throw badReply('trace_filter', 'not an array');
        for (const trace of (traces ?? []) as readonly unknown[]) {
          const payment = coinPayment(trace);
          if (payment && accounts.includes(payment.account)) payments.push(payment);
        }
        if (traces === null || (traces as readonly unknown[]).length < tracesAtOnce) return payments;
      }
    },
    async balances(height, accounts) {
      const [account] = accounts;
      const place = toQuantity(height);
      if (accounts.length === 1)
        return [
          BigInt(
            (await service.request('eth_getBalance', [account, place], { check: checkQuantity })) as Hex,
          ),
        ];
      const size = 2 + accounts.length * 64;
      const check = (result: unknown) => {
        checkData(result);
        if ((result as Hex).length !== size) throw new Error('not a word for each account');
      };
      const call = { data: balancesProgram(accounts) };
      const result = (await service.request('eth_call', [call, place], { check })) as Hex;
      return accounts.map((_, at) => BigInt(`0x${result.slice(2 + at * 64, 2 + (at + 1) * 64)}`));
    },
    async again(payment) {
      const receipt = await receiptOf(payment.transaction);
      if (receipt === null || receipt.status === '0x0') return [];
      const { blockNumber, blockHash, logs } = receipt;
      if (payment.token === null) return [{ ...payment, blockNumber, blockHash }];
      const isSame = (found: ReceivedPayment) =>
        (['account', 'from', 'token', 'amount', 'tokenId'] as const).every(
          (key) => found[key] === payment[key],
        );
      return logs.flatMap((log) => tokenPayment(log) ?? []).filter(isSame);
    },
  };
}

const isWithoutTraces = (error: unknown): boolean =>
  isLacking(error) || (isProviderRpcError(error) && error.code === errorCode.methodNotFound);

function tokenPayment(log: Log): ReceivedPayment | null {
  const { blockNumber, blockHash, transactionHash: transaction, logIndex } = log;
  const transfer = readTransferLog(log);
  if (!transfer || !blockNumber || !blockHash || !transaction || !logIndex) return null;
  const { token, from, to: account, amount, tokenId } = transfer;
  return own<ReceivedPayment>({
    ...{ account, from, token, amount: toQuantity(amount), transaction, blockNumber, blockHash, logIndex },
    ...(tokenId !== undefined && { tokenId: toQuantity(tokenId) }),
  });
}

/** Reads the trace of a transaction itself; `null` for one of a call inside it, of a failed one, and without coins. */
function coinPayment(value: unknown): ReceivedPayment | null {
  const { action, blockNumber, blockHash, transactionHash, traceAddress, type, error } = own(
    Object(value) as Trace,
  );
  const { from, to, value: amount } = own(Object(action) as Trace['action']);
  const isOutermost = Array.isArray(traceAddress) && traceAddress.length === 0;
  if (!isOutermost || type !== 'call' || (error !== undefined && error !== null)) return null;
  const isWhole =
    isAddress(from) &&
    isAddress(to) &&
    Number.isSafeInteger(blockNumber) &&
    [blockHash, transactionHash].every((hash) => /^0x[0-9a-f]{64}$/i.test(`${hash}`)) &&
    /^0x[0-9a-f]{1,64}$/i.test(`${amount}`);
  if (!isWhole) throw badReply('trace_filter', 'a trace without its place in the chain');
  if (BigInt(amount) === 0n) return null;
  return own<ReceivedPayment>({
    ...{ account: to.toLowerCase() as Address, from: from.toLowerCase() as Address, token: null },
    ...{ amount: toQuantity(BigInt(amount)), transaction: transactionHash, blockHash },
    blockNumber: toQuantity(blockNumber),
  });
}

/** As Parity defined it: block numbers are JSON numbers (docs/notes/node.md#methods-listed-by-name-only). */
interface Trace {
  readonly action: { readonly from: Address; readonly to: Address; readonly value: Hex };
  readonly blockNumber: number;
  readonly blockHash: Hash;
  readonly transactionHash: Hash;
  readonly traceAddress: readonly number[];
  readonly type: string;
  readonly error?: string | null;
}

import type { Check } from '../results.js';

/**
 * The facts of a JSON-RPC method: one row a method, here and nowhere else. Its handler is in `methods/`.
 *
 * The rows are in three files, since a page with the bridge loads the first alone: `wallet-rows.ts` has what the wallet answers,
 * signs or sends and no functions, `node-rows.ts` the reads, `unsupported-rows.ts` what is not answered.
 */
export interface MethodFacts {
  /** `account`: only a page with a permission for the account may call it, else 4100. Default: any page. */
  readonly access?: 'account' | undefined;
  /** Whether a person is asked. */
  readonly asksPerson?: true | undefined;
  /** Whether only the wallet's session can answer it, without the service and without a question. */
  readonly isOfSession?: true | undefined;
  /**
   * The effect of a call. Default: it reads.
   * - `execute`: runs code on a state, and may revert.
   * - `send`: a transaction may be on its way afterwards.
   * - `follow`: begins a subscription or a filter.
   * - `develop`: changes a development node.
   */
  readonly effect?: 'execute' | 'send' | 'follow' | 'develop' | undefined;
  /** It signs a message, or takes one that is signed. */
  readonly signs?: true | undefined;
  /** It signs a transaction, or takes one that is signed. */
  readonly transacts?: true | undefined;
  /** It is about a subscription or a filter. A server keeps filters for one client. */
  readonly follows?: 'subscription' | 'filter' | undefined;
  /** Whether a repetition would act twice, or lose the result of the first call: it is neither retried, shared nor batched. */
  readonly isOnce?: true | undefined;
  /** Whether it is still sent once the wallet is closed. */
  readonly isSentAfterClose?: true | undefined;
  /** Whether the wallet needs it: one wrong answer must not disable it for minutes. */
  readonly isVital?: true | undefined;
  /**
   * The block that the answer depends on: the param at an index, the `head`, that of the `transaction` which is named, or the
   * `range` of a filter of logs. Absent: never cached.
   */
  readonly block?: number | 'head' | 'transaction' | 'range' | undefined;
  /** How its first param names a block. By hash, nodes also serve blocks that have left the chain. */
  readonly namesBlockBy?: 'number' | 'hash' | 'either' | undefined;
  /** Whether its block may be `{ blockHash }` (EIP-1898; docs/notes/node.md#block-hashes-in-reads). */
  readonly takesBlockHash?: true | undefined;
  /** The kind of item that it reads from a block by an index; the block may have none there. */
  readonly item?: 'transaction' | 'uncle' | undefined;
  /** Whether it counts the transactions of a block. */
  readonly countsTransactions?: true | undefined;
  /** Whether a service that has the block may answer `null`, since it lacks what is asked for. */
  readonly mayBeNull?: true | undefined;
  /** The part of the chain that an answer shows: a block, or transactions, receipts or logs with theirs. */
  readonly shows?: 'block' | 'transactions' | 'logs' | undefined;
  /** How its answer is held against Bitcoin's work, where a network is verified. */
  readonly proof?: 'block' | 'receipt' | 'receipts' | 'logs' | 'nodes' | undefined;
  /** The kind of data that it reads from a range of blocks, which may be too wide. */
  readonly ranges?: 'logs' | 'traces' | undefined;
  /** The check of its result, in the wallet and in the relay. Absent: passed on as it is. */
  readonly check?: Check | undefined;
  /** Whether a relay answers it. One request to the service, and for {@link ranges} one for some blocks. */
  readonly isRelayed?: true | undefined;
}

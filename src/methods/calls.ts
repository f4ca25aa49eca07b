import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { address, anything, chainId, optional, positions, type Reader, refuse } from '../rpc/params.js';
import type { Address, Hex } from '../rpc/schema.js';
import { permittedAccounts } from '../session/session.js';
import type { Batches } from '../transactions/batches/batches.js';
import type { CallsStatus } from '../transactions/batches/call-status.js';
import type { Context } from './context.js';
import { type MethodRequest, method } from './method.js';
import { describeNetwork } from './requester.js';

/**
 * EIP-5792, version 2.0.0, for accounts without code: a batch is a sequence of transactions with one approval. The
 * params are validated in the lazy chunk that sends batches, since few pages use it.
 */

/** `SendCallsParams` of EIP-5792. */
export interface SendCallsParameter {
  readonly version: string;
  readonly id?: string | undefined;
  readonly from?: Address | undefined;
  readonly chainId?: Hex | undefined;
  readonly atomicRequired?: boolean | undefined;
  readonly calls: readonly {
    readonly to?: Address | undefined;
    readonly data?: Hex | undefined;
    readonly value?: Hex | undefined;
    readonly capabilities?: object | undefined;
  }[];
  readonly capabilities?: object | undefined;
}

export interface ChainCapabilities {
  readonly atomic: { readonly status: 'unsupported' };
}

/**
 * The wallet's capabilities by chain (hexadecimal id): it sends several transactions in order, never atomically.
 * Unknown chains are left out. 4100 for an account that the origin may not use.
 */
export const wallet_getCapabilities = method<
  [account: Address, chainIds?: readonly Hex[] | null | undefined],
  Readonly<Record<Hex, ChainCapabilities>>
>()(positions(address, optional(chainIds, null)), {
  account: ([account]) => account,
  handle: ({ networks }, [, chainIds]) => {
    const known = [...networks.keys()].filter((id) => chainIds?.includes(id) ?? true);
    return Object.fromEntries(
      known.map((id) => [`0x${id.toString(16)}`, { atomic: { status: 'unsupported' } }] as const),
    );
  },
});

/**
 * Sends each call as a transaction from one account on the named chain, which need not be the active one. Resolves with
 * the id of the batch when all transactions are signed and durable, without waiting for a block.
 */
export const wallet_sendCalls = method<[batch: SendCallsParameter], { readonly id: string }>()(
  positions(anything),
  {
    handle: async (context, [batch], request) => {
      const requester = batchRequester(context, request);
      return (await batchesOf(context)).send(batch, requester);
    },
  },
);

/** The status of a batch that this origin sent, for at least 24 hours and across reloads. */
export const wallet_getCallsStatus = method<[id: string], CallsStatus>()(positions(anything), {
  handle: async (context, [id], request) => {
    const requester = batchRequester(context, request);
    return (await batchesOf(context)).status(id, requester);
  },
});

/** Shows the status of a batch to the person. Resolves with `null` when they close the dialog. */
export const wallet_showCallsStatus = method<[id: string], null>()(positions(anything), {
  handle: async (context, [id], request) => {
    const requester = batchRequester(context, request);
    await (await batchesOf(context)).show(id, requester);
    return null;
  },
});

const batchesOf = async (context: Context) => (await context.signing()).batches();

/** Call it before the first `await`, so that the request meets the wallet's state at its arrival. */
function batchRequester(
  { session, origin, networks }: Context,
  { signal }: MethodRequest,
): Batches.Requester {
  const { accounts, chainId } = session.state();
  return own({
    origin,
    accounts,
    permitted: () => permittedAccounts(session.state(), origin),
    network: (id: number) => {
      const network = networks.get(id);
      return network && describeNetwork(network);
    },
    activeChainId: chainId,
    ...(signal && { signal }),
  });
}

/** EIP-5792 uses `0x0` for "every chain". The wallet has no such entry, so it matches nothing. */
function chainIds(value: Json, path: string): readonly number[] {
  if (!Array.isArray(value)) throw refuse(path, 'an array of chain ids', value);
  const read: Reader<number> = (id, at) => (id === '0x0' ? 0 : chainId(id, at));
  return value.map((id, i) => read(id, `${path}[${i}]`));
}

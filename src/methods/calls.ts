import type { Json } from '../rpc/message.js';
import { address, anything, chainId, optional, positions, refuse } from '../rpc/params.js';
import type { Address, Hex } from '../rpc/schema.js';
import { permittedAccounts } from '../session/session.js';
import type { Batches } from '../transactions/batches/batches.js';
import type { CallsStatus } from '../transactions/batches/call-status.js';
import { method } from './method.js';
import { describeNetwork, signerOf } from './requester.js';

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
>()(
  positions(address, optional(chainIds, null)),
  ({ networks }, [, chainIds]) => {
    const listed = [...networks.keys()].filter((id) => chainIds?.includes(id) ?? true);
    return Object.fromEntries(
      listed.map((id) => [`0x${id.toString(16)}`, { atomic: { status: 'unsupported' } }] as const),
    );
  },
  ([account]) => account,
);

/** A method of the chunk that sends batches. The requester is the wallet's state when the request arrives. */
const batchMethod = <Wire extends object, Result>(
  run: (batches: Batches, value: Json, requester: Batches.Requester) => Promise<Result>,
) =>
  method<Wire, Result>()(positions(anything), async (context, [value], { signal }) => {
    const { session, origin, networks } = context;
    const state = session.state();
    const requester: Batches.Requester = {
      origin,
      accounts: state.accounts,
      signer: (from) => signerOf(state, from),
      permitted: () => permittedAccounts(session.state(), origin),
      network(id) {
        const network = networks.get(id);
        return network && describeNetwork(network);
      },
      activeChainId: state.chainId,
      signal,
    };
    return run(await (await context.signing()).batches(), value, requester);
  });

/**
 * Sends each call as a transaction from one account on the named chain, which need not be the active one. Resolves with
 * the id of the batch when all transactions are signed and durable, without waiting for a block.
 */
export const wallet_sendCalls = batchMethod<[batch: SendCallsParameter], { readonly id: string }>(
  (batches, batch, requester) => batches.send(batch, requester),
);

/** The status of a batch that this origin sent, for at least 24 hours and across reloads. */
export const wallet_getCallsStatus = batchMethod<[id: string], CallsStatus>((batches, id, requester) =>
  batches.status(id, requester),
);

/** Shows the status of a batch to the person. Resolves with `null` when they close the dialog. */
export const wallet_showCallsStatus = batchMethod<[id: string], null>(async (batches, id, requester) => {
  await batches.show(id, requester);
  return null;
});

/** EIP-5792 uses `0x0` for "every chain". The wallet has no such entry, so it matches nothing. */
function chainIds(value: Json, path: string): readonly number[] {
  if (!Array.isArray(value)) throw refuse(path, 'an array of chain ids', value);
  return value.map((id, i) => (id === '0x0' ? 0 : chainId(id, `${path}[${i}]`)));
}

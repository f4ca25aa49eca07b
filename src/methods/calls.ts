import type { CallsStatus } from '../transactions/batches/call-status.js';
import type { Context } from '../context.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { address, anything, chainId, optional, positions, type Reader, refuse } from '../rpc/params.js';
import type { Address, Hex } from '../rpc/schema.js';
import { permittedAccounts } from '../session/session.js';
import { describeNetwork } from './requester.js';
import { type MethodRequest, method } from './method.js';

/**
 * EIP-5792, version 2.0.0, for an account without code: a batch is a sequence of transactions, approved by one
 * answer. What a batch is made of is read where it is sent, in a chunk that most pages never load.
 */

/** `SendCallsParams` of the EIP; all that is not optional there is required. */
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
 * What the wallet can do with a batch, by chain: several transactions in order, and never all or none. Chains that
 * it does not know are left out.
 */
export const wallet_getCapabilities = method<
  [account: Address, chainIds?: readonly Hex[] | null | undefined],
  Readonly<Record<Hex, ChainCapabilities>>
>()(positions(address, optional(chainIds, null)), {
  access: 'account',
  account: ([account]) => account,
  handle: ({ networks }, [, asked]) => {
    const known = [...networks.keys()].filter((id) => asked?.includes(id) ?? true);
    return Object.fromEntries(
      known.map((id) => [`0x${id.toString(16)}`, { atomic: { status: 'unsupported' } }] as const),
    );
  },
});

/**
 * Sends each call as a transaction from one account on the named chain, the active one or not. Resolves with the
 * batch's name once all are signed and durable; nothing of it waits for a block.
 */
export const wallet_sendCalls = method<[batch: SendCallsParameter], { readonly id: string }>()(
  positions(anything),
  {
    access: 'person',
    handle: async (context, [batch], request) => {
      const asked = asking(context, request);
      return (await callsOf(context)).send(batch, asked);
    },
  },
);

/** What became of a batch that this origin sent, also before a reload: for at least a day. */
export const wallet_getCallsStatus = method<[id: string], CallsStatus>()(positions(anything), {
  access: 'public',
  handle: async (context, [id], request) => {
    const asked = asking(context, request);
    return (await callsOf(context)).status(id, asked);
  },
});

/** Shows a person the same. `null` when they have closed it. */
export const wallet_showCallsStatus = method<[id: string], null>()(positions(anything), {
  access: 'person',
  handle: async (context, [id], request) => {
    const asked = asking(context, request);
    await (await callsOf(context)).show(id, asked);
    return null;
  },
});

const callsOf = async (context: Context) => (await context.signing()).calls();

/** Taken before anything is waited for: what is asked is asked of the wallet as it was then. */
function asking({ session, origin, networks }: Context, { signal }: MethodRequest) {
  const { accounts, chainId } = session.state();
  return own({
    origin,
    accounts,
    permitted: () => permittedAccounts(session.state(), origin),
    network: (id: number) => {
      const network = networks.get(id);
      return network && describeNetwork(network);
    },
    active: chainId,
    ...(signal && { signal }),
  });
}

/** `0x0` stands for every chain: nothing is said of all at once, so asking for it finds nothing. */
function chainIds(value: Json, path: string): readonly number[] {
  if (!Array.isArray(value)) throw refuse(path, 'an array of chain ids', value);
  const read: Reader<number> = (id, at) => (id === '0x0' ? 0 : chainId(id, at));
  return value.map((id, i) => read(id, `${path}[${i}]`));
}

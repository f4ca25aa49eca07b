import type { Context } from '../context.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { own as ownCopy } from '../rpc/own.js';
import { data, positions } from '../rpc/params.js';
import type { Hash, Hex } from '../rpc/schema.js';
import { type TransactionRequest, transactionRequest } from '../transactions/request.js';
import { asking } from './requester.js';
import { type MethodRequest, method } from './method.js';

/**
 * Signs in the page and sends as `eth_sendRawTransaction`; never forwarded. `gas` and `gasPrice` that are left
 * out are found (the seed's defaults of 90000 and 0 would fail), EIP-1559 fields become the one price.
 * Resolves with keccak256 of the signed bytes once they are durable here and were offered to the service.
 */
export const eth_sendTransaction = method<[transaction: TransactionParams], Hash>()(
  positions(transactionRequest),
  {
    access: 'account',
    account: ([request]) => request.from,
    handle: (context, [request], asked) => transact('send', context, request, asked),
  },
);

/** The signed bytes of the same transaction, sent by nobody. */
export const eth_signTransaction = method<[transaction: TransactionParams], Hex>()(
  positions(transactionRequest),
  {
    access: 'account',
    account: ([request]) => request.from,
    handle: (context, [request], asked) => transact('sign', context, request, asked),
  },
);

/** Sends bytes that somebody else signed, after refusing what the node would misjudge (docs/notes/node.md#undecodable-transactions). */
export const eth_sendRawTransaction = method<[raw: Hex], Hash>()(positions(data), {
  access: 'public',
  handle: async (context, [raw], { signal }) => {
    const { origin, session } = context;
    const service = context.direct();
    const own = session.state().accounts.map(({ address }) => address);
    const { submit } = await context.signing();
    return submit(raw, ownCopy({ origin, service, own, path: 'params[0]', ...(signal && { signal }) }));
  },
});

/** The wire form: hexadecimal strings, aliases and EIP-1559 names included. */
export interface TransactionParams {
  readonly from: Hex;
  readonly to?: Hex | null;
  readonly value?: Hex;
  readonly data?: Hex;
  readonly input?: Hex;
  readonly gas?: Hex;
  readonly gasLimit?: Hex;
  readonly gasPrice?: Hex;
  readonly maxFeePerGas?: Hex;
  readonly maxPriorityFeePerGas?: Hex;
  readonly nonce?: Hex;
  readonly chainId?: Hex;
  readonly type?: Hex;
  readonly accessList?: readonly Json[];
}

function requireChain(asked: TransactionRequest['chainId'], active: number): void {
  if (asked !== undefined && asked !== active)
    throw new ProviderRpcError(
      errorCode.chainDisconnected,
      `The transaction is for chain ${asked}; the provider is on chain ${active}.`,
    );
}

async function transact(
  action: 'send' | 'sign',
  context: Context,
  request: TransactionRequest,
  asked: MethodRequest,
): Promise<Hex> {
  const who = asking(context, request.from, asked);
  requireChain(request.chainId, who.network.chainId);
  const { transactions } = await context.signing();
  return transactions[action](request, who);
}

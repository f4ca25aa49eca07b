import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { data, positions } from '../rpc/params.js';
import type { Hash, Hex } from '../rpc/schema.js';
import { type TransactionRequest, transactionRequest } from '../transactions/request.js';
import type { Context } from './context.js';
import { type MethodRequest, method } from './method.js';
import { requesterOf } from './requester.js';

/**
 * Signs in the page and sends with `eth_sendRawTransaction`. Absent `gas` and `gasPrice` are filled in (the service's
 * defaults of 90000 and 0 would fail), and EIP-1559 fields become the one price. Resolves with keccak256 of the signed
 * bytes when they are durable here and were sent to the service.
 */
export const eth_sendTransaction = method<[transaction: TransactionParams], Hash>()(
  positions(transactionRequest),
  {
    account: ([request]) => request.from,
    handle: (context, [transaction], request) => transact('send', context, transaction, request),
  },
);

/** Signs the same transaction without sending it. Resolves with the signed bytes. */
export const eth_signTransaction = method<[transaction: TransactionParams], Hex>()(
  positions(transactionRequest),
  {
    account: ([request]) => request.from,
    handle: (context, [transaction], request) => transact('sign', context, transaction, request),
  },
);

/**
 * Sends bytes that were signed elsewhere. Bytes that the node would accept without carrying them out are refused
 * (docs/notes/node.md#undecodable-transactions).
 */
export const eth_sendRawTransaction = method<[raw: Hex], Hash>()(positions(data), {
  handle: async (context, [raw], { signal }) => {
    const { origin, session } = context;
    const service = context.sends();
    const ownAddresses = session.state().accounts.map(({ address }) => address);
    const { submit } = await context.signing();
    return submit(raw, own({ origin, service, ownAddresses, path: 'params[0]', ...(signal && { signal }) }));
  },
});

/** A transaction as pages send it: quantities are hexadecimal strings; aliases and EIP-1559 names are accepted. */
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

function requireChain(chainId: TransactionRequest['chainId'], active: number): void {
  if (chainId !== undefined && chainId !== active)
    throw new ProviderRpcError(
      errorCode.chainDisconnected,
      `The transaction is for chain ${chainId}; the provider is on chain ${active}.`,
    );
}

async function transact(
  action: 'send' | 'sign',
  context: Context,
  transaction: TransactionRequest,
  request: MethodRequest,
): Promise<Hex> {
  const requester = requesterOf(context, transaction.from, request);
  requireChain(transaction.chainId, requester.network.chainId);
  const { transactions } = await context.signing();
  return transactions[action](transaction, requester);
}

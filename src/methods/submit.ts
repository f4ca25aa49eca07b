import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { data, positions } from '../rpc/params.js';
import type { Hash, Hex } from '../rpc/schema.js';
import { watchOnlyAccount } from '../session/session.js';
import { transactionRequest } from '../transactions/request.js';
import { method } from './method.js';
import { describeNetwork, requesterOf } from './requester.js';

/**
 * Signs in the page and sends with `eth_sendRawTransaction`. Absent `gas` and `gasPrice` are filled in (the service's
 * defaults of 90000 and 0 would fail), and EIP-1559 fields become the one price. Resolves with keccak256 of the signed
 * bytes when they are durable here and were sent to the service.
 */
export const eth_sendTransaction = transact('send');

/** Signs the same transaction without sending it. Resolves with the signed bytes. */
export const eth_signTransaction = transact('sign');

/**
 * Sends bytes that were signed elsewhere. Bytes that the node would accept without carrying them out are refused
 * (docs/notes/node.md#undecodable-transactions).
 */
export const eth_sendRawTransaction = method<[raw: Hex], Hash>()(
  positions(data),
  async (context, [raw], { signal }) => {
    const { origin, session } = context;
    const service = context.sends();
    const ownAddresses = session.state().accounts.map(({ address }) => address);
    const { submit } = await context.signing();
    return submit(raw, { origin, service, ownAddresses, path: 'params[0]', signal });
  },
);

/** A transaction as pages send it: quantities are hexadecimal strings; aliases and EIP-1559 names are accepted. */
export interface TransactionParams {
  readonly from: Hex;
  readonly to?: Hex | null | undefined;
  readonly value?: Hex | undefined;
  readonly data?: Hex | undefined;
  readonly input?: Hex | undefined;
  readonly gas?: Hex | undefined;
  readonly gasLimit?: Hex | undefined;
  readonly gasPrice?: Hex | undefined;
  readonly maxFeePerGas?: Hex | undefined;
  readonly maxPriorityFeePerGas?: Hex | undefined;
  readonly nonce?: Hex | undefined;
  readonly chainId?: Hex | undefined;
  readonly type?: Hex | undefined;
  readonly accessList?: readonly Json[] | undefined;
}

function transact(action: 'send' | 'sign') {
  return method<[transaction: TransactionParams], Hex>()(
    positions(transactionRequest),
    async (context, [transaction], request) => {
      const watched = action === 'send' && watchOnlyAccount(context.session.state(), transaction.from);
      if (watched) {
        const { offerElsewhere } = await import('../transactions/offer-elsewhere.js').catch(throwNotLoaded);
        await offerElsewhere(transaction, {
          ...{ account: watched, signal: request.signal, origin: context.origin },
          network: describeNetwork(context.network()),
          service: context.sends(),
          approvals: await context.approvals(),
        });
      }
      const requester = requesterOf(context, transaction.from, request);
      const { chainId = requester.network.chainId } = transaction;
      if (chainId !== requester.network.chainId)
        throw new ProviderRpcError(
          errorCode.chainDisconnected,
          `The transaction is for chain ${chainId}; the provider is on chain ${requester.network.chainId}.`,
        );
      const { transactions } = await context.signing();
      return (await transactions())[action](transaction, requester);
    },
    ([{ from }]) => from,
  );
}

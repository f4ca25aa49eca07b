import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { data, positions } from '../rpc/params.js';
import type { Hash, Hex } from '../rpc/schema.js';
import { type WatchOnlyAccount, watchOnlyAccount } from '../session/session.js';
import { type TransactionRequest, transactionRequest } from '../transactions/request.js';
import type { Context } from './context.js';
import { type MethodRequest, method } from './method.js';
import { describeNetwork, noKey, requesterOf } from './requester.js';

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
      // All of it before the first wait, so that it is for the chain that is active now.
      const { chainId: active } = context.network();
      const { chainId = active, from } = transaction;
      if (chainId !== active)
        throw new ProviderRpcError(
          errorCode.chainDisconnected,
          `The transaction is for chain ${chainId}; the provider is on chain ${active}.`,
        );
      const watched = watchOnlyAccount(context.session.state(), from);
      if (watched && action === 'send') await showElsewhere(context, transaction, watched, request);
      const requester = requesterOf(context, from, request);
      const { transactions } = await context.signing();
      return (await transactions())[action](transaction, requester);
    },
    ([{ from }]) => from,
  );
}

/** Shows the person how another wallet can make the transaction, before the page gets the refusal. */
async function showElsewhere(
  context: Context,
  transaction: TransactionRequest,
  account: WatchOnlyAccount,
  { signal }: MethodRequest,
): Promise<never> {
  const { origin, session } = context;
  const { accounts } = session.state();
  const site = {
    ...{ account, origin, signal },
    network: describeNetwork(context.network()),
    service: context.sends(),
    ownAddresses: accounts.map(({ address }) => address),
  };
  const { offerElsewhere } = await import('../transactions/offer-elsewhere.js').catch(throwNotLoaded);
  const { contacts, journal, lock } = await context.signing();
  const approvals = await context.approvals();
  await offerElsewhere(transaction, site, { approvals, contacts, journal, locked: lock.locked });
  throw noKey();
}

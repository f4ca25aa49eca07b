import type { QuestionNetwork } from '../approvals/question.js';
import type { Context } from '../context.js';
import { unauthorized } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Network } from '../service/networks.js';
import { permittedAccounts } from '../session/session.js';
import type { MethodRequest } from './method.js';

/**
 * How a network is named to a person; of its endpoints only the host, since the path is the API key. All of them where
 * a page chose them: any may be asked.
 */
export function describeNetwork({ currency, urls, addedBy, ...network }: Network): QuestionNetwork {
  const { chainId, name, testnet } = network;
  const hosts = [...new Set(urls.map((url) => new URL(url).host))];
  return own({
    chainId,
    name,
    symbol: currency.symbol,
    decimals: currency.decimals,
    testnet,
    source: addedBy === undefined ? (hosts[0] as string) : hosts.join(', '),
    ...(addedBy !== undefined && { addedBy }),
  });
}

/**
 * Who asks, where, for which account: what every question and every signature needs to know. Taken before
 * anything is waited for: what is signed is for the chain that was active when it was asked for.
 */
export function asking(context: Context, from: Address, request: MethodRequest) {
  const { accounts } = context.session.state();
  const account = accounts.find(({ address }) => address === from);
  if (!account) throw unauthorized('The account is not one of this wallet.');
  return own({
    origin: context.origin,
    network: describeNetwork(context.network()),
    service: context.direct(),
    account,
    own: accounts.map(({ address }) => address),
    ...(request.signal && { signal: request.signal }),
    stillAllowed: () => permittedAccounts(context.session.state(), context.origin).includes(from),
  });
}

import { readTokenBalances } from '../assets/token-balances.js';
import { toQuantity } from '../rpc/hex.js';
import type { Address } from '../rpc/schema.js';
import { asPerson, type Service } from '../service/service.js';
import { readQuantity } from '../transactions/prepare.js';
import type { HeldPurse, Purse } from './purse.js';

/** A purse whose record was lost. Its site gets its key from no window any more. */
export const foundPurse = (
  place: Pick<Purse, 'address' | 'path' | 'origin' | 'account' | 'chainId'>,
  at: number,
): Purse => ({ ...place, createdAt: at, terms: [], reply: '', request: '0x', deposits: [], endedAt: at });

interface Holdings {
  readonly balance: bigint;
  readonly tokens: HeldPurse['tokens'];
}

/** The coins and the listed tokens of an address. @throws ProviderRpcError as the service's request */
export async function readHoldings(given: Service, address: Address): Promise<Holdings> {
  const service = asPerson(given);
  const [balance, tokens] = await Promise.all([
    readQuantity(service, 'eth_getBalance', [address, 'latest']),
    readTokenBalances(service, address, []),
  ]);
  return {
    balance: BigInt(balance),
    tokens: tokens.flatMap(({ address: token, symbol, decimals, balance: units }) =>
      units ? [{ address: token, symbol, decimals, balance: toQuantity(units) }] : [],
    ),
  };
}

/** Whether an address has ever sent anything, or holds something. */
export async function isUsed(service: Service, address: Address): Promise<boolean> {
  const [{ balance, tokens }, count] = await Promise.all([
    readHoldings(service, address),
    readQuantity(service, 'eth_getTransactionCount', [address, 'latest']),
  ]);
  return balance > 0n || tokens.length > 0 || BigInt(count) > 0n;
}

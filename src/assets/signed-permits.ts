import { own } from '../rpc/own.js';
import { type Address, isLowerAddress } from '../rpc/schema.js';
import type { Storage } from '../storage/storage.js';

/** An allowance that a signature of this browser gives, once someone submits it. */
export interface SignedPermit {
  readonly chainId: number;
  /** The account that signed. */
  readonly account: Address;
  readonly token: Address;
  readonly spender: Address;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const prefixOf = (chainId: number): string => `${chainId}:`;

const keyOf = ({ chainId, account, token, spender }: SignedPermit): string =>
  `${prefixOf(chainId)}${account}:${token}:${spender}`;

/** Records a permit, in the place of an earlier one for the same spender. */
export const recordPermit = (storage: Pick<Storage, 'put'>, permit: SignedPermit): Promise<void> =>
  storage.put('permits', [[keyOf(permit), permit]]);

/** The permits of a chain. Records of another form are left out: any script of the origin can write them. */
export async function permitsOf(
  storage: Pick<Storage, 'all'>,
  chainId: number,
): Promise<readonly SignedPermit[]> {
  const all = (await storage.all('permits', prefixOf(chainId))) as SignedPermit[];
  return all.map((each) => own(Object(each) as SignedPermit)).filter(isPermit);
}

const isPermit = ({ chainId, account, token, spender, at }: SignedPermit): boolean =>
  Number.isSafeInteger(chainId) && [account, token, spender].every(isLowerAddress) && typeof at === 'number';

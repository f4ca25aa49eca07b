import { knownContracts, knownToken } from '../rpc/known-contracts.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { isUnlimited } from '../rpc/token-amount.js';
import { tokenCall } from '../rpc/token-calls.js';
import type { Service } from '../service/service.js';
import { readWords } from './read-words.js';

/** A right over tokens that an account has given from this browser, and what is left of it on the chain. */
export interface Allowance {
  /** The account whose tokens they are. */
  readonly account: Address;
  /** The contract of the token. */
  readonly token: Address;
  /** The address that may move them. */
  readonly spender: Address;
  /** How much of it: base units, a QUANTITY; `all` for every item of a collection (ERC-721 and ERC-1155). */
  readonly amount: Hex | 'all';
  /** Whether it is more than any balance will reach. */
  readonly isUnlimited: boolean;
  /** The symbol of a token that the wallet lists; absent for any other. */
  readonly symbol?: string;
  /** Its decimals. */
  readonly decimals?: number;
  /** The name of a spender that the wallet knows, such as `PowPeg bridge`. */
  readonly spenderName?: string;
  /** When it was last given from here, milliseconds since 1970. */
  readonly givenAt: number;
}

/** A right that was given, whatever has become of it. */
export interface GivenRight extends Pick<Allowance, 'account' | 'token' | 'spender' | 'givenAt'> {
  /** Whether it is over every item of a collection. */
  readonly isForAll: boolean;
}

/** Rights that are read at once: the newest ones. */
const maxRights = 100;

/**
 * Reads what is left of rights, by one `eth_call` for 25 of them. Those that nothing is left of, and those of contracts that fail, are
 * not in the answer.
 */
export async function readAllowances(
  service: Service,
  rights: readonly GivenRight[],
): Promise<readonly Allowance[]> {
  const { chainId } = service.network;
  const newest = distinct(rights).slice(0, maxRights);
  const words = await readWords(service, newest.map(callOf));
  return newest.flatMap(({ account, token, spender, isForAll, givenAt }, at) => {
    const word = words[at] ?? 0n;
    if (word === 0n || (isForAll && word !== 1n)) return [];
    const label = isForAll ? null : knownToken(chainId, token);
    const spenderName = knownContracts(chainId).find(({ address }) => address === spender)?.name;
    return own<Allowance>({
      ...{ account, token, spender, givenAt },
      amount: isForAll ? 'all' : `0x${word.toString(16)}`,
      isUnlimited: isForAll || isUnlimited(word),
      ...label,
      ...(spenderName !== undefined && { spenderName }),
    });
  });
}

/** The calldata by which an account takes a right back. */
export const revocation = ({ spender, amount }: Pick<Allowance, 'spender' | 'amount'>): Hex =>
  amount === 'all' ? tokenCall('setApprovalForAll', spender, 0n) : tokenCall('approve', spender, 0n);

const callOf = ({ account, token, spender, isForAll }: GivenRight) => ({
  to: token,
  data: tokenCall(isForAll ? 'isApprovedForAll' : 'allowance', account, spender),
});

/** Each right once, as it was last given, the newest first. */
function distinct(rights: readonly GivenRight[]): readonly GivenRight[] {
  const newest = new Map<string, GivenRight>();
  for (const right of [...rights].sort((a, b) => a.givenAt - b.givenAt))
    newest.set([right.account, right.token, right.spender, right.isForAll].join(), right);
  return [...newest.values()].sort((a, b) => b.givenAt - a.givenAt);
}

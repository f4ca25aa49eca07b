import { callsProgram, wordsOf } from '../rpc/calls-program.js';
import { errorCode, isProviderRpcError } from '../rpc/errors.js';
import { listedTokens } from '../rpc/known-contracts.js';
import { own } from '../rpc/own.js';
import { checkData } from '../rpc/results.js';
import type { Address, Hex } from '../rpc/schema.js';
import { tokenCall } from '../rpc/token-calls.js';
import { isNodeFailure } from '../service/errors/errors.js';
import type { Service } from '../service/service.js';
import { imitatedSymbol } from './likeness.js';

/** A token of the wallet's list or of the person's, and how much of it an address has. */
export interface TokenBalance {
  /** The contract of the token. */
  readonly address: Address;
  /** As the wallet knows it, or as the page that had it watched has described it. */
  readonly symbol: string;
  /** 0 for a collectible. */
  readonly decimals: number;
  /** Base units; of an ERC-721 collectible 1 or 0. `null` if it could not be read. */
  readonly balance: bigint | null;
  /** Symbol and decimals come from the wallet's own list. Otherwise a page has named them. */
  readonly listed: boolean;
  /** Whether the person agreed to watch it (`wallet_watchAsset`). */
  readonly watched: boolean;
  /** The symbol of a listed token, or of the chain's coin, that this other contract bears as well: mark it. */
  readonly imitates?: string;
  /** Absent for ERC-20. */
  readonly type?: 'ERC721' | 'ERC1155';
  /** Token id of a collectible, decimal; absent for ERC-20. */
  readonly tokenId?: string;
}

/** The part of a watched asset that balances need. */
interface Watched extends Pick<TokenBalance, 'address' | 'symbol' | 'decimals' | 'type' | 'tokenId'> {
  readonly addedBy?: string;
}

/** Watched tokens whose balance is read at once, a like number for each page that added some; others have none. */
const maxWatched = 50;

/** Tokens whose balances one `eth_call` reads, and the gas for each: together the node has enough for one call. */
const callsAtOnce = 25;
const gasOfRead = 200_000;

/**
 * Reads the balances of the listed and the watched tokens, all at once: in one batch where the network has batches, else by one
 * `eth_call` for {@link callsAtOnce} of them. A contract that fails has no balance.
 */
export async function readTokenBalances(
  service: Service,
  owner: Address,
  watched: readonly Watched[],
): Promise<readonly TokenBalance[]> {
  const { chainId, currency } = service.network;
  const listed = listedTokens(chainId);
  const isListed = ({ address, type }: Watched) =>
    type === undefined && listed.some((token) => token.address === address);
  const others = watched.map((asset) => own(asset)).filter((asset) => !isListed(asset));
  const isRead = firstOfEach(others.map(({ addedBy }) => addedBy));
  const tokens = [
    ...listed.map((token) =>
      own({ ...token, listed: true, watched: watched.some(({ address }) => address === token.address) }),
    ),
    ...others.map(({ address, symbol, decimals, type, tokenId }) => {
      const imitates = imitatedSymbol(chainId, address, symbol, currency.symbol);
      return own({
        ...{ address, symbol, decimals, listed: false, watched: true },
        ...(imitates !== null && { imitates }),
        ...(type && { type }),
        ...(tokenId !== undefined && { tokenId }),
      });
    }),
  ];
  const read = tokens.filter((_, i) => i < listed.length || isRead.has(i - listed.length));
  const balances = await readBalances(service, owner, read);
  return tokens.map((token) => ({ ...token, balance: balances.get(token) ?? null }));
}

type Read = Pick<TokenBalance, 'address' | 'type' | 'tokenId'>;

/** A token and its balance, `null` if it could not be read. */
type ReadBalance = readonly [token: Read, balance: bigint | null];

/** Reads balances, as far as they can be read. Never rejects. */
async function readBalances(
  service: Service,
  owner: Address,
  tokens: readonly Read[],
): Promise<ReadonlyMap<Read, bigint | null>> {
  const readEach = (some: readonly Read[]) =>
    Promise.all(
      some.map(
        async (token): Promise<ReadBalance> => [
          token,
          await readBalance(service, owner, token).catch(() => null),
        ],
      ),
    );
  if (service.network.batch !== undefined) return new Map(await readEach(tokens));
  const parts = Array.from({ length: Math.ceil(tokens.length / callsAtOnce) }, (_, i) =>
    tokens.slice(i * callsAtOnce, (i + 1) * callsAtOnce),
  );
  const read = await Promise.all(
    parts.map(async (part) => {
      try {
        return await readTogether(service, owner, part);
      } catch (error) {
        // A node that refuses the program answers single calls; one that answers nothing does not.
        return isUnanswered(error) && !isNodeFailure(error) ? [] : readEach(part);
      }
    }),
  );
  return new Map(read.flat());
}

/** Codes of a service that does not answer now. */
const unanswered: readonly number[] = [
  errorCode.limitExceeded,
  errorCode.resourceUnavailable,
  errorCode.disconnected,
  errorCode.chainDisconnected,
];

const isUnanswered = (error: unknown): boolean =>
  isProviderRpcError(error) && unanswered.includes(error.code);

/** Reads balances by one call. @throws Error if the node answers with something else; the service's error */
async function readTogether(
  service: Service,
  owner: Address,
  tokens: readonly Read[],
): Promise<readonly ReadBalance[]> {
  const calls = tokens.flatMap((token) => {
    const data = callOf(owner, token);
    return data === null ? [] : [{ token, to: token.address, data }];
  });
  const data = callsProgram(calls, gasOfRead);
  const result = (await service.request('eth_call', [{ data }, 'latest'], { check: checkData })) as Hex;
  const words = wordsOf(result, calls.length);
  if (!words) throw new Error('The node did not run the program.');
  return calls.map(({ token }, i): ReadBalance => {
    const word = words[i] ?? null;
    return [token, word === null ? null : balanceOf(owner, token, word)];
  });
}

/** Indices of {@link maxWatched} items, the first of each page before the second of any. */
function firstOfEach(pages: readonly (string | undefined)[]): ReadonlySet<number> {
  const counts = new Map<string | undefined, number>();
  const places = pages.map((page, index) => {
    const place = counts.get(page) ?? 0;
    counts.set(page, place + 1);
    return { place, index };
  });
  const inTurn = places.sort((a, b) => a.place - b.place).slice(0, maxWatched);
  return new Set(inTurn.map(({ index }) => index));
}

/** Reads one balance. */
async function readBalance(service: Service, owner: Address, token: Read): Promise<bigint | null> {
  const data = callOf(owner, token);
  if (data === null) return null;
  const result = (await service.request('eth_call', [{ to: token.address, data }, 'latest'], {
    check: checkData,
  })) as Hex;
  return result.length === 66 ? balanceOf(owner, token, BigInt(result)) : null;
}

const maxId = 2n ** 256n - 1n;

/** The calldata that reads a balance; `null` for an id that is not a number. */
function callOf(owner: Address, { type, tokenId = '0' }: Read): Hex | null {
  if (!/^\d{1,78}$/.test(tokenId)) return null;
  const id = BigInt(tokenId);
  if (id > maxId) return null;
  if (type === 'ERC721') return tokenCall('ownerOf', id);
  return type === 'ERC1155' ? tokenCall('balanceOfId', owner, id) : tokenCall('balanceOf', owner);
}

/** The balance that the result of the call says. */
const balanceOf = (owner: Address, { type }: Read, word: bigint): bigint =>
  type === 'ERC721' ? BigInt(word === BigInt(owner)) : word;

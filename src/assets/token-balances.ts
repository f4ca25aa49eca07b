import { listedTokens } from '../rpc/known-contracts.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { tokenCall } from '../rpc/token-calls.js';
import type { Service } from '../service/service.js';
import { imitatedSymbol } from './likeness.js';
import { readWords } from './read-words.js';

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

/**
 * Reads the balances of the listed and the watched tokens, all at once: in one batch where the network has batches, else by few
 * `eth_call`s. A contract that fails has no balance.
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

/** Reads balances, as far as they can be read. Never rejects. */
async function readBalances(
  service: Service,
  owner: Address,
  tokens: readonly Read[],
): Promise<ReadonlyMap<Read, bigint | null>> {
  const calls = tokens.flatMap((token) => {
    const data = callOf(owner, token);
    return data === null ? [] : [{ token, to: token.address, data }];
  });
  const words = await readWords(service, calls);
  return new Map(
    calls.map(({ token }, i) => {
      const word = words[i] ?? null;
      return [token, word === null ? null : balanceOf(owner, token, word)];
    }),
  );
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

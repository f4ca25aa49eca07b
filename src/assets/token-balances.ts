import { own } from '../rpc/own.js';
import { checkData } from '../rpc/results.js';
import type { Address, Hex } from '../rpc/schema.js';
import { tokenCall } from '../rpc/token-calls.js';
import type { Service } from '../service/service.js';
import { listedTokens } from './known-contracts.js';
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

/**
 * Reads the balances of the listed and the watched tokens, all at once: one HTTP request where the network has batches,
 * else a call for each. A contract that fails has no balance.
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
  return Promise.all(
    tokens.map(async (token, i) => ({
      ...token,
      balance:
        i < listed.length || isRead.has(i - listed.length)
          ? await readBalance(service, owner, token).catch(() => null)
          : null,
    })),
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

async function readBalance(
  service: Service,
  owner: Address,
  { address, type, tokenId = '0' }: Pick<TokenBalance, 'address' | 'type' | 'tokenId'>,
): Promise<bigint | null> {
  const id = BigInt(tokenId);
  const data =
    type === 'ERC721'
      ? tokenCall('ownerOf', id)
      : type === 'ERC1155'
        ? tokenCall('balanceOfId', owner, id)
        : tokenCall('balanceOf', owner);
  const result = (await service.request('eth_call', [{ to: address, data }, 'latest'], {
    check: checkData,
  })) as Hex;
  if (result.length !== 66) return null;
  if (type === 'ERC721') return BigInt(result) === BigInt(owner) ? 1n : 0n;
  return BigInt(result);
}

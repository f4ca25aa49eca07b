import { own } from '../rpc/own.js';
import type { PermissionTerms } from '../rpc/permission-terms.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';

/** A purse as the vault keeps it. Its key is derived again whenever it is needed. */
export interface Purse {
  readonly address: Address;
  /** BIP-32 path of its key. */
  readonly path: string;
  /** The site that may spend what is in it. */
  readonly origin: string;
  /** The account that fills it, and that gets back what is left. */
  readonly account: Address;
  /** The one chain that its key signs for. */
  readonly chainId: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The terms that the person has agreed to last. The frame keeps the site to them. */
  readonly terms: readonly PermissionTerms[];
  /** The reply to the site's last request, as JSON text. */
  readonly reply: string;
  /** A digest of that request, by which the same one is recognised. */
  readonly request: Hex;
  /** Hashes of the transactions that have filled it, the last ones. */
  readonly deposits: readonly Hash[];
  /** When the person has taken it back, milliseconds since 1970; absent while the site has it. */
  readonly endedAt?: number;
}

/** A purse with what it holds. */
export interface HeldPurse {
  /** The address, in lower case. */
  readonly address: Address;
  /** The site that may spend what is in it. */
  readonly origin: string;
  /** The account that gets back what is left. */
  readonly account: Address;
  /** As a number, such as 30. */
  readonly chainId: number;
  /** wei; `null` if it could not be read. */
  readonly balance: Hex | null;
  /** The tokens that it holds, in base units. */
  readonly tokens: readonly {
    readonly address: Address;
    readonly symbol: string;
    readonly decimals: number;
    readonly balance: Hex;
  }[];
  /** When it was taken back, milliseconds since 1970; absent while the site has its key. */
  readonly endedAt?: number | undefined;
}

export const encodePurse = (purse: Purse): Uint8Array => new TextEncoder().encode(JSON.stringify(purse));

/** Reads the purses of a vault. A record that this build cannot read is left out. */
export const decodePurses = (records: readonly Uint8Array[]): readonly Purse[] =>
  records.flatMap((bytes) => {
    try {
      const purse = own(Object(JSON.parse(new TextDecoder().decode(bytes))) as Purse);
      return isSound(purse) ? [purse] : [];
    } catch {
      return [];
    }
  });

function isSound({ address, path, origin, account, chainId, terms, reply, deposits }: Purse): boolean {
  return (
    [address, account].every((each) => /^0x[\da-f]{40}$/.test(each)) &&
    [path, origin, reply].every((each) => typeof each === 'string') &&
    Number.isSafeInteger(chainId) &&
    Array.isArray(terms) &&
    Array.isArray(deposits)
  );
}

/** Whether the site has its key, or gets it. */
export const isLive = ({ endedAt }: Purse): boolean => endedAt === undefined;

import type { Address, Hex } from './schema.js';

/** The types of permission that the wallet grants (ERC-7715); the last one is its own. */
export const permissionTypes = [
  'native-token-allowance',
  'native-token-periodic',
  'erc20-token-allowance',
  'erc20-token-periodic',
  'graft-contract-calls',
] as const;

/** One of {@link permissionTypes}. */
export type PermissionType = (typeof permissionTypes)[number];

/** The terms under which a site sends without a question. */
export interface PermissionTerms {
  /** The type, as the site requests it. */
  readonly type: PermissionType;
  /** The most in one period: wei with the fees, or base units of `token`. */
  readonly amount: Hex;
  /** The most in fees in one period, wei; only with `token`, whose amount has no fees in it. */
  readonly fees?: Hex | undefined;
  /** The contract of the token; absent for coins. */
  readonly token?: Address | undefined;
  /** Seconds; absent where the whole term is one period. */
  readonly period?: number | undefined;
  /** Unix seconds: from when. */
  readonly start: number;
  /** Unix seconds: until when. */
  readonly end: number;
  /** The addresses that may be paid; absent for a token that anyone may get, and for calls. */
  readonly payees?: readonly Address[] | undefined;
  /** The calls of `graft-contract-calls`, by contract. */
  readonly contracts?: readonly PermittedContract[] | undefined;
}

/** A contract that a permission is for. */
export interface PermittedContract {
  /** Its address. */
  readonly address: Address;
  /** The first four bytes of the calldata of each function that may be called. */
  readonly selectors: readonly Hex[];
  /** Names of these functions by their four bytes, where the site has given the signature. */
  readonly names?: Readonly<Record<Hex, string>> | undefined;
}

type Schedule = Pick<PermissionTerms, 'start' | 'end' | 'period'>;

/** How many periods a term has. The last one may be shorter. */
export const periodsIn = ({ start, end, period }: Schedule): number =>
  period === undefined ? 1 : Math.ceil((end - start) / period);

/** The number of the period at a time (Unix seconds), from 0; negative before the start. */
export const periodAt = ({ start, period }: Schedule, at: number): number =>
  at < start ? -1 : period === undefined ? 0 : Math.floor((at - start) / period);

/** The most that a term allows in all, in the unit of `amount`. */
export const totalOf = (terms: Schedule, amount: Hex): bigint => BigInt(amount) * BigInt(periodsIn(terms));

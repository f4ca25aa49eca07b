import type { Hash, Hex } from '../rpc/schema.js';

/** A block that a release knows, deep enough never to be replaced. */
export interface Checkpoint {
  /** Its height. */
  readonly number: number;
  /** The block's. */
  readonly hash: Hash;
  /** The block's. */
  readonly difficulty: bigint;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** The rules of a chain, as far as proofs need them. */
export interface ChainRules {
  /** Absent where every chain has its own: the local service's. */
  readonly genesis?: Hash;
  /** The height from which the hash leaves out Merkle proof and coinbase (RSKIP-92). Below it nothing is proven. */
  readonly coveredFrom: number;
  /** The height from which the coinbase names 20 bytes of the hash, followed by fork data (RSKIP-110). */
  readonly forkDataFrom: number;
  /** The height from which a Merkle proof has at most 960 bytes (RSKIP-180). */
  readonly shortProofFrom: number;
  /** How a block's difficulty follows from its parent's; absent where the chain has another rule. */
  readonly adjustment?: {
    /** The height from which it holds. */
    readonly from: number;
    /** The parent's difficulty changes by a part of this many. */
    readonly divisor: bigint;
    /** The time of a block without uncles for which it does not change. */
    readonly seconds: number;
    readonly minimum: bigint;
  };
  /** The least difficulty that proves anything; absent: nothing is called proven. */
  readonly floor?: bigint;
  readonly checkpoint?: Checkpoint;
}

/** Seconds by which a block may be ahead of the clock: miners allow as much, and clocks differ. */
export const maxSecondsAhead = 900;

const always = { coveredFrom: 1, forkDataFrom: 0, shortProofFrom: 0 };

/**
 * Mainnet's floor is a third of the difficulty of its blocks in 2026, and what powHSM's firmware counts a block at most. Testnet has
 * none: a block ten minutes after its parent may have the least difficulty there, which a laptop finds in a minute.
 */
const known: Readonly<Record<number, ChainRules>> = {
  30: {
    genesis: '0xf88529d4ab262c0f4d042e9d8d3f2472848eaafe1a9b7213f57617eb40a9f9e0',
    coveredFrom: 729_000,
    forkDataFrom: 1_591_000,
    shortProofFrom: 3_614_800,
    // RSKIP-156 raised the divisor from 50.
    adjustment: { from: 2_392_700, divisor: 400n, seconds: 14, minimum: 7_000_000_000_000_000n },
    floor: 7n * 10n ** 21n,
    checkpoint: {
      number: 4_481_393,
      hash: '0x6a78a0e87ab53aaeb1810ccfbab51a3f062bd221afa404c12aebfe41d3c88073',
      difficulty: 1_364_433_767_094_148_596_744n,
      timestamp: 1_658_188_864,
    },
  },
  31: {
    ...always,
    shortProofFrom: 2_060_500,
    genesis: '0xcabb7fbe88cd6d922042a32ffc08ce8b1fbb37d650b9d4e7dbfe2a7469adfa42',
  },
};

/** The rules of a chain, with the owner's floor in place of the release's where one is given. */
export function rulesOf(chainId: number, floor?: bigint): ChainRules {
  const rules = Object.hasOwn(known, chainId) ? (known[chainId] as ChainRules) : always;
  return floor === undefined ? rules : { ...rules, floor };
}

/** Floors of chains that have none in the release: on the local one work is made on demand. */
const localFloors: Readonly<Record<number, bigint>> = { 33: 1n };

/** The rules of a network, with its own floor where it has one. */
export const rulesOfNetwork = (network: {
  readonly chainId: number;
  readonly floor?: Hex | undefined;
}): ChainRules =>
  rulesOf(
    network.chainId,
    network.floor === undefined ? localFloors[network.chainId] : BigInt(network.floor),
  );

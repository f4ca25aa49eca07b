import { weiPerSatoshi } from '../rpc/known-contracts.js';

/** Facts about the Bitcoin side of a chain. */
export interface BitcoinNetwork {
  /** The byte before the hash of a P2PKH address. */
  readonly addressVersion: number;
  /** The byte before a private key in the wallet import format. */
  readonly wifVersion: number;
  /** Blocks between the batch of a peg-out and its confirmation (rskj, `rsk2BtcMinimumAcceptableConfirmations`). */
  readonly confirmations: number;
  /** Height from which events of peg-outs give amounts in wei, satoshis before (RSKIP-427). */
  readonly weiFrom: number;
  /**
   * The bridge refuses an amount that is less than the fee for a usual peg-out and so many percent of it (RSKIP-219; rskj,
   * `minimumPegoutValuePercentageToReceiveAfterFee`).
   */
  readonly feeMargin: number;
}

const test = { addressVersion: 0x6f, wifVersion: 0xef } as const;

const networks = new Map<number, BitcoinNetwork>([
  [30, { addressVersion: 0x00, wifVersion: 0x80, confirmations: 4_000, weiFrom: 7_338_024, feeMargin: 80 }],
  [31, { ...test, confirmations: 10, weiFrom: 6_110_487, feeMargin: 80 }],
  [33, { ...test, confirmations: 3, weiFrom: 0, feeMargin: 20 }],
]);

/** The Bitcoin side of Rootstock's mainnet, testnet and local chains; `null` for other chains. */
export const bitcoinNetwork = (chainId: number): BitcoinNetwork | null => networks.get(chainId) ?? null;

/** Whole satoshis in an amount of wei. */
export const toSatoshis = (wei: bigint): bigint => wei / weiPerSatoshi;

/** wei that are lost, because they are less than a satoshi. */
export const dustOf = (wei: bigint): bigint => wei % weiPerSatoshi;

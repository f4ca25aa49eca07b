import type { Address, Hash, Hex } from '../../../src/rpc/schema.js';
import type { Signature, UnsignedTransaction } from '../../../src/rpc/transaction.js';

/** A peg-out of Rootstock's testnet in block 6,033,160, from before RSKIP-427, with what its log says. */
export const realPegOut: {
  readonly hash: Hash;
  readonly block: number;
  readonly transaction: UnsignedTransaction;
  readonly signature: Signature;
  readonly sender: Address;
  readonly destination: string;
  readonly satoshis: bigint;
} = {
  hash: '0xc2bde392fb77f9bd2c101c3671c3819e46c4f1532cb4ec23d425f20f07672553',
  block: 6_033_160,
  transaction: {
    chainId: 31,
    nonce: '0x5',
    gasPrice: `0x${(5_251_555).toString(16)}`,
    gas: `0x${(44_000).toString(16)}`,
    to: '0x0000000000000000000000000000000001000006',
    value: `0x${(5n * 10n ** 15n).toString(16)}` as Hex,
    data: '0x',
  },
  signature: {
    r: 0xc45305a6b6862a3e6924f2073bb55c8f1c58f0dac85ff378277e4d254ecc50bcn,
    s: 0x6d4991ae9513bc9228cb41463866557297712ce28adeee742d2885f2bf98bb78n,
    // v 97
    yParity: 0,
  },
  sender: '0xb9acf09d4760db501ce546f3e604452303479621',
  destination: 'myFnoXxb67v1iPNdFFtqCxtQCTz4Kkbq2V',
  satoshis: 500_000n,
};

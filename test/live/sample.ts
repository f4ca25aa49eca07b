import type { Wire } from './wire.js';

/** Blocks, transactions and accounts that the checks read. */
export interface Sample {
  readonly chainId: number;
  /** Height of the newest block when the run began. */
  readonly height: number;
  /** One of the newest blocks, if possible with transactions. */
  readonly block: {
    readonly number: string;
    readonly hash: string;
    readonly transactions: readonly object[];
  };
  /** One of its transactions: the first, which is REMASC's where there is no other. */
  readonly transaction: string | null;
  /** An address with transactions. */
  readonly address: string;
}

/** Blocks that are looked at for one with transactions. */
const most = 5;

/** @throws Error, without the address of the service, when it does not answer as a node of this dialect */
export async function takeSample({ ask }: Wire): Promise<Sample> {
  const chainId = Number((await ask('eth_chainId')).json?.result ?? Number.NaN);
  if (!Number.isSafeInteger(chainId)) throw new Error('The service does not say which chain it serves.');
  const height = Number((await ask('eth_blockNumber')).json?.result ?? Number.NaN);
  if (!Number.isSafeInteger(height)) throw new Error('The service does not say how high its chain is.');
  let block: Sample['block'] | undefined;
  for (let at = height; at >= Math.max(0, height - most + 1); at--) {
    const { json } = await ask('eth_getBlockByNumber', quantity(at), true);
    const found = json?.result as Sample['block'] | null | undefined;
    if (found) block = found;
    if (found?.transactions.some((each) => !isRemasc(each))) break;
  }
  if (!block) throw new Error('The service shows no block of its chain.');
  const [first] = block.transactions as readonly { hash: string; from: string }[];
  return { chainId, height, block, transaction: first?.hash ?? null, address: first?.from ?? identity };
}

export const quantity = (value: number | bigint): string => `0x${value.toString(16)}`;

/** The contract that every chain has: a precompile that returns what it is given. */
export const identity = '0x0000000000000000000000000000000000000004';
/** docs/notes/node.md#contracts: bridge, and the payment of miners that ends every block. */
const remasc = '0x0000000000000000000000000000000001000008';
/** On both networks; elsewhere there may be no code (docs/notes/node.md#contracts). */
export const multicall = '0xca11bde05977b3631167028862be2a173976ca11';

export const isRemasc = (transaction: object): boolean =>
  (transaction as { to?: string | null }).to === remasc;

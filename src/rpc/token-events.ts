import type { Address, Hash, Hex, Log } from './schema.js';

/** Topics of the events of tokens that the wallet reads: ERC-20, ERC-721, ERC-1155 and wrapped coins. */
export const tokenTopics = {
  /** `Transfer(address,address,uint256)`: of ERC-20, and of ERC-721 with the id as a topic. */
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  /** `Approval(address,address,uint256)`: of ERC-20, and of ERC-721 with the id as a topic. */
  approval: '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
  /** `ApprovalForAll(address,address,bool)` of ERC-721 and ERC-1155. */
  approvalForAll: '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31',
  /** `Deposit(address,uint256)` of a wrapped coin, which writes no transfer. */
  deposit: '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
  /** `Withdrawal(address,uint256)` of a wrapped coin. */
  withdrawal: '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
} as const satisfies Record<string, Hash>;

/** A movement of a token as its contract reports it, which may lie. */
export interface TokenTransfer {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  /** Base units; 1 for a collectible. */
  readonly amount: bigint;
  /** The id of a collectible (ERC-721). */
  readonly tokenId?: bigint;
}

/** Reads a transfer of ERC-20 or ERC-721; `null` for any other log. */
export function readTransferLog({ address, topics, data }: Log): TokenTransfer | null {
  if (topics[0] !== tokenTopics.transfer) return null;
  const [from, to] = [addressIn(topics[1]), addressIn(topics[2])];
  if (from === null || to === null) return null;
  const token = address.toLowerCase() as Address;
  if (topics[3] !== undefined) return { token, from, to, amount: 1n, tokenId: BigInt(topics[3]) };
  const amount = wordIn(data);
  return amount === null ? null : { token, from, to, amount };
}

/** The address in a topic; `null` for anything else. */
export const addressIn = (topic: Hash | undefined): Address | null =>
  topic !== undefined && /^0x0{24}[0-9a-f]{40}$/i.test(topic)
    ? (`0x${topic.slice(26).toLowerCase()}` as Address)
    : null;

/** The topic of an address. */
export const topicOf = (address: Address): Hash => `0x${address.slice(2).padStart(64, '0')}`;

/** The number in data of one word; `null` for anything else. */
export const wordIn = (data: Hex): bigint | null => (/^0x[0-9a-f]{64}$/i.test(data) ? BigInt(data) : null);

import type { Address, Hex } from './schema.js';

/** Selectors of the functions of ERC-20, ERC-721 and ERC-1155 tokens that the wallet calls or decodes. */
export const tokenSelectors = {
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  allowance: '0xdd62ed3e',
  /** `balanceOf(address)` */
  balanceOf: '0x70a08231',
  /** `balanceOf(address,uint256)` of ERC-1155 */
  balanceOfId: '0x00fdd58e',
  ownerOf: '0x6352211e',
  transfer: '0xa9059cbb',
  transferFrom: '0x23b872dd',
  approve: '0x095ea7b3',
  increaseAllowance: '0x39509351',
  decreaseAllowance: '0xa457c2d7',
  setApprovalForAll: '0xa22cb465',
  isApprovedForAll: '0xe985e9c5',
  safeTransferFrom: '0x42842e0e',
  /** `safeTransferFrom(address,address,uint256,bytes)` */
  safeTransferFromWithData: '0xb88d4fde',
  /** `safeTransferFrom(address,address,uint256,uint256,bytes)` of ERC-1155 */
  safeTransferFromOfId: '0xf242432a',
} as const;

/**
 * Calldata of a token function whose arguments are addresses and integers. Writes its words itself: `wordOf` would make each reader of
 * calls load the chunk of `hex.ts`.
 */
export const tokenCall = (name: keyof typeof tokenSelectors, ...args: readonly (Address | bigint)[]): Hex =>
  `${tokenSelectors[name]}${args.map((arg) => BigInt(arg).toString(16).padStart(64, '0')).join('')}`;

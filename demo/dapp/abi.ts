import { tokenCode, tokenSelectors } from './contracts/token.js';

/** ABI encoding of the calls of one token: a selector and 32-byte words. */

const word = (value: bigint) => value.toString(16).padStart(64, '0');
const addressWord = (address: string) => word(BigInt(address));

export const deployment = (supply: bigint) => tokenCode + word(supply);
export const balanceOf = (owner: string) => tokenSelectors.balanceOf + addressWord(owner);
export const transfer = (to: string, value: bigint) =>
  tokenSelectors.transfer + addressWord(to) + word(value);

export const readNumber = (result: unknown) => BigInt(result === '0x' ? 0 : (result as string));

/** keccak-256 of `Transfer(address,address,uint256)`. */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** The address in a log topic. */
export const topicAddress = (topic: string) => `0x${topic.slice(26)}`;
/** The UTF-8 bytes of a text as hex, for `personal_sign`. */
export const utf8Hex = (text: string) =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;

/** Parses an address. @throws Error with a message for the person */
export function readAddress(text: string): string {
  const address = text.trim();
  if (!/^0x[\da-fA-F]{40}$/.test(address)) throw new Error('Enter an address: 0x and 40 digits.');
  return address;
}

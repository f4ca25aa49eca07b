import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { isUnlimited } from '../rpc/token-amount.js';
import { tokenSelectors } from '../rpc/token-calls.js';

/** A decoded token call. Amounts are decimal strings of base units. */
export type DecodedCall =
  | { readonly name: 'transfer'; readonly to: Address; readonly amount: string; readonly token: TokenLabel }
  | {
      readonly name: 'transferFrom';
      readonly from: Address;
      readonly to: Address;
      readonly amount: string;
      readonly token: TokenLabel;
    }
  | {
      readonly name: 'approve' | 'increaseAllowance';
      readonly spender: Address;
      readonly amount: string;
      readonly unlimited: boolean;
      readonly token: TokenLabel;
    }
  | {
      readonly name: 'decreaseAllowance';
      readonly spender: Address;
      readonly amount: string;
      readonly token: TokenLabel;
    }
  | {
      readonly name: 'setApprovalForAll';
      readonly operator: Address;
      readonly approved: boolean;
      readonly token: TokenLabel;
    }
  | {
      readonly name: 'safeTransferFrom';
      readonly from: Address;
      readonly to: Address;
      readonly tokenId: string;
      /** ERC-1155 only */
      readonly amount?: string | undefined;
      readonly token: TokenLabel;
    }
  | {
      /** Tokens are destroyed, or given back to their contract for what they are worth. */
      readonly name: 'burn';
      /** Absent for the caller's own tokens. */
      readonly from?: Address | undefined;
      readonly amount: string;
      readonly token: TokenLabel;
    };

/**
 * A token contract and what it reports about itself, which the service may forge. Fields that could not be read are
 * absent; `supply` and `balance` are read for allowances only.
 */
export interface TokenLabel {
  /** The contract of the token. */
  readonly address: Address;
  /** As the wallet knows it, or as the contract reports it. */
  readonly symbol?: string | undefined;
  /** How many digits of an amount in base units are behind the point. */
  readonly decimals?: number | undefined;
  /** Symbol and decimals come from this wallet's own list, not from the contract. */
  readonly known?: true | undefined;
  /** The symbol of a token that this wallet knows, or of the chain's coin, which this other contract bears as well. */
  readonly imitates?: string | undefined;
  /** Base units, decimal. */
  readonly supply?: string | undefined;
  /** The owner's balance, base units, decimal. */
  readonly balance?: string | undefined;
}

/** Hexadecimal digits of a 32-byte word. */
const word = 64;

/** The functions by selector. Their parameters have the names of the members of {@link DecodedCall}. */
const functions: Readonly<Record<string, `${string}(${string})`>> = {
  [tokenSelectors.transfer]: 'transfer(address to,uint256 amount)',
  [tokenSelectors.transferFrom]: 'transferFrom(address from,address to,uint256 amount)',
  [tokenSelectors.approve]: 'approve(address spender,uint256 amount)',
  [tokenSelectors.increaseAllowance]: 'increaseAllowance(address spender,uint256 amount)',
  [tokenSelectors.decreaseAllowance]: 'decreaseAllowance(address spender,uint256 amount)',
  [tokenSelectors.setApprovalForAll]: 'setApprovalForAll(address operator,bool approved)',
  [tokenSelectors.safeTransferFrom]: 'safeTransferFrom(address from,address to,uint256 tokenId)',
  [tokenSelectors.safeTransferFromWithData]:
    'safeTransferFrom(address from,address to,uint256 tokenId,bytes data)',
  [tokenSelectors.safeTransferFromOfId]:
    'safeTransferFrom(address from,address to,uint256 tokenId,uint256 amount,bytes data)',
};

const functionOf = (data: Hex): string | undefined => {
  const selector = data.slice(0, 10).toLowerCase();
  return Object.hasOwn(functions, selector) ? functions[selector] : undefined;
};

/**
 * Decodes the common token calls (ERC-20, ERC-721, ERC-1155 and OpenZeppelin's allowance pair) from their calldata;
 * `null` for any other call. Only the canonical encoding is decoded (exact length, zero padding, canonical offsets): a
 * contract may read any other one differently than it would be shown.
 */
export function decodeCall(to: Address | null, data: Hex): DecodedCall | null {
  const signature = functionOf(data);
  if (to === null || signature === undefined) return null;
  const [name, ...parameters] = signature.slice(0, -1).split(/[(,]/);
  const args = readArguments(data.slice(10).toLowerCase(), parameters);
  if (args === null) return null;
  return withToken({ name, ...args } as DecodedCall, own({ address: to.toLowerCase() as Address }));
}

/** The call with the label of its token. The token's supply decides what counts as unlimited. */
export function withToken(call: DecodedCall, token: TokenLabel): DecodedCall {
  if (call.name !== 'approve' && call.name !== 'increaseAllowance') return { ...call, token };
  const supply = token.supply === undefined ? undefined : BigInt(token.supply);
  return { ...call, token, unlimited: isUnlimited(BigInt(call.amount), supply) };
}

/** Whether the data starts with the selector of a token call but is not its canonical encoding. */
export const isDisguisedCall = (to: Address | null, data: Hex): boolean =>
  to !== null && functionOf(data) !== undefined && decodeCall(to, data) === null;

/** The arguments by name, without `bytes`; `null` if the digits are not their canonical encoding. */
function readArguments(
  digits: string,
  parameters: readonly string[],
): Readonly<Record<string, string | boolean>> | null {
  if (/[^0-9a-f]/.test(digits)) return null;
  // Without a prototype, whose setters would take what is set.
  const args = own<Record<string, string | boolean>>({});
  let end = parameters.length * word;
  for (const [index, parameter] of parameters.entries()) {
    const [type, name = ''] = parameter.split(' ');
    const slot = digits.slice(index * word, (index + 1) * word);
    if (slot.length !== word) return null;
    const value = BigInt(`0x${slot}`);
    if (type === 'bytes') {
      if (value !== BigInt(end / 2)) return null;
      const tail = readBytes(digits.slice(end));
      if (tail === null) return null;
      end += tail;
    } else if (type === 'address') {
      if (!/^0{24}/.test(slot)) return null;
      args[name] = `0x${slot.slice(24)}`;
    } else {
      if (type === 'bool' && value > 1n) return null;
      args[name] = type === 'bool' ? value === 1n : value.toString();
    }
  }
  return digits.length === end ? args : null;
}

/** Digits of a trailing `bytes` argument (length, content, zero padding); `null` if it is not canonical. */
function readBytes(tail: string): number | null {
  const length = tail.slice(0, word);
  if (length.length !== word || BigInt(`0x${length}`) > BigInt(tail.length)) return null;
  const size = Number(BigInt(`0x${length}`)) * 2;
  const padded = Math.ceil(size / word) * word;
  const content = tail.slice(word);
  return content.length >= padded && /^0*$/.test(content.slice(size, padded)) ? word + padded : null;
}

/** The address that gets the coins, the tokens or the right; else the called contract; `null` for a contract creation. */
export function recipientOf({
  to,
  data,
}: {
  readonly to: Address | null;
  readonly data: Hex;
}): Address | null {
  const call = decodeCall(to, data);
  return call === null ? to : recipientOfCall(call);
}

export function recipientOfCall(call: DecodedCall): Address {
  switch (call.name) {
    case 'transfer':
    case 'transferFrom':
    case 'safeTransferFrom':
      return call.to;
    case 'setApprovalForAll':
      return call.operator;
    case 'burn':
      return call.token.address;
    default:
      return call.spender;
  }
}

/** Whether the transaction pays coins or tokens, so that its recipient is a person rather than a contract. */
export function isPayment({ to, data }: { readonly to: Address | null; readonly data: Hex }): boolean {
  const call = decodeCall(to, data);
  return call === null
    ? data === '0x'
    : call.name === 'transfer' || call.name === 'transferFrom' || call.name === 'safeTransferFrom';
}

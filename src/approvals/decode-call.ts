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

type Kind = 'address' | 'uint' | 'bool' | 'bytes';

interface Signature {
  /** As it is hashed to the selector. */
  readonly signature: `${string}(${string})`;
  build(args: readonly string[], token: { readonly address: Address }): DecodedCall;
}

const address = (digits: string | undefined): Address => `0x${digits}`;

const spending =
  (name: 'approve' | 'increaseAllowance'): Signature['build'] =>
  ([spender, amount = '0'], token) => ({
    name,
    spender: address(spender),
    amount,
    unlimited: isUnlimited(BigInt(amount)),
    token,
  });

const nft: Signature['build'] = ([from, to, tokenId = '0'], token) => ({
  name: 'safeTransferFrom',
  from: address(from),
  to: address(to),
  tokenId,
  token,
});

const signatures: Readonly<Record<string, Signature>> = {
  [tokenSelectors.transfer]: {
    signature: 'transfer(address,uint256)',
    build: ([to, amount = '0'], token) => ({ name: 'transfer', to: address(to), amount, token }),
  },
  [tokenSelectors.transferFrom]: {
    signature: 'transferFrom(address,address,uint256)',
    build: ([from, to, amount = '0'], token) => ({
      name: 'transferFrom',
      from: address(from),
      to: address(to),
      amount,
      token,
    }),
  },
  [tokenSelectors.approve]: {
    signature: 'approve(address,uint256)',
    build: spending('approve'),
  },
  [tokenSelectors.increaseAllowance]: {
    signature: 'increaseAllowance(address,uint256)',
    build: spending('increaseAllowance'),
  },
  [tokenSelectors.decreaseAllowance]: {
    signature: 'decreaseAllowance(address,uint256)',
    build: ([spender, amount = '0'], token) => ({
      name: 'decreaseAllowance',
      spender: address(spender),
      amount,
      token,
    }),
  },
  [tokenSelectors.setApprovalForAll]: {
    signature: 'setApprovalForAll(address,bool)',
    build: ([operator, approved], token) => ({
      name: 'setApprovalForAll',
      operator: address(operator),
      approved: approved === '1',
      token,
    }),
  },
  [tokenSelectors.safeTransferFrom]: {
    signature: 'safeTransferFrom(address,address,uint256)',
    build: nft,
  },
  [tokenSelectors.safeTransferFromWithData]: {
    signature: 'safeTransferFrom(address,address,uint256,bytes)',
    build: nft,
  },
  [tokenSelectors.safeTransferFromOfId]: {
    signature: 'safeTransferFrom(address,address,uint256,uint256,bytes)',
    build: ([from, to, tokenId = '0', amount = '0'], token) => ({
      name: 'safeTransferFrom',
      from: address(from),
      to: address(to),
      tokenId,
      amount,
      token,
    }),
  },
};

const signatureOf = (data: Hex): Signature | undefined => {
  const selector = data.slice(0, 10).toLowerCase();
  return Object.hasOwn(signatures, selector) ? signatures[selector] : undefined;
};

/**
 * Decodes the common token calls (ERC-20, ERC-721, ERC-1155 and OpenZeppelin's allowance pair) from their calldata;
 * `null` for any other call. Only the canonical encoding is decoded (exact length, zero padding, canonical offsets): a
 * contract may read any other one differently than it would be shown.
 */
export function decodeCall(to: Address | null, data: Hex): DecodedCall | null {
  const signature = signatureOf(data);
  if (to === null || signature === undefined) return null;
  const args = readArguments(data.slice(10).toLowerCase(), kindsOf(signature));
  return args === null ? null : signature.build(args, own({ address: to.toLowerCase() as Address }));
}

/** The call with the label of its token. The token's supply decides what counts as unlimited. */
export function withToken(call: DecodedCall, token: TokenLabel): DecodedCall {
  if (call.name !== 'approve' && call.name !== 'increaseAllowance') return { ...call, token };
  const supply = token.supply === undefined ? undefined : BigInt(token.supply);
  return { ...call, token, unlimited: isUnlimited(BigInt(call.amount), supply) };
}

/** Whether the data starts with the selector of a token call but is not its canonical encoding. */
export const isDisguisedCall = (to: Address | null, data: Hex): boolean =>
  to !== null && signatureOf(data) !== undefined && decodeCall(to, data) === null;

/** The kinds of the parameters: a `uint256` is read as a `uint`. */
const kindsOf = ({ signature }: Signature): readonly Kind[] =>
  signature
    .slice(signature.indexOf('(') + 1, -1)
    .split(',')
    .map((type) => type.replace(/\d+$/, '') as Kind);

function readArguments(digits: string, takes: readonly Kind[]): readonly string[] | null {
  const args: string[] = [];
  let end = takes.length * word;
  for (const [index, kind] of takes.entries()) {
    const slot = digits.slice(index * word, (index + 1) * word);
    if (slot.length !== word) return null;
    if (kind === 'bytes') {
      if (BigInt(`0x${slot}`) !== BigInt(end / 2)) return null;
      const tail = readBytes(digits.slice(end));
      if (tail === null) return null;
      end += tail;
    } else if (kind === 'address') {
      if (!/^0{24}/.test(slot)) return null;
      args.push(slot.slice(24));
    } else {
      const value = BigInt(`0x${slot}`);
      if (kind === 'bool' && value > 1n) return null;
      args.push(value.toString());
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

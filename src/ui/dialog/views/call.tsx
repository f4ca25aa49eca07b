import type { DecodedCall, TokenLabel } from '../../../approvals/decode-call.js';
import type { Address } from '../../../rpc/schema.js';
import { type Content, Fragment, h, sentence } from '../../h.js';
import { party } from '../../pieces/address.js';
import { baseUnits, formatAmount, inBaseUnits } from '../../pieces/amounts.js';
import type { Amount } from '../../pieces/hero.js';
import type { Row } from '../../pieces/lists.js';
import type { DialogWords } from '../../words/words.js';

/** The texts and values that a view shows for a call. */
export interface DescribedCall {
  readonly title: Content;
  readonly lead: Content;
  readonly hero: Amount | null;
  readonly parties: readonly Row[];
  /** The amount in base units, where the formatted amount could mislead. */
  readonly signed: Row | null;
  /** Whether the call only transfers value. */
  readonly sends: boolean;
}

/** The name that the wallet knows an address by. */
export type NameOf = (address: Address) => string | null;

/** Describes a decoded token call: the token, the amount, and the address that moves or may move it. */
export function describeCall(
  call: DecodedCall,
  chainId: number,
  words: DialogWords,
  nameOf: NameOf = () => null,
): DescribedCall {
  const partyOf = (address: Address): Content => party(address, chainId, nameOf(address));
  const token: Row = [words.token, tokenParty(call.token, chainId, words)];
  const ownerOf = (address: Address | undefined): readonly Row[] =>
    address === undefined ? [] : [[words.owner, partyOf(address)]];
  switch (call.name) {
    case 'transfer':
    case 'transferFrom': {
      const from = call.name === 'transferFrom' ? call.from : undefined;
      return {
        title: from === undefined ? words.tokenSendTitle : words.tokenMoveTitle,
        lead: null,
        hero: tokenAmount(call.amount, call.token, words),
        parties: [...ownerOf(from), [words.to, partyOf(call.to)], token],
        signed: signedAmount(call.amount, call.token, words),
        sends: true,
      };
    }
    case 'safeTransferFrom':
      return {
        title: words.nftSendTitle,
        lead: null,
        hero: {
          text: `${call.amount === undefined ? '' : `${call.amount} × `}#${call.tokenId}`,
          unit: call.token.symbol ?? null,
        },
        parties: [...ownerOf(call.from), [words.to, partyOf(call.to)], token],
        signed: null,
        sends: true,
      };
    case 'setApprovalForAll':
      return {
        title: call.approved ? words.approveAllTitle : words.revokeAllTitle,
        lead: call.approved ? words.approveAllLead : words.revokeAllLead,
        hero: call.approved
          ? { text: words.allTokens, unit: call.token.symbol ?? null, tone: 'danger' }
          : null,
        parties: [[words.operator, partyOf(call.operator)], token],
        signed: null,
        sends: false,
      };
    case 'burn':
      return {
        title: words.burnTitle,
        lead: words.burnLead,
        hero: tokenAmount(call.amount, call.token, words),
        parties: [...ownerOf(call.from), token],
        signed: signedAmount(call.amount, call.token, words),
        sends: false,
      };
    default: {
      const [title, lead] = {
        approve: [words.approveTitle, BigInt(call.amount) === 0n ? words.revokeLead : words.approveLead],
        increaseAllowance: [words.increaseTitle, words.increaseLead],
        decreaseAllowance: [words.decreaseTitle, words.decreaseLead],
      }[call.name] as [string, string];
      const unlimited = call.name !== 'decreaseAllowance' && call.unlimited;
      return {
        title,
        lead,
        hero: unlimited
          ? { text: words.unlimited, unit: call.token.symbol ?? null, tone: 'danger' }
          : tokenAmount(call.amount, call.token, words),
        parties: [[words.spender, partyOf(call.spender)], token],
        signed: signedAmount(call.amount, call.token, words, unlimited),
        sends: false,
      };
    }
  }
}

/** The amount in the decimals that the contract claims; in base units if it claims no decimals. */
export function tokenAmount(amount: string, { symbol, decimals }: TokenLabel, words: DialogWords): Amount {
  return decimals === undefined
    ? { text: formatAmount(BigInt(amount), 0, words), unit: words.baseUnits }
    : { text: formatAmount(BigInt(amount), decimals, words), unit: symbol ?? null };
}

/**
 * The token's contract. Symbol and decimals are the contract's own claims, and are labelled so unless the wallet knows it.
 *
 * @param exact an amount of it in base units
 */
export function tokenParty(
  { address, symbol, decimals, known }: TokenLabel,
  chainId: number,
  words: DialogWords,
  exact: Content = null,
): Content {
  const claims: Content[] = [];
  if (symbol !== undefined) claims.push(sentence(known ? words.tokenKnown : words.tokenClaim, { symbol }));
  if (decimals !== undefined && !known)
    claims.push(' ', sentence(words.decimalsClaim, { decimals: String(decimals) }));
  return (
    <>
      {party(address, chainId)}
      {exact && <small>{exact}</small>}
      {claims.length > 0 && <small>{claims}</small>}
    </>
  );
}

/**
 * The amount in base units, where "unlimited" hides it, and beside every amount of a token that the wallet does not know:
 * the decimals of such a token are a claim that may hide any factor. Else null.
 */
export function signedAmount(
  amount: string,
  token: TokenLabel,
  words: DialogWords,
  unlimited = false,
): Row | null {
  const units = BigInt(amount);
  if (unlimited && units === maxUint256) return null;
  const exact = unlimited ? inBaseUnits(units, words) : baseUnits(units, token, words);
  return exact === null ? null : [words.signedAmount, exact];
}

/** The amount that dapps use for an unlimited allowance. */
const maxUint256 = 2n ** 256n - 1n;

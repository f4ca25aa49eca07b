import type { DecodedCall, TokenLabel } from '../../approvals/decoded-call.js';
import { isClaimUnusual } from '../../rpc/token-amount.js';
import { formatAmount } from '../amounts.js';
import { type Content, element, sentence } from '../element.js';
import { hero, party } from '../fields.js';
import type { Words } from '../words.js';

/** The texts and values that a view shows for a call. */
export interface DescribedCall {
  readonly title: Content;
  readonly lead: Content;
  readonly hero: Content;
  readonly parties: readonly (readonly [term: string, value: Content])[];
  /** The amount in base units, where the formatted amount could mislead. */
  readonly signed?: readonly [term: string, value: Content] | null;
  /** Whether the call only transfers value. */
  readonly sends: boolean;
}

/** Describes a decoded token call: what is or may be transferred, by whom, of which token. */
export function describeCall(call: DecodedCall, chainId: number, words: Words): DescribedCall {
  const partyOf = (address: `0x${string}`): Content => party(address, chainId);
  const token: readonly [string, Content] = [words.token, tokenParty(call.token, chainId, words)];
  switch (call.name) {
    case 'transfer':
      return {
        title: words.tokenSendTitle,
        lead: null,
        hero: tokenHero(call.amount, call.token, words),
        parties: [[words.to, partyOf(call.to)], token],
        signed: signedAmount(call.amount, call.token, words),
        sends: true,
      };
    case 'transferFrom':
      return {
        title: words.tokenMoveTitle,
        lead: null,
        hero: tokenHero(call.amount, call.token, words),
        parties: [[words.owner, partyOf(call.from)], [words.to, partyOf(call.to)], token],
        signed: signedAmount(call.amount, call.token, words),
        sends: true,
      };
    case 'safeTransferFrom':
      return {
        title: words.nftSendTitle,
        lead: null,
        hero: hero(
          `${call.amount === undefined ? '' : `${call.amount} × `}#${call.tokenId}`,
          call.token.symbol ?? null,
        ),
        parties: [[words.owner, partyOf(call.from)], [words.to, partyOf(call.to)], token],
        sends: true,
      };
    case 'setApprovalForAll':
      return {
        title: call.approved ? words.approveAllTitle : words.revokeAllTitle,
        lead: call.approved ? words.approveAllLead : words.revokeAllLead,
        hero: call.approved && hero(words.allTokens, call.token.symbol ?? null, 'danger'),
        parties: [[words.operator, partyOf(call.operator)], token],
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
          ? hero(words.unlimited, call.token.symbol ?? null, 'danger')
          : tokenHero(call.amount, call.token, words),
        parties: [[words.spender, partyOf(call.spender)], token],
        signed: signedAmount(call.amount, call.token, words, unlimited),
        sends: false,
      };
    }
  }
}

/** The amount in the decimals that the contract claims; in base units where it claims none. */
export function tokenHero(amount: string, { symbol, decimals }: TokenLabel, words: Words): Content {
  return decimals === undefined
    ? hero(formatAmount(BigInt(amount), 0, words), words.baseUnits)
    : hero(formatAmount(BigInt(amount), decimals, words), symbol ?? null);
}

/** The token's contract. Symbol and decimals are the contract's own claims, and are labelled so unless the wallet knows it. */
export function tokenParty(
  { address, symbol, decimals, known }: TokenLabel,
  chainId: number,
  words: Words,
): Content {
  const claims: Content[] = [];
  if (symbol !== undefined) claims.push(sentence(known ? words.tokenKnown : words.tokenClaim, { symbol }));
  if (decimals !== undefined && !known)
    claims.push(' ', sentence(words.decimalsClaim, { decimals: String(decimals) }));
  return [party(address, chainId), claims.length > 0 && element('small', {}, claims)];
}

/** The amount in base units, where "unlimited" or unusual claimed decimals would hide it; else null. */
export function signedAmount(
  amount: string,
  token: TokenLabel,
  words: Words,
  unlimited = false,
): readonly [term: string, value: Content] | null {
  const units = BigInt(amount);
  if (unlimited ? units === maxUint256 : !isClaimUnusual(units, token)) return null;
  return [words.signedAmount, element('bdi', {}, `${formatAmount(units, 0, words)} ${words.baseUnits}`)];
}

/** The amount that dapps use for an unlimited allowance. */
const maxUint256 = 2n ** 256n - 1n;

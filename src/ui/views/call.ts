import type { DecodedCall, TokenLabel } from '../../approvals/decoded-call.js';
import { isClaimUnusual } from '../../rpc/token-amount.js';
import { formatAmount } from '../amounts.js';
import { type Content, element, sentence } from '../element.js';
import { hero, party } from '../fields.js';
import type { Words } from '../words.js';

/** A call in words, or what stands in its place. */
export interface Told {
  readonly title: Content;
  readonly lead: Content;
  readonly hero: Content;
  readonly parties: readonly (readonly [term: string, value: Content])[];
  /** The amount as it is signed, where the hero does not show all of it. */
  readonly signed?: readonly [term: string, value: Content] | null;
  /** It does nothing but move value to somebody. */
  readonly sends: boolean;
}

/** A decoded token call in words: what moves or may be moved, by whom, of which token. */
export function describeCall(call: DecodedCall, chainId: number, words: Words): Told {
  const who = (address: `0x${string}`): Content => party(address, chainId);
  const token: readonly [string, Content] = [words.token, tokenParty(call.token, chainId, words)];
  switch (call.name) {
    case 'transfer':
      return {
        title: words.tokenSendTitle,
        lead: null,
        hero: tokenHero(call.amount, call.token, words),
        parties: [[words.to, who(call.to)], token],
        signed: signedAmount(call.amount, call.token, words),
        sends: true,
      };
    case 'transferFrom':
      return {
        title: words.tokenMoveTitle,
        lead: null,
        hero: tokenHero(call.amount, call.token, words),
        parties: [[words.owner, who(call.from)], [words.to, who(call.to)], token],
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
        parties: [[words.owner, who(call.from)], [words.to, who(call.to)], token],
        sends: true,
      };
    case 'setApprovalForAll':
      return {
        title: call.approved ? words.approveAllTitle : words.revokeAllTitle,
        lead: call.approved ? words.approveAllLead : words.revokeAllLead,
        hero: call.approved && hero(words.allTokens, call.token.symbol ?? null, 'danger'),
        parties: [[words.operator, who(call.operator)], token],
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
        parties: [[words.spender, who(call.spender)], token],
        signed: signedAmount(call.amount, call.token, words, unlimited),
        sends: false,
      };
    }
  }
}

/** Base units as the contract says they read; bare where it did not say. */
export function tokenHero(amount: string, { symbol, decimals }: TokenLabel, words: Words): Content {
  return decimals === undefined
    ? hero(formatAmount(BigInt(amount), 0, words), words.baseUnits)
    : hero(formatAmount(BigInt(amount), decimals, words), symbol ?? null);
}

/** The token's contract. What it says of itself is its own claim and is shown as one. */
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

/** The base units themselves, where "unlimited" or the decimals that the contract claims could hide them. */
export function signedAmount(
  amount: string,
  token: TokenLabel,
  words: Words,
  unlimited = false,
): readonly [term: string, value: Content] | null {
  const units = BigInt(amount);
  if (unlimited ? units === all : !isClaimUnusual(units, token)) return null;
  return [words.signedAmount, element('bdi', {}, `${formatAmount(units, 0, words)} ${words.baseUnits}`)];
}

/** What dapps write for "without limit": the greatest uint256. */
const all = 2n ** 256n - 1n;

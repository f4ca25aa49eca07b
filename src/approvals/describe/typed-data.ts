import { currentTime, isFar } from '../../rpc/ends.js';
import { hexToBytes } from '../../rpc/hex.js';
import { bridge, hasBridge, knownToken } from '../../rpc/known-contracts.js';
import { own } from '../../rpc/own.js';
import type { Address, Hex } from '../../rpc/schema.js';
import { isClaimUnusual } from '../../rpc/token-amount.js';
import type { CallTree } from '../call-tree.js';
import type { TokenLabel } from '../decode-call.js';
import type { Permit, TypedDataDomain, TypedDataField, TypedDataQuestion } from '../question.js';
import type { Right } from '../right.js';
import { bySeverity, caution, danger, distinct, type Warning } from '../warning.js';
import { callWarnings } from './calls.js';
import { hiddenSignInWarnings } from './message.js';
import { decodeLeniently } from './text.js';

/** Warnings about signing typed data, the most severe first. */
export function typedDataWarnings(facts: typedDataWarnings.Facts): readonly Warning[] {
  const { version, domain, permit, right, fields, origin, ownContract } = facts;
  const found: (Warning | false)[] = [
    ...(permit === null ? [] : permitWarnings(permit)),
    ...(right === null ? [] : rightWarnings(right, facts)),
    ...callWarnings(facts.calls ?? [], facts.chainId ?? 0),
    ...imitations(permit, right),
    right !== null && hasBridge(facts.chainId ?? 0) && paysBridge(right) && danger('bridge-payee'),
    facts.isTruncated === true && danger('calls-not-shown'),
    ownContract && danger('own-account-contract'),
    ...hiddenSignInWarnings(fields.flatMap(textOf), origin),
    version === 'V1' && caution('legacy-typed-data'),
    // Without a chain id the signature is valid on every chain that has the same contract.
    version !== 'V1' && domain.chainId === undefined && caution('typed-data-no-chain'),
  ];
  return bySeverity(distinct(found.filter((warning) => warning !== false)));
}

/** Whether a right that is no call names the bridge as the recipient, or in any field of an unknown form. */
function paysBridge(right: Right): boolean {
  if (right.kind === 'transfer') return right.to === bridge;
  const isOfOtherForm = right.kind === 'other' || right.kind === 'unclear';
  return isOfOtherForm && right.holders.some(({ address }) => address === bridge);
}

/** For a permit that can be used in ten years too. */
const endless = (deadline: string | null): readonly Warning[] =>
  deadline === null || isFar(deadline, currentTime()) ? [danger('endless-right')] : [];

function permitWarnings(permit: Permit): readonly Warning[] {
  const { amount, units, label, endless } = own(permit);
  const unlimited = amount === 'unlimited';
  const balance = BigInt(label?.balance ?? 0);
  const isAll = units !== null && balance > 0n && BigInt(units) >= balance;
  return [
    danger('permit'),
    ...(unlimited ? [danger('unlimited-approval')] : []),
    ...(endless ? [danger('endless-right')] : []),
    ...(isAll && !unlimited ? [caution('whole-balance')] : []),
    ...(units !== null && label && isClaimUnusual(BigInt(units), label)
      ? [caution('unusual-decimals', String(label.decimals))]
      : []),
  ];
}

function rightWarnings(right: Right, { domain, chainId = 0 }: typedDataWarnings.Facts): readonly Warning[] {
  switch (right.kind) {
    case 'transfer': {
      const isUnusual = isClaimUnusual(BigInt(right.amount), right.token);
      return [
        danger('permit'),
        ...(isUnusual ? [caution('unusual-decimals', String(right.token.decimals))] : []),
      ];
    }
    case 'collectible':
      return [danger('permit'), ...endless(right.deadline)];
    case 'collection':
      return right.approved ? [danger('permit'), danger('approval-for-all'), ...endless(right.deadline)] : [];
    case 'orders':
      return [
        danger('permit'),
        ...(right.takes.length === 0 || right.free ? [danger('nothing-back')] : []),
        ...(right.more ? [danger('moves-tokens')] : []),
        ...(right.gives.some((item) => own(item).any) ? [danger('approval-for-all')] : []),
      ];
    case 'call':
    case 'calls':
      return [danger('acts-as-you')];
    case 'other':
      return [danger('gives-right'), ...(right.endless ? [danger('endless-right')] : [])];
    case 'unclear': {
      const contract = domain.verifyingContract as Address | undefined;
      const isAtToken = contract !== undefined && knownToken(chainId, contract) !== null;
      return [(isAtToken || right.endless ? danger : caution)('unclear-form')];
    }
  }
}

/** One warning for each symbol that a token of the permit or right bears without being that token. */
function imitations(given: Permit | null, right: Right | null): readonly Warning[] {
  const permit = given && own(given);
  const items = [
    ...(permit?.items ?? []),
    ...(right?.kind === 'orders' ? [...right.gives, ...right.takes] : []),
  ];
  const tokens: readonly (TokenLabel | null | undefined)[] = [
    permit?.label,
    ...items.map(({ token }) => token),
    own((right ?? {}) as { readonly token?: TokenLabel }).token,
    right?.kind === 'call' ? right.call?.token : undefined,
  ];
  const symbols = tokens
    .map((token) => token && own(token).imitates)
    .filter((symbol) => typeof symbol === 'string');
  return [...new Set(symbols)].map((symbol) => danger('imitates-token', symbol));
}

/** The text in a field of type `string` or `bytes`. */
function textOf({ type, value }: TypedDataField): readonly string[] {
  if (/^string\b/.test(type)) return [value];
  return /^bytes(?:\[|$)/.test(type) && value.startsWith('0x')
    ? [decodeLeniently(hexToBytes(value as Hex))]
    : [];
}

export declare namespace typedDataWarnings {
  interface Facts {
    readonly version: TypedDataQuestion['version'];
    readonly domain: TypedDataDomain;
    readonly permit: Permit | null;
    readonly right: Right | null;
    /** The calls in the data. */
    readonly calls?: readonly CallTree[] | undefined;
    /** Whether the data was too large to search all of it for calls. */
    readonly isTruncated?: boolean | undefined;
    readonly chainId?: number | undefined;
    readonly fields: readonly TypedDataField[];
    readonly origin: string;
    /** Whether the domain's `verifyingContract` is one of the wallet's own accounts. */
    readonly ownContract: boolean;
  }
}

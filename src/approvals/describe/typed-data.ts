import { hexToBytes } from '../../rpc/hex.js';
import type { Hex } from '../../rpc/schema.js';
import type { Permit, TypedDataDomain, TypedDataField, TypedDataQuestion } from '../question.js';
import type { Warning } from '../warning.js';
import { hiddenSignInWarnings } from './message.js';
import { decodeLeniently } from './text.js';

/** What a person should weigh before signing typed data, the gravest first. */
export function typedDataWarnings(facts: typedDataWarnings.Facts): readonly Warning[] {
  const { version, domain, permit, fields, origin } = facts;
  const warnings: Warning[] = [];
  if (permit) {
    const unlimited = permit.amount === 'unlimited';
    warnings.push({ code: 'permit', severity: 'danger' });
    if (unlimited) warnings.push({ code: 'unlimited-approval', severity: 'danger' });
  }
  warnings.push(...hiddenSignInWarnings(fields.flatMap(textOf), origin));
  if (version === 'V1') warnings.push({ code: 'legacy-typed-data', severity: 'caution' });
  // Without a chain id the signature is good on every chain that has the same contract.
  else if (domain.chainId === undefined) warnings.push({ code: 'typed-data-no-chain', severity: 'caution' });
  return warnings;
}

/** What a reader could find in a value: text, or text in bytes. */
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
    readonly fields: readonly TypedDataField[];
    readonly origin: string;
  }
}

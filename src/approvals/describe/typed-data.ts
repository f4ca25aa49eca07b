import type { Permit, TypedDataDomain, TypedDataQuestion } from '../question.js';
import type { Warning } from '../warning.js';

/** What a person should weigh before signing typed data, the gravest first. */
export function typedDataWarnings(facts: typedDataWarnings.Facts): readonly Warning[] {
  const { version, domain, permit } = facts;
  const warnings: Warning[] = [];
  if (permit) {
    const unlimited = permit.amount === 'unlimited';
    warnings.push({ code: 'permit', severity: 'danger' });
    if (unlimited) warnings.push({ code: 'unlimited-approval', severity: 'danger' });
  }
  if (version === 'V1') warnings.push({ code: 'legacy-typed-data', severity: 'caution' });
  // Without a chain id the signature is good on every chain that has the same contract.
  else if (domain.chainId === undefined) warnings.push({ code: 'typed-data-no-chain', severity: 'caution' });
  return warnings;
}

export declare namespace typedDataWarnings {
  interface Facts {
    readonly version: TypedDataQuestion['version'];
    readonly domain: TypedDataDomain;
    readonly permit: Permit | null;
  }
}

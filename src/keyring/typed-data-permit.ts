import type { Permit } from '../approvals/question.js';
import type { Address } from '../rpc/schema.js';
import type { TypedData } from './typed-data.js';

/**
 * What typed data gives away, where it is one of the known permits: ERC-2612 and DAI `Permit`, and the single,
 * batch and transfer forms of Permit2. `null` for everything else. A batch of several tokens has `token: null`
 * and the largest of its amounts, which are of different tokens.
 */
export function readPermit({ primaryType, domain, fields }: TypedData): Permit | null {
  const values = new Map(fields.map((field) => [field.path, field.value]));
  const get = (path: string) => values.get(path);
  const spender = get('spender') as Address | undefined;
  if (spender === undefined) return null;

  if (primaryType === 'Permit') {
    const token = (domain.verifyingContract ?? null) as Address | null;
    const allowed = get('allowed');
    const expiry = get('expiry');
    if (allowed !== undefined)
      return {
        spender,
        token,
        amount: allowed === 'true' ? 'unlimited' : '0',
        // DAI reads an expiry of zero as "never".
        deadline: expiry === undefined || expiry === '0' ? null : expiry,
      };
    const value = get('value');
    if (value === undefined) return null;
    return { spender, token, amount: amount(value, 255n), deadline: get('deadline') ?? null };
  }

  const part = Object.hasOwn(permit2Parts, primaryType) ? permit2Parts[primaryType] : undefined;
  if (part === undefined) return null;
  const tokens = new Set<string>();
  let largest: bigint | null = null;
  for (const { path, value } of fields) {
    if (!path.startsWith(part)) continue;
    if (/^\w+(?:\[\d+\])?\.token$/.test(path)) tokens.add(value);
    if (/^\w+(?:\[\d+\])?\.amount$/.test(path))
      if (largest === null || BigInt(value) > largest) largest = BigInt(value);
  }
  if (tokens.size === 0 || largest === null) return null;
  const [token] = tokens;
  return {
    spender,
    token: tokens.size === 1 ? (token as Address) : null,
    amount: amount(largest.toString(), part === 'details' ? 159n : 255n),
    deadline: get('sigDeadline') ?? get('deadline') ?? null,
  };
}

/** Where Permit2 keeps tokens and amounts: allowances are uint160 in `details`, transfers uint256. */
const permit2Parts: Readonly<Record<string, 'details' | 'permitted'>> = {
  PermitSingle: 'details',
  PermitBatch: 'details',
  PermitTransferFrom: 'permitted',
  PermitBatchTransferFrom: 'permitted',
  PermitWitnessTransferFrom: 'permitted',
  PermitBatchWitnessTransferFrom: 'permitted',
};

const amount = (value: string, bits: bigint): string => (BigInt(value) >> bits > 0n ? 'unlimited' : value);

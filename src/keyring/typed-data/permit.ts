import type { Permit } from '../../approvals/question.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import { isUnlimited } from '../../rpc/token-amount.js';
import type { TypedData } from './typed-data.js';

/**
 * Reads the known permits: ERC-2612 and DAI `Permit`, and the single, batch and transfer forms of Permit2. `null` for
 * other typed data, also for a permit whose fields have other types, which no contract accepts. A batch of several tokens
 * has `token: null` and the largest of its amounts.
 */
export function readPermit({ primaryType, types, domain, fields }: TypedData): Permit | null {
  const declared = declaredIn(types, primaryType);
  const values = new Map(fields.map((field) => [field.path, field.value]));
  const spender = values.get('spender') as Address | undefined;
  if (spender === undefined || declared.get('spender') !== 'address') return null;
  if (!['deadline', 'sigDeadline', 'expiry'].every((name) => isTime(declared.get(name)))) return null;

  if (primaryType === 'Permit') {
    const token = (domain.verifyingContract ?? null) as Address | null;
    const allowed = values.get('allowed');
    const expiry = values.get('expiry');
    const value = values.get('value');
    const has = (name: string, type: string, other: string) =>
      declared.get(name) === type && !declared.has(other);
    if (allowed !== undefined && has('allowed', 'bool', 'value'))
      return {
        spender,
        token,
        amount: allowed === 'true' ? 'unlimited' : '0',
        units: allowed === 'true' ? null : '0',
        // DAI reads an expiry of zero as "never".
        deadline: expiry === undefined || expiry === '0' ? null : expiry,
      };
    if (value === undefined || !has('value', 'uint256', 'allowed')) return null;
    return { spender, token, ...allowance(BigInt(value)), deadline: values.get('deadline') ?? null };
  }

  const part = Object.hasOwn(permit2Parts, primaryType) ? permit2Parts[primaryType] : undefined;
  if (part === undefined) return null;
  const bits = part === 'details' ? 160 : 256;
  const granted = declaredIn(types, declared.get(part)?.replace(/\[\d*\]$/, ''));
  if (granted.get('token') !== 'address' || granted.get('amount') !== `uint${bits}`) return null;
  if (!isTime(granted.get('expiration'))) return null;
  const named: Address[] = [];
  const amounts: bigint[] = [];
  for (const { path, value } of fields) {
    const [, name, member] = /^(\w+)(?:\[\d+\])?\.(token|amount)$/.exec(path) ?? [];
    if (name !== part) continue;
    if (member === 'token') named.push(value as Address);
    else amounts.push(BigInt(value));
  }
  const [largest] = [...amounts].sort((one, other) => (one < other ? 1 : -1));
  if (largest === undefined || named.length !== amounts.length) return null;
  const tokens = new Set(named);
  const [token] = tokens;
  const items = named.map((address, i) => ({ token: own({ address }), amount: `${amounts[i]}` }));
  return {
    spender,
    token: tokens.size === 1 ? (token as Address) : null,
    ...allowance(largest),
    deadline: values.get('sigDeadline') ?? values.get('deadline') ?? null,
    ...(tokens.size > 1 && { items }),
  };
}

/** The field with tokens and amounts of each Permit2 form: allowances (uint160) or transfers (uint256). */
const permit2Parts: Readonly<Record<string, 'details' | 'permitted'>> = {
  PermitSingle: 'details',
  PermitBatch: 'details',
  PermitTransferFrom: 'permitted',
  PermitBatchTransferFrom: 'permitted',
  PermitWitnessTransferFrom: 'permitted',
  PermitBatchWitnessTransferFrom: 'permitted',
};

/** The types of a struct's fields, by name; empty for an unknown struct. */
const declaredIn = (types: TypedData['types'], struct = ''): ReadonlyMap<string, string> =>
  new Map((Object.hasOwn(types, struct) ? types[struct] : [])?.map(({ name, type }) => [name, type]));

/** Whether a field is absent or can hold a time in seconds. */
const isTime = (type: string | undefined): boolean => type === undefined || /^uint\d+$/.test(type);

const allowance = (units: bigint): Pick<Permit, 'amount' | 'units'> => ({
  amount: isUnlimited(units) ? 'unlimited' : units.toString(),
  units: units.toString(),
});

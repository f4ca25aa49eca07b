import type { Permit } from '../../approvals/question.js';
import { currentTime, isFar } from '../../rpc/ends.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import { isUnlimited } from '../../rpc/token-amount.js';
import type { TypedData } from './typed-data.js';

/**
 * Reads the known permits: ERC-2612 and DAI `Permit`, and the single, batch and transfer forms of Permit2. `null` for
 * other typed data, also for a permit whose fields have other types, which no contract accepts. A batch of several tokens
 * has `token: null` and the largest of its amounts. The amounts that a batch transfers of one token are added up.
 *
 * @param now unix seconds
 */
export function readPermit(
  { primaryType, types, domain, fields }: TypedData,
  now = currentTime(),
): Permit | null {
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
        ...ofSignature(expiry === '0' ? undefined : expiry, now),
      };
    if (value === undefined || !has('value', 'uint256', 'allowed')) return null;
    return { spender, token, ...allowance(BigInt(value)), ...ofSignature(values.get('deadline'), now) };
  }

  const part = Object.hasOwn(permit2Parts, primaryType) ? permit2Parts[primaryType] : undefined;
  if (part === undefined) return null;
  const bits = part === 'details' ? 160 : 256;
  const granted = declaredIn(types, declared.get(part)?.replace(/\[\d*\]$/, ''));
  if (granted.get('token') !== 'address' || granted.get('amount') !== `uint${bits}`) return null;
  if (!isTime(granted.get('expiration'))) return null;
  const granting = (wanted: string) =>
    fields.flatMap(({ path, value }) => {
      const [, name, member] = /^(\w+)(?:\[\d+\])?\.(token|amount|expiration)$/.exec(path) ?? [];
      return name === part && member === wanted ? [value] : [];
    });
  const [named, given] = [granting('token') as Address[], granting('amount')];
  if (named.length === 0 || named.length !== given.length) return null;
  const amounts = new Map<Address, bigint>();
  for (const [i, token] of named.entries()) {
    const [before = 0n, amount] = [amounts.get(token), BigInt(given[i] ?? 0)];
    // An allowance takes the place of the one before, and a transfer comes on top.
    amounts.set(token, part === 'permitted' ? before + amount : largest([before, amount]));
  }
  const [token = null] = amounts.size === 1 ? amounts.keys() : [];
  const items = [...amounts].map(([address, amount]) => ({ token: own({ address }), amount: `${amount}` }));
  const signatureEnd = values.get('sigDeadline') ?? values.get('deadline');
  return {
    spender,
    token,
    ...allowance(largest([...amounts.values()])),
    ...(part === 'permitted'
      ? ofSignature(signatureEnd, now)
      : endOf(granting('expiration'), signatureEnd ?? null, now)),
    items: amounts.size > 1 ? items : undefined,
  };
}

const largest = (amounts: readonly bigint[]): bigint =>
  [...amounts].sort((one, other) => (one < other ? 1 : -1))[0] ?? 0n;

/** The end of the signature. */
const ofSignature = (deadline: string | undefined, now: number): Pick<Permit, 'deadline' | 'endless'> => ({
  deadline: deadline ?? null,
  endless: deadline === undefined || isFar(deadline, now) || undefined,
});

/** The end of the last allowance. One of zero ends with the block in which it was given. */
function endOf(
  expirations: readonly string[],
  signatureEnd: string | null,
  now: number,
): Pick<Permit, 'deadline' | 'endless'> {
  const ends = expirations.map((end) => (end === '0' ? signatureEnd : end)).filter((end) => end !== null);
  const deadline = ends.length === 0 ? null : largest(ends.map(BigInt)).toString();
  const isEndless = expirations.length === 0 || expirations.some((end) => isFar(end, now));
  return { deadline, endless: isEndless || undefined };
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

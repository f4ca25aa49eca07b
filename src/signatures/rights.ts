import type {
  CallRight,
  CallsRight,
  CollectionRight,
  OtherRight,
  Right,
  UnclearRight,
} from '../approvals/right.js';
import type { TypedData } from '../keyring/typed-data/typed-data.js';
import { currentTime, isEnd } from '../rpc/ends.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import { isUnlimited } from '../rpc/token-amount.js';
import type { SignedCalls } from './calls.js';
import { amountNames, boundless, holderNames, isEndField, isForeign, keyNames } from './field-names.js';
import { isHarmless } from './harmless-forms.js';
import { namedAddresses } from './named-addresses.js';
import { readOrders } from './orders.js';
import { addressType, asAddress, type StructValues, splitPath, structsOf, uint } from './structs.js';

/**
 * The right that a signature over typed data would give: one of the known forms, calls, or an unknown form. `null` only for
 * known forms that give none (docs/notes/security.md#calls-and-rights).
 *
 * @param signer the account that would sign
 * @param calls those of the data
 * @param now unix seconds
 */
export function readRight(
  data: TypedData,
  signer: Address,
  calls: SignedCalls,
  now = currentTime(),
): Right | null {
  const structs = structsOf(data.fields);
  const [top] = structs as [StructValues];
  const others = namedAddresses(data, signer);
  const token = readTokenRight(data, top);
  const isEnded = token?.kind === 'collection' && !token.approved;
  // A form that ends a right may carry another one.
  if (token !== null && !(isEnded && goesBeyond(data, token, others, calls))) return token;
  return (
    readCalls(data, structs, calls) ??
    readOrders(structs, signer) ??
    readOther(data, others, calls, signer, now)
  );
}

type Others = ReturnType<typeof namedAddresses>;

const endingFields =
  /^(?:(?:owner|holder|operator|spender) address|approved bool|(?:nonce|deadline|expiry|expiration) uint256)$/;

/** Whether a form that ends a right has a name, a field, an address or bytes that the known ones have not. */
const goesBeyond = (
  { primaryType, fields }: TypedData,
  { operator }: CollectionRight,
  others: Others,
  calls: SignedCalls,
): boolean =>
  !/^(?:Permit|(?:Permit|Approval|SetApproval)ForAll)$/.test(primaryType) ||
  fields.some(({ path, type }) => !endingFields.test(`${path} ${type}`)) ||
  isCarrying(calls) ||
  others.some((named) => named.address !== operator);

const isCarrying = ({ made, found, hasUnread }: SignedCalls): boolean =>
  made.length + found.length > 0 || hasUnread;

const deadlineOf = ({ get }: StructValues): string | null =>
  get(uint, 'deadline', 'expiry', 'expiration', 'validBefore', 'validUntil', 'validUntilTime') ?? null;

/** Reads the forms of token contracts, where the token is the domain's contract. */
function readTokenRight({ primaryType, domain }: TypedData, top: StructValues): Right | null {
  const token = asAddress(domain.verifyingContract);
  if (token === null) return null;
  const deadline = deadlineOf(top);
  const common = { token: own({ address: token }), deadline };
  const amount = top.get(uint, 'value');
  const to = asAddress(top.get(addressType, 'to'));
  if (/^(?:Transfer|Receive)WithAuthorization$/.test(primaryType) && to !== null && amount !== undefined)
    return { kind: 'transfer', to, amount, ...common };
  const spender = asAddress(top.get(addressType, 'spender', 'operator'));
  const tokenId = top.get(uint, 'tokenId');
  if (spender === null) return null;
  if (primaryType === 'Permit' && tokenId !== undefined)
    return { kind: 'collectible', spender, tokenId, ...common };
  const approved = top.get(/^bool$/, 'approved');
  if (/ForAll$/.test(primaryType) || approved !== undefined)
    return { kind: 'collection', operator: spender, approved: approved !== 'false', ...common };
  return null;
}

/** Reads the calls that a forwarder, a Safe or an account would make. */
function readCalls(
  { domain }: TypedData,
  structs: readonly StructValues[],
  { made }: SignedCalls,
): CallRight | CallsRight | null {
  const [first] = made;
  if (first === undefined) return null;
  const { tree, struct, data, by } = first;
  const deadline = deadlineOf(struct) ?? deadlineOf(structs[0] as StructValues);
  if (made.length > 1) return { kind: 'calls', by, deadline };
  const [only = null] = tree.tokens;
  const isWhole = tree.tokens.length === 1 && tree.inner.length === 0;
  const to = tree.to ?? (tree.effect === 'creation' ? null : asAddress(domain.verifyingContract));
  return {
    kind: 'call',
    by,
    to: tree.effect === 'creation' ? null : to,
    value: tree.value,
    data,
    call: isWhole ? only : null,
    delegated: tree.delegated,
    deadline,
  };
}

const givingForms =
  /permi(?:t|ssion)|approv|allow|delegat|authori[sz]|grant|order|\bbid|offer|listing|auction|swap|trade|withdraw|transfer|SafeMessage|intent|session|owner|guardian|recover|admin|signer|module|upgrade|userop|execut|transaction|redeem|agent|spend|enable|attest|loan|borrow|lend/i;
const endingForms = /^(?:cancel|revoke)/i;

/** Whether a number is an amount without a limit: by its name, or as the greatest one of its type. */
function isEndlessAmount({ path, type, value }: TypedData['fields'][number]): boolean {
  const bits = /^u?int(\d*)/.exec(type)?.[1];
  const top = 2n ** BigInt(bits || 256);
  const text = type === 'string' && /^\d{1,78}$/.test(value) ? [value] : [];
  // Version 1 has an array as one value.
  const numbers = bits === undefined ? text : (value.match(/-?\d+/g) ?? []);
  return numbers.some((number) => {
    // Some contracts take -1 for all.
    const amount = BigInt.asUintN(256, BigInt(number));
    const isMost = bits !== undefined && top > 2n ** 63n && amount >= top - (top >> 10n);
    return isMost || (amountNames.test(splitPath(path).name) && isUnlimited(amount));
  });
}

/** Reads a form that is not known. The right without an amount and without an end is the greater one. */
function readOther(
  data: TypedData,
  others: Others,
  calls: SignedCalls,
  signer: Address,
  now: number,
): OtherRight | UnclearRight | null {
  const { fields, primaryType } = data;
  const isNone = others.length === 0 && !isCarrying(calls);
  if (isNone && isHarmless(data, signer)) return null;
  const isEnding = isNone && endingForms.test(primaryType);
  const isUnbounded = fields.some(isEndlessAmount);
  const named = others.filter(({ path }) => holderNames.test(splitPath(path).name));
  const isGiving =
    structNames(data).some((name) => givingForms.test(name)) &&
    fields.some(({ type, value }) => type !== 'string' && value.toLowerCase() !== signer);
  const hasKey = fields.some(({ path, type, value }) => {
    const { name } = splitPath(path);
    const isHolder = type === 'string' && holderNames.test(name) && isForeign(value, signer);
    return isHolder || (keyNames.test(name) && value.toLowerCase() !== signer);
  });
  if (!isEnding && (isGiving || hasKey || named.length > 0)) {
    const ends = fields.filter(isEndField);
    const isBound = ({ path, type, value }: TypedData['fields'][number]) => {
      const { name } = splitPath(path);
      return uint.test(type) && value !== '0' && amountNames.test(name) && !boundless.test(name);
    };
    const isLimited =
      (ends.length > 0 && ends.every(({ value }) => isEnd(value, now))) ||
      (!isUnbounded && fields.some(isBound));
    const holders = named.length > 0 ? named : others;
    return { kind: 'other', holders, endless: !isLimited || undefined };
  }
  return { kind: 'unclear', holders: others, endless: isUnbounded || undefined };
}

/** The structs that the message consists of. */
function structNames({ primaryType, types }: TypedData): readonly string[] {
  const names = new Set([primaryType]);
  for (const name of names)
    for (const { type } of (Object.hasOwn(types, name) ? types[name] : undefined) ?? []) {
      const struct = type.replace(/\[.*$/, '');
      if (Object.hasOwn(types, struct)) names.add(struct);
    }
  return [...names];
}

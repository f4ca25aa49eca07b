import type { OrderItem, OrderRight } from '../approvals/right.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import { addressType, isZero, type StructValues, uint } from './structs.js';

/** Items of each side that are listed. A bulk order may hold millions; all of them are among the fields. */
const maxItems = 20;

/**
 * Reads the items that the orders of an exchange give and take; `null` for other typed data.
 * @param signer only what this address receives counts as taken
 */
export const readOrders = (structs: readonly StructValues[], signer: Address): OrderRight | null =>
  readSeaport(structs, signer) ?? readPairs(structs, signer);

/** The items that one order gives and takes. */
interface Sides {
  readonly gives: readonly OrderItem[];
  readonly takes: readonly OrderItem[];
}

/** @param more whether the orders give more than their sides have */
function asRight(orders: readonly Sides[], deadline: string | null, more: boolean): OrderRight {
  const [gives, takes] = [orders.flatMap((order) => order.gives), orders.flatMap((order) => order.takes)];
  const isFree = orders.some((order) => order.takes.length === 0 && order.gives.some(isSomething));
  return {
    kind: 'orders',
    count: orders.length,
    gives: gives.slice(0, maxItems),
    takes: takes.slice(0, maxItems),
    deadline,
    free: (isFree && takes.length > 0) || undefined,
    more: more || gives.length > maxItems || takes.length > maxItems || undefined,
  };
}

type Field = StructValues['fields'][number];

const snakeCase = (name: string): string => name.replace(/([a-z\d])(?=[A-Z])/g, '$1_').toLowerCase();
const nameOf = ({ name }: Field): string => name.replace(/(?:\[\d+\])+$/, '');
const isAmount = (field: Field): boolean =>
  uint.test(field.type) && /(?:amount|value)/i.test(field.name) && !/^_*min/i.test(field.name);
const isToken = (field: Field): boolean =>
  addressType.test(field.type) && /(?:token|asset|currency)/i.test(field.name);
const isFee = (field: Field): boolean => /fee/i.test(field.name);

/** Whether these structs, which belong to no order, contain an amount. */
const hasAmount = (structs: readonly StructValues[]): boolean =>
  structs.some(({ fields }) => fields.some((field) => isAmount(field) && field.value !== '0'));

const latest = (times: readonly string[]): string => {
  const [last = 0n] = times.map(BigInt).sort((one, other) => (one < other ? 1 : -1));
  return last.toString();
};

/** Reads Seaport's `OrderComponents`, one or a tree of them (`BulkOrder`). */
function readSeaport(structs: readonly StructValues[], signer: Address): OrderRight | null {
  const ends = new Map<string, string>();
  for (const { at, get } of structs) {
    const [offerer, end] = [get(addressType, 'offerer'), get(uint, 'endTime')];
    // Bulk orders are padded with empty orders.
    if (offerer !== undefined && end !== undefined && !isZero(offerer)) ends.set(at, end);
  }
  const orders = new Map(
    [...ends.keys()].map((at) => [at, { gives: [] as OrderItem[], takes: [] as OrderItem[] }]),
  );
  const read = new Set<StructValues>();
  for (const struct of structs) {
    const [, at = '', list] = /^(?:(.*)\.)?(offer|consideration)\[\d+\]$/.exec(struct.at) ?? [];
    const order = list && orders.get(at);
    if (!order) continue;
    read.add(struct);
    const item = seaportItem(struct, list === 'offer' ? 'max' : 'min');
    if (list === 'offer') order.gives.push(item);
    else if (struct.get(addressType, 'recipient') === signer && isSomething(item)) order.takes.push(item);
  }
  if (read.size === 0) return null;
  const others = structs.filter((struct) => !read.has(struct));
  return asRight([...orders.values()], latest([...ends.values()]), hasAmount(others));
}

const isSomething = ({ amount }: OrderItem): boolean => amount !== '0';

/** The amount of an open order changes from `startAmount` to `endAmount`; `bound` selects the larger or the smaller. */
function seaportItem(item: StructValues, bound: 'max' | 'min'): OrderItem {
  const amounts = ['startAmount', 'endAmount'].map((name) => BigInt(item.get(uint, name) ?? 0));
  const [start = 0n, end = 0n] = amounts;
  const isStart = bound === 'max' ? start > end : start < end;
  const type = item.get(uint, 'itemType') ?? '';
  const id = item.get(uint, 'identifierOrCriteria');
  const token = item.get(addressType, 'token') as Address | undefined;
  return {
    token: type === '0' || token === undefined ? null : own({ address: token }),
    amount: (isStart ? start : end).toString(),
    tokenId: type === '2' || type === '3' ? id : undefined,
    // The criteria are zero for the whole collection, else the Merkle root of a set of ids, which cannot be listed.
    any: type === '4' || type === '5' || undefined,
  };
}

const gives = /^_*(?:maker|making|sell|input|src|source|give|offer|from(?![a-z]))|_in$/;
const takes = /^_*(?:taker|taking|buy|output|dst|dest|take|want|receive|to(?![a-z]))|_out$/;
/** Sides that are named for a party, whose address decides which side is the signer's. */
const partySide = /^_*(?:maker|making|taker|taking|seller|buyer)/i;
const [maker, taker] = [
  /^_*(?:maker|seller)s?_?(?:address(?:es)?)?$/i,
  /^_*(?:taker|buyer)s?_?(?:address(?:es)?)?$/i,
];
const receivers = /(?:receiver|recipient|beneficiary)$|^to$/i;

interface Pair extends Sides {
  readonly struct: StructValues;
  readonly more: boolean;
}

/** Reads orders of tokens for others, by the field names that 0x, CoW, 1inch, Bebop and others use. */
function readPairs(structs: readonly StructValues[], signer: Address): OrderRight | null {
  const pairs = structs.flatMap((struct) => readPair(struct, signer) ?? []);
  if (pairs.length === 0) return null;
  const times = pairs.map(({ struct }) =>
    struct.get(uint, 'expiry', 'validTo', 'deadline', 'expiration', 'expirationTime'),
  );
  const ends = times.filter((time) => time !== undefined);
  const read = new Set(pairs.map(({ struct }) => struct));
  return asRight(
    pairs,
    ends.length < times.length ? null : latest(ends),
    pairs.some(({ more }) => more) || hasAmount(structs.filter((struct) => !read.has(struct))),
  );
}

function readPair(struct: StructValues, signer: Address): Pair | null {
  const { fields } = struct;
  const isOf = (side: RegExp) => (field: Field) => side.test(snakeCase(nameOf(field)));
  const [first, second] = [sideOf(fields.filter(isOf(gives))), sideOf(fields.filter(isOf(takes)))];
  if (first.items.length === 0 || second.items.length === 0) return null;
  const isSigner = (party: RegExp) =>
    fields.some(
      (field) => addressType.test(field.type) && party.test(nameOf(field)) && field.value === signer,
    );
  const isParty = fields.some((field) => isToken(field) && partySide.test(field.name));
  const [isMaker, isTaker] = [!isParty || isSigner(maker), isParty && isSigner(taker)];
  // A signer who is both, or neither, may have to give either side.
  const isEither = isMaker === isTaker;
  const given = isEither ? [first, second] : [isMaker ? first : second];
  const taken = isEither ? [] : (isMaker ? second : first).items;
  const isReceiver = fields
    .filter((field) => addressType.test(field.type) && receivers.test(nameOf(field)) && !isFee(field))
    .every(({ value }) => value === signer || isZero(value));
  const isTakenSide = (field: Field) => !isEither && isOf(isMaker ? takes : gives)(field);
  const fee = feeOf(
    fields.filter((field) => isFee(field) && !isTakenSide(field)),
    given.flatMap(({ items }) => items),
  );
  const isUnread = (field: Field) =>
    isAmount(field) &&
    !isFee(field) &&
    field.value !== '0' &&
    ![gives, takes].some((side) => isOf(side)(field));
  return {
    struct,
    gives: fee.items,
    takes: isReceiver ? taken.filter(isSomething) : [],
    more: given.some(({ more }) => more) || fee.more || fields.some(isUnread),
  };
}

interface Side {
  readonly items: readonly OrderItem[];
  /** Whether there are tokens without an amount, or the other way round. */
  readonly more: boolean;
}

/** The tokens of one side with their amounts, in order. */
function sideOf(fields: readonly Field[]): Side {
  const tokens = fields.filter((field) => isToken(field) && !isFee(field));
  const amounts = fields.filter((field) => isAmount(field) && !isFee(field));
  const items = tokens.slice(0, amounts.length).map(({ value }, i) => ({
    token: own({ address: value as Address }),
    amount: amounts[i]?.value ?? '0',
  }));
  return { items, more: tokens.length !== amounts.length };
}

/** The items with the fees: in a token of their own, else in the one that is given. */
function feeOf(fields: readonly Field[], items: readonly OrderItem[]): Side {
  const fees = fields.filter((field) => isAmount(field) && field.value !== '0');
  const token = fields.find(isToken)?.value as Address | undefined;
  if (fees.length === 0) return { items, more: false };
  const fee = fees.reduce((sum, { value }) => sum + BigInt(value), 0n);
  if (token !== undefined)
    return { items: [...items, { token: own({ address: token }), amount: `${fee}` }], more: false };
  const [first, ...others] = items as readonly [OrderItem, ...OrderItem[]];
  return {
    items: [{ ...first, amount: `${BigInt(first.amount) + fee}` }, ...others],
    more: others.length > 0,
  };
}

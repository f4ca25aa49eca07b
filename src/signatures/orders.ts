import type { OrderItem, OrderRight } from '../approvals/right.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import { address, isZero, type StructValues, uint } from './structs.js';

/** Items of each side that are listed. A bulk order may hold millions; all of them are among the fields. */
const maxItems = 20;

/**
 * What the orders of an exchange give and take; `null` for other typed data.
 * @param signer only what this address receives counts as taken
 */
export const readOrders = (structs: readonly StructValues[], signer: Address): OrderRight | null =>
  readSeaport(structs, signer) ?? readPair(structs, signer);

/** Reads Seaport's `OrderComponents`, one or a tree of them (`BulkOrder`). */
function readSeaport(structs: readonly StructValues[], signer: Address): OrderRight | null {
  const ends = new Map<string, bigint>();
  for (const { at, get } of structs) {
    const [offerer, end] = [get(address, 'offerer'), get(uint, 'endTime')];
    // Bulk orders are padded with empty orders.
    if (offerer !== undefined && end !== undefined && !isZero(offerer)) ends.set(at, BigInt(end));
  }
  const itemsOf = (list: string) =>
    structs.filter(({ at }) => {
      const [, order = '', name] = /^(?:(.*)\.)?(offer|consideration)\[\d+\]$/.exec(at) ?? [];
      return name === list && ends.has(order);
    });
  const [gives, asks] = [itemsOf('offer'), itemsOf('consideration')];
  if (gives.length + asks.length === 0) return null;
  const takes = asks
    .filter((item) => item.get(address, 'recipient') === signer)
    .map((item) => seaportItem(item, 'min'))
    .filter(isSomething);
  const [latest = 0n] = [...ends.values()].sort((one, other) => (one < other ? 1 : -1));
  return {
    kind: 'orders',
    count: ends.size,
    gives: gives.slice(0, maxItems).map((item) => seaportItem(item, 'max')),
    takes: takes.slice(0, maxItems),
    deadline: latest.toString(),
  };
}

const isSomething = ({ amount }: OrderItem): boolean => amount !== '0';

/** The amount of an open order changes from `startAmount` to `endAmount`; `bound` selects the larger or the smaller. */
function seaportItem(item: StructValues, bound: 'max' | 'min'): OrderItem {
  const amounts = ['startAmount', 'endAmount'].map((name) => BigInt(item.get(uint, name) ?? 0));
  const [start = 0n, end = 0n] = amounts;
  const isStart = bound === 'max' ? start > end : start < end;
  const type = item.get(uint, 'itemType');
  const id = item.get(uint, 'identifierOrCriteria');
  const token = item.get(address, 'token') as Address | undefined;
  return {
    token: type === '0' || token === undefined ? null : own({ address: token }),
    amount: (isStart ? start : end).toString(),
    ...((type === '2' || type === '3') && id !== undefined && { tokenId: id }),
  };
}

const sides = {
  gives: /^(?:maker|making|sell|input|src|source|from|give|offer)/i,
  takes: /^(?:taker|taking|buy|output|dst|dest|to|take|want|receive)/i,
} as const;

/** Reads an order of one token for another, by the field names that 0x, CoW, 1inch and others use. */
function readPair(structs: readonly StructValues[], signer: Address): OrderRight | null {
  for (const { fields, get } of structs) {
    const item = (side: RegExp, last: RegExp): OrderItem | null => {
      const isSide = (name: string) => side.test(name) || last.test(name);
      const token = fields.find(
        ({ name, type }) => isSide(name) && /(?:token|asset|currency)/i.test(name) && address.test(type),
      );
      const amount = fields.find(
        ({ name, type }) => isSide(name) && /(?:amount|value)/i.test(name) && uint.test(type),
      );
      return token && amount
        ? { token: own({ address: token.value as Address }), amount: amount.value }
        : null;
    };
    const gives = item(sides.gives, /In$/);
    const takes = item(sides.takes, /Out$/);
    if (gives === null || takes === null) continue;
    const deadline = get(uint, 'expiry', 'validTo', 'deadline', 'expiration', 'expirationTime') ?? null;
    const receiver = get(address, 'receiver', 'recipient', 'to', 'beneficiary') ?? signer;
    const isOwn = receiver === signer || isZero(receiver);
    return {
      kind: 'orders',
      count: 1,
      gives: [gives],
      takes: isOwn ? [takes].filter(isSomething) : [],
      deadline,
    };
  }
  return null;
}

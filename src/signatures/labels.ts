import { type TokenLabel, withToken } from '../approvals/decode-call.js';
import type { Permit } from '../approvals/question.js';
import type { OrderItem, Right } from '../approvals/right.js';
import type { Labels } from '../approvals/token-label.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import { isUnlimited } from '../rpc/token-amount.js';

/** The tokens of a permit or another right. */
export function tokensOf(given: Permit | null, right: Right | null): readonly Address[] {
  const permit = given && own(given);
  if (permit?.items) return addressesOf(permit.items);
  if (permit?.token) return [permit.token];
  switch (right?.kind) {
    case 'transfer':
    case 'collectible':
    case 'collection':
      return [right.token.address];
    case 'call':
      return right.call ? [right.call.token.address] : [];
    case 'orders':
      return addressesOf([...right.gives, ...right.takes]);
    default:
      return [];
  }
}

const addressesOf = (items: readonly OrderItem[]): readonly Address[] =>
  items.flatMap(({ token }) => (token ? [token.address] : []));

const labelOf = (token: TokenLabel | null, labels: Labels): TokenLabel | null =>
  token && (labels.get(token.address) ?? token);

/** The right with the labels of its tokens. */
export function withLabels(right: Right | null, labels: Labels): Right | null {
  const label = (token: TokenLabel): TokenLabel => labelOf(token, labels) ?? token;
  const item = (each: OrderItem): OrderItem => ({ ...each, token: labelOf(each.token, labels) });
  switch (right?.kind) {
    case 'transfer':
    case 'collectible':
    case 'collection':
      return { ...right, token: label(right.token) };
    case 'call':
      return { ...right, call: right.call && withToken(right.call, label(right.call.token)) };
    case 'orders':
      return { ...right, gives: right.gives.map(item), takes: right.takes.map(item) };
    default:
      return right;
  }
}

/** The permit with the label of its token, whose supply decides whether the amount counts as unlimited. */
export function withPermitLabel(given: Permit | null, labels: Labels): Permit | null {
  const permit = given && own(given);
  if (permit?.items)
    return {
      ...permit,
      items: permit.items.map((item) => ({ ...item, token: labelOf(item.token, labels) })),
    };
  const label = permit?.token ? labels.get(permit.token) : undefined;
  if (permit === null || label === undefined) return permit;
  const supply = label.supply === undefined ? undefined : BigInt(label.supply);
  const { units } = permit;
  const amount = units === null ? permit.amount : isUnlimited(BigInt(units), supply) ? 'unlimited' : units;
  return { ...permit, amount, label };
}

import type { TokenLabel } from '../approvals/decoded-call.js';
import { withToken } from '../approvals/describe/call.js';
import type { Permit } from '../approvals/question.js';
import type { OrderItem, Right } from '../approvals/right.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import { isUnlimited } from '../rpc/token-amount.js';
import type { Service } from '../service/service.js';
import { readTokenLabel } from '../transactions/token.js';

export type Labels = ReadonlyMap<Address, TokenLabel>;

/** Tokens that one signature asks the service about; more are shown in base units. */
const mostTokens = 6;
/** Milliseconds that the question waits for them: without a service it is asked all the same. */
const patience = 1_500;

/**
 * What tokens say of themselves, as far as they answer in time.
 * @param owner whose balance an allowance is compared with
 */
export async function readLabels(
  service: Service,
  tokens: Iterable<Address>,
  owner: Address | undefined,
): Promise<Labels> {
  const labels = new Map<Address, TokenLabel>();
  const reads = [...new Set(tokens)].slice(0, mostTokens).map(async (token) => {
    labels.set(token, await readTokenLabel(service, token, owner));
  });
  if (reads.length === 0) return labels;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patience);
  });
  await Promise.race([Promise.allSettled(reads), late]);
  clearTimeout(timer);
  return new Map(labels);
}

/** The tokens that a permit or another right is about. */
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

/** The same right with what its tokens say of themselves. */
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

/** The same permit, its amount judged by the supply that the token claims. */
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

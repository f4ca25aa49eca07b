import type { Address } from '../rpc/schema.js';
import { type LogLimits, learnLimit, type Span, seedLimits } from '../service/logs/limits.js';
import { isOutOfReach, mayBeTooLarge } from '../service/logs/refusal.js';
import { maxTraced, type PaymentReads, RequestsSpent } from './chain.js';
import type { ReceivedPayment } from './received.js';
import type { BalanceStep } from './record.js';
import { isIn, type Part, withSpan } from './spans.js';

/** The findings of a reading. */
export interface Findings {
  /** The blocks that were read, by account. */
  readonly spans: Map<Address, readonly Span[]>;
  readonly payments: ReceivedPayment[];
  readonly steps: BalanceStep[];
  /** The newest block up to which the coins of an account are not known, since the service has no state there. */
  readonly unknownTo: Map<Address, number>;
}

export const emptyFindings = (): Findings => ({
  ...{ spans: new Map(), payments: [], steps: [], unknownTo: new Map() },
});

/** Requests up to which blocks are not halved: those for a balance, a nonce and traces must be left. */
const requestsToHalve = 5;
/** Blocks of a request for logs; many services refuse more. */
const maxSpan = 100_000;
/** Accounts whose nonces are read. */
const maxNonces = 2;

/** How much a service gives at once. Readings change it. */
export interface ReadingLimits {
  readonly logs: LogLimits;
  /** Blocks that are traced at once. */
  traced: number;
  /** A block with more payments than a reading had requests for, or those below it have. */
  dense: number | null;
  /** Whether a reading has asked for that block alone, which more requests of the next one may suffice for. */
  isAlone: boolean;
}

export const initialLimits = (): ReadingLimits => ({
  logs: seedLimits(),
  traced: maxTraced,
  dense: null,
  isAlone: false,
});

/** A change of the balance of an account, wei. */
interface Rest {
  readonly account: Address;
  readonly amount: bigint;
}

/** Reads the balances of accounts at a height, each once. */
export type BalancesAt = (height: number, accounts: readonly Address[]) => Promise<readonly bigint[]>;

/**
 * Reads parts of the chain, each from its newest block on, as far as the requests reach.
 * @throws ProviderRpcError as a read of the service
 */
export async function readParts(parts: readonly Part[], options: readParts.Options): Promise<void> {
  const { reads, limits, balancesAt, spentIn, knownIn, boundary, into } = options;
  const nonces = new Map<string, Promise<bigint>>();

  /** Resolves with `null` where the service has no answer for this height, as without its state. */
  const orNull = <T>(answer: Promise<T>): Promise<T | null> =>
    answer.catch((error: unknown) => {
      if (error instanceof RequestsSpent || isOutOfReach(error)) throw error;
      return null;
    });

  const nonceAt = (height: number, account: Address): Promise<bigint> => {
    const key = `${height} ${account}`;
    const nonce = nonces.get(key) ?? reads.nonce(height, account);
    nonces.set(key, nonce);
    return nonce;
  };

  /** Whether an account has sent something. */
  const hasSent = async (account: Address, { from, to }: Span): Promise<boolean> => {
    const later = await orNull(nonceAt(to, account));
    return later !== 0n && later !== (await orNull(nonceAt(from - 1, account)));
  };

  /** The changes of balances that own transactions do not explain; `null` where the service has no state. */
  const openIn = async (span: Span, accounts: readonly Address[]): Promise<readonly Rest[] | null> => {
    const later = await orNull(balancesAt(span.to, accounts));
    const earlier = later && (await orNull(balancesAt(span.from - 1, accounts)));
    if (!later || !earlier) return null;
    const open: Rest[] = [];
    const empty: Rest[] = [];
    for (const [at, account] of accounts.entries()) {
      const amount = (later[at] as bigint) - (earlier[at] as bigint);
      if (amount !== -spentIn(account, span)) open.push({ account, amount });
      else if (later[at] === 0n && earlier[at] === 0n) empty.push({ account, amount });
    }
    // Blocks that are read again are held to their coins then.
    if (span.from > boundary) return open;
    // An empty account may have got coins and passed all of them on.
    if (empty.length > maxNonces) return isWide(span) ? open : [...open, ...empty];
    const sent = await Promise.all(empty.map(({ account }) => hasSent(account, span)));
    return [...open, ...empty.filter((_, at) => sent[at])];
  };

  const isWide = ({ from, to }: Span): boolean => to - from >= limits.traced;

  /** The height at which a span is cut in two; `null` for one that is read at once. */
  const middleOf = (span: Span): number | null => {
    const { from, to } = span;
    const { dense } = limits;
    if (isWide(span))
      // With few requests left, a part that is surely read comes before one that may be narrowed down.
      return reads.left() > requestsToHalve ? Math.floor((from + to) / 2) : to - limits.traced;
    return dense !== null && from < to && isIn(dense, span) ? Math.min(dense, to - 1) : null;
  };

  /** Adds a span to the findings, with the payments in the coin that explain how balances changed. */
  const settle = async (
    span: Span,
    accounts: readonly Address[],
    tokens: readonly ReceivedPayment[],
  ): Promise<void> => {
    const { from, to } = span;
    const open = await openIn(span, accounts);
    const middle = open && open.length > 0 ? middleOf(span) : null;
    if (middle !== null && (await orNull(balancesAt(middle, accounts)))) {
      await settle({ from: middle + 1, to }, accounts, tokens);
      return settle({ from, to: middle }, accounts, tokens);
    }
    const found = open && open.length > 0 ? await explain(span, open) : { coins: [], rests: [] };
    if (found === null) return settle(span, accounts, tokens);
    const { spans, payments, steps, unknownTo } = into(span);
    payments.push(...tokens.filter(({ blockNumber }) => isIn(Number(blockNumber), span)), ...found.coins);
    for (const account of accounts) {
      spans.set(account, withSpan(spans.get(account) ?? [], span));
      if (open === null) unknownTo.set(account, Math.max(to, unknownTo.get(account) ?? 0));
    }
    for (const { account, amount } of found.rests) steps.push({ account, amount: `${amount}`, ...span });
  };

  /** Subtracts payments from the changes of balances, and leaves out those that are explained. */
  const restsOf = (span: Span, steps: readonly Rest[], coins: readonly ReceivedPayment[]) => {
    const rests = steps.map(({ account, amount }) => {
      const received = coins.filter((each) => each.account === account);
      return { account, amount: received.reduce((sum, each) => sum - BigInt(each.amount), amount) };
    });
    return rests.filter(({ account, amount }) => amount !== -spentIn(account, span));
  };

  /** Finds the payments that changed balances; `null` where fewer blocks are to be tried. */
  const explain = async (span: Span, open: readonly Rest[]): Promise<Explained | null> => {
    const accounts = open.map(({ account }) => account);
    const outer = isWide(span) ? null : await trace(span, accounts);
    if (outer === 'too many') return null;
    if (outer === null) {
      // Those that were shown before stay.
      const coins = knownIn(span, accounts);
      return { coins, rests: restsOf(span, open, coins) };
    }
    const rests = restsOf(span, open, outer);
    if (rests.length === 0) return { coins: outer, rests };
    const senders = rests.map(({ account }) => account);
    const inner = await reads.innerCoins(span, senders).catch((error: unknown) => {
      if (!(error instanceof RequestsSpent) && isOutOfReach(error)) throw error;
      return [];
    });
    return { coins: [...outer, ...inner], rests: restsOf(span, rests, inner) };
  };

  /** Reads the payments that transactions made. A service that fails for many blocks is asked for fewer. */
  const trace = async (
    span: Span,
    accounts: readonly Address[],
  ): Promise<readonly ReceivedPayment[] | 'too many' | null> => {
    const width = span.to - span.from + 1;
    try {
      const payments = await reads.coins(span, accounts);
      limits.traced = Math.min(maxTraced, Math.max(limits.traced, 2 * width));
      return payments;
    } catch (error) {
      if (error instanceof RequestsSpent) {
        const isSecond = width === 1 && limits.dense === span.to && limits.isAlone;
        limits.dense = isSecond ? null : (error.reached ?? limits.dense);
        limits.isAlone = width === 1 && error.reached !== null;
        if (!isSecond) throw error;
        return null;
      }
      if (isOutOfReach(error)) throw error;
      if (!mayBeTooLarge(error) || width === 1) return null;
      limits.traced = Math.ceil(width / 2);
      return 'too many';
    }
  };

  /** Reads the tokens of a part in as few requests as the service allows. */
  const readPart = async ({ span, accounts, overlap = 0 }: Part): Promise<void> => {
    const lowest = Math.max(1, span.from - overlap);
    let width = Math.min(limits.logs.atMost, maxSpan);
    for (let to = span.to; to >= span.from; ) {
      const from = Math.max(lowest, to - width + 1);
      const tokens = await reads.tokens({ from, to }, accounts).catch((error: unknown) => {
        if (!mayBeTooLarge(error) || from === to) throw error;
        learnLimit(limits.logs, { from, to }, error);
        const size = to - from + 1;
        width = Math.min(
          limits.logs.atMost,
          size > limits.logs.always ? limits.logs.always : Math.ceil(size / 2),
        );
        return null;
      });
      if (tokens === null) continue;
      if (from < span.from)
        into(span).payments.push(...tokens.filter(({ blockNumber }) => Number(blockNumber) < span.from));
      const begin = Math.max(from, span.from);
      if (to > boundary) await settle({ from: Math.max(begin, boundary + 1), to }, accounts, tokens);
      if (begin <= boundary) await settle({ from: begin, to: Math.min(to, boundary) }, accounts, tokens);
      to = begin - 1;
    }
  };

  try {
    for (const part of parts) await readPart(part);
  } catch (error) {
    if (!(error instanceof RequestsSpent)) throw error;
  }
}

interface Explained {
  readonly coins: readonly ReceivedPayment[];
  readonly rests: readonly Rest[];
}

export declare namespace readParts {
  interface Options {
    readonly reads: Pick<PaymentReads, 'left' | 'tokens' | 'coins' | 'innerCoins' | 'nonce'>;
    readonly limits: ReadingLimits;
    readonly balancesAt: BalancesAt;
    /** Sums up what own transactions took from an account in some blocks, wei. */
    readonly spentIn: (account: Address, span: Span) => bigint;
    /** The payments in the coin that earlier readings have found in some blocks. */
    readonly knownIn: (span: Span, accounts: readonly Address[]) => readonly ReceivedPayment[];
    /** A height at which spans are cut. */
    readonly boundary: number;
    /** Where to put what is found in a span. */
    readonly into: (span: Span) => Findings;
  }
}

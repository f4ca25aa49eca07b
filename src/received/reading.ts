import type { Address } from '../rpc/schema.js';
import { type LogLimits, learnLimit, type Span, seedLimits } from '../service/logs/limits.js';
import { mayBeTooLarge } from '../service/logs/refusal.js';
import { maxTraced, type PaymentReads, RequestsSpent } from './chain.js';
import type { ReceivedPayment } from './received.js';
import type { BalanceStep } from './record.js';
import { isIn, withSpan } from './spans.js';

/** Blocks that are to be read for some accounts. */
export interface Part {
  readonly span: Span;
  readonly accounts: readonly Address[];
}

/** The findings of a reading. */
export interface Findings {
  /** The blocks that were read, by account. */
  readonly spans: Map<Address, readonly Span[]>;
  readonly payments: ReceivedPayment[];
  readonly steps: BalanceStep[];
}

export const emptyFindings = (): Findings => ({ spans: new Map(), payments: [], steps: [] });

/** Requests up to which the blocks of a payment are not halved: one for a balance and one for traces must be left. */
const requestsToHalve = 4;
/** Minimum of the blocks that are traced at once. */
const minTraced = 50;
/** Blocks of a request for logs; many services refuse more. */
const maxSpan = 100_000;

/** How much a service gives at once. Readings change it. */
export interface ReadingLimits {
  readonly logs: LogLimits;
  /** Blocks that are traced at once. */
  traced: number;
}

export const initialLimits = (): ReadingLimits => ({ logs: seedLimits(), traced: maxTraced });

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
  const { reads, limits, balancesAt, spentIn, boundary, into } = options;

  /** Balances differ from each other by more than own transactions explain. */
  const stepsOf = async (accounts: readonly Address[], span: Span) => {
    const [later, earlier] = [await balancesAt(span.to, accounts), await balancesAt(span.from - 1, accounts)];
    const steps = accounts.map(async (account, at) => {
      const amount = (later[at] as bigint) - (earlier[at] as bigint);
      return { account, amount, isExplained: amount === -(await spentIn(account, span)) };
    });
    return Promise.all(steps);
  };

  /** Whether the service has the state at a height. */
  const hasState = (height: number, accounts: readonly Address[]) =>
    balancesAt(height, accounts).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RequestsSpent) throw error;
        return false;
      },
    );

  /** Adds a span to the findings, with the payments in the coin that explain how balances changed. */
  const settle = async (
    span: Span,
    accounts: readonly Address[],
    tokens: readonly ReceivedPayment[],
  ): Promise<void> => {
    const { from, to } = span;
    const steps = await stepsOf(accounts, span);
    const open = steps.filter(({ isExplained }) => !isExplained);
    const isWide = to - from >= limits.traced;
    // With few requests left, a part that is surely read comes before one that may be narrowed down.
    const middle = reads.left() > requestsToHalve ? Math.floor((from + to) / 2) : to - limits.traced;
    if (open.length > 0 && isWide && (await hasState(middle, accounts))) {
      await settle({ from: middle + 1, to }, accounts, tokens);
      return settle({ from, to: middle }, accounts, tokens);
    }
    const { spans, payments, steps: unexplained } = into(span);
    const { coins, rests } =
      open.length === 0 || isWide ? { coins: [], rests: open } : await traced(span, open);
    payments.push(...tokens.filter(({ blockNumber }) => isIn(Number(blockNumber), span)), ...coins);
    for (const account of accounts) spans.set(account, withSpan(spans.get(account) ?? [], span));
    for (const { account, amount } of rests) unexplained.push({ account, amount: `${amount}`, ...span });
  };

  /** Subtracts payments from the changes of balances, and leaves out those that are explained. */
  const restsOf = async (span: Span, steps: readonly Rest[], coins: readonly ReceivedPayment[]) => {
    const rests = steps.map(({ account, amount }) => {
      const received = coins.filter((each) => each.account === account);
      return { account, amount: received.reduce((sum, each) => sum - BigInt(each.amount), amount) };
    });
    const isLeft = await Promise.all(
      rests.map(async ({ account, amount }) => amount !== -(await spentIn(account, span))),
    );
    return rests.filter((_, at) => isLeft[at]);
  };

  /** Reads the payments in the coin, and then what contracts paid in transactions of the account. */
  const traced = async (span: Span, open: readonly Rest[]) => {
    const namesOf = (rests: readonly Rest[]) => rests.map(({ account }) => account);
    const outer = await reads.coins(span, namesOf(open)).catch((error: unknown) => {
      // The next reading takes fewer blocks with that many payments.
      if (error instanceof RequestsSpent)
        limits.traced = Math.max(minTraced, Math.ceil((span.to - span.from + 1) / 2));
      throw error;
    });
    const rests = await restsOf(span, open, outer ?? []);
    if (outer === null || rests.length === 0) return { coins: outer ?? [], rests };
    const inner = await reads.innerCoins(span, namesOf(rests)).catch((error: unknown) => {
      if (!(error instanceof RequestsSpent)) throw error;
      return [];
    });
    return { coins: [...outer, ...inner], rests: await restsOf(span, rests, inner) };
  };

  /** Reads the tokens of a part in as few requests as the service allows. */
  const readPart = async ({ span, accounts }: Part): Promise<void> => {
    for (let to = span.to; to >= span.from; ) {
      const from = Math.max(span.from, to - Math.min(limits.logs.atMost, maxSpan) + 1);
      const tokens = await reads.tokens({ from, to }, accounts).catch((error: unknown) => {
        if (!mayBeTooLarge(error) || from === to) throw error;
        learnLimit(limits.logs, { from, to }, error);
        limits.logs.atMost = Math.min(limits.logs.atMost, limits.logs.always, Math.ceil((to - from + 1) / 2));
        return null;
      });
      if (tokens === null) continue;
      if (to > boundary) await settle({ from: Math.max(from, boundary + 1), to }, accounts, tokens);
      if (from <= boundary) await settle({ from, to: Math.min(to, boundary) }, accounts, tokens);
      to = from - 1;
    }
  };

  try {
    for (const part of parts) await readPart(part);
  } catch (error) {
    if (!(error instanceof RequestsSpent)) throw error;
  }
}

export declare namespace readParts {
  interface Options {
    readonly reads: Pick<PaymentReads, 'left' | 'tokens' | 'coins' | 'innerCoins'>;
    readonly limits: ReadingLimits;
    readonly balancesAt: BalancesAt;
    /** Sums up what own transactions took from an account in some blocks, wei. */
    readonly spentIn: (account: Address, span: Span) => Promise<bigint>;
    /** A height at which spans are cut. */
    readonly boundary: number;
    /** Where to put what is found in a span. */
    readonly into: (span: Span) => Findings;
  }
}

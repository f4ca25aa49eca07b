import { badReply } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Span } from '../service/logs/limits.js';
import type { Service } from '../service/service.js';
import { createPaymentReads, type PaymentReads, RequestsSpent } from './chain.js';
import { type BalancesAt, emptyFindings, type Findings, initialLimits, readParts } from './reading.js';
import type { ReceivedPayment } from './received.js';
import { type Anchor, emptyRecord, type KnownAccount, type ReceivedRecord, type Records } from './record.js';
import { isIn, partsOf, within, without, withSpan } from './spans.js';

/**
 * Reads the payments to accounts, in at most twelve requests: what came since the last reading, the newest blocks first.
 *
 * Logs tell the payments in tokens. A payment in the chain's coin leaves no log, so balances are compared: only where one has changed by
 * more than own transactions explain are its blocks narrowed down and traced.
 *
 * Blocks up to an anchor, a block with twelve on top of it, are read once; those above it each time. The next reading asks for the
 * anchor's block again: where the chain has another one, it goes back to an older anchor.
 */
export interface PaymentReader {
  /**
   * Resolves with what is known then. It is what was known before if the node lags behind the last reading, or the chain changes
   * meanwhile.
   * @param further reads blocks between earlier readings, or below them, too
   * @throws ProviderRpcError as a read of the service
   */
  read(accounts: readonly Address[], further: boolean): Promise<ReceivedRecord>;
}

/** Requests of one reading, and how many of them its end has for itself. */
const maxRequests = 12;
const lastRequests = 2;
/** Blocks on top of an anchor. */
const anchorDepth = 12;
/** Anchors that are kept, and how many of the newest ones without a gap. */
const maxAnchors = 64;
const denseAnchors = 32;
/** Payments of all accounts that are kept of a chain: those that are wanted, and as many others. */
const maxPayments = 1_000;

export function createPaymentReader(options: createPaymentReader.Options): PaymentReader {
  const { chainId, service, records, spentIn, isWanted, mayStore = () => true } = options;
  const limits = initialLimits();

  const read: PaymentReader['read'] = async (accounts, further) => {
    const stored = await records.load(chainId);
    const reads = createPaymentReads(service(), maxRequests - lastRequests);
    const head = await reads.newest();
    const before = await rejoin(stored, head, reads);
    if (before === null) return stored;
    const settled = Math.max(0, head.number - anchorDepth);
    const last = before.anchors.at(-1);
    const anchor = last && last.number >= settled ? last : await reads.block(settled);
    if (anchor === null) return stored;

    const [recent, older] = [emptyFindings(), emptyFindings()];
    const balancesAt = rememberBalances(reads, before);
    const isFull = before.payments.filter(isWanted).length >= maxPayments;
    await readParts(partsOf(before, accounts, { anchor, head, further, isFull }), {
      ...{ reads, limits, balancesAt, spentIn, boundary: anchor.number },
      knownIn: (span, asked) =>
        before.payments.filter(
          ({ token, account, blockNumber }) =>
            token === null && asked.includes(account) && isIn(Number(blockNumber), span),
        ),
      into: ({ from }) => (from > anchor.number ? recent : older),
    });

    const ending = createPaymentReads(service(), lastRequests);
    if ((await ending.block(head.number))?.hash !== head.hash) {
      if (stored.head !== null) return stored;
      throw badReply('eth_getBlockByNumber', 'the chain changed while it was read');
    }
    const lowest = lowestOf(older) ?? anchor.number;
    const isBelow = lowest < (before.anchors[0]?.number ?? anchor.number);
    const floor = isBelow ? await ending.block(lowest) : null;
    const confirmed = await confirm(before, { recent, older }, accounts, ending, { anchor, head });
    const balances = await balancesAt(anchor.number, accounts).catch(() => null);

    const known = (account: Address): KnownAccount => {
      const { spans = [], coinsFrom = 0 } = own(before.accounts[account]);
      const at = accounts.indexOf(account);
      const balance = at < 0 ? undefined : balances?.[at]?.toString();
      const unknownTo = older.unknownTo.get(account);
      const from = unknownTo === undefined ? coinsFrom : Math.max(coinsFrom, unknownTo + 1);
      return {
        spans: (older.spans.get(account) ?? []).reduce(withSpan, spans),
        ...(balance !== undefined && { balance }),
        ...(from > 0 && { coinsFrom: from }),
      };
    };
    const all = [...new Set([...(Object.keys(before.accounts) as Address[]), ...accounts])];
    const after: ReceivedRecord = {
      revision: stored.revision,
      // Without its newest blocks a reading ends at the anchor.
      head: isRead(recent, accounts, { from: anchor.number + 1, to: head.number }) ? head : anchor,
      anchors: thinned([
        ...(floor ? [floor] : []),
        ...before.anchors.filter(({ number }) => number < anchor.number),
        anchor,
      ]),
      accounts: own(Object.fromEntries(all.map((account) => [account, known(account)]))),
      payments: distinct([...older.payments, ...recent.payments, ...confirmed]),
      steps: [...before.steps, ...older.steps],
    };
    return mayStore() ? records.save(chainId, stored, withoutOldest(after, isWanted)) : stored;
  };

  let reading: Promise<unknown> = Promise.resolve();
  return {
    read(accounts, further) {
      const next = reading.then(() => read(accounts, further));
      reading = next.catch(() => {});
      return next;
    },
  };
}

/**
 * Cuts a record to the newest anchor that is still on the chain. Resolves with `null` where the node lags behind the last reading, and
 * where it lacks a block below its newest.
 */
async function rejoin(
  stored: ReceivedRecord,
  head: Anchor,
  reads: PaymentReads,
): Promise<ReceivedRecord | null> {
  const { anchors } = stored;
  const newest = anchors.findLastIndex(({ number }) => number <= head.number);
  const isLower = stored.head !== null && head.number < stored.head.number && head.at <= stored.head.at;
  if (isLower && newest < 0) return null;
  let at = newest;
  for (let step = 1; at >= 0; at -= step, step *= 2) {
    const anchor = anchors[at] as Anchor;
    const block = await reads.block(anchor.number);
    if (block === null || (block.hash === anchor.hash && isLower && at === newest)) return null;
    if (block.hash !== anchor.hash) continue;
    if (at === anchors.length - 1) return stored;
    const steps = stored.steps.filter(({ to }) => to <= anchor.number);
    const accounts = mapAccounts(stored, (account, { spans, coinsFrom }) => {
      // The blocks of a step that has lost some of them are read again.
      const cut = stored.steps.filter((step) => step.account === account && step.to > anchor.number);
      const to = Math.min(anchor.number, ...cut.map(({ from }) => from - 1));
      return { ...(coinsFrom !== undefined && { coinsFrom }), spans: within(spans, { from: 0, to }) };
    });
    return { ...stored, anchors: anchors.slice(0, at + 1), accounts, steps };
  }
  return anchors.length === 0 ? stored : { ...emptyRecord, revision: stored.revision };
}

/** Balances are read once; those at the newest anchor are known from the last reading. */
function rememberBalances(reads: PaymentReads, before: ReceivedRecord): BalancesAt {
  const remembered = new Map<string, Promise<readonly bigint[]>>();
  const last = before.anchors.at(-1)?.number;
  return (height, accounts) => {
    const known = height === last ? accounts.map((account) => own(before.accounts[account]).balance) : [];
    if (known.length > 0 && known.every((balance) => balance !== undefined))
      return Promise.resolve(known.map((balance) => BigInt(balance as string)));
    const key = `${height} ${accounts}`;
    const balances = remembered.get(key) ?? reads.balances(height, accounts);
    remembered.set(key, balances);
    return balances;
  };
}

const isRead = ({ spans }: Findings, accounts: readonly Address[], span: Span): boolean =>
  accounts.every((account) => without(span, spans.get(account) ?? []).length === 0);

const lowestOf = ({ spans }: Findings): number | undefined => {
  const heights = [...spans.values()].map(([first]) => first?.from ?? Number.POSITIVE_INFINITY);
  return heights.length === 0 ? undefined : Math.min(...heights);
};

/**
 * The payments of earlier readings that the new one has not replaced. One that it should have found is not given up while its block is
 * on the chain: the node that answered may lag.
 */
async function confirm(
  before: ReceivedRecord,
  { recent, older }: { readonly recent: Findings; readonly older: Findings },
  accounts: readonly Address[],
  reads: Pick<PaymentReads, 'block'>,
  { anchor, head }: { readonly anchor: Anchor; readonly head: Anchor },
): Promise<readonly ReceivedPayment[]> {
  const found = new Set([...recent.payments, ...older.payments].map(identityOf));
  const heightOf = ({ blockNumber }: ReceivedPayment) => Number(blockNumber);
  const isReadAgain = (payment: ReceivedPayment) =>
    accounts.includes(payment.account) &&
    [recent, older].some(({ spans }) =>
      spans.get(payment.account)?.some((span) => isIn(heightOf(payment), span)),
    );
  const isKnown = ({ account }: ReceivedPayment, height: number) =>
    own(before.accounts[account]).spans?.some((span) => isIn(height, span)) === true;
  // Up to the anchor the balance tells of all coins, found or not.
  const isToldOtherwise = ({ token }: ReceivedPayment, height: number) =>
    token === null && height <= anchor.number;

  const confirmed: ReceivedPayment[] = [];
  const missing: ReceivedPayment[] = [];
  for (const payment of before.payments) {
    const height = heightOf(payment);
    if (found.has(identityOf(payment)) || height > head.number) continue;
    if (isReadAgain(payment)) {
      if (!isToldOtherwise(payment, height)) missing.push(payment);
    } else if (isKnown(payment, height) || height > anchor.number) confirmed.push(payment);
  }
  // Everything below a block that is on the chain is, too.
  let onChain = -1;
  for (const payment of missing.sort((a, b) => heightOf(b) - heightOf(a))) {
    const height = heightOf(payment);
    if (height > onChain) {
      const block = await reads.block(height).catch((error: unknown) => {
        if (error instanceof RequestsSpent) return null;
        throw error;
      });
      if (block?.hash !== payment.blockHash) continue;
      onChain = height;
    }
    confirmed.push(payment);
  }
  return confirmed;
}

/** Leaves out what was read twice. */
const distinct = (payments: readonly ReceivedPayment[]): readonly ReceivedPayment[] => [
  ...new Map(payments.map((payment) => [identityOf(payment), payment])).values(),
];

/** The identity of a payment, wherever its block is. */
const identityOf = ({
  account,
  from,
  token,
  amount,
  tokenId,
  transaction,
  logIndex,
}: ReceivedPayment): string => `${transaction} ${token} ${from} ${account} ${amount} ${tokenId} ${logIndex}`;

/** Leaves out some of many anchors, and none of the newest or the oldest. */
function thinned(anchors: readonly Anchor[]): readonly Anchor[] {
  const excess = anchors.length - maxAnchors;
  const isKept = (at: number) => at === 0 || at >= anchors.length - denseAnchors || at % 2 === 0;
  return excess > 0 ? anchors.filter((_, at) => isKept(at)) : anchors;
}

/** Leaves out the oldest payments beyond the limits. Below one that was wanted nothing counts as known. */
function withoutOldest(
  record: ReceivedRecord,
  isWanted: (payment: ReceivedPayment) => boolean,
): ReceivedRecord {
  const newestFirst = [...record.payments].sort((a, b) => Number(b.blockNumber) - Number(a.blockNumber));
  const wanted = newestFirst.filter(isWanted);
  const others = newestFirst.filter((each) => !isWanted(each));
  const kept = [...wanted.slice(0, maxPayments), ...others.slice(0, maxPayments)];
  const dropped = wanted[maxPayments];
  const payments = kept.sort(byPlace);
  if (!dropped) return { ...record, payments };
  const lowest = Number(dropped.blockNumber) + 1;
  const isAbove = ({ blockNumber }: ReceivedPayment) => Number(blockNumber) >= lowest;
  return {
    ...record,
    payments: payments.filter((each) => !isWanted(each) || isAbove(each)),
    accounts: mapAccounts(record, (account, known) => {
      // A step tells of all its blocks, or of none.
      const cut = record.steps.filter((step) => step.account === account && step.from < lowest);
      const from = Math.max(lowest, ...cut.map(({ to }) => to + 1));
      return { ...known, spans: within(known.spans, { from, to: Number.POSITIVE_INFINITY }) };
    }),
    steps: record.steps.filter(({ from }) => from >= lowest),
  };
}

const mapAccounts = (
  { accounts }: ReceivedRecord,
  map: (account: Address, known: KnownAccount) => KnownAccount,
): ReceivedRecord['accounts'] =>
  own(
    Object.fromEntries(
      (Object.entries(accounts) as [Address, KnownAccount][]).map(([account, known]) => [
        account,
        map(account, known),
      ]),
    ),
  );

const byPlace = (a: ReceivedPayment, b: ReceivedPayment): number =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex ?? -1) - Number(b.logIndex ?? -1);

export declare namespace createPaymentReader {
  interface Options {
    readonly chainId: number;
    /** The service of the chain, which may change. */
    readonly service: () => Pick<Service, 'network' | 'request'>;
    readonly records: Records;
    /** Sums up what own transactions took from an account in some blocks, wei. */
    readonly spentIn: (account: Address, span: Span) => bigint;
    /** Whether a payment is of the kind that a person wants to see: it is kept for longer. */
    readonly isWanted: (payment: ReceivedPayment) => boolean;
    /** Whether what was read may be stored: not once the wallet was erased meanwhile. Default: it may. */
    readonly mayStore?: () => boolean;
  }
}

import { createPaymentReader, type PaymentReader } from '../received/reader.js';
import type { Doubt, ListedPayment, Moment, Received, ReceivedPayment } from '../received/received.js';
import { type Anchor, createRecords, type ReceivedRecord } from '../received/record.js';
import { isIn } from '../received/spans.js';
import { invalidParams } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { knownToken } from '../rpc/known-contracts.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { address as addressReader, record as recordReader } from '../rpc/params.js';
import type { Address } from '../rpc/schema.js';
import type { Span } from '../service/logs/limits.js';
import { endsOf, isMined, type JournalEntry } from '../transactions/journal-entry.js';
import type { Core } from './core.js';

/** Payments from others. They concern the active network. */
export interface IncomingPayments {
  /**
   * Reads what came in since the last call, in at most twelve requests, and resolves with all that is known: payments in tokens by their
   * logs, those in the chain's coin by the traces of transactions where the service has `trace_filter`, and else as changes of the
   * balance. The first call looks back 2,000 blocks; one within
   * ten seconds of another reads nothing. A payment that a reorganisation takes off the chain leaves the list.
   *
   * A payment with a `doubt` may be meant to deceive: show no link for it, and no address to copy.
   *
   * @example
   * const { payments, since } = await wallet.received();
   * for (const { from, token, amount, doubt } of payments) if (!doubt) console.log(from, token, BigInt(amount));
   * console.log('known since block', since?.blockNumber);
   *
   * @throws ProviderRpcError -32602 for an account that the wallet does not have, and as a read of the service
   */
  received(options?: ReceivedOptions): Promise<Received>;
}

/** Which payments to read. */
export interface ReceivedOptions {
  /** Only the payments to this account. Default: to all accounts of the wallet. */
  readonly account?: Address | undefined;
  /** Reads blocks between earlier calls that are not read yet or, if there are none, 100,000 further back, as far as twelve requests reach. */
  readonly further?: boolean | undefined;
}

/** Milliseconds in which a second call reads nothing. */
const lifetime = 10_000;
/** Milliseconds between two blocks below those whose time is known. */
const blockTime = 30_000;

export function createIncomingPayments(core: Core): IncomingPayments {
  const { session, now } = core.context;
  const records = createRecords(core.storage);
  const readers = new Map<number, Reading>();

  const watchedOn = (chainId: number): ReadonlySet<Address> =>
    new Set((own(session.state().assets)[chainId] ?? []).map((asset) => own(asset).address));

  const isOfWantedToken = (chainId: number, { token }: ReceivedPayment): boolean =>
    token === null || knownToken(chainId, token) !== null || watchedOn(chainId).has(token);

  const readingOf = (chainId: number): Reading => {
    const present = readers.get(chainId);
    if (present) return present;
    const reading: Reading = {
      entries: [],
      at: Number.NEGATIVE_INFINITY,
      asked: '',
      reader: createPaymentReader({
        chainId,
        records,
        service: () => core.chain(chainId).person,
        spentIn: async (account, span) => spentIn(reading.entries, account, span),
        isWanted: (payment) => BigInt(payment.amount) > 0n && isOfWantedToken(chainId, payment),
      }),
    };
    readers.set(chainId, reading);
    return reading;
  };

  const read = async (
    chainId: number,
    accounts: readonly Address[],
    further: boolean,
  ): Promise<ReceivedRecord> => {
    const reading = readingOf(chainId);
    const asked = accounts.join();
    const isRecent = Math.abs(now() - reading.at) < lifetime && reading.asked === asked;
    if (isRecent && !further) return records.load(chainId);
    const record = await reading.reader.read(accounts, further);
    Object.assign(reading, { at: now(), asked });
    return record;
  };

  /** Whether addresses of that look were paid from here, and this one was not. */
  const looksLikePaid = async (from: Address, entries: readonly JournalEntry[]): Promise<boolean> => {
    const { journal } = await core.signing();
    const archived = (await journal.parties(from)).map(({ address }) => address);
    const paid = [...entries.flatMap(({ to }) => to ?? []), ...archived];
    return !paid.includes(from) && paid.some((address) => endsOf(address) === endsOf(from));
  };

  return {
    async received(options) {
      const given = recordReader((options ?? {}) as Json, 'options', ['account', 'further']);
      const { chainId, accounts: present } = session.state();
      const all = present.map(({ address }) => address);
      const asked = given.account === undefined ? undefined : addressReader(given.account, 'options.account');
      if (asked !== undefined && !all.includes(asked))
        throw invalidParams('options.account: the wallet has no such account');
      const accounts = asked === undefined ? all : [asked];
      if (accounts.length === 0)
        return own<Received>({ payments: [], changes: [], since: null, until: null, hasGap: false });

      const reading = readingOf(chainId);
      const { journal } = await core.signing();
      reading.entries = await journal.newest(chainId);
      const record = await read(chainId, accounts, given.further === true);
      const { entries } = reading;
      const timeOf = timesOf(record);

      const doubts = new Map<Address, Promise<boolean>>();
      const doubtOf = async (payment: ReceivedPayment): Promise<Doubt | undefined> => {
        if (BigInt(payment.amount) === 0n) return 'nothing';
        if (!isOfWantedToken(chainId, payment)) return 'unlisted';
        if (all.includes(payment.from)) return undefined;
        const isLike = doubts.get(payment.from) ?? looksLikePaid(payment.from, entries);
        doubts.set(payment.from, isLike);
        return (await isLike) ? 'look-alike' : undefined;
      };
      const list = async (payment: ReceivedPayment): Promise<ListedPayment> => {
        const [height, doubt] = [Number(payment.blockNumber), await doubtOf(payment)];
        const confirmations = Math.max(0, Number(record.head?.number) - height);
        return { ...payment, at: timeOf(height), confirmations, ...(doubt && { doubt }) };
      };
      const payments = record.payments.filter(
        ({ account, from }) => accounts.includes(account) && from !== account,
      );
      const changes = record.steps.flatMap(({ account, amount, from, to }) => {
        const rest = BigInt(amount) + spentIn(entries, account, { from, to });
        if (rest === 0n || !accounts.includes(account)) return [];
        const blocks = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
        return { account, amount: `${rest}`, ...blocks, from: timeOf(from), to: timeOf(to) };
      });
      return own<Received>({
        payments: await Promise.all(payments.map(list)),
        changes: changes.sort((a, b) => a.to - b.to),
        ...coverageOf(record, accounts, timeOf),
      });
    },
  };
}

interface Reading {
  readonly reader: PaymentReader;
  /** The own transactions of the chain. */
  entries: readonly JournalEntry[];
  /** When it was read last, and for which accounts. */
  at: number;
  asked: string;
}

/** Sums up what own transactions took from an account in some blocks, wei. */
const spentIn = (entries: readonly JournalEntry[], account: Address, span: Span): bigint =>
  entries
    .filter((entry) => entry.from === account && isMined(entry) && isIn(Number(entry.blockNumber), span))
    .reduce(
      (sum, { state, value, fee }) => sum + BigInt(fee ?? 0) + (state === 'mined' ? BigInt(value) : 0n),
      0n,
    );

/** Times of blocks, between those of the blocks that were read. */
function timesOf({ anchors, head }: ReceivedRecord): (height: number) => number {
  const known: readonly Anchor[] = [...anchors, ...(head ? [head] : [])];
  return (height) => {
    const above = known.findIndex(({ number }) => number >= height);
    const [earlier, later] = [known[above < 0 ? known.length - 1 : above - 1], known[above]];
    if (!later) return earlier?.at ?? 0;
    if (!earlier) return later.at - (later.number - height) * blockTime;
    const share = (height - earlier.number) / (later.number - earlier.number);
    return Math.round(earlier.at + share * (later.at - earlier.at));
  };
}

/** The blocks that were read for all of some accounts. */
function coverageOf(
  { anchors, head, accounts: known }: ReceivedRecord,
  accounts: readonly Address[],
  timeOf: (height: number) => number,
): Pick<Received, 'since' | 'until' | 'hasGap'> {
  if (head === null) return { since: null, until: null, hasGap: false };
  const top = anchors.at(-1)?.number ?? 0;
  const spansOf = accounts.map((account) => own(known[account]).spans ?? []);
  const starts = spansOf.map((spans) => (spans.at(-1)?.to === top ? Number(spans.at(-1)?.from) : top + 1));
  const momentOf = (height: number): Moment => ({ blockNumber: toQuantity(height), at: timeOf(height) });
  return {
    since: momentOf(Math.max(...starts)),
    until: momentOf(head.number),
    hasGap: spansOf.some((spans) => spans.length > 1 || (spans.length === 1 && spans[0]?.to !== top)),
  };
}

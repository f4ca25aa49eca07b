import { createDoubts } from '../received/doubts.js';
import { createPaymentReader, type PaymentReader } from '../received/reader.js';
import type { ListedPayment, Moment, Received, ReceivedPayment } from '../received/received.js';
import { type Anchor, createRecords, type ReceivedRecord } from '../received/record.js';
import { isIn } from '../received/spans.js';
import { toQuantity } from '../rpc/hex.js';
import { knownToken } from '../rpc/known-contracts.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { boolean, record as recordReader } from '../rpc/params.js';
import { type Address, type Hash, isAddress } from '../rpc/schema.js';
import type { Span } from '../service/logs/limits.js';
import { isMined, type JournalEntry } from '../transactions/journal-entry.js';
import type { Core } from './core.js';
import { readListedAccount } from './owner/arguments.js';

/** Payments from others. They concern the active network. */
export interface IncomingPayments {
  /**
   * Reads what came in since the last call, in at most twelve requests, and resolves with all that is known: payments in tokens by their
   * logs; those in the chain's coin by traces, also those of contracts in own transactions, where the service has `trace_filter`, and
   * else as changes of the balance. The first call looks back 2,000 blocks. The same call within ten seconds reads nothing. A payment
   * that a reorganisation takes off the chain leaves the list.
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

/** Milliseconds in which a further call reads nothing. */
const lifetime = 10_000;
/** Milliseconds between two blocks below those whose time is known. */
const blockTime = 30_000;
/** The newest own transactions that are read again at each reading. */
const newestEntries = 500;

export function createIncomingPayments(core: Core): IncomingPayments {
  const { session, now } = core.context;
  const records = createRecords(core.storage);
  const chains = new Map<number, ChainReader>();

  const isWanted = (chainId: number, { token, amount }: ReceivedPayment): boolean =>
    BigInt(amount) > 0n && (token === null || isNamed(chainId, token));

  const isNamed = (chainId: number, token: Address): boolean =>
    knownToken(chainId, token) !== null ||
    (own(session.state().assets)[chainId] ?? []).some((asset) => own(asset).address === token);

  const ownAddresses = () => session.state().accounts.map(({ address }) => address);

  const chainOf = (chainId: number): ChainReader => {
    const present = chains.get(chainId);
    if (present) return present;
    const created: ChainReader = {
      entries: new Map(),
      last: null,
      reader: createPaymentReader({
        chainId,
        records,
        service: () => core.chain(chainId).person,
        spentIn: (account, span) => spentIn(created.entries, account, span),
        isWanted: (payment) => isWanted(chainId, payment),
        mayStore: () => ownAddresses().length > 0,
      }),
    };
    chains.set(chainId, created);
    return created;
  };

  /** Takes up own transactions: all of them at first, and then the newest ones. */
  const readEntries = async (chainId: number, { entries }: ChainReader): Promise<void> => {
    const { journal } = await core.signing();
    const read = await journal.newest(chainId, entries.size === 0 ? undefined : newestEntries);
    for (const entry of read) if (isReadable(entry)) entries.set(entry.hash, entry);
  };

  /** Reads the chain, unless the same was read a moment ago or is being read. */
  const read = async (
    chainId: number,
    accounts: readonly Address[],
    further: boolean,
  ): Promise<ReceivedRecord> => {
    const chain = chainOf(chainId);
    const asked = [further, ...accounts].join();
    const { last } = chain;
    if (last?.asked === asked && (last.at === null || (!further && Math.abs(now() - last.at) < lifetime)))
      return last.record;
    const reading: Exclude<ChainReader['last'], null> = {
      asked,
      at: null,
      record: readEntries(chainId, chain).then(() => chain.reader.read(accounts, further)),
    };
    chain.last = reading;
    try {
      const record = await reading.record;
      reading.at = now();
      return record;
    } catch (error) {
      if (chain.last === reading) chain.last = last;
      throw error;
    }
  };

  return {
    async received(options) {
      const given = recordReader((options ?? {}) as Json, 'options', ['account', 'further']);
      const { chainId } = session.state();
      const all = ownAddresses();
      const further = given.further !== undefined && boolean(given.further, 'options.further');
      const accounts =
        given.account === undefined ? all : [readListedAccount(given.account, session, 'options.account')];
      if (accounts.length === 0)
        return own<Received>({ payments: [], changes: [], since: null, until: null, hasGap: false });

      const record = await read(chainId, accounts, further);
      const { entries } = chainOf(chainId);
      const timeOf = timesOf(record);

      const { contacts, journal } = await core.signing();
      const doubtOf = createDoubts({
        isNamed: (token) => isNamed(chainId, token),
        ownAddresses: all,
        contacts: ((await contacts()) ?? []).map((contact) => contact.address),
        entries: async () => (await journal.entries()).filter(isReadable),
        parties: journal.parties,
      });
      const list = async (payment: ReceivedPayment): Promise<ListedPayment> => {
        const [height, doubt] = [Number(payment.blockNumber), await doubtOf(payment)];
        const confirmations = Math.max(0, Number(record.head?.number) - height);
        return own({ ...payment, at: timeOf(height), confirmations, ...(doubt && { doubt }) });
      };
      const payments = record.payments.filter(
        ({ account, from }) => accounts.includes(account) && from !== account,
      );
      const changes = record.steps.flatMap(({ account, amount, from, to }) => {
        const rest = BigInt(amount) + spentIn(entries, account, { from, to });
        if (rest === 0n || !accounts.includes(account)) return [];
        const blocks = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
        return own({ account, amount: `${rest}`, ...blocks, from: timeOf(from), to: timeOf(to) });
      });
      return own<Received>({
        payments: await Promise.all(payments.map(list)),
        changes: changes.sort((a, b) => a.to - b.to),
        ...coverageOf(record, accounts, timeOf),
      });
    },
  };
}

interface ChainReader {
  readonly reader: PaymentReader;
  /** The own transactions of the chain. */
  readonly entries: Map<Hash, JournalEntry>;
  /** The last reading, and when it ended: `null` while it goes on. */
  last: { readonly asked: string; readonly record: Promise<ReceivedRecord>; at: number | null } | null;
}

/** Whether an entry has the members that are read here: any script of the origin can write it. */
function isReadable({ hash, from, to, data, value, fee }: JournalEntry): boolean {
  const isQuantity = (each: unknown) => typeof each === 'string' && /^0x[0-9a-f]+$/i.test(each);
  return (
    [hash, from, value, fee ?? '0x0'].every(isQuantity) &&
    (to === null || isAddress(to)) &&
    typeof data === 'string'
  );
}

/** Sums up what own transactions took from an account in some blocks, wei. */
function spentIn(entries: ReadonlyMap<Hash, JournalEntry>, account: Address, span: Span): bigint {
  let sum = 0n;
  for (const entry of entries.values()) {
    const { from, to, state, value, fee, blockNumber } = entry;
    if (from !== account || !isMined(entry) || !isIn(Number(blockNumber), span)) continue;
    sum += BigInt(fee ?? 0) + (state === 'mined' && to !== from ? BigInt(value) : 0n);
  }
  return sum;
}

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
  const starts = accounts.map((account) => {
    const { spans = [], coinsFrom = 0 } = own(known[account]);
    const last = spans.at(-1);
    return Math.max(last?.to === top ? last.from : top + 1, coinsFrom);
  });
  const momentOf = (height: number): Moment => ({ blockNumber: toQuantity(height), at: timeOf(height) });
  const since = Math.max(...starts);
  return {
    since: since > head.number ? null : momentOf(since),
    until: momentOf(head.number),
    hasGap: accounts.some((account) => {
      const { spans = [] } = own(known[account]);
      return spans.length > 1 || (spans.length === 1 && spans[0]?.to !== top);
    }),
  };
}

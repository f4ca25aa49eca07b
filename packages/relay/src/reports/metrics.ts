import type { Service } from '../../../../src/service/service.js';

/** How a request was answered. */
export type Outcome = 'hit' | 'shared' | 'upstream' | 'refused' | 'failed';

/** Why a message or a connection was dropped. */
export type DropReason = 'slow' | 'size' | 'rate' | 'policy' | 'full' | 'expired' | 'gap';

/** Gauges read from a chain when the metrics are written. */
export interface ChainGauges {
  /** The newest block that the relay knows; `null` before the first one. */
  readonly height: number | null;
  /** Milliseconds since the last successful poll; `null` before the first one. */
  readonly age: number | null;
  /** Milliseconds between two polls at present. */
  readonly interval: number;
  /** Absent before the first request. */
  readonly quota?: Service.Quota | undefined;
  /** Whether this instance polls the chain. */
  readonly leading: boolean;
}

/** Counts what the relay does. Labels are bounded: no address, origin, token or param is one. */
export interface Metrics {
  /** A request of a client. A method that is not on the list of the policy counts as `other`. */
  request(chainId: number, method: string, outcome: Outcome): void;
  /** An HTTP request to the service, with its HTTP status. */
  upstream(chainId: number, method: string, status: number | 'failed'): void;
  reorganisation(chainId: number): void;
  /** Seconds from a step to the last frame that tells of it. */
  fanout(chainId: number, seconds: number): void;
  /** Seconds from a block's timestamp to its frame. */
  pushDelay(chainId: number, seconds: number): void;
  dropped(reason: DropReason): void;
  connection(kind: 'websocket' | 'sse', change: 1 | -1): void;
  subscription(kind: 'newHeads' | 'logs' | 'graft_steps', change: 1 | -1): void;
  /** Gauges are read when the text is written. */
  observe(chainId: number, read: () => ChainGauges): void;
  /** All of it in the OpenMetrics text format. */
  text(): string;
  snapshot(): MetricsSnapshot;
}

/** The same numbers for programs: what the status page shows. */
export interface MetricsSnapshot {
  readonly chains: readonly (ChainGauges & {
    readonly chainId: number;
    /** Requests by method and outcome. */
    readonly requests: Readonly<Record<string, Readonly<Record<Outcome, number>>>>;
    /** Requests to the service, by method. */
    readonly upstream: Readonly<Record<string, number>>;
    /** Requests to the service that were answered with an HTTP status below 400. */
    readonly succeeded: number;
    readonly reorganisations: number;
  })[];
  readonly connections: Readonly<Record<'websocket' | 'sse', number>>;
  readonly subscriptions: Readonly<Record<'newHeads' | 'logs' | 'graft_steps', number>>;
  readonly dropped: Readonly<Record<DropReason, number>>;
}

type Labels = Readonly<Record<string, string | number>>;

/** Upper bounds of the histograms, in seconds. */
const fanoutBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const delayBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

const quotaStates = ['normal', 'saving', 'reserved', 'spent'] as const;
const outcomes: readonly Outcome[] = ['hit', 'shared', 'upstream', 'refused', 'failed'];
const reasons: readonly DropReason[] = ['slow', 'size', 'rate', 'policy', 'full', 'expired', 'gap'];

/**
 * Creates counters that start at zero.
 *
 * @param options.methods The only method labels; all others count as `other`.
 */
export function createMetrics({ methods }: createMetrics.Options): Metrics {
  const labels = new Set(methods);
  const labelOf = (method: string) => (labels.has(method) ? method : 'other');
  const requests = createCounter();
  const upstream = createCounter();
  const reorganisations = createCounter();
  const drops = createCounter();
  const connections = { websocket: 0, sse: 0 };
  const subscriptions = { newHeads: 0, logs: 0, graft_steps: 0 };
  const fanout = createHistogram(fanoutBounds);
  const pushDelay = createHistogram(delayBounds);
  const chains = new Map<number, () => ChainGauges>();

  function snapshot(): MetricsSnapshot {
    return {
      chains: [...chains].map(([chainId, read]) => {
        const own = ({ labels }: Sample) => labels.chain === chainId;
        const byMethod: Record<string, Record<Outcome, number>> = {};
        for (const { labels, value } of requests.samples().filter(own)) {
          const method = String(labels.method);
          byMethod[method] ??= { hit: 0, shared: 0, upstream: 0, refused: 0, failed: 0 };
          byMethod[method][labels.outcome as Outcome] += value;
        }
        const sent: Record<string, number> = {};
        let succeeded = 0;
        for (const { labels, value } of upstream.samples().filter(own)) {
          const method = String(labels.method);
          sent[method] = (sent[method] ?? 0) + value;
          if (Number(labels.status) < 400) succeeded += value;
        }
        return {
          ...read(),
          chainId,
          requests: byMethod,
          upstream: sent,
          succeeded,
          reorganisations: reorganisations.value({ chain: chainId }),
        };
      }),
      connections: { ...connections },
      subscriptions: { ...subscriptions },
      dropped: Object.fromEntries(reasons.map((reason) => [reason, drops.value({ reason })])) as Record<
        DropReason,
        number
      >,
    };
  }

  return {
    request: (chain, method, outcome) => requests.add({ chain, method: labelOf(method), outcome }),
    upstream: (chain, method, status) => upstream.add({ chain, method: labelOf(method), status }),
    reorganisation: (chain) => reorganisations.add({ chain }),
    fanout: (chain, seconds) => fanout.observe(chain, seconds),
    pushDelay: (chain, seconds) => pushDelay.observe(chain, seconds),
    dropped: (reason) => drops.add({ reason }),
    connection(kind, change) {
      connections[kind] += change;
    },
    subscription(kind, change) {
      subscriptions[kind] += change;
    },
    observe: (chainId, read) => void chains.set(chainId, read),
    text: () => write(snapshot(), { requests, upstream, fanout, pushDelay }),
    snapshot,
  };
}

export declare namespace createMetrics {
  interface Options {
    /** The methods of the policy. */
    readonly methods: readonly string[];
  }
}

interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** The end of its name. */
  readonly suffix?: string | undefined;
}

function createCounter() {
  const samples = new Map<string, Sample>();
  const keyOf = (labels: Labels) => Object.values(labels).join(' ');
  const value = (labels: Labels): number => samples.get(keyOf(labels))?.value ?? 0;
  return {
    add: (labels: Labels) => void samples.set(keyOf(labels), { labels, value: value(labels) + 1 }),
    value,
    samples: (): readonly Sample[] => [...samples.values()],
  };
}

function createHistogram(bounds: readonly number[]) {
  /** By chain: how many were at most each bound, all, and their sum. */
  const totals = new Map<number, { readonly counts: number[]; count: number; sum: number }>();
  return {
    observe(chain: number, seconds: number): void {
      if (!Number.isFinite(seconds)) return;
      const total = totals.get(chain) ?? { counts: bounds.map(() => 0), count: 0, sum: 0 };
      totals.set(chain, total);
      for (const [i, bound] of bounds.entries()) if (seconds <= bound) (total.counts[i] as number) += 1;
      total.count += 1;
      total.sum += seconds;
    },
    samples: (): readonly Sample[] =>
      [...totals].flatMap(([chain, { counts, count, sum }]) => [
        ...counts.map((value, i) => ({
          labels: { chain, le: bounds[i] as number },
          value,
          suffix: '_bucket',
        })),
        { labels: { chain, le: '+Inf' }, value: count, suffix: '_bucket' },
        { labels: { chain }, value: sum, suffix: '_sum' },
        { labels: { chain }, value: count, suffix: '_count' },
      ]),
  };
}

type Counter = ReturnType<typeof createCounter>;
type Histogram = ReturnType<typeof createHistogram>;

function write(
  { chains, connections, subscriptions, dropped }: MetricsSnapshot,
  counted: { requests: Counter; upstream: Counter; fanout: Histogram; pushDelay: Histogram },
): string {
  const lines: string[] = [];
  const family = (name: string, type: string, help: string, samples: readonly Sample[]): void => {
    if (samples.length === 0) return;
    const full = `graft_relay_${name}`;
    lines.push(`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`);
    for (const { labels, value, suffix = type === 'counter' ? '_total' : '' } of samples)
      lines.push(`${full}${suffix}${labelText(labels)} ${value}`);
  };
  const byChain = (read: (chain: (typeof chains)[number]) => number | null | undefined) =>
    chains.flatMap((chain) => {
      const value = read(chain);
      return value === null || value === undefined ? [] : [{ labels: { chain: chain.chainId }, value }];
    });
  const by = (label: string, values: Readonly<Record<string, number>>) =>
    Object.entries(values).map(([each, value]) => ({ labels: { [label]: each }, value }));

  family('requests', 'counter', 'Requests of clients.', counted.requests.samples());
  family('upstream_requests', 'counter', 'HTTP requests to the service.', counted.upstream.samples());
  const quotas = chains.filter(({ quota }) => quota);
  const used = byChain(({ quota }) => quota?.today);
  family('quota_used', 'gauge', 'Requests to the service since midnight UTC.', used);
  const limits = byChain(({ quota }) => quota?.perDay);
  family('quota_limit', 'gauge', 'Requests to the service per day.', limits);
  family(
    'quota_state',
    'gauge',
    'The state of the daily quota: 1 for the present one.',
    quotas.flatMap(({ chainId, quota }) =>
      quotaStates.map((state) => ({
        labels: { chain: chainId, state },
        value: quota?.state === state ? 1 : 0,
      })),
    ),
  );
  const heights = byChain(({ height }) => height);
  family('head_height', 'gauge', 'The newest block that is known.', heights);
  const ages = byChain(({ age }) => age && age / 1000);
  family('head_age_seconds', 'gauge', 'Seconds since the last successful poll.', ages);
  const intervals = byChain(({ interval }) => interval / 1000);
  family('poll_interval_seconds', 'gauge', 'Seconds between two polls.', intervals);
  const reorganisations = byChain((chain) => chain.reorganisations);
  family('reorganisations', 'counter', 'Steps that took blocks off the chain.', reorganisations);
  family('connections', 'gauge', 'Open connections.', by('kind', connections));
  family('subscriptions', 'gauge', 'Subscriptions.', by('kind', subscriptions));
  family('fanout_seconds', 'histogram', 'From a step to its last frame.', counted.fanout.samples());
  const delays = counted.pushDelay.samples();
  family('push_delay_seconds', 'histogram', 'From the timestamp of a block to its frame.', delays);
  family('dropped', 'counter', 'Messages and connections that were dropped.', by('reason', dropped));
  const leading = byChain((chain) => (chain.leading ? 1 : 0));
  family('leading', 'gauge', 'Whether this instance polls the chain.', leading);
  return `${lines.join('\n')}\n# EOF\n`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

const escapeLabel = (value: string) =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** The sum over all outcomes. */
export const totalOf = (counts: Readonly<Record<Outcome, number>>): number =>
  outcomes.reduce((sum, outcome) => sum + counts[outcome], 0);

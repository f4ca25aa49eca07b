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
  const known = new Set(methods);
  const labelOf = (method: string) => (known.has(method) ? method : 'other');
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
}

function createCounter() {
  const values = new Map<string, { labels: Labels; value: number }>();
  const keyOf = (labels: Labels) => Object.values(labels).join(' ');
  return {
    add(labels: Labels): void {
      const entry = values.get(keyOf(labels));
      if (entry) entry.value++;
      else values.set(keyOf(labels), { labels, value: 1 });
    },
    value: (labels: Labels): number => values.get(keyOf(labels))?.value ?? 0,
    samples: (): readonly Sample[] => [...values.values()],
  };
}

interface Distribution {
  /** Not cumulative; one more than there are bounds. */
  readonly counts: number[];
  sum: number;
}

function createHistogram(bounds: readonly number[]) {
  const byChain = new Map<number, Distribution>();
  return {
    bounds,
    byChain: byChain as ReadonlyMap<number, Distribution>,
    observe(chain: number, seconds: number): void {
      if (!Number.isFinite(seconds)) return;
      const found = byChain.get(chain) ?? { counts: new Array(bounds.length + 1).fill(0), sum: 0 };
      byChain.set(chain, found);
      const at = bounds.findIndex((bound) => seconds <= bound);
      const bucket = at < 0 ? bounds.length : at;
      found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
      found.sum += seconds;
    },
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
    for (const { labels, value } of samples)
      lines.push(`${full}${type === 'counter' ? '_total' : ''}${labelText(labels)} ${value}`);
  };
  const gauge = (name: string, help: string, read: (chain: ChainGauges) => number | null | undefined) =>
    family(
      name,
      'gauge',
      help,
      chains.flatMap((chain) => {
        const value = read(chain);
        return value === null || value === undefined ? [] : [{ labels: { chain: chain.chainId }, value }];
      }),
    );
  const gauges = (name: string, help: string, label: string, values: Readonly<Record<string, number>>) =>
    family(
      name,
      'gauge',
      help,
      Object.entries(values).map(([each, value]) => ({ labels: { [label]: each }, value })),
    );
  const histogram = (name: string, help: string, { bounds, byChain }: Histogram) => {
    if (byChain.size === 0) return;
    const full = `graft_relay_${name}`;
    lines.push(`# HELP ${full} ${help}`, `# TYPE ${full} histogram`);
    for (const [chain, { counts, sum }] of byChain) {
      let cumulative = 0;
      for (const [i, bound] of [...bounds, '+Inf'].entries()) {
        cumulative += counts[i] ?? 0;
        lines.push(`${full}_bucket${labelText({ chain, le: bound })} ${cumulative}`);
      }
      lines.push(`${full}_sum${labelText({ chain })} ${sum}`);
      lines.push(`${full}_count${labelText({ chain })} ${cumulative}`);
    }
  };

  family('requests', 'counter', 'Requests of clients.', counted.requests.samples());
  family('upstream_requests', 'counter', 'HTTP requests to the service.', counted.upstream.samples());
  gauge('quota_used', 'Requests to the service since midnight UTC.', ({ quota }) => quota?.today);
  gauge('quota_limit', 'Requests to the service per day.', ({ quota }) => quota?.perDay);
  family(
    'quota_state',
    'gauge',
    'The state of the daily quota: 1 for the present one.',
    chains.flatMap(({ chainId, quota }) =>
      quota
        ? quotaStates.map((state) => ({
            labels: { chain: chainId, state },
            value: quota.state === state ? 1 : 0,
          }))
        : [],
    ),
  );
  gauge('head_height', 'The newest block that is known.', ({ height }) => height);
  gauge('head_age_seconds', 'Seconds since the last successful poll.', ({ age }) =>
    age === null ? null : age / 1000,
  );
  gauge('poll_interval_seconds', 'Seconds between two polls.', ({ interval }) => interval / 1000);
  family(
    'reorganisations',
    'counter',
    'Steps that took blocks off the chain.',
    chains.map(({ chainId, reorganisations }) => ({ labels: { chain: chainId }, value: reorganisations })),
  );
  gauges('connections', 'Open connections.', 'kind', connections);
  gauges('subscriptions', 'Subscriptions.', 'kind', subscriptions);
  histogram('fanout_seconds', 'From a step to its last frame.', counted.fanout);
  histogram('push_delay_seconds', 'From the timestamp of a block to its frame.', counted.pushDelay);
  family(
    'dropped',
    'counter',
    'Messages and connections that were dropped.',
    Object.entries(dropped).map(([reason, value]) => ({ labels: { reason }, value })),
  );
  gauge('leading', 'Whether this instance polls the chain.', ({ leading }) => (leading ? 1 : 0));
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

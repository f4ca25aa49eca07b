import { describe, expect, test } from 'vitest';
import { type ChainGauges, createMetrics } from '../../src/reports/metrics.js';

const gauges: ChainGauges = {
  height: 17,
  age: 1_500,
  interval: 6_000,
  quota: { today: 120, perDay: 25_000, state: 'saving' },
  leading: true,
};

function filled() {
  const metrics = createMetrics({ methods: ['eth_call', 'eth_chainId'] });
  metrics.observe(31, () => gauges);
  metrics.request(31, 'eth_call', 'hit');
  metrics.request(31, 'eth_call', 'hit');
  metrics.request(31, 'eth_call', 'upstream');
  metrics.request(31, 'made "up"\n', 'refused');
  metrics.upstream(31, 'eth_call', 200);
  metrics.upstream(31, 'eth_chainId', 429);
  metrics.upstream(31, 'eth_chainId', 'failed');
  metrics.reorganisation(31);
  metrics.fanout(31, 0.02);
  metrics.fanout(31, 7);
  metrics.pushDelay(31, 3);
  metrics.dropped('slow');
  metrics.connection('websocket', 1);
  metrics.connection('websocket', 1);
  metrics.connection('websocket', -1);
  metrics.subscription('logs', 1);
  return metrics;
}

/** The lines of an OpenMetrics text, read strictly. @throws for a line that breaks the format */
function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  const types = new Map<string, string>();
  const lines = text.split('\n');
  expect(lines.splice(-2)).toEqual(['# EOF', '']);
  for (const line of lines) {
    const [, kind, family = '', rest = ''] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? [];
    if (kind === 'TYPE') {
      if (types.has(family)) throw new Error(`${family} twice`);
      types.set(family, rest);
    }
    if (kind) continue;
    const [, name = '', labels = '', value = ''] =
      /^(\w+)(\{(?:\w+="(?:[^"\\\n]|\\.)*",?)*\})? (-?[\d.e+-]+)$/.exec(line) ?? [];
    const owner = [...types.keys()].at(-1) as string;
    const endings = { counter: ['_total'], gauge: [''], histogram: ['_bucket', '_sum', '_count'] }[
      types.get(owner) as string
    ];
    if (!endings?.some((ending) => name === owner + ending)) throw new Error(`stray line: ${line}`);
    if (samples.has(name + labels)) throw new Error(`twice: ${line}`);
    samples.set(name + labels, Number(value));
  }
  return samples;
}

describe('the text', () => {
  test('is OpenMetrics, with the values', () => {
    const samples = parse(filled().text());
    expect(Object.fromEntries(samples)).toMatchObject({
      'graft_relay_requests_total{chain="31",method="eth_call",outcome="hit"}': 2,
      'graft_relay_requests_total{chain="31",method="other",outcome="refused"}': 1,
      'graft_relay_upstream_requests_total{chain="31",method="eth_chainId",status="failed"}': 1,
      'graft_relay_quota_used{chain="31"}': 120,
      'graft_relay_quota_limit{chain="31"}': 25_000,
      'graft_relay_quota_state{chain="31",state="saving"}': 1,
      'graft_relay_quota_state{chain="31",state="normal"}': 0,
      'graft_relay_head_height{chain="31"}': 17,
      'graft_relay_head_age_seconds{chain="31"}': 1.5,
      'graft_relay_poll_interval_seconds{chain="31"}': 6,
      'graft_relay_reorganisations_total{chain="31"}': 1,
      'graft_relay_connections{kind="websocket"}': 1,
      'graft_relay_subscriptions{kind="logs"}': 1,
      'graft_relay_fanout_seconds_bucket{chain="31",le="0.025"}': 1,
      'graft_relay_fanout_seconds_bucket{chain="31",le="+Inf"}': 2,
      'graft_relay_fanout_seconds_count{chain="31"}': 2,
      'graft_relay_push_delay_seconds_sum{chain="31"}': 3,
      'graft_relay_dropped_total{reason="slow"}': 1,
      'graft_relay_leading{chain="31"}': 1,
    });
  });

  test('is valid before anything has happened', () => {
    const metrics = createMetrics({ methods: [] });
    metrics.observe(30, () => ({ ...gauges, height: null, age: null, quota: undefined, leading: false }));
    const samples = parse(metrics.text());
    expect(samples.has('graft_relay_head_height{chain="30"}')).toBe(false);
    expect(samples.get('graft_relay_leading{chain="30"}')).toBe(0);
  });

  test('has as many lines whatever clients make up', () => {
    const metrics = createMetrics({ methods: ['eth_call'] });
    for (let i = 0; i < 10_000; i++) metrics.request(31, `made_up${i}`, 'refused');
    expect(metrics.text().split('\n').length).toBeLessThan(40);
    expect(
      parse(metrics.text()).get('graft_relay_requests_total{chain="31",method="other",outcome="refused"}'),
    ).toBe(10_000);
  });
});

test('the snapshot counts requests by method, and what the service answered', () => {
  expect(filled().snapshot()).toMatchObject({
    chains: [
      {
        ...gauges,
        chainId: 31,
        requests: {
          eth_call: { hit: 2, shared: 0, upstream: 1, refused: 0, failed: 0 },
          other: { refused: 1 },
        },
        upstream: { eth_call: 1, eth_chainId: 2 },
        succeeded: 1,
        reorganisations: 1,
      },
    ],
    connections: { websocket: 1, sse: 0 },
    subscriptions: { logs: 1, newHeads: 0, graft_steps: 0 },
    dropped: { slow: 1, size: 0 },
  });
});

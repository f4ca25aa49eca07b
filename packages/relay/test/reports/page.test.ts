import { expect, test } from 'vitest';
import { createMetrics } from '../../src/reports/metrics.js';
import { escapeHtml, statusPage } from '../../src/reports/page.js';

const textOf = (html: string) =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('\u2009', '')
    .replace(/\s+/g, ' ');

test('it shows success rate, requests by method, the quota and what was saved', () => {
  const metrics = createMetrics({ methods: ['eth_call'] });
  metrics.observe(31, () => ({
    height: 1_234_567,
    age: 4_000,
    interval: 6_000,
    quota: { today: 5_000, perDay: 25_000, state: 'normal' },
    leading: true,
  }));
  for (let i = 0; i < 9; i++) metrics.request(31, 'eth_call', 'hit');
  metrics.request(31, 'eth_call', 'upstream');
  for (const status of [200, 200, 200, 503]) metrics.upstream(31, 'eth_call', status);
  const text = textOf(statusPage(metrics.snapshot()));
  expect(text).toContain('Newest block 1234567');
  expect(text).toContain('Last poll 4 s ago, every 6 s');
  expect(text).toContain('Success rate 75.0 % of 4 requests');
  expect(text).toContain('Quota of today 5000 of 25000 (20 %), normal');
  expect(text).toContain('Saved 9 answered');
  expect(text).toContain('eth_call 10 9 4');
});

test('before the first request it says so', () => {
  const metrics = createMetrics({ methods: [] });
  metrics.observe(31, () => ({ height: null, age: null, interval: 6_000, leading: false }));
  const text = textOf(statusPage(metrics.snapshot()));
  expect(text).toContain('Newest block not known yet');
  expect(text).toContain('Success rate no request yet');
  expect(text).toContain('Quota of today not known yet');
});

test('it has no script, loads nothing, and escapes what it shows', () => {
  const metrics = createMetrics({ methods: ['<img src=x onerror=alert(1)>'] });
  metrics.observe(31, () => ({ height: 1, age: 1, interval: 6_000, leading: true }));
  metrics.request(31, '<img src=x onerror=alert(1)>', 'hit');
  const html = statusPage(metrics.snapshot());
  expect(html).not.toMatch(/<script|<img|https?:|src=x onerror=alert\(1\)>/);
  expect(escapeHtml(`<a b='"&">`)).toBe('&#60;a b=&#39;&#34;&#38;&#34;&#62;');
});

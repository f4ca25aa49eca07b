import { expect, onTestFinished, test } from 'vitest';
import { createUpstream } from '../../../test/support/relay-upstream.js';
import { createRelay } from '../src/handler.js';

test('a stream of events may not be transformed by a proxy', async () => {
  const { url, fetch } = createUpstream();
  const origin = 'https://app.example';
  const relay = createRelay({ networks: [{ chainId: 31, url }], origins: [origin], fetch });
  onTestFinished(() => relay.close());
  const request = new Request('https://relay.example/31/heads', { headers: { origin } });
  const { headers } = await relay.fetch(request, { address: '203.0.113.9' });
  expect(headers.get('content-type')).toBe('text/event-stream');
  expect(headers.get('cache-control')).toBe('no-store, no-transform');
});

import { expect, test } from 'vitest';
import { diagnose } from '../../../../src/service/errors/diagnose.js';
import { judge } from '../../../../src/service/http/post.js';
import { readReply } from '../../../../src/service/http/reply.js';

/** What gateways answer in place of a node, in their own shapes and words, and what the client makes of it. */

interface Case {
  readonly body: unknown;
  readonly method?: string;
  readonly status?: number;
  readonly reason: string | undefined;
  readonly becomes: number;
  readonly retry?: 'again' | 'elsewhere';
  readonly retryAfter?: number;
  /** The text of the service that is kept. */
  readonly text?: string;
}

const id = 7;
const error = (code: unknown, message?: unknown, data?: unknown) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, data },
});
const logs = 'eth_getLogs';
const send = 'eth_sendRawTransaction';
const rate = { reason: 'rate', becomes: -32005, retry: 'again' } as const;
const quota = { reason: 'quota', becomes: -32005, retry: 'elsewhere' } as const;
const refused = { reason: 'refused', becomes: -32002, retry: 'elsewhere' } as const;
const down = { reason: 'status', becomes: -32002, retry: 'again' } as const;
const tooWide = { method: logs, reason: 'range-too-large', becomes: -32005 } as const;
const unknown = { reason: undefined, becomes: -32603 } as const;
const reverted = { method: 'eth_call', reason: undefined, becomes: 3 } as const;

// biome-ignore format: one case, one line
const cases: readonly Case[] = [
  // Too many requests per second.
  { body: error(-32011, 'request limit reached'), ...rate },
  { body: error(-32007, '50/second request limit reached - reduce calls per second or upgrade your account'), ...rate },
  { body: error(-32012, 'credits limited to 6000/sec'), ...rate },
  { body: error(-32012, 'credits limited to 6000/sec'), ...rate, method: logs },
  { body: error(-32022, 'over compute unit limit, retry in 3 seconds'), ...rate, retryAfter: 3 },
  { body: error(-32021, 'over network traffic limit, retry in 12 seconds'), ...rate, retryAfter: 12 },
  { body: error(-32005, 'project ID request rate exceeded', { rate: { backoff_seconds: 30, current_rps: 13.3, allowed_rps: 10 } }), ...rate, retryAfter: 30 },
  { body: error(-32005, 'rate limit exceeded', { backoff_seconds: 2.5 }), ...rate, retryAfter: 3 },
  { body: error(-32005, "You've exceeded the RPS limit available on the current plan."), ...rate },
  { body: error(-32094, 'call rate limit exhausted, retry in 10m0s'), ...rate, retryAfter: 600 },
  { body: error(-32029, 'Rate limit reached'), ...rate },
  { body: error(-32000, 'Too many concurrent requests'), ...rate },
  { body: error(-32097, 'Requests are throttled'), ...rate },
  { body: error(-32003, 'Max rate limit reached, please use API Key for higher rate limit'), ...rate },
  { body: error(-32090, 'Too many requests, reason: call rate limit exhausted, retry in 500ms'), ...rate, retryAfter: 1 },
  { body: { code: 429, message: 'Your app has exceeded its compute units per second capacity.' }, ...rate },
  { body: { message: 'API rate limit exceeded' }, ...rate },
  { body: { message: 'API rate limit exceeded' }, status: 429, ...rate },
  { body: { error: 'Too many requests' }, ...rate },
  { body: { status: 429, error: 'Too Many Requests' }, ...rate },
  { body: { errors: [{ message: 'Rate limit reached' }] }, ...rate },
  { body: { error: { message: 'Too many requests, please try again in 20 seconds' } }, ...rate, retryAfter: 20 },
  { body: { error: { code: 'rate_limited', message: 'request rate limited' } }, ...rate },
  { body: [error(-32005, 'too many requests')], ...rate },
  { body: error(-32005, 'Too many requests'), method: send, reason: 'rate', becomes: -32005, retry: 'again' },
  // The same words in other shapes: a flag, arrays, an error inside an error, a code as text.
  { body: { error: true, message: 'Too many requests' }, ...rate },
  { body: { error: 1, code: 429, message: 'slow down' }, ...rate },
  { body: { errors: { message: 'Rate limit reached' } }, ...rate },
  { body: { errors: [['Rate limit reached']] }, ...rate },
  { body: { jsonrpc: '2.0', id, error: ['Rate limit reached'] }, ...rate },
  { body: { jsonrpc: '2.0', id, error: [{ code: -32005, message: 'Rate limit reached' }] }, ...rate },
  { body: { jsonrpc: '2.0', id, error: { error: { code: -32005, message: 'Rate limit reached' } } }, ...rate },
  { body: error(-32000, { code: -32005, message: 'Rate limit reached' }), ...rate },
  { body: error(-32000, ['Rate limit reached']), ...rate },
  { body: [{ message: 'Too many requests' }], ...rate },
  { body: [{ code: 429, message: 'slow down' }], ...rate },
  { body: error('429', 'slow down'), ...rate },
  { body: [{ jsonrpc: '2.0', id, result: null, error: { code: 429, message: 'slow down' } }], ...rate },

  // No requests left.
  { body: error(-32005, 'daily request count exceeded, request rate limited'), ...quota },
  { body: error(-32003, 'daily request limit reached - upgrade your account to proceed'), ...quota },
  { body: error(-32001, "You've reached the usage limit for your current plan."), ...quota },
  { body: error(-32005, 'compute unit quota exceeded'), ...quota },
  { body: error(-32000, 'You ran out of credits'), ...quota },
  { body: error(-32005, 'ran out of cu'), ...quota },
  { body: error(-32000, 'Monthly credits exhausted'), ...quota },
  { body: error(-32600, 'Monthly capacity limit exceeded. Visit the dashboard to upgrade'), status: 403, ...quota },
  { body: { message: 'Monthly quota exceeded' }, status: 403, ...quota },

  // The key.
  { body: error(-32600, 'Must be authenticated!'), ...refused },
  { body: error(-32000, 'Unauthorized: You must authenticate your request with an API key.'), ...refused },
  { body: error(-32000, 'API key disabled, reason: Your account is blocked'), ...refused },
  { body: error(-32052, 'API key is not allowed to access blockchain'), ...refused },
  { body: error(-32001, 'invalid project id'), ...refused },
  { body: error(-32002, 'project ID is required'), ...refused },
  { body: error(-32000, 'Authentication failed'), ...refused },
  { body: error(-32000, 'api key expired'), ...refused },
  { body: { message: 'No API key found in request' }, status: 401, ...refused },
  { body: { message: 'Invalid authentication credentials' }, ...refused },
  { body: { error: 'invalid api key' }, ...refused },
  { body: error(-32600, 'App is inactive'), ...refused },
  { body: error(403, 'Forbidden'), ...refused },
  { body: { code: 401, message: 'no' }, ...refused },

  // Out of order for a while.
  { body: error(-32603, 'Temporary internal error. Please retry'), ...down },
  { body: error(-32603, 'backend request failed, please try again later'), ...down },
  { body: error(-32000, 'Service temporarily unavailable'), ...down },
  { body: error(-32000, 'no available server'), ...down },
  { body: error(-32000, 'upstream connect error or disconnect/reset before headers. reset reason: connection failure'), ...down },
  { body: error(-32603, 'service unavailable'), ...down },
  { body: error(-32000, 'no backend is currently healthy to serve traffic'), ...down },
  { body: error(-32011, 'no backend available'), ...down },
  { body: error(-32603, 'Bad Gateway'), ...down },
  { body: { message: 'upstream connect error' }, status: 503, ...down },
  { body: error(503, 'no'), ...down },
  { body: error('502', 'no'), ...down },
  { body: { code: 504, message: 'no' }, ...down },
  { body: error(503, 'no'), method: send, reason: 'unclear', becomes: -32002 },
  { body: { message: 'name resolution failed' }, status: 503, ...down },
  { body: {}, reason: 'broken', becomes: -32603, retry: 'again' },
  { body: [], reason: 'broken', becomes: -32603, retry: 'again' },
  { body: null, reason: 'broken', becomes: -32603, retry: 'again' },
  { body: '', reason: 'broken', becomes: -32603, retry: 'again' },
  { body: { jsonrpc: '2.0', id }, reason: 'broken', becomes: -32603, retry: 'again' },

  // Ranges.
  { body: error(-32000, 'response size should not greater than 2097152 bytes'), ...tooWide },
  { body: error(-32020, 'backend response too large'), ...tooWide },
  { body: error(-32614, 'eth_getLogs is limited to a 10,000 range'), ...tooWide },
  { body: error(-32602, 'exceed maximum block range: 50000'), ...tooWide },
  { body: { code: -32005, message: 'query returned more than 10000 results' }, ...tooWide },
  { body: error(-32000, 'permanent error forwarding request context deadline exceeded'), reason: 'timeout', becomes: -32005, retry: 'elsewhere' },

  // Unknown words stay unknown: nothing is concluded from them.
  { body: error(-32000, 'something new'), reason: undefined, becomes: -32000 },
  { body: error(-32099, 'Unexpected error'), ...unknown },
  { body: error(-32011, 'chain "bsc" not in project scope'), reason: undefined, becomes: -32603 },
  { body: error(-32602, 'unlimited approvals are not allowed'), reason: undefined, becomes: -32602 },
  { body: error(-32602, 'gas limit reached'), reason: undefined, becomes: -32602 },
  { body: error(-32000, 'gas required exceeds allowance (0)'), reason: undefined, becomes: -32000 },
  { body: error(-32000, 'transaction data size exceeds the limit'), reason: undefined, becomes: -32000 },
  { body: error(-32602, 'invalid argument 0: 30/s is not a number'), reason: undefined, becomes: -32602 },
  { body: error(3, 'execution reverted: rate limit reached', '0x08c379a0'), method: 'eth_call', reason: undefined, becomes: 3 },
  { body: error(3, 'execution reverted: daily limit exceeded', '0x'), method: 'eth_estimateGas', reason: undefined, becomes: 3 },
  // A revert, whatever the shape and the code.
  { body: error('3', 'execution reverted: no', '0x'), ...reverted },
  { body: error('-32000', 'execution reverted'), ...reverted },
  { body: error('-32015', 'VM Exception while processing transaction: revert no'), ...reverted },
  { body: error(-32016, 'execution reverted: no'), ...reverted },
  { body: error(undefined, 'execution reverted: no'), ...reverted },
  { body: { error: 'execution reverted: no' }, ...reverted },
  { body: { error: true, message: 'execution reverted' }, ...reverted },
  { body: error('-32000', 'execution reverted'), method: send, reason: 'unclear', becomes: -32002 },

  { body: error('-32601', 'no'), reason: 'method-not-found', becomes: -32601 },
  { body: error('-32602', 'no'), reason: undefined, becomes: -32602 },
  { body: error('-32010', 'nonce too low'), method: send, reason: 'nonce-too-low', becomes: -32003 },
  { body: { error: [] }, reason: 'broken', becomes: -32603, retry: 'elsewhere' },
  { body: { error: [[[[['Rate limit reached']]]]] }, reason: 'broken', becomes: -32603, retry: 'elsewhere' },
  { body: { error: 'no' }, reason: 'broken', becomes: -32603, retry: 'elsewhere', text: 'no' },
  { body: { message: 'hello' }, reason: 'broken', becomes: -32603, retry: 'elsewhere', text: 'hello' },
  { body: { error: {} }, reason: 'broken', becomes: -32603, retry: 'elsewhere' },
  { body: { error: { code: 3.5, message: 'x' } }, reason: 'broken', becomes: -32603, retry: 'elsewhere', text: 'x' },
  { body: { error: 'no' }, method: send, reason: 'unclear', becomes: -32002, text: 'no' },
  { body: { error: 'invalid api key' }, ...refused, method: send },
  { body: error(-32000, 'api key expired'), method: send, reason: 'unclear', becomes: -32002 },
  { body: {}, method: send, reason: 'broken', becomes: -32002 },
];

test.each(cases.map((each) => [JSON.stringify(each.body), each] as const))('%s', (_name, given) => {
  const { body, method = 'eth_getBalance', status = 200, ...expected } = given;
  const posted = { ok: status === 200, status, text: JSON.stringify(body), retryAfter: undefined };
  const reply = judge(readReply(posted.text, id), posted);
  if ('result' in reply) throw new Error('a result');
  const fault = diagnose({ method, ...reply }, String);
  expect(fault).toMatchObject({ error: { code: expected.becomes } });
  expect([fault.reason, fault.retry, fault.retryAfter]).toEqual([
    expected.reason,
    expected.retry,
    expected.retryAfter,
  ]);
  if (expected.text) expect(fault.error.message).toContain(expected.text);
});

test('a result beside a message is a result', () => {
  expect(
    readReply(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1', message: 'ok', code: 0 }), id),
  ).toEqual({ result: '0x1' });
});

test('an error of another request is not this one, whatever its shape', () => {
  for (const body of [
    { id: 8, error: 'Too many requests' },
    { id: 8, code: 429, message: 'x' },
    [{ id: 8, error: { code: 1, message: 'x' } }],
  ])
    expect(readReply(JSON.stringify(body), id)).toMatchObject({ trouble: 'broken' });
});

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { createRelayChain } from '../src/chain.js';
import { createInProcessEngine } from '../src/engines/in-process.js';
import { refusalOf } from '../src/refusal.js';

interface Recorded {
  readonly name: string;
  readonly request?: { readonly method: string; readonly params: readonly unknown[] };
  readonly status: number;
  readonly reply?: { readonly result?: unknown; readonly error?: unknown };
}

const folder = 'test/support/recordings';
const recorded = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .flatMap((file) =>
    (JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')).items as Recorded[]).map((item) => ({
      ...item,
      file,
    })),
  )
  .filter(({ request, status }) => request && typeof status === 'number');
const failures = recorded.filter(({ reply }) => reply?.error);

const key = 'k3y-Planted0123456789abcdef';

/** A chain whose service always gives one reply. */
function chainOf(reply: string, status = 200, headers: Record<string, string> = {}) {
  const { quotaStore } = createInProcessEngine();
  return createRelayChain({
    chainId: 33,
    urls: [`http://127.0.0.1:1/v2/${key}`],
    quotaStore,
    deadline: 2_000,
    fetch: async (_url, init) => {
      const { id } = JSON.parse(`${init?.body}`);
      return new Response(reply.replaceAll('$ID', id), { status, headers });
    },
  });
}

const bodyOf = (reply: object) => `${JSON.stringify({ ...reply, id: '$ID' }).replace('"$ID"', '$ID')}`;

test('a transaction that the service may have accepted has no code that a wallet could take for a refusal', async () => {
  for (const reply of ['{"jsonrpc":"2.0","id":$ID}', '{"half', 'x'.repeat(40_000_000)]) {
    const refusal = await chainOf(reply)
      .request('eth_sendRawTransaction', ['0x00'])
      .then(() => undefined, refusalOf);
    expect([reply.slice(0, 9), refusal?.status, refusal?.error.code]).toEqual([
      reply.slice(0, 9),
      503,
      -32002,
    ]);
  }
});

describe('errors of the service', () => {
  test('there are recordings of many', () => {
    expect(failures.length).toBeGreaterThan(150);
  });

  test('each comes out as the node said it, with its HTTP status', async () => {
    const wrong: unknown[] = [];
    for (const { file, name, request, reply, status } of failures) {
      const { method, params } = request as NonNullable<typeof request>;
      const refusal = await chainOf(bodyOf(reply as object), status)
        .request(method, params)
        .then(
          () => undefined,
          (error) => refusalOf(error),
        );
      const same =
        JSON.stringify(refusal?.error) === JSON.stringify(reply?.error) && refusal?.status === status;
      if (!same) wrong.push({ file, name, status, said: reply?.error, became: refusal });
    }
    expect(wrong).toEqual([]);
  });

  test('errors of a gateway are passed on too, without our names', async () => {
    const said = { code: -32098, message: `Must be authenticated! ${key}`, data: { path: `/v2/${key}` } };
    const error = await chainOf(bodyOf({ jsonrpc: '2.0', error: said }), 401)
      .request('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'])
      .catch((error) => error);
    expect(refusalOf(error)).toEqual({
      error: { code: -32098, message: 'Must be authenticated! [redacted]', data: { path: '[redacted]' } },
      status: 401,
    });
  });

  test('a gateway’s limit is passed on with the pause that it asks for', async () => {
    const said = { code: -32005, message: 'daily request count exceeded, request quota' };
    const error = await chainOf(bodyOf({ jsonrpc: '2.0', error: said }), 429, { 'retry-after': '7' })
      .request('eth_gasPrice', [])
      .catch((error) => error);
    expect(refusalOf(error)).toEqual({ error: said, status: 429, retryAfter: 7 });
  });
});

describe('long errors of the service', () => {
  const refusalAfter = (said: object, method = 'eth_call', params: unknown[] = [{}, 'latest']) =>
    chainOf(bodyOf({ jsonrpc: '2.0', error: said }))
      .request(method, params)
      .then(
        () => undefined,
        (error) => refusalOf(error).error,
      );

  test('come out whole up to 16 kB', async () => {
    const said = {
      code: -32015,
      message: `revert ${'long words '.repeat(700)}`,
      data: `0x${'ab'.repeat(3_000)}`,
    };
    expect(await refusalAfter(said)).toEqual(said);
  });

  test('are shortened above, with a mark, whatever their letters are', async () => {
    const words = '\ufdfa'.repeat(73_000);
    const data = `0x08c379a0${Buffer.from(words).toString('hex')}`;
    const error = await refusalAfter({ code: -32015, message: `revert ${words}`, data });
    expect(error?.message).toMatch(/^revert \ufdfa{200,256} \(revert data cut at 16 KiB\)$/);
    expect(error?.data).toBe(data.slice(0, 16 * 1024));
    expect(
      await refusalAfter({ code: -32000, message: words, data: words }, 'eth_gasPrice', []),
    ).toMatchObject({
      message: expect.stringMatching(/^\ufdfa{256}$/),
      data: '[too long]',
    });
  });
});

describe('facts that the service did not state', () => {
  const refusalAfter = async (reply: string, status: number) =>
    refusalOf(
      await chainOf(reply, status)
        .request('eth_sendRawTransaction', ['0x01'])
        .catch((error) => error),
    );

  test('a gateway without JSON is not available, in words at which a wallet tries again', async () => {
    const refusal = await refusalAfter(`<html>${key}</html>`, 502);
    expect(refusal).toMatchObject({ error: { code: -32002 }, status: 503 });
    expect(refusal.error.message).toMatch(/please retry/);
    expect(JSON.stringify(refusal)).not.toContain(key);
    expect(await refusalAfter('not json', 200)).toMatchObject({ error: { code: -32002 }, status: 503 });
  });

  test('a connection that fails', async () => {
    const chain = createRelayChain({
      chainId: 33,
      urls: [`http://127.0.0.1:1/v2/${key}`],
      quotaStore: createInProcessEngine().quotaStore,
      fetch: async (url) => {
        throw new TypeError(`connect to ${url} failed`);
      },
    });
    const error = await chain.request('eth_sendRawTransaction', ['0x01']).catch((error) => error);
    expect(JSON.stringify(refusalOf(error))).not.toContain(key);
    expect(refusalOf(error)).toMatchObject({ error: { code: -32002 }, status: 503 });
  });

  test('limits, with their reason', () => {
    const error = new ProviderRpcError(-32005, 'too many', { reason: 'rate', retryAfter: 3 });
    expect(refusalOf(error)).toEqual({
      error: { code: -32005, message: 'too many', data: { reason: 'rate', retryAfter: 3 } },
      status: 429,
      retryAfter: 3,
    });
    const large = new ProviderRpcError(-32005, 'too large', { reason: 'too-large' });
    expect(refusalOf(large)).toMatchObject({ status: 200 });
  });

  test('a wrong chain, an invalid reply, and a fault of ours', () => {
    expect(refusalOf(new ProviderRpcError(4901, 'other chain', { reason: 'wrong-chain' }))).toMatchObject({
      error: { code: -32002 },
      status: 503,
    });
    expect(refusalOf(new ProviderRpcError(-32603, 'wrong', { reason: 'broken' }))).toEqual({
      error: { code: -32603, message: 'wrong' },
      status: 200,
    });
    expect(refusalOf(new Error(key))).toEqual({
      error: { code: -32603, message: 'Internal error of the relay' },
      status: 500,
    });
  });
});

test('results come out as the node gave them', async () => {
  const results = recorded.filter(({ reply }) => reply && !reply.error && 'result' in reply);
  const changed: unknown[] = [];
  for (const { file, name, request, reply } of results) {
    const { method, params } = request as NonNullable<typeof request>;
    if (/^(eth_send|evm_|eth_new|debug_|trace_)/.test(method)) continue;
    const answer = await chainOf(bodyOf(reply as object))
      .request(method, params)
      .catch((error) => error);
    if (JSON.stringify(answer.result) !== JSON.stringify(reply?.result))
      changed.push({ file, name, method, answer: answer.message ?? answer });
  }
  expect(changed).toEqual([]);
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { createLocalService, type Dialect, type LocalService } from '../../packages/kit/src/local/index.js';
import { alice, sign } from '../support/local-client.js';
import { limit, runLive } from './run.js';

/** The script that asks real nodes, before the local service: what it finds there is known. */

const key = 'live-Key-0123456789';
const fundedKey = `0x${'11'.repeat(32)}` as const;
let service: LocalService;

afterEach(() => service?.close());

async function start(dialect: Dialect): Promise<string> {
  service = await createLocalService({ dialect, apiKeys: [key] });
  await service.controls.faucet(alice.address, 10n ** 18n);
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [await sign()] };
  const headers = { 'content-type': 'application/json' };
  await fetch(service.url, { method: 'POST', headers, body: JSON.stringify(body) });
  return service.url;
}

/** As `npm run test:only live`. */
const runScript = (environment: Record<string, string>): Promise<{ code: number; out: string }> =>
  new Promise((resolve) => {
    const script = fileURLToPath(new URL('index.ts', import.meta.url));
    const env = { ...process.env, ...environment };
    execFile(process.execPath, ['--import', 'tsx', script], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), out: stdout + stderr }),
    );
  });

/** The cells of the row about `topic`; none where nothing differs. */
const row = (text: string, topic: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`| ${topic} `))
    .map((line) =>
      line
        .split('|')
        .slice(2, -1)
        .map((cell) => cell.trim()),
    )[0];

const estimate = 'eth_estimateGas of what reverts';
const arity = 'eth_getTransactionCount without a block';

describe('a live run', { timeout: 90_000 }, () => {
  test('fails where a block does not hold against the work on it', async () => {
    const url = await start('seed');
    service.controls.lie('forged-header');
    const { lines, failed } = await runLive({ url, watch: 400 });
    expect(failed).toBeGreaterThan(0);
    expect(lines.join('\n')).toMatch(
      /failed: proof: .* is contradicted: The hash of the block is not that of its fields/,
    );
  });

  test('reports what differs from the service’s description, against a service in the dialect of the node', async () => {
    const url = await start('node');
    const before = service.requests.length;
    const { lines, passed, failed, requests } = await runLive({ url, watch: 400 });
    const text = lines.join('\n');
    expect(row(text, estimate)).toEqual(['a result', 'error -32015', 'error -32015']);
    expect(row(text, arity)).toEqual(['a result', 'error -32602, HTTP 400', 'error -32602, HTTP 400']);
    expect(row(text, 'filter id')?.[2]).toBe('opaque, 74 characters');
    // What both say alike is no difference.
    expect(row(text, 'eth_getBlockByHash of an unknown block')).toBeUndefined();
    expect(lines.at(-1)).toBe(`${passed} passed, 0 failed`);
    expect(passed).toBeGreaterThan(100);
    expect(failed).toBe(0);
    // A batch is one request with two calls, and a body that is no JSON none.
    expect(service.requests.length - before).toBe(requests);
    expect(requests).toBeLessThanOrEqual(limit);
    const own = new Set(service.requests.slice(before).map(({ method }) => method));
    expect(own).not.toContain('eth_sendRawTransaction');
  });

  test('reports what differs from the node (docs/notes/node.md#the-node), and sends with a funded key', async () => {
    const url = await start('seed');
    const { code, out } = await runScript({ SERVICE_URL: url, SERVICE_KEY_FUNDED: fundedKey });
    expect(row(out, estimate)).toEqual(['a result', 'error -32015', 'a result']);
    expect(row(out, arity)).toEqual(['a result', 'error -32602, HTTP 400', 'a result']);
    expect(out).toMatch(/\n\d+ of at most 200 requests\.\n\d+ passed, 0 failed\n$/);
    expect(code).toBe(0);
    expect(service.requests.filter(({ method }) => method === 'eth_sendRawTransaction')).toHaveLength(3);
    for (const secret of [key, url, fundedKey, fundedKey.slice(2)]) expect(out).not.toContain(secret);
  });

  test('reports failures without the key that the service repeats', async () => {
    const url = await start('node');
    let calls = 0;
    service.controls.intercept(() => {
      if (++calls <= 3) return undefined;
      const error = { code: -32600, message: `Invalid access key ${key} for ${url}` };
      return { status: 401, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) };
    });
    const { lines, failed, requests } = await runLive({ url, fundedKey, watch: 400 });
    const text = lines.join('\n');
    // What differs between the two is no failure, and not all of it is asked of the service.
    expect(failed).toBeGreaterThan(80);
    expect(requests).toBeLessThanOrEqual(limit);
    expect(text).toContain('error -32600, HTTP 401');
    for (const secret of [key, url, fundedKey, fundedKey.slice(2)]) expect(text).not.toContain(secret);
  });

  test('names what its own limit kept from running, and blames no service for it', async () => {
    const url = await start('node');
    const { lines, failed, notRun, requests } = await runLive({ url, watch: 400, most: 90 });
    expect([failed, requests]).toEqual([0, 90]);
    expect(notRun.length).toBeGreaterThan(5);
    const text = lines.join('\n');
    expect(text).toContain('not run, because this run sends at most 90 requests: ');
    expect(text).not.toMatch(/could not be reached|failed:/);
    expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed, \d+ not run$/);
  });

  test('fails once where nothing answers', async () => {
    const { lines, failed } = await runLive({ url: 'http://127.0.0.1:9/live-Key-0123456789' });
    expect(failed).toBe(1);
    expect(lines.join('\n')).toContain('failed: The service does not say which chain it serves.');
  });

  test('without a service, or with half a key, says which variable is missing', async () => {
    expect(await runScript({ SERVICE_URL: '' })).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^SERVICE_URL: /),
    });
    const half = await runScript({ SERVICE_URL: 'http://127.0.0.1:9/k', SERVICE_KEY_FUNDED: '0x1111' });
    expect(half).toMatchObject({ code: 2, out: expect.stringMatching(/^SERVICE_KEY_FUNDED: /) });
    expect(half.out).not.toContain('1111');
  });
});

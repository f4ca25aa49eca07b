import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Program, startProgram } from '../../support/browsers/process.js';
import { readBlocks } from '../../support/docs/blocks.js';
import { findServer } from '../../support/programs.js';
import { freePort } from '../../support/redis.js';
import { connect, type RelayRig, startRelay } from '../../support/relay-server.js';
import { until } from '../../support/until.js';

/** Two relays behind nginx with the settings of the guide, but for ports and TLS. */

const burst = 5;
let rigs: RelayRig[] = [];
let program: Program | undefined;
let folder = '';
let port = 0;

/** The settings of the guide, with the first two addresses in place of its own. */
function settings(addresses: readonly string[]): string {
  const [sample] = readBlocks('docs/guides/relay.md').filter(({ language }) => language === 'nginx');
  let text = sample?.code ?? '';
  const replace = (old: RegExp, by: string) => {
    expect(text).toMatch(old);
    text = text.replace(old, by);
  };
  replace(/127\.0\.0\.1:8545/, addresses[0] as string);
  replace(/127\.0\.0\.1:8546/, addresses[1] as string);
  replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`);
  replace(/ssl_certificate .*\n/, '');
  replace(/ssl_certificate_key .*\n/, '');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return [
    ...['daemon off;', 'worker_processes 1;', `pid ${folder}/pid;`, `error_log ${folder}/errors;`],
    'events {}',
    'http {',
    'access_log off;',
    ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`),
    `${text}}`,
  ].join('\n');
}

beforeAll(async () => {
  const path = await findServer('nginx');
  folder = await mkdtemp(join(tmpdir(), 'graft-nginx-'));
  port = await freePort();
  const limits = { messagesPerSecond: 0.1, messageBurst: burst };
  const first = await startRelay({ trustedProxies: 1, limits });
  rigs = [first, await startRelay({ trustedProxies: 1, limits }, first.service)];
  const addresses = rigs.map(({ node }) => node.url.replace('http://', ''));
  const file = join(folder, 'nginx.conf');
  await writeFile(file, settings(addresses));
  program = startProgram(path, ['-p', folder, '-c', file], { stdio: 'ignore' });
  await until(
    () =>
      post('127.0.0.9').then(
        ({ status }) => status === 200,
        () => false,
      ),
    {
      failure: 'nginx does not answer',
    },
  );
}, 600_000);

afterAll(async () => {
  await program?.stop();
  for (const rig of rigs.reverse()) await rig[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Asks for the chain id from an address of this machine. */
const post = (localAddress: string, headers: Record<string, string> = {}): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const options = {
      ...{ host: '127.0.0.1', port, localAddress, method: 'POST', path: `/${rigs[0]?.service.chainId}` },
      headers: { 'content-type': 'application/json', ...headers },
      agent: false as const,
    };
    request(options, async (response) => {
      let text = '';
      for await (const part of response) text += part;
      resolve({ status: response.statusCode as number, text });
    })
      .on('error', reject)
      .end('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}');
  });

const chainId = () => rigs[0]?.service.chainId as number;

describe('nginx with the settings of the guide', () => {
  test('both instances answer POSTs', async () => {
    const answered = () =>
      rigs.map(({ node }) => {
        const [chain] = node.relay.metrics.snapshot().chains;
        return Object.values(chain?.requests.eth_chainId ?? {}).reduce((sum, count) => sum + count, 0);
      });
    for (let i = 0; i < 2; i++) {
      const { status, text } = await post('127.0.0.2');
      expect([status, Number(JSON.parse(text).result)]).toEqual([200, chainId()]);
    }
    expect(answered().map((count) => count > 0)).toEqual([true, true]);
  });

  test('a WebSocket is upgraded, and blocks are pushed over it', async () => {
    const client = await connect(`ws://127.0.0.1:${port}/${chainId()}`);
    const id = await client.call('eth_subscribe', 'newHeads');
    await rigs[0]?.service.controls.mine();
    await until(() => client.pushed.get(id)?.length, { failure: 'No block was pushed.' });
    client.close();
  });

  test('server-sent events arrive one by one', async () => {
    const stopped = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/${chainId()}/heads`, { signal: stopped.signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = '';
    const events = () => text.match(/^data: /gm)?.length ?? 0;
    while (events() < 1) text += decoder.decode((await reader.read()).value, { stream: true });
    const first = events();
    await rigs[0]?.service.controls.mine();
    while (events() === first) text += decoder.decode((await reader.read()).value, { stream: true });
    stopped.abort();
  });

  test('each client has the limits of its own address, whatever X-Forwarded-For it sends', async () => {
    const statuses = async (address: string, header?: string) => {
      const all: number[] = [];
      for (let i = 0; i < 2 * burst + 2; i++)
        all.push((await post(address, header === undefined ? {} : { 'x-forwarded-for': header })).status);
      return all;
    };
    // Each instance counts for itself: two bursts.
    const first = await statuses('127.0.0.3');
    expect(first.filter((status) => status === 200)).toHaveLength(2 * burst);
    expect((await post('127.0.0.3', { 'x-forwarded-for': '203.0.113.7' })).status).toBe(429);
    expect((await post('127.0.0.4')).status).toBe(200);
  });
});

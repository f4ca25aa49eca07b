import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { post } from '../../../test/support/local-client.js';
import { programOf } from '../../../test/support/program.js';
import { startRedis } from '../../../test/support/redis.js';

let running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running = [];
});

const key = 'the-secret-key';
const environment = { GRAFT_RELAY_URL_31: `https://127.0.0.1:1/${key}` };
const minimum = ['--chain', '31', '--origin', 'https://app.example', '--port', '0', '--admin-port', '0'];

function run(
  flags: readonly string[],
  env: NodeJS.ProcessEnv = environment,
): ChildProcess & { text: string } {
  const child = spawn(process.execPath, [programOf('packages/relay/src/cli.ts'), ...flags], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const noted = Object.assign(child, { text: '' });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      noted.text += chunk;
    });
  return noted;
}

/** Resolves with the first match of what a process prints. */
async function printed(child: ReturnType<typeof run>, pattern: RegExp): Promise<string> {
  for (;;) {
    const found = pattern.exec(child.text)?.[1];
    if (found !== undefined) return found;
    if (child.exitCode !== null) throw new Error(`not printed: ${child.text}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function failure(flags: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const child = run(flags, env);
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(child.text).not.toContain(key);
  return child.text;
}

const question = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
const headers = { origin: 'https://app.example' };

describe('graft-relay', () => {
  test('it says what it started, serves it, and drains on SIGTERM', async () => {
    const child = run(minimum);
    const url = await printed(child, /Relay\s+(\S+)\n/);
    const admin = await printed(child, /Admin\s+(\S+)\/status/);
    expect(child.text).toContain(`31 at ${url}/31, a poll every 6 s`);
    expect(child.text).toContain('https://app.example');
    // The service cannot be reached: nobody says which chain it serves.
    expect((await post(`${url}/31`, question, headers)).json.error.code).toBe(-32002);
    expect((await fetch(`${admin}/metrics`)).status).toBe(200);
    const socket = new WebSocket(`${url.replace('http', 'ws')}/31`, { headers });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    child.kill('SIGTERM');
    expect((await closed)[0]).toBe(1001);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(child.text).not.toContain(key);
  });

  test('a configuration file, with the key in another', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'graft-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'key'), `https://127.0.0.1:1/${key}\n`);
    const config = {
      networks: [{ chainId: 30, url: { file: join(folder, 'key') }, interval: 12_000 }],
      origins: ['*'],
      open: true,
      port: 0,
      admin: null,
    };
    // With the byte order mark of an editor on Windows.
    writeFileSync(join(folder, 'relay.json'), `\uFEFF${JSON.stringify(config)}`);
    const child = run(['--config', join(folder, 'relay.json')], {});
    const url = await printed(child, /Relay\s+(\S+)\n/);
    await printed(child, /(Admin\s+none)/);
    expect(child.text).toContain('a poll every 12 s');
    expect((await post(url, question)).json.error.code).toBe(-32002);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('its help names each flag, and where the key comes from', async () => {
    const child = run(['--help']);
    await once(child, 'close');
    const flags = ['chain', 'origin', 'open', 'host', 'port', 'admin-port', 'trusted-proxies', 'config'];
    for (const flag of flags) expect(child.text).toContain(`  --${flag}`);
    expect(child.text).toContain('GRAFT_RELAY_URL_31');
    expect(child.text.split('Examples\n')[1]?.match(/graft-relay/g)).toHaveLength(3);
  });

  test('a port that is taken and wrong options are answered with what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const [taken, missing, unknown, wrong, unsafe] = await Promise.all([
      failure([...minimum, '--port', String(port)]),
      failure(minimum, {}),
      failure([...minimum, '--prot', '1']),
      failure(['--chain', '31', '--origin', 'app.example']),
      failure(minimum, { GRAFT_RELAY_URL_31: `http://rpc.example/${key}` }),
    ]);
    expect(taken).toBe(`port: ${port} is taken; choose another one, or 0 for any free one\n`);
    expect(missing).toContain('GRAFT_RELAY_URL_31');
    expect(unknown).toMatch(/'--prot'.*\nSee graft-relay --help\.\n$/);
    expect(wrong).toBe(
      'origins[0] must be an origin such as https://app.example: scheme, host and port, no path\n',
    );
    expect(unsafe).toContain('networks[0].url must be an https URL');
    other.close();
  });

  test('with a Redis it says so below its addresses; a second instance names the port that is taken, and nothing else', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const shared = { ...environment, GRAFT_RELAY_REDIS_URL: redis.url };
    const child = run(minimum, shared);
    const port = await printed(child, /Admin\s+http:\S+?:(\d+)\/status/);
    await printed(child, /Admin [^\n]*\n(Redis {5}connected)\n/);
    expect(await failure([...minimum, '--admin-port', port], shared)).toBe(
      `admin.port: ${port} is taken; choose another one, or 0 for any free one\n`,
    );
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(child.text.match(/^Redis.*$/gm)).toEqual(['Redis     connected']);
    expect(child.text).not.toContain(redis.password);
  }, 600_000);
});

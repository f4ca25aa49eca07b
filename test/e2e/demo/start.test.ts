import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../support/until.js';

let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));

/** `npm start` itself, without npm, which would outlive its signal. Resolves with what it prints up to its last line. */
async function start(port: number): Promise<string> {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  const [command, ...flags] = scripts.start.split(' ');
  expect(command).toBe('vite');
  const env = { ...process.env, NO_COLOR: '1', VITE_SERVICE_URL: '' };
  child = spawn(process.execPath, ['node_modules/vite/bin/vite.js', ...flags, '--port', String(port)], {
    env,
  });
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  await until(() => text.includes('Stop '), {
    timeout: 60_000,
    interval: 50,
    failure: 'nothing was printed',
  });
  return text;
}

test('says what it has started and where, and takes the next port where one is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;

  const text = await start(port);
  other.close();
  const [, url = '', actual = ''] = /Demo +(http:\/\/127\.0\.0\.1:(\d+)\/)/.exec(text) ?? [];
  expect(Number(actual)).toBeGreaterThan(port);
  expect(text).toContain(`http://app.site.localhost:${actual}/?wallet=own-site`);
  expect(text).toMatch(/Chain +33, on this machine/);
  expect(text).toContain(`Port ${port} is in use`);
  expect(text).not.toContain('local-key');
  expect(await (await fetch(url)).text()).toContain('<title>');
}, 90_000);

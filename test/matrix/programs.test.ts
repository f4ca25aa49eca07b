import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { shop, testProof } from '../support/proven-payment.js';
import { type Archives, execute, packCheckout } from './consumer.js';

/** Our programs as `npx` starts them: each package in an empty folder, with what its package.json asks npm for. */

let archives: Archives = {};
const folders: string[] = [];
const started: ChildProcess[] = [];

beforeAll(async () => {
  archives = await packCheckout(inject('runFolder'));
});

afterAll(async () => {
  for (const child of started) {
    if (child.exitCode !== null) continue;
    child.kill();
    await once(child, 'exit');
  }
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Installs one package into an empty folder. Returns the folder. */
async function installAlone(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-alone-`));
  folders.push(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await execute(folder, 'npm', ['install', '--no-audit', '--no-fund', archives[name] as string]);
  return folder;
}

const programIn = (folder: string, name: string): string => join(folder, 'node_modules/.bin', name);

/** Starts a program and returns the first URL that it prints. */
async function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const printed: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    printed.push(line);
    const [url] = /http:\/\/127\.0\.0\.1:\S+/.exec(line) ?? [];
    if (url !== undefined) {
      child.stdout.resume();
      return url;
    }
  }
  throw new Error(`${program} ended: ${printed.join('\n')}`);
}

async function chainIdAt(url: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await reply.json()) as { result?: unknown }).result;
}

test('graft-local and graft-relay answer, each installed with nothing beside it', async () => {
  const [kit, relay] = await Promise.all(['graft-kit', 'graft-relay'].map(installAlone));
  const service = await start(programIn(kit as string, 'graft-local'), ['--port', '0', '--chain-id', '31']);
  expect(await chainIdAt(service)).toBe('0x1f');
  const options = ['--chain', '31', '--origin', '*', '--open', '--port', '0', '--admin-port', 'none'];
  const relayed = await start(programIn(relay as string, 'graft-relay'), options, {
    GRAFT_RELAY_URL_31: service,
  });
  expect(await chainIdAt(`${relayed}/31`)).toBe('0x1f');
});

test('graft-host explains itself and graft-proof checks a payment, installed with nothing beside them', async () => {
  const folder = await installAlone('graft-wallet');
  expect(await execute(folder, programIn(folder, 'graft-host'), ['--help'])).toContain('graft-host build');
  await writeFile(join(folder, 'payment.json'), JSON.stringify(testProof()));
  const wanted = ['--to', shop, '--value', '1000', '--chain', '33', '--floor', '3'];
  const checked = await execute(folder, programIn(folder, 'graft-proof'), [
    'check',
    'payment.json',
    ...wanted,
  ]);
  expect(checked).toMatch(/^Proven: Miners of Bitcoin have worked on block 1000 of chain 33/);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { post } from '../../../../test/support/local-client.js';
import { programOf } from '../../../../test/support/program.js';
import { waitFor } from '../../../../test/support/wait-for.js';

const cli = programOf('packages/kit/src/local/cli.ts');

/** The service leaves no process behind, however its own process ends. */
let running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running = [];
});

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  return child;
}

/** Resolves with the first match, and reads on: a closed pipe would end the process. */
function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`not printed: ${text}`)));
  });
}

/** What a process that fails has printed to stderr. */
async function failure(flags: readonly string[], program = [cli]): Promise<string> {
  const child = run([...program, ...flags]);
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  return text;
}

const question = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
const answers = (url: string) =>
  post(url, question).then(
    ({ json }) => json.result,
    () => 'nothing',
  );

describe('graft-local', () => {
  test('it prints the URL, serves it, and exits cleanly on SIGINT', async () => {
    const child = run([cli, '--chain-id', '31', '--key', 'mine', '--block-time', '5']);
    const url = await printed(child, /Service\s+(\S+\/mine)\n/);
    expect(await answers(url)).toBe('0x1f');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await answers(url)).toBe('nothing');
  });

  test('its help has an example for each flag that changes the chain', async () => {
    const help = await printed(run([cli, '--help']), /([\s\S]*_local\/faucet.*\n)/);
    const [, examples = ''] = help.split('Examples\n');
    for (const flag of ['--port', '--chain-id', '--block-time', '--key', '--dialect']) {
      expect(help).toContain(`  ${flag} <`);
      expect(examples).toContain(`${flag} `);
    }
  });

  test('a port that is taken and a flag that is unknown are answered with what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await failure(['--port', String(port)])).toBe(
      `--port: ${port} is taken; choose another one, or 0 for any free one\n`,
    );
    expect(await failure(['--prot', '1'])).toMatch(/'--prot'.*\nSee graft-local --help\.\n$/);
    other.close();
  });

  test('without the package of the EVM the error names what to install', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'graft-test-'));
    // Out of reach of the packages of this project.
    copyFileSync('packages/kit/src/local/anvil-process.ts', join(folder, 'anvil-process.mts'));
    const script = `import(${JSON.stringify(join(folder, 'anvil-process.mts'))}).then((module) => module.startAnvil([]))`;
    expect(await failure([], ['--input-type=module', '-e', script])).toContain(
      'The local service needs the npm package @foundry-rs/anvil: npm install -D @foundry-rs/anvil',
    );
    rmSync(folder, { recursive: true });
  });

  test('invalid flags exit with an error', async () => {
    const wrong = [['--chain-id', '0'], ['--nonsense']];
    const exits = wrong.map((flags) => once(run([cli, ...flags]), 'exit'));
    expect(await Promise.all(exits)).toEqual(wrong.map(() => [1, null]));
  });
});

/** The pids of anvil and its watchdog that a process started. */
const script = `
  import { createLocalService } from './packages/kit/src/local/index.ts';
  import { execFileSync } from 'node:child_process';
  await createLocalService();
  const table = execFileSync('ps', ['-eo', 'pid=,ppid=']).toString().trim().split('\\n');
  const rows = table.map((line) => line.trim().split(/\\s+/).map(Number));
  const below = (pid) => rows.filter((row) => row[1] === pid).flatMap(([child]) => [child, ...below(child)]);
  console.log('pids ' + below(process.pid).join(',') + ' end');
`;
const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('engine', () => {
  test('anvil is killed and its files are removed when its process ends, by SIGKILL too', async () => {
    const ended = (['SIGKILL', 'SIGINT'] as const).map(async (signal) => {
      const files = mkdtempSync(join(tmpdir(), 'graft-test-'));
      const child = run(['--input-type=module', '-e', script], { TMPDIR: files });
      const pids = (await printed(child, /pids ([\d,]+) end/)).split(',').map(Number);
      expect(pids.length).toBeGreaterThan(1);
      expect(readdirSync(files).filter((name) => name.startsWith('graft-anvil-'))).toHaveLength(1);
      child.kill(signal);
      await waitFor(() => expect(pids.filter(alive)).toEqual([]), { timeout: 30_000 });
      await waitFor(() =>
        expect(readdirSync(files)).not.toContainEqual(expect.stringMatching(/^graft-anvil-/)),
      );
      rmSync(files, { recursive: true });
    });
    await Promise.all(ended);
  });
});

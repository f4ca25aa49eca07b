import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface AnvilProcess {
  readonly port: number;
  /** Kills the process and resolves when it has exited and the files of its chain are removed. */
  stop(): Promise<void>;
}

/** Milliseconds. */
const startTimeout = 15_000;

/**
 * A shell script that starts anvil and reads from a pipe held only by this process. When this process ends, even by
 * SIGKILL, the pipe closes; the script kills anvil and removes the folder of its states, its first argument. It ignores
 * the terminal's interrupts, which this process handles.
 */
const watchdogScript = [
  'trap "" INT HUP; states=$1; shift; "$@" & pid=$!',
  'end() { kill -9 $pid; wait; rm -rf -- "$states"; exit; }',
  'trap end TERM; exec >&- 2>&-; read -r _; end',
].join('\n');

/**
 * Starts anvil from the npm package `@foundry-rs/anvil` on a free port of 127.0.0.1.
 * @throws Error when the package is not installed, anvil exits, or anvil is not listening within 15 seconds
 */
export async function startAnvil(flags: readonly string[]): Promise<AnvilProcess> {
  const [command, ...first] = findAnvil();
  // Anvil writes the states of old blocks to files. Left to itself it keeps them in the home directory for ever.
  const states = mkdtempSync(join(tmpdir(), 'graft-anvil-'));
  const all = [...first, ...flags, '--host', '127.0.0.1', '--port', '0', '--no-cors', '--cache-path', states];
  const windows = process.platform === 'win32';
  const [file, args] = windows
    ? [command, all]
    : ['/bin/sh', ['-c', watchdogScript, 'anvil', states, command, ...all]];
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const removeStates = () => rmSync(states, { recursive: true, force: true, maxRetries: 5 });
  const killOnExit = () => {
    child.kill('SIGKILL');
    removeStates();
  };
  if (windows) process.once('exit', killOnExit);

  const stop = async () => {
    process.off('exit', killOnExit);
    child.stdin?.destroy();
    if (windows) child.kill('SIGKILL');
    await exited;
    removeStates();
  };
  try {
    return { port: await listening(child), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The platform's binary, which can be killed directly; else the package's launcher script. */
function findAnvil(): [string, ...string[]] {
  const here = createRequire(import.meta.url);
  let launcher: string;
  try {
    launcher = here.resolve('@foundry-rs/anvil/bin.mjs');
  } catch {
    throw new Error(
      'The local service needs the npm package @foundry-rs/anvil: npm install -D @foundry-rs/anvil',
    );
  }
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  try {
    const platform = `@foundry-rs/anvil-${process.platform}-${arch}`;
    return [createRequire(launcher).resolve(`${platform}/bin/${name}`)];
  } catch {
    return [process.execPath, launcher];
  }
}

function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => reject(new Error('anvil did not start in time')), startTimeout);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`anvil ended before it listened: ${output.slice(-400)}`)));
    child.stdout?.on('data', (chunk) => {
      output = (output + chunk).slice(-4000);
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
  });
}

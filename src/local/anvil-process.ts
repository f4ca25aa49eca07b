import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';

export interface AnvilProcess {
  readonly port: number;
  /** Ends the process and resolves when it is gone. */
  stop(): Promise<void>;
}

const startDeadline = 15_000;

/**
 * The shell waits on a pipe that only this process holds: whatever ends us (exit, a signal, even SIGKILL)
 * closes the pipe, and the shell then ends anvil. Interrupts of the terminal's process group are left to us.
 */
const guard =
  'trap "" INT HUP; "$0" "$@" & pid=$!; trap "kill -9 $pid; wait; exit" TERM; exec >&- 2>&-; read -r _; kill -9 $pid; wait';

/**
 * Starts anvil from the npm package `@foundry-rs/anvil` on a free port of 127.0.0.1.
 * @throws Error when the package is not installed, or anvil ends or stays silent for 15 seconds
 */
export async function startAnvil(flags: readonly string[]): Promise<AnvilProcess> {
  const [command, ...first] = findAnvil();
  const all = [...first, ...flags, '--host', '127.0.0.1', '--port', '0', '--no-cors'];
  const windows = process.platform === 'win32';
  const child = windows
    ? spawn(command, all, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
    : spawn('/bin/sh', ['-c', guard, command, ...all], { stdio: ['pipe', 'pipe', 'ignore'] });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const endWithUs = () => child.kill('SIGKILL');
  if (windows) process.once('exit', endWithUs);

  const stop = async () => {
    process.off('exit', endWithUs);
    child.stdin?.destroy();
    if (windows) child.kill('SIGKILL');
    await gone;
  };
  try {
    return { port: await listening(child), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The platform's binary itself, so that ending it ends it; the package's launcher where none is found. */
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
    let printed = '';
    const timer = setTimeout(() => reject(new Error('anvil did not start in time')), startDeadline);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`anvil ended before it listened: ${printed.slice(-400)}`)));
    child.stdout?.on('data', (chunk) => {
      printed = (printed + chunk).slice(-4000);
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
  });
}

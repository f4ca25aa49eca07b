import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

export interface Program {
  readonly child: ChildProcess;
  /** Ends it, and with it whatever it has started. */
  stop(): Promise<void>;
}

/** Starts a program in a process group of its own. It ends with this process, if not before. */
export function startProgram(name: string, args: readonly string[], options: SpawnOptions = {}): Program {
  const child = spawn(name, args, { ...options, detached: true });
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]);
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', kill);
  return {
    child,
    async stop() {
      process.off('exit', kill);
      kill();
      await ended;
    },
  };
}

/** The first match in what a stream says. @throws Error with all that it has said, if it ends before */
export async function matchIn(stream: Readable, pattern: RegExp): Promise<string> {
  let said = '';
  stream.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    stream.on('data', (part: string) => {
      said += part;
      const [, match] = pattern.exec(said) ?? [];
      if (match !== undefined) resolve(match);
    });
    stream.once('close', () => reject(new Error(said || 'It said nothing.')));
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Scripts of package.json with several tasks: `npm run soak sends 500` runs the task `sends` of `soak`, with 500 as an argument.
 * A script without a task's name runs its task `default`. Commands run in order until one fails; the last gets the arguments.
 * Environment variables stand before the program, on Windows too.
 */
export const tasks: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  build: {
    default: [
      'vite build',
      'vite build --config examples/wallet-site/vite.config.ts',
      'tsc -p tsconfig.build.json',
      'tsc -p packages/kit/tsconfig.build.json',
      'tsc -p packages/relay/tsconfig.build.json',
    ],
    wallet: ['tsx examples/wallet-site/build.ts'],
    demo: ['vite build --config demo/vite.config.ts'],
  },
  'test:only': {
    unit: ['vitest run --project unit'],
    node: ['vitest run --project node --project waits --project servers --project mocks'],
    pages: ['vitest run --project browser --project browser-timed'],
    browsers: ['vitest run --project browsers'],
    matrix: ['MATRIX=all vitest run --project matrix'],
    clients: [
      'CLIENTS=all vitest run --project browser test/e2e/browser/clients.test.ts test/e2e/browser/test-dapp',
    ],
    relay: ['tsx test/relay/index.ts'],
    live: ['tsx test/live/index.ts'],
  },
  soak: {
    default: ['tsx test/soak/index.ts'],
    sends: ['tsx test/soak/sends-run.ts'],
    relay: ['tsx test/soak/relay-run.ts'],
    bridge: ['tsx test/soak/bridge-run.ts'],
    kills: ['KILLS=all vitest run --project node test/unit/wallet/accounts.kill-points.slow.test.ts'],
    tabs: [
      'TABS_ROUNDS=10 TABS_SECONDS=20 vitest run --project browser-timed test/e2e/browser/leader.timed.test.ts',
    ],
    proofs: [
      'BITS=all TRIES=2000 DAMAGED=1000000 vitest run --project unit test/unit/proof',
      'WORLDS=2000 vitest run --project node test/unit/service/verified',
    ],
    fuzz: [
      'FUZZ_RUNS=1000000 vitest run --project node test/e2e/attack/requests.test.ts test/e2e/attack/mutations.test.ts',
    ],
  },
  docs: {
    api: ['tsx test/support/docs/write-api.ts'],
    build: ['tsx test/support/docs/write-api.ts', 'vitepress build docs'],
    dev: ['tsx test/support/docs/write-api.ts', 'vitepress dev docs --host 127.0.0.1'],
    screenshots: ['tsx test/support/screenshots.ts'],
    icons: ['tsx test/support/icons.ts'],
  },
  release: {
    version: ['npm version --workspaces --include-workspace-root --no-git-tag-version'],
    checkpoint: ['tsx test/support/checkpoint.ts'],
    check: [
      'npm run check',
      'vitest run test/unit/project test/e2e/package test/perf/weight.test.ts test/matrix',
      'npm run test:only clients',
    ],
  },
};

/** Runs a command and returns its exit code. On Windows npm's programs are batch files, which only a shell starts. */
async function run(command: string, args: readonly string[]): Promise<number> {
  const words = command.split(' ');
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const environment = Object.fromEntries(words.slice(0, start).map((word) => word.split('=', 2)));
  const [program = '', ...rest] = [...words.slice(start), ...args];
  const shell = process.platform === 'win32';
  const child = spawn(program, shell ? rest.map((word) => JSON.stringify(word)) : rest, {
    shell,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** Runs the commands in order, the last with the arguments. Returns the first exit code that is not 0. */
export async function runTask(commands: readonly string[], args: readonly string[]): Promise<number> {
  for (const [index, command] of commands.entries()) {
    const code = await run(command, index === commands.length - 1 ? args : []);
    if (code !== 0) return code;
  }
  return 0;
}

async function main([script = '', task = 'default', ...args]: readonly string[]): Promise<number> {
  const ofScript = tasks[script] ?? {};
  const commands = Object.hasOwn(ofScript, task) ? ofScript[task] : undefined;
  if (!commands) {
    console.error(`npm run ${script} <task>, where the task is one of: ${Object.keys(ofScript).join(', ')}`);
    return 1;
  }
  return runTask(commands, args);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));

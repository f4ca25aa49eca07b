import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

interface Found {
  readonly path: string;
  readonly environment: Record<string, string>;
}

interface Candidate {
  readonly name: string;
  find(): Promise<Found>;
}

const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/**
 * Starts the first of these browsers that works: the one that `GRAFT_CHROMIUM` names (then no other), the one that
 * `npm ci` installed, Chromium or Chrome of this machine. Prints which to stderr. The caller closes it.
 *
 * @throws Error that says what was tried and what to do.
 */
export const launchChromium = (): Promise<Browser> => startFirst(launch);

/**
 * Starts the same browser as a person does: with storage that is separate for each site, and with its popup blocker, both
 * of which Playwright turns off.
 */
export const launchPlainChromium = (...flags: readonly string[]): Promise<Browser> =>
  startFirst((path, environment) => spawnPlain(path, environment, flags));

/** Where that browser is, and the environment that it needs, for a program that starts it itself. */
export async function findChromium(): Promise<Found> {
  let found: Found | undefined;
  const browser = await startFirst((path, environment) => {
    found = { path, environment };
    return launch(path, environment);
  });
  await browser.close();
  return found as Found;
}

type Start = (path: string, environment: Record<string, string>) => Promise<Browser>;

async function startFirst(start: Start): Promise<Browser> {
  const tried: string[] = [];
  for (const candidate of candidates()) {
    try {
      const { path, environment } = await candidate.find();
      const browser = await start(path, environment);
      process.stderr.write(`Chromium: using ${candidate.name} (${browser.version()})\n`);
      return browser;
    } catch (error) {
      tried.push(`- ${candidate.name}: ${reason(error)}`);
    }
  }
  throw new Error(
    [
      'No Chromium starts on this machine.',
      ...tried,
      'Install Chromium or Chrome, or name one: GRAFT_CHROMIUM=/path/to/chromium npm test',
    ].join('\n'),
  );
}

function candidates(): Candidate[] {
  const named = process.env.GRAFT_CHROMIUM;
  if (named) return [{ name: `GRAFT_CHROMIUM, ${named}`, find: at(named) }];
  const installed = systemPaths
    .filter((path) => existsSync(path))
    .map((path) => ({ name: `the one of this machine, ${path}`, find: at(path) }));
  return process.platform === 'linux' && process.arch === 'x64' ? [...packaged(), ...installed] : installed;
}

function packaged(): Candidate[] {
  const name = 'the one of npm package @sparticuz/chromium';
  return [
    { name, find: async () => ({ path: join(await unpack(), 'chromium'), environment: {} }) },
    {
      // A machine without any desktop software lacks the libraries and fonts that Chromium expects there.
      name: `${name}, with the package's libraries`,
      async find() {
        const directory = await unpack();
        const libraries = [join(directory, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH];
        return {
          path: join(directory, 'chromium'),
          environment: {
            LD_LIBRARY_PATH: libraries.filter(Boolean).join(delimiter),
            FONTCONFIG_PATH: join(directory, 'fonts'),
          },
        };
      },
    },
  ];
}

const at = (path: string) => async () => ({ path, environment: {} });

const launch: Start = (executablePath, environment) =>
  chromium.launch({
    executablePath,
    env: { ...process.env, ...environment },
    args: ['--disable-gpu', '--disable-quic'],
  });

const spawnPlain = async (...[path, environment, flags]: [...Parameters<Start>, readonly string[]]) => {
  const profile = await mkdtemp(join(tmpdir(), 'graft-chromium-'));
  const child = spawn(
    path,
    [
      // Each origin has a process of its own, so that one frame can crash alone.
      '--isolate-origins=http://*.localhost',
      ...[
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--hide-scrollbars',
      ],
      ...['--password-store=basic', '--remote-debugging-port=0', `--user-data-dir=${profile}`, ...flags],
      'about:blank',
    ],
    { env: { ...process.env, ...environment }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const exited = once(child, 'exit');
  let plain: Server | undefined;
  const stop = async () => {
    child.kill();
    await exited;
    plain?.close();
    await rm(profile, { recursive: true, force: true });
  };
  try {
    const endpoint = new URL(await endpointOf(child));
    plain = await withoutCompression(Number(endpoint.port));
    endpoint.port = String((plain.address() as AddressInfo).port);
    const browser = await chromium.connectOverCDP(endpoint.href);
    // Closing only the connection would leave the process and its profile.
    browser.close = stop;
    return browser;
  } catch (error) {
    await stop();
    throw error;
  }
};

/**
 * Passes connections on to the browser without their wish for compression: to decompress what the browser says took a quarter of the
 * time of a test's process.
 */
async function withoutCompression(port: number): Promise<Server> {
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    near.once('data', (handshake) => {
      far.write(handshake.toString('latin1').replace(/^Sec-WebSocket-Extensions:.*\r\n/im, ''), 'latin1');
      near.pipe(far);
    });
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The address at which a starting browser says that it listens. */
async function endpointOf({ stderr }: ReturnType<typeof spawn>): Promise<string> {
  let said = '';
  for await (const part of stderr as NodeJS.ReadableStream) {
    said += part;
    const [, url] = said.match(/DevTools listening on (\S+)/) ?? [];
    if (url) return url;
  }
  throw new Error(said);
}

/**
 * Unpacks the browser once, inside its npm package. In a process of its own, because the package reads where
 * and what to unpack from the environment; and moved into place at the end, because two test files may find it
 * missing at the same time.
 */
async function unpack(): Promise<string> {
  const directory = fileURLToPath(
    new URL('../../node_modules/@sparticuz/chromium/unpacked', import.meta.url),
  );
  if (existsSync(directory)) return directory;
  process.stderr.write('Chromium: unpacking @sparticuz/chromium, once\n');
  const unfinished = await mkdtemp(`${directory}-`);
  const script = `await (await import('@sparticuz/chromium')).default.executablePath()`;
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      // The second makes it unpack its libraries too, as on a host that it knows to have none.
      env: { ...process.env, TMPDIR: unfinished, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
    });
    await rename(unfinished, directory);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(directory)) throw error;
  }
  return directory;
}

/** The browser's own error output if there is any; Playwright's message is mostly the command line. */
function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const said = new Set(Array.from(text.matchAll(/\[err\] (.*)/g), ([, line]) => line));
  return said.size > 0 ? [...said].slice(0, 3).join(' ') : (text.split('\n')[0] ?? text);
}

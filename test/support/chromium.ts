import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

interface Candidate {
  readonly name: string;
  start(): Promise<Browser>;
}

const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * Starts the first of these browsers that works: the one that `GRAFT_CHROMIUM` names (then no other), the one that
 * `npm ci` installed, Chromium or Chrome of this machine. Prints which to stderr. The caller closes it.
 *
 * @throws Error that says what was tried and what to do.
 */
export async function launchChromium(): Promise<Browser> {
  const tried: string[] = [];
  for (const candidate of candidates()) {
    try {
      const browser = await candidate.start();
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
  if (named) return [{ name: `GRAFT_CHROMIUM, ${named}`, start: () => launch(named) }];
  const installed = systemPaths
    .filter((path) => existsSync(path))
    .map((path) => ({ name: `the one of this machine, ${path}`, start: () => launch(path) }));
  return process.platform === 'linux' && process.arch === 'x64' ? [...packaged(), ...installed] : installed;
}

function packaged(): Candidate[] {
  const name = 'the one of npm package @sparticuz/chromium';
  return [
    { name, start: async () => launch(join(await unpack(), 'chromium')) },
    {
      // A machine without any desktop software lacks the libraries and fonts that Chromium expects there.
      name: `${name}, with the package's libraries`,
      async start() {
        const directory = await unpack();
        const libraries = [join(directory, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH];
        return launch(join(directory, 'chromium'), {
          LD_LIBRARY_PATH: libraries.filter(Boolean).join(delimiter),
          FONTCONFIG_PATH: join(directory, 'fonts'),
        });
      },
    },
  ];
}

function launch(executablePath: string, environment: Record<string, string> = {}): Promise<Browser> {
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...environment },
    args: ['--disable-gpu', '--disable-quic'],
  });
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

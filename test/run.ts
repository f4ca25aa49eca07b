import { spawn } from 'node:child_process';
import { join, resolve as resolvePath } from 'node:path';
import { createInterface } from 'node:readline';
import { findChromium } from './support/chromium.js';
import { survey } from './support/machine.js';
import { FAILURE } from './support/summary.js';

/**
 * `npm test`: the checks, the unit tests, and one path in Chromium through the built package. It needs Node and npm.
 *
 * `npm run test:all` adds the rest: other browsers, servers, bundlers and frameworks, client libraries, short soaks. What the
 * machine lacks is left out and named at the end; where `CI` is set it is a failure.
 *
 * The last line counts the tests of all parts; the lines before it name the failures.
 */
const root = join(import.meta.dirname, '..');
const isAll = process.argv.includes('all');
const counts = { passed: 0, failed: 0 };
const failures: string[] = [];
const leftOut: string[] = [];

/**
 * Runs a script, of a package or by its path, and passes its output on, at once or when it has ended. Resolves with whether it
 * succeeded.
 */
function run(
  program: string,
  args: readonly string[] = [],
  { environment = {}, isBeside = false }: { environment?: Record<string, string>; isBeside?: boolean } = {},
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [resolvePath(root, 'node_modules', program), ...args], {
      cwd: root,
      env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const held: Buffer[] = [];
    const passOn = (stream: NodeJS.WriteStream) => (chunk: Buffer) => {
      if (isBeside) held.push(chunk);
      else stream.write(chunk);
    };
    let lastLine = '';
    child.stdout.on('data', passOn(process.stdout));
    child.stderr.on('data', passOn(process.stderr));
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith(FAILURE)) failures.push(line);
      if (line) lastLine = line;
    });
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(held));
      const [, passed = 0, failed = 0] = /^(\d+) passed, (\d+) failed$/.exec(lastLine) ?? [];
      if (code !== 0 && Number(failed) === 0)
        failures.push(`${FAILURE}${[program, ...args].join(' ')}: it ended with ${code}`);
      counts.passed += Number(passed);
      counts.failed += Math.max(Number(failed), code === 0 ? 0 : 1);
      resolve(code === 0);
    });
  });
}

const vitest = (projects: readonly string[], options?: Parameters<typeof run>[2]) =>
  run('vitest/vitest.mjs', ['run', ...projects.flatMap((name) => ['--project', name])], options);

/** Looks while the units run, since a browser or a server may have to be installed. */
const found = isAll ? survey() : undefined;
found?.catch(() => {});
const hasChromium = await findChromium().then(
  () => true,
  ({ message }: Error) => {
    if (!isAll) leftOut.push(`the path in a browser, without Chromium: ${message}`);
    return false;
  },
);

const check = (options?: Parameters<typeof run>[2]) =>
  run(process.env.npm_execpath as string, ['run', 'check'], options);
const testUnits = () => vitest(hasChromium ? ['unit', 'path'] : ['unit']);

if (isAll) {
  // The checks leave a processor idle half of their time.
  const [isSound] = await Promise.all([check({ isBeside: true }), testUnits()]);
  if (found && isSound) {
    const { projects, browsers, missing } = await found;
    for (const [what, why] of missing) leftOut.push(`what needs ${what}: ${why}`);
    const { busy, waiting, timed } = projects;
    await Promise.all([
      vitest(busy, { environment: { GRAFT_BROWSERS: browsers.join(',') } }),
      vitest(waiting, { isBeside: true }),
    ]);
    // In one process the libraries would begin when the pages have ended.
    await Promise.all(timed.map((name, at) => vitest([name], { isBeside: at > 0 })));
  }
} else if (await check()) await testUnits();
for (const each of failures) console.log(each);
for (const each of leftOut) console.log(`Left out: ${each}`);
if (leftOut.length > 0 && process.env.CI) {
  console.log('Nothing may be left out where CI is set.');
  counts.failed += leftOut.length;
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 ? 1 : 0);

import { canInstall, inPath, installPackages, isInstalled, isThere } from '../debian.js';
import { chosenBrowsers } from './chosen.js';

/**
 * Where the browsers of `test/e2e/browsers` are. The one that an environment variable names (then no other), else the
 * program of this machine. Where Debian's packages can be installed, a missing one is.
 */
const programs = {
  firefox: {
    browser: 'firefox',
    variable: 'GRAFT_FIREFOX',
    names: ['firefox-esr', 'firefox'],
    package: 'firefox-esr',
  },
  webkit: {
    browser: 'webkit',
    variable: 'GRAFT_WEBKIT',
    names: ['WebKitWebDriver'],
    package: 'webkit2gtk-driver',
  },
  screen: { browser: 'webkit', variable: 'GRAFT_XVFB', names: ['Xvfb'], package: 'xvfb' },
} as const;

export type ProgramName = keyof typeof programs;

/**
 * The path of a program, which is installed if need be.
 *
 * @throws Error that says what was tried and what to do
 */
export async function findProgram(name: ProgramName): Promise<string> {
  const { variable, names, package: debian } = programs[name];
  const given = process.env[variable];
  if (given && (await isThere(given))) return given;
  if (given) throw new Error(`${variable} names ${given}, and there is no such file.`);
  // A package that is being unpacked has its programs already, but not all that they need.
  const failure = (await canInstall())
    ? await install().then(
        () => '',
        ({ message }) => ` Installing it has failed: ${message}`,
      )
    : '';
  const path = await inPath(names);
  if (path) return path;
  throw new Error(
    `There is no ${names.join(' or ')} on this machine. Install Debian's package ${debian}, or name the program: ` +
      `${variable}=/path/to/${names[0]} npm run test:all. To leave browsers out of a run, name those that stay: ` +
      `GRAFT_BROWSERS=chromium npm run test:all.${failure}`,
  );
}

/** Installs what this run needs and lacks. Several processes may call it at once: they wait for each other. */
export async function install(): Promise<void> {
  const chosen = chosenBrowsers(process.env);
  const missing: string[] = [];
  for (const { browser, variable, package: debian } of Object.values(programs))
    if (chosen.includes(browser) && !process.env[variable] && !(await isInstalled(debian)))
      missing.push(debian);
  if (missing.length === 0) return;
  process.stderr.write(`Browsers: installing ${missing.join(', ')}, once\n`);
  await installPackages(missing);
}

import { chosenBrowsers } from './browsers/chosen.js';
import { findProgram } from './browsers/programs.js';
import { findChromium } from './chromium.js';
import { findServer } from './programs.js';

/** The projects and browsers that can run on this machine. */
export interface Survey {
  /** The projects of `vitest.config.ts` that `npm run test:all` adds. */
  readonly projects: {
    /** They keep all processors busy. */
    readonly busy: readonly string[];
    /** They need little of a processor: they run beside the busy ones. */
    readonly waiting: readonly string[];
    /** They measure time: nothing else runs beside them. Each is a process of its own. */
    readonly timed: readonly string[];
  };
  /** The browsers of the project `browsers`. */
  readonly browsers: readonly string[];
  /** Each program that is missing, with the reason. */
  readonly missing: ReadonlyMap<string, string>;
}

type Program = 'Chromium' | 'Firefox' | 'WebKitGTK' | 'Xvfb' | 'Redis' | 'nginx';
type Finders = Readonly<Record<Program, () => Promise<unknown>>>;

/** Each looks for a program, and installs it where that is possible. */
const finders: Finders = {
  Chromium: findChromium,
  Firefox: () => findProgram('firefox'),
  WebKitGTK: () => findProgram('webkit'),
  Xvfb: () => findProgram('screen'),
  Redis: () => findServer('redis'),
  nginx: () => findServer('nginx'),
};

const needs: Readonly<Record<string, readonly Program[]>> = {
  chromium: ['Chromium'],
  firefox: ['Firefox'],
  webkit: ['WebKitGTK', 'Xvfb'],
};

/**
 * Looks for every program that the tests need.
 *
 * @throws Error for an unknown browser in `GRAFT_BROWSERS`
 */
export async function survey(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  find: Finders = finders,
): Promise<Survey> {
  const chosen = chosenBrowsers(environment);
  const missing = new Map<string, string>();
  const looks = new Map<Program, Promise<boolean>>();
  /** Looks for each program once: a browser is started, or a package installed. */
  const look = (program: Program): Promise<boolean> => {
    const looking =
      looks.get(program) ??
      find[program]().then(
        () => true,
        (error: Error) => {
          missing.set(program, error.message.split('\n')[0] as string);
          return false;
        },
      );
    looks.set(program, looking);
    return looking;
  };
  const hasAll = async (programs: readonly Program[]): Promise<boolean> =>
    !(await Promise.all(programs.map(look))).includes(false);

  const [hasServers, hasChromium, ...hasBrowser] = await Promise.all([
    hasAll(['Redis', 'nginx']),
    hasAll(['Chromium']),
    ...chosen.map((name) => hasAll(needs[name] as readonly Program[])),
  ]);
  const browsers = chosen.filter((_, at) => hasBrowser[at]);
  const projects = {
    busy: [
      'node',
      ...(hasChromium ? ['browser', 'matrix'] : []),
      ...(browsers.length > 0 ? ['browsers'] : []),
    ],
    waiting: ['waits', 'mocks', ...(hasServers ? ['servers'] : [])],
    timed: ['timed', ...(hasChromium ? ['browser-timed'] : [])],
  };
  return { projects, browsers, missing };
}

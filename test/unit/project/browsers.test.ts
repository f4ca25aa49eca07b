import { afterEach, expect, test, vi } from 'vitest';
import { chosenBrowsers } from '../../support/browsers/chosen.js';
import { launchBrowser } from '../../support/browsers/launch.js';
import { survey } from '../../support/machine.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('all browsers run unless fewer are named, and where CI is set none is left out', () => {
  expect(chosenBrowsers({})).toEqual(['chromium', 'firefox', 'webkit']);
  expect(chosenBrowsers({ GRAFT_BROWSERS: 'Chromium, firefox' })).toEqual(['chromium', 'firefox']);
  expect(() => chosenBrowsers({ GRAFT_BROWSERS: 'chromium', CI: 'true' })).toThrow(
    'GRAFT_BROWSERS leaves out firefox,webkit, and CI is set.',
  );
  expect(() => chosenBrowsers({ GRAFT_BROWSERS: 'safari' })).toThrow('got safari');
});

test('where a browser is missing and cannot be installed, its tests fail with its name and with what to do', async () => {
  vi.stubEnv('PATH', '');
  for (const [name, program, debian, variable] of [
    ['Firefox', 'firefox-esr or firefox', 'firefox-esr', 'GRAFT_FIREFOX'],
    ['WebKit', 'WebKitWebDriver', 'webkit2gtk-driver', 'GRAFT_WEBKIT'],
  ] as const) {
    vi.stubEnv(variable, '');
    const { message } = await launchBrowser(name).catch((error) => error);
    expect(message).toMatch(`There is no ${program} on this machine. Install Debian's package ${debian}`);
    expect(message).toMatch(`${variable}=/path/to/`);
  }
});

test('where the program that was named is missing, no other is taken', async () => {
  vi.stubEnv('GRAFT_FIREFOX', '/nowhere/firefox');
  await expect(launchBrowser('Firefox')).rejects.toThrow(
    'GRAFT_FIREFOX names /nowhere/firefox, and there is no such file.',
  );
});

const all = {
  busy: ['node', 'browser', 'matrix', 'browsers'],
  waiting: ['waits', 'mocks', 'servers'],
  timed: ['timed', 'browser-timed'],
};

/** The survey of a machine without these programs. */
const surveyWithout = (...missing: readonly string[]) => {
  const find = (name: string) => async () => {
    if (missing.includes(name)) throw new Error(`There is no ${name}.\nMore.`);
  };
  const names = ['Chromium', 'Firefox', 'WebKitGTK', 'Xvfb', 'Redis', 'nginx'] as const;
  return survey({}, Object.fromEntries(names.map((name) => [name, find(name)])) as never);
};

test('each program is looked for once', async () => {
  const looked: string[] = [];
  const find = new Proxy({} as never, { get: (_, name: string) => async () => void looked.push(name) });
  await survey({}, find);
  expect(looked.sort()).toEqual(['Chromium', 'Firefox', 'Redis', 'WebKitGTK', 'Xvfb', 'nginx']);
});

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['nothing', [], [], ['chromium', 'firefox', 'webkit']],
  ['Redis', ['Redis'], ['servers'], ['chromium', 'firefox', 'webkit']],
  ['a screen', ['Xvfb'], [], ['chromium', 'firefox']],
  ['Chromium', ['Chromium'], ['browser', 'matrix', 'browser-timed'], ['firefox', 'webkit']],
  [
    'any browser',
    ['Chromium', 'Firefox', 'WebKitGTK'],
    ['browser', 'matrix', 'browsers', 'browser-timed'],
    [],
  ],
])('a machine that lacks %s leaves out what needs it, and no more', async (_, missing, left, browsers) => {
  const found = await surveyWithout(...missing);
  const rest = (names: readonly string[]) => names.filter((name) => !left.includes(name));
  expect(found.projects).toEqual({
    busy: rest(all.busy),
    waiting: rest(all.waiting),
    timed: rest(all.timed),
  });
  expect(found.browsers).toEqual(browsers);
  expect([...found.missing]).toEqual(missing.map((name) => [name, `There is no ${name}.`]));
});

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { filesIn } from '../../support/files.js';
import { packages } from '../../support/packages.js';
import { runTask, tasks } from '../../support/tasks.js';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** The text of every file of ours that may name a script. A project of the reader's or an example has scripts of its own. */
const texts = [
  ...['.ci', '.devcontainer', '.githooks', '.github', '.vscode', 'demo', 'docs', 'packages', 'src', 'test']
    .flatMap((folder) => filesIn(folder))
    .filter((path) => /\.(md|ts|tsx|yml|yaml|json)$|\/[\w-]+$/.test(path)),
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
].filter((path) => !/^docs\/start\/|^test\/matrix\/(frameworks|kits)\//.test(path));

/** `path: command` of each `npm run <script> [task]` in a text that is not there. */
const missing = (path: string, text: string): string[] =>
  [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)(?:\s+([a-z][\w-]*))?/g)]
    .filter(([, script = '', task]) => {
      const ofScript = tasks[script];
      if (!ofScript) return !Object.hasOwn(scripts, script);
      return !Object.hasOwn(ofScript, task ?? 'default');
    })
    .map(([command]) => `${path}: ${command}`);

test('every script and task that a file names exists', () => {
  expect(texts.length).toBeGreaterThan(1_000);
  expect(texts.flatMap((path) => missing(path, readFileSync(path, 'utf8')))).toEqual([]);
});

/** `path: command` of each `npx graft-…` in a text that npm could not run on a machine without any of our packages. */
const unrunnable = (path: string, text: string): string[] =>
  [...text.matchAll(/\bnpx (?:-p (\S+) )?(graft-\w+)/g)]
    .filter(([, from, program = '']) => {
      const installed = packages.find(({ name }) => name === (from ?? program));
      return !Object.hasOwn(installed?.manifest.bin ?? {}, program);
    })
    .map(([command]) => `${path}: ${command}`);

test('every command of ours that a document runs by npx is of the package that it names', () => {
  const folders = ['docs', 'examples', 'packages', 'src'].flatMap((folder) => filesIn(folder));
  const documents = ['README.md', ...folders.filter((path) => /\.(md|ts|jsonc?)$/.test(path))];
  expect(documents.flatMap((path) => unrunnable(path, readFileSync(path, 'utf8')))).toEqual([]);
});

test('a command is reported that is named like no package, or is of another one', () => {
  const text = 'npx graft-relay; npx -p graft-kit graft-local; npx graft-local; npx -p graft-kit graft-host';
  expect(unrunnable('a.md', text)).toEqual(['a.md: npx graft-local', 'a.md: npx -p graft-kit graft-host']);
});

test.each([
  ['soak:sends', 'a script of the time before tasks'],
  ['soak sendings', 'a task that is misspelt'],
  ['release', 'a script without a default, alone'],
  ['docs toString', 'a name that every object inherits'],
])('%s is reported as missing: %s', (command) => {
  const line = `npm run ${command}`;
  expect(missing('README.md', `Run \`${line}\`.`)).toEqual([`README.md: ${line}`]);
});

test('package.json has at most 14 scripts, and each table of tasks belongs to one of them', () => {
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(14);
  expect(Object.entries(scripts).filter(([, line]) => line.includes('tasks.ts'))).toEqual(
    Object.keys(tasks).map((name) => [name, `tsx test/support/tasks.ts ${name}`]),
  );
});

test('a script with an unknown task lists its tasks and fails', async () => {
  const run = promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    'test/support/tasks.ts',
    'release',
    'toString',
  ]);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      ' release <task>, where the task is one of: version, checkpoint, check\n',
    ),
  });
});

test.each<[sentence: string, commands: string[], args: string[], code: number]>([
  ['passes its variables to the program', ['EXIT=7 node --eval process.exit(process.env.EXIT)'], [], 7],
  [
    'passes its arguments as they are',
    ['node --eval process.exit(process.argv.length)'],
    ['a b', '$HOME'],
    3,
  ],
  ['stops at the first failure', ['node --eval process.exit(4)', 'node --eval process.exit(5)'], [], 4],
  [
    'passes its arguments to the last command alone',
    ['node --eval process.exit(process.argv.length-1)', 'node --eval process.exit(process.argv.length-2)'],
    ['x'],
    0,
  ],
])('a task %s', async (_, commands, args, code) => {
  expect(await runTask(commands, args)).toBe(code);
});

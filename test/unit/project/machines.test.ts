import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(path, 'utf8');
const workflows = readdirSync('.github/workflows').map((name) => `.github/workflows/${name}`);

/** The Debian packages that tests ask for. */
const packages = ['test/support/programs.ts', 'test/support/browsers/programs.ts'].flatMap((path) =>
  [...read(path).matchAll(/package: '([\w-]+)'/g)].map(([, name = '']) => name),
);

/** The packages of all lines of a file that install some. */
const installedBy = (path: string) =>
  [...read(path).matchAll(/apt-get install (.*)/g)].flatMap(([, words = '']) => words.split(' '));

test('the dev container has every Debian package that a test asks for', () => {
  expect(packages.length).toBeGreaterThan(4);
  expect(installedBy('.devcontainer/Dockerfile')).toEqual(expect.arrayContaining(packages));
});

test('a pull request has them too, but Firefox, which the runner has', () => {
  expect(installedBy('.github/workflows/pull-request.yml')).toEqual(
    expect.arrayContaining(packages.filter((name) => name !== 'firefox-esr')),
  );
});

test('the dev container has the Node of .node-version, and no root', () => {
  expect(read('.devcontainer/Dockerfile')).toContain(`FROM node:${read('.node-version').trim()}-`);
  expect(JSON.parse(read('.devcontainer/devcontainer.json')).remoteUser).toBe('node');
});

test('every port of compose.yaml is for this machine alone', () => {
  const ports = [...read('compose.yaml').matchAll(/^ +- .*:\d+$/gm)].map(([line]) => line.trim());
  expect(ports).toEqual(['- 127.0.0.1:6379:6379']);
});

test('a workflow that runs the code of a pull request may only read', () => {
  const ofPullRequests = workflows.filter(
    (path) => /npm (ci|run)/.test(read(path)) && !/tags:/.test(read(path)),
  );
  expect(ofPullRequests).toEqual(['.github/workflows/pull-request.yml']);
  const text = read('.github/workflows/pull-request.yml');
  expect(text).toMatch(/^permissions:\n {2}contents: read\nconcurrency:/m);
  expect(text).not.toMatch(/secrets\.|pull_request_target|: write/);
  expect(text.match(/persist-credentials: false/g)?.length).toBe(text.match(/actions\/checkout@/g)?.length);
});

test('the workflow that comments follows the one that weighs', () => {
  const [, name] = read('.github/workflows/pull-request.yml').match(/^name: (.*)$/m) ?? [];
  expect(read('.github/workflows/comment.yml')).toContain(`workflows: [${name}]`);
});

test.each(workflows)('%s takes actions of GitHub alone, by their major version', (path) => {
  const actions = [...read(path).matchAll(/uses: (.*)/g)].map(([, name]) => name);
  expect(actions.filter((name) => !/^actions\/[\w-]+@v\d+$/.test(name ?? ''))).toEqual([]);
});

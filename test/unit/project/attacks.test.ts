import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** docs/notes/security.md#attacks-on-the-bridge says where each attack is shown; a title there ends with its number. */

const folders = {
  'test/e2e/browser/attacks': /^bridge-(\w+)\.test\.ts$/,
  'test/unit/bridge': /^(\w+)\.attacks\.test\.ts$/,
};

const shown = Object.entries(folders).flatMap(([folder, pattern]) =>
  readdirSync(folder).flatMap((file) => {
    const [, name] = pattern.exec(file) ?? [];
    if (!name) return [];
    const titles = readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\(attacks? ([\d, ]+)\)['`]/g);
    const numbers = [...titles].flatMap(([, list]) => (list as string).split(', ').map(Number));
    return numbers.map((number) => `${number} ${name}`);
  }),
);

const [, section = ''] = readFileSync('docs/notes/security.md', 'utf8').split('## Attacks on the bridge');
const rows = [...(section.split('\n## ')[0] as string).matchAll(/^\| (\d+) \| .+ \| ([\w, ]+) \|$/gm)].map(
  ([, number, files]) => ({ number: Number(number), files: (files as string).split(', ') }),
);

test('every attack has its row, in order', () => {
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, at) => at + 1));
});

test('each attack of the table is in the title of a test of each of its files, and no other is', () => {
  const promised = rows.flatMap(({ number, files }) => files.map((file) => `${number} ${file}`));
  expect(promised.sort()).toEqual([...new Set(shown)].sort());
});

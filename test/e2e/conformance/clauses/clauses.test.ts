import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { brokenOnPurpose, clauses, heldElsewhere } from './broken-on-purpose.js';

const room = 'test/e2e/conformance/clauses';
const names = readdirSync(room)
  .filter((file) => file.endsWith('.test.ts') && file !== 'clauses.test.ts')
  .flatMap((file) =>
    // The name of a test is its first argument, on the line of `test(` or on the next.
    [...readFileSync(`${room}/${file}`, 'utf8').matchAll(/\btest\(\s*'(E[IR][PC]-[^']*)'/g)].map(
      ([, name]) => name as string,
    ),
  );
const ids = Object.entries(clauses).flatMap(([eip, count]) =>
  Array.from({ length: count }, (_, index) => `${eip} (${index + 1})`),
);
const idOf = (name: string) => /E[IR][PC]-\d+ \(\d+\)/.exec(name)?.[0] ?? name;

test('there are as many clauses as tests here and elsewhere', () => {
  expect(names.length + Object.keys(heldElsewhere).length).toBe(ids.length);
});

test('every clause has exactly one test with its number, and no test has another number', () => {
  const own = ids.filter((id) => !Object.hasOwn(heldElsewhere, id));
  expect(names.map(idOf).sort()).toEqual(own.sort());
});

test('the tests of clauses broken on purpose say so, and no others do', () => {
  const saying = names.filter((name) => name.includes(', broken on purpose: ')).map(idOf);
  expect(saying.sort()).toEqual(Object.keys(brokenOnPurpose).sort());
  for (const reason of Object.values(brokenOnPurpose)) expect(reason).toMatch(/^[A-Zhew].{30,}[.]$/s);
});

test('clauses tested elsewhere are in the files that are named', () => {
  for (const [id, { file, words }] of Object.entries(heldElsewhere)) {
    expect(ids, id).toContain(id);
    expect(readFileSync(file, 'utf8'), id).toContain(words);
  }
});

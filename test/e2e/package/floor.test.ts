import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Built, buildPackage } from '../../support/built.js';
import { newerThanFloor } from '../../support/floor.js';

/** The published files run in Chrome 109, Firefox 115 and Safari 16.4. */

describe('the published scripts', () => {
  let built: Built;
  beforeAll(async () => {
    built = await buildPackage();
  }, 180_000);
  afterAll(() => built?.stop());

  test('use no syntax and no function that the oldest browsers lack, dependencies included', () => {
    const dist = new URL('.', built.entry).pathname;
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.js'),
    );
    // The script tag's file and the worker hold all that they depend on.
    expect(files).toEqual(expect.arrayContaining(['graft.js', 'kdf-worker.js', 'index.js', 'core.js']));
    expect(files.flatMap((name) => newerThanFloor(name, readFileSync(join(dist, name), 'utf8')))).toEqual([]);
  }, 120_000);
});

describe('the scan', () => {
  test.each([
    ['AbortSignal.any([a, b])', 'AbortSignal.any'],
    ['globalThis.AbortSignal.any([a, b])', 'AbortSignal.any'],
    ['const { promise } = Promise.withResolvers()', 'Promise.withResolvers'],
    ['Promise["try"](f)', 'Promise.try'],
    ['URL.canParse(url)', 'URL.canParse'],
    ['list.toSorted()', '.toSorted()'],
    ['if (list && list.toSorted()) f()', '.toSorted()'],
    ['list?.toReversed()', '.toReversed()'],
    ['a.union(b)', '.union()'],
    ['Object.groupBy(list, f)', 'Object.groupBy'],
    ['await Array.fromAsync(source)', 'Array.fromAsync'],
    ['Iterator.from(list)', 'Iterator.from'],
    ['list.values().drop(1)', '.drop()'],
    ['new URLPattern({})', 'URLPattern'],
    ['window.navigation', 'navigation'],
    ['scheduler.yield()', undefined],
    ['/[\\p{L}--[a-z]]/v', 'a regular expression with the flag v'],
    ['/(?i:a)b/', 'a regular expression with modifiers'],
    ['/(?<a>x)|(?<a>y)/', 'a regular expression with two groups of one name'],
    ['import data from "./data.json" with { type: "json" }', 'ImportAttribute'],
    ['{ using file = open(); }', 'using'],
  ])('finds what is newer in %s', (code, name) => {
    expect(newerThanFloor('page.js', code).map((use) => use.name)).toEqual(name === undefined ? [] : [name]);
  });

  test.each([
    'typeof Promise.withResolvers === "function"',
    'if (AbortSignal.any !== undefined) f()',
    'AbortSignal.any?.([a, b])',
    '!a && node.moveBefore && b ? node.moveBefore(c, d) : f()',
    'list.slice().sort()',
    'list.findLast(f) ?? list.at(-1)',
    'structuredClone(value)',
    'AbortSignal.timeout(5)',
    'Object.hasOwn(a, "b")',
    'class A { static #b = 1; static { A.#b = 2; } }',
    '/(?<!a)(?:b)(?<c>d)/du',
    'const any = own.any(1)',
  ])('passes over %s', (code) => {
    expect(newerThanFloor('page.js', code)).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newerApis } from '../browser/newer-apis.js';

const [, browsers = ''] =
  /^## Browsers\n(.*?)^## /ms.exec(readFileSync('docs/compatibility.md', 'utf8')) ?? [];

test('the documented APIs without which the wallet works are those that a test takes away', () => {
  const rows = browsers.slice(browsers.indexOf('| Used where')).matchAll(/^\| (`.*?) \|/gm);
  const named = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, api]) => api));
  expect(named.toSorted()).toEqual(Object.values(newerApis).flat().toSorted());
});

test('the oldest browsers are those of the README', () => {
  const versions = [...browsers.matchAll(/^\| (Chrome|Firefox|Safari).*? \| ([\d.]+) \|/gm)];
  const written = versions.map(([, name, version]) => `${name} ${version}`).join(', ');
  expect(written).toBe('Chrome 109, Firefox 115, Safari 16.4');
  expect(readFileSync('README.md', 'utf8')).toContain(written);
});

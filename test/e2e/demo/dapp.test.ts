import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { artifact, compileToken } from '../../support/compile.js';
import { readModules } from '../../support/modules.js';

const modules = readModules('demo');
const importsOf = (folder: string) =>
  modules
    .filter(({ path }) => path.startsWith(folder))
    .flatMap(({ path, imports }) => imports.map((each) => ({ ...each, path })));
const paths = new Set(modules.map(({ path }) => path));

describe('the dapp', () => {
  test('imports nothing of the wallet and no package', () => {
    const imports = importsOf('dapp/');
    expect(imports.length).toBeGreaterThan(0);
    const own = ({ target }: { target: string | null }) =>
      target !== null && paths.has(target) && !/^(wallet|bridge)\//.test(target);
    expect(
      imports.filter((each) => !own(each)).map(({ path, specifier }) => `${path}: ${specifier}`),
    ).toEqual([]);
  });

  test('shares with the panel only modules that import nothing of the wallet', () => {
    expect(importsOf('dom.ts').concat(importsOf('amounts.ts'))).toEqual([]);
  });

  test('has a token that is compiled from its source', () => {
    expect(readFileSync(artifact, 'utf8')).toBe(compileToken());
  });
});

describe('the bridge of the demo', () => {
  test('imports nothing of a wallet but the client', () => {
    const foreign = importsOf('bridge/').filter(({ target }) => target === null || !paths.has(target));
    expect(new Set(foreign.map(({ specifier }) => specifier))).toEqual(
      new Set(['../../src/bridge/client.js', 'virtual:local-service']),
    );
  });
});

describe('the wallet of the demo', () => {
  test('uses the public surface only', () => {
    const foreign = importsOf('wallet/').filter(({ target }) => target === null || !paths.has(target));
    expect(new Set(foreign.map(({ specifier }) => specifier))).toEqual(
      new Set([
        '../../src/index.js',
        '../../src/ui/index.js',
        '../../src/inspect/index.js',
        'virtual:local-service',
      ]),
    );
  });
});

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesIn, sourcesIn } from '../../support/files.js';
import { findCycle, type Import, readSources, shortPath } from '../../support/modules.js';
import { packages } from '../../support/packages.js';
import { tasks } from '../../support/tasks.js';
import { bundledPackages } from '../../support/third-party.js';

/** Imports point inward: a room may import those of its own row and of the rows above it. */
const layers = [
  ['rpc', 'async'],
  ['service', 'storage', 'proof'],
  ['assets'],
  ['approvals', 'chain'],
  ['keyring', 'session', 'subscriptions'],
  ['contacts'],
  ['signatures', 'transactions', 'bitcoin', 'received'],
  ['permissions'],
  ['purse'],
  ['methods'],
  ['provider'],
  ['wallet'],
  ['bridge', 'index'],
  ['script-tag'],
];

/** Rooms beside the layers, with those of the kit and the relay: what they may import at run time, and who may import them. */
const annexes: Record<string, { runTime: string[]; types: string[]; importedBy: string[] }> = {
  ui: {
    runTime: ['rpc', 'async'],
    types: layers.flat(),
    importedBy: ['wallet', 'bridge', 'index', 'script-tag', 'site', 'testing', 'inspect'],
  },
  inspect: { runTime: ['rpc', 'async', 'ui'], types: ['rpc', 'ui'], importedBy: [] },
  // Packages of their own.
  local: { runTime: ['rpc', 'proof'], types: ['rpc', 'proof'], importedBy: ['playwright'] },
  testing: {
    runTime: [...layers.flat(), 'ui'],
    types: [...layers.flat(), 'ui'],
    importedBy: ['playwright'],
  },
  playwright: {
    runTime: ['rpc', 'keyring', 'service', 'local', 'testing'],
    types: [...layers.flat(), 'ui', 'local', 'testing'],
    importedBy: [],
  },
  // For client libraries: they know the wallet by its public types alone.
  adapters: { runTime: ['provider'], types: ['provider', 'index'], importedBy: [] },
  site: { runTime: ['rpc', 'service'], types: ['rpc', 'service', 'ui'], importedBy: [] },
  relay: {
    runTime: ['rpc', 'async', 'service', 'chain', 'subscriptions'],
    types: ['rpc', 'async', 'service', 'chain', 'subscriptions'],
    importedBy: [],
  },
};

/** Packages (and builtins) that only the named file or room may import at run time. */
const reserved: [name: RegExp, where: RegExp][] = [
  [/^idb$/, /^storage\/idb\.ts$/],
  [/^preact(\/|$)/, /^(ui\/|inspect\/view\.tsx$)/],
  [/^uqr$/, /^ui\/receive\/qr-code\.tsx$/],
  // Addresses are recovered without the code of keys.
  [/^@noble\/secp256k1$/, /^(keyring\/signer|rpc\/recover)\.ts$/],
  [/^node:/, /^((local|site|playwright)\/|(relay\/(node|cli)|proof\/cli)\.ts$)/],
  // All else of the relay runs wherever there are `Request` and `Response`.
  [/^(ws|srvx)(\/|$)/, /^relay\/node\.ts$/],
  [/^jose$/, /^relay\/access\/auth\.ts$/],
  [/^redis$/, /^relay\/engines\/redis\.ts$/],
  [/^cloudflare:/, /^relay\/worker\.ts$/],
  [/^@foundry-rs\//, /^local\//],
  [/^@playwright\//, /^playwright\/index\.ts$/],
  [/^viem/, /^adapters\//],
];

const forbiddenNames = /^(.*-)?(manager|controller|helper|util)s?$|^(common|misc|data|info)$/;

const modules = readSources();
/** Translations. */
const texts = filesIn('src', '.json').map((path) => path.slice('src/'.length));
const room = (path: string) => path.replace(/(\.tsx?|\/.*)$/, '');
const layerOf = (name: string) => layers.findIndex((layer) => layer.includes(name));
type Source = (typeof modules)[number];
const ours = ({ imports }: Source) => imports.filter((each) => each.target !== null);

/** `from imports what` of each import that breaks `rule`. */
function breaking(rule: (from: Source, each: Import) => boolean): string[] {
  return modules.flatMap((from) =>
    from.imports.filter((each) => !rule(from, each)).map((each) => `${from.path} imports ${each.specifier}`),
  );
}

function graphOf(name: (path: string) => string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const from of modules) {
    const edges = graph.get(name(from.path)) ?? new Set<string>();
    // A worker shares types with who starts it: two programs, no cycle.
    for (const { target, kind } of from.imports)
      if (target && kind !== 'worker' && name(target) !== name(from.path)) edges.add(name(target));
    graph.set(name(from.path), edges);
  }
  return graph;
}

describe('imports', () => {
  test('every room has its place in the table', () => {
    const rooms = new Set(modules.map(({ path }) => room(path)));
    expect([...rooms].filter((name) => layerOf(name) < 0 && !annexes[name])).toEqual([]);
  });

  test('they point inward', () => {
    const inward = (from: string, to: string, atRunTime: boolean) => {
      if (from === to) return true;
      if (annexes[to] && !annexes[to].importedBy.includes(from)) return false;
      const annex = annexes[from];
      if (annex) return (atRunTime ? annex.runTime : annex.types).includes(to);
      return annexes[to] !== undefined || layerOf(to) <= layerOf(from);
    };
    expect(
      breaking(({ path }, { target, atRunTime }) => !target || inward(room(path), room(target), atRunTime)),
    ).toEqual([]);
  });

  test('the dialog is loaded lazily', () => {
    expect(
      breaking(({ path }, { target, atRunTime, kind }) => {
        const intoDialog = target !== null && room(target) === 'ui' && room(path) === 'wallet';
        return !intoDialog || !atRunTime || kind === 'lazy';
      }),
    ).toEqual([]);
  });

  test('no cycles of files, not even of types', () => {
    expect(findCycle(graphOf((path) => path))?.join(' → ') ?? 'none').toBe('none');
  });

  test('no cycles of rooms', () => {
    expect(findCycle(graphOf(room))?.join(' → ') ?? 'none').toBe('none');
  });

  test('relative ones end in .js or .json and mean a file of ours', () => {
    const paths = new Set([...modules.map(({ path }) => path), ...texts]);
    expect(
      breaking((_, { specifier, target }) => !target || (/\.js(on)?$/.test(specifier) && paths.has(target))),
    ).toEqual([]);
  });

  test('packages are bundled, dependencies or peers, each in the room that it is reserved for', () => {
    const wallet = packages.find(({ folder }) => folder === '.');
    expect(wallet?.manifest.dependencies).toBeUndefined();
    const installedFor = (source: string) => {
      const of = packages.find(({ folder }) => source.startsWith(`${folder}/`)) ?? wallet;
      const { dependencies, peerDependencies } = of?.manifest ?? {};
      return [...bundledPackages, ...Object.keys({ ...dependencies, ...peerDependencies })];
    };
    expect(
      breaking(({ path, source }, { specifier, target, atRunTime }) => {
        if (target !== null || !atRunTime) return true;
        const places = reserved.filter(([name]) => name.test(specifier));
        if (places.some(([, where]) => !where.test(path))) return false;
        return (
          /^(node|cloudflare):/.test(specifier) ||
          installedFor(source).some((name) => specifier === name || specifier.startsWith(`${name}/`))
        );
      }),
    ).toEqual([]);
  });

  test.each(['kit', 'relay'])('graft-%s takes no more of the wallet than is listed here', (name) => {
    const inPackage = modules.filter(({ source }) => source.startsWith(`packages/${name}/`));
    const own = new Set(inPackage.map(({ path }) => path));
    const atRunTime = new Map<string, boolean>();
    for (const each of inPackage.flatMap(ours)) {
      const target = each.target as string;
      if (!own.has(target)) atRunTime.set(target, each.atRunTime || atRunTime.get(target) === true);
    }
    const surface = Array.from(atRunTime, ([path, runs]) => (runs ? path : `${path} (types)`));
    expect(surface.sort()).toMatchSnapshot();
  });

  test('the wallet of the test kit, whose keys are derived cheaply, is a file that nothing imports', () => {
    expect(breaking((_, { target, kind }) => target !== 'testing/page.ts' || kind === 'worker')).toEqual([]);
  });

  test('only the approvals queue can mint an approval', () => {
    const minting = ({ target, names }: Import) =>
      target === 'approvals/approved.ts' && (names.includes('mint') || names.includes('*'));
    expect(modules.filter(({ imports }) => imports.some(minting)).map(({ path }) => path)).toEqual([
      'approvals/approvals.ts',
    ]);
  });
});

describe('files', () => {
  test('each is reached from an entry', () => {
    const entries = packages.flatMap(({ folder, manifest, entries }) => [
      ...entries.map(({ source }) => shortPath(source)),
      ...Object.values(manifest.bin).map((path) =>
        shortPath(posix.join(folder, path.replace('dist/', 'src/').replace(/\.js$/, '.ts'))),
      ),
    ]);
    const byPath = new Map(modules.map((module) => [module.path, module]));
    const reached = new Set<string>();
    const queue = [
      ...entries,
      'script-tag/script-tag.ts',
      'script-tag/bridge-tag.ts',
      'testing/script-tag.ts',
    ];
    for (const path of queue) {
      if (reached.has(path)) continue;
      reached.add(path);
      const module = byPath.get(path);
      if (module) queue.push(...ours(module).map(({ target }) => target as string));
    }
    expect(modules.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
  });

  test('none has a name that says nothing', () => {
    const names = (path: string) => path.replace(/\.tsx?$/, '').split('/');
    expect(
      modules
        .filter(({ path }) => names(path).some((name) => forbiddenNames.test(name)))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  test('none has a default export', () => {
    expect(modules.filter(({ hasDefaultExport }) => hasDefaultExport).map(({ path }) => path)).toEqual([]);
  });

  test('importing them touches no global, so that server rendering does not crash', () => {
    const runs = [
      'script-tag/script-tag.ts',
      'script-tag/bridge-tag.ts',
      'testing/script-tag.ts',
      'keyring/kdf/kdf-worker.ts',
      'local/cli.ts',
      'playwright/index.ts',
      'relay/cli.ts',
      // Its packages look for a window.
      'relay/node.ts',
      'site/cli.ts',
      'proof/cli.ts',
    ];
    const sources = modules.filter(({ path }) => !runs.includes(path)).map(({ source }) => source);
    expect(importInBareProcess(sources)).toEqual([]);
  }, 60_000);
});

describe('tests', () => {
  test('each unit test has the path of the file or folder of its package’s src that it tests', () => {
    const tests = ['test/unit', 'packages/kit/test', 'packages/relay/test']
      .flatMap((folder) => filesIn(folder, '.test.ts'))
      .filter((path) => !path.startsWith('test/unit/project/'));
    const sources = tests.map((path) =>
      path
        .replace(/^test\/unit\//, 'src/')
        .replace(/^(packages\/\w+)\/test\//, '$1/src/')
        .replace(/(\/[^/.]+)(\.[^/]+)?\.test\.ts$/, '$1'),
    );
    expect(
      tests.filter((_, i) => ['.ts', '.tsx', ''].every((ending) => !existsSync(`${sources[i]}${ending}`))),
    ).toEqual([]);
  });
});

describe('citations', () => {
  const cited = ['src', 'packages', 'test'].flatMap(sourcesIn).flatMap((path) => {
    const text = readFileSync(path, 'utf8').replace(/https?:\/\/[^\s)`'"]+/g, '');
    const comments = (text.match(/\/\*[\s\S]*?\*\/|\/\/.*$/gm) ?? []).join('\n');
    // A name without a folder is a citation in a comment only; elsewhere it may be a file that a script writes.
    return [
      ...comments.matchAll(/(?<![\w./-])([\w-]+\.md)()/g),
      ...text.matchAll(/(?<![\w./-])((?:[\w.-]+\/)+[\w-]+\.md)(?:#([\w-]+))?/g),
    ].map(([, document = '', anchor]) => ({ path, document: document.replace(/^(\.\.\/)+/, ''), anchor }));
  });

  test('every cited document is in the repository', () => {
    expect(
      cited
        // The API reference is generated.
        .filter(({ document }) => !document.startsWith('docs/api/'))
        .filter(({ path, document }) =>
          // A script may write a document, whose links begin in docs.
          ['.', 'docs', dirname(path)].every((folder) => !existsSync(`${folder}/${document}`)),
        )
        .map(({ path, document }) => `${path} cites ${document}`),
    ).toEqual([]);
  });

  test('the list of all documents has each guide and each first start', () => {
    const index = readFileSync('docs/index.md', 'utf8');
    const pages = ['guides', 'start'].flatMap((folder) => filesIn(`docs/${folder}`, '.md'));
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.filter((page) => !index.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
  });

  test('every file that a document names exists', () => {
    const folders = ['src', 'packages', 'test', 'demo', 'docs', 'examples'];
    const files = folders.flatMap(sourcesIn);
    // The guide to frameworks names the files of a project of the reader's.
    const documents = [
      'AGENTS.md',
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      ...filesIn('docs', '.md'),
    ].filter((path) => path !== 'docs/guides/frameworks.md');
    const named = documents.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name = '']) => ({
        path,
        name,
      })),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(
      named
        .filter(({ name }) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))
        .map(({ path, name }) => `${path} names ${name}`),
    ).toEqual([]);
  });

  test('every path in the scripts of package.json and their tasks exists', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const commands = [scripts, ...Object.values(tasks)].flatMap(Object.values<string | readonly string[]>);
    const paths = commands
      .flat()
      .flatMap((line) => line.match(/\b(?:demo|examples|packages|src|test)\/\S+/g) ?? []);
    expect(paths.length).toBeGreaterThan(20);
    // Vitest takes the beginning of a path.
    const exists = (path: string) =>
      readdirSync(dirname(path)).some((name) => name.startsWith(basename(path)));
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  test('every cited section is a heading of its document', () => {
    const anchors = new Map<string, Set<string>>();
    const has = (document: string, anchor: string) => {
      const known = anchors.get(document) ?? anchorsOf(readFileSync(document, 'utf8'));
      anchors.set(document, known);
      return known.has(anchor);
    };
    expect(
      cited
        .filter(({ document, anchor }) => anchor && existsSync(document) && !has(document, anchor))
        .map(({ path, document, anchor }) => `${path} cites ${document}#${anchor}`),
    ).toEqual([]);
  });
});

/** The anchors that GitHub gives the headings of a document: a repeated one gets a number. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '');
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/**
 * Imports source files one after another in a Node process in which touching what only a page has, adding a
 * global and throwing are noted with the file that did it. A timer or a connection that an import starts would
 * keep the process from ending.
 */
function importInBareProcess(paths: readonly string[]): string[] {
  const script = `
    const pageOnly = ['window', 'document', 'navigator', 'location', 'indexedDB', 'localStorage',
      'sessionStorage', 'BroadcastChannel', 'Worker', 'HTMLElement', 'customElements', 'CSSStyleSheet',
      'addEventListener', 'dispatchEvent', 'fetch', 'crypto'];
    // The one file that reads globals when it loads: what it keeps must be what the page had first.
    await import('./src/keyring/builtins.ts');
    const noted = [];
    let importing = '';
    for (const name of pageOnly) {
      const { value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
      const note = () => void noted.push(importing + ' touches ' + name);
      Object.defineProperty(globalThis, name, { configurable: true, get: () => (note(), value), set: note });
    }
    const before = new Set(Object.getOwnPropertyNames(globalThis));
    for (importing of ${JSON.stringify(paths)})
      await import('./' + importing).catch((error) => noted.push(importing + ' throws ' + error));
    for (const name of Object.getOwnPropertyNames(globalThis))
      if (!before.has(name)) noted.push('an import adds ' + name);
    console.log(JSON.stringify(noted));
  `;
  const output = execFileSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', script],
    { encoding: 'utf8', timeout: 60_000 },
  );
  return JSON.parse(output) as string[];
}

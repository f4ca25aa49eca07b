import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from 'vite';
import { sourcesIn } from './files.js';

/** A source file and its imports. Paths are relative to the root, with slashes. */
export interface Module {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly hasDefaultExport: boolean;
}

export interface Import {
  readonly specifier: string;
  /** The path of our file; `null` for a package. */
  readonly target: string | null;
  /** False for imports of types only. */
  readonly atRunTime: boolean;
  /** Static, by `import()`, or as the URL of a worker. */
  readonly kind: 'static' | 'lazy' | 'worker';
  /** Imported (or passed on) by name; `*` for all. */
  readonly names: readonly string[];
}

/** Reads every TypeScript file below `root`. */
export function readModules(root: string): Module[] {
  const paths = sourcesIn(root)
    .map((path) => path.slice(root.length + 1))
    .sort();
  const views = new Set(paths.filter((path) => path.endsWith('.tsx')));
  return paths.map((path) => readModule(path, readFileSync(`${root}/${path}`, 'utf8'), views));
}

/** The folders of sources by the path that their files begin with in {@link readSources}. */
const sourceFolders = { 'packages/relay/src/': 'relay/', 'packages/kit/src/': '', 'src/': '' };

/** The path of a source in the repository as {@link readSources} has it: `local/index.ts` for `packages/kit/src/local/index.ts`. */
export function shortPath(path: string): string {
  const [folder, short] = Object.entries(sourceFolders).find(([start]) => path.startsWith(start)) ?? ['', ''];
  return short + path.slice(folder.length);
}

/** Reads the sources of all packages, by short paths: `rpc/hex.ts` of the wallet, `local/index.ts` of the kit, `relay/node.ts`. */
export function readSources(): (Module & { readonly source: string })[] {
  const paths = Object.keys(sourceFolders).flatMap((folder) => sourcesIn(folder.slice(0, -1)));
  const views = new Set(paths.filter((path) => path.endsWith('.tsx')));
  return paths
    .map((source) => {
      const module = readModule(source, readFileSync(source, 'utf8'), views);
      const imports = module.imports.map((each) => ({
        ...each,
        target: each.target && shortPath(each.target),
      }));
      return { ...module, imports, path: shortPath(source), source };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function readModule(path: string, code: string, views: ReadonlySet<string>): Module {
  const { module, errors } = parseSync(path, code);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const imports: Import[] = [];
  const add = (specifier: string, rest: Omit<Import, 'specifier' | 'target'>) => {
    const relative = specifier.startsWith('.');
    const source = posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
    const target = views.has(`${source}x`) ? `${source}x` : source;
    imports.push({ specifier, target: relative ? target : null, ...rest });
  };

  for (const { moduleRequest, entries } of module.staticImports)
    add(moduleRequest.value, {
      atRunTime: entries.length === 0 || entries.some((entry) => !entry.isType),
      kind: 'static',
      names: entries.map(({ importName }) => importName.name ?? '*'),
    });
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, isType, importName } of entries)
      if (moduleRequest)
        add(moduleRequest.value, { atRunTime: !isType, kind: 'static', names: [importName.name ?? '*'] });
  for (const { moduleRequest } of module.dynamicImports) {
    // An address that is known only at run time, as in `script-loader.ts`, is no module of ours.
    const [, specifier] = /^['"](.*)['"]$/.exec(code.slice(moduleRequest.start, moduleRequest.end)) ?? [];
    if (specifier !== undefined) add(specifier, { atRunTime: true, kind: 'lazy', names: ['*'] });
  }
  for (const [, specifier] of code.matchAll(/new URL\(\s*'(\.[^']+)',\s*import\.meta\.url/g))
    add(specifier as string, { atRunTime: true, kind: 'worker', names: [] });

  return {
    path,
    lines: code.split('\n').length - 1,
    imports,
    hasDefaultExport: module.staticExports.some(({ entries }) =>
      entries.some(({ exportName }) => exportName.kind === 'Default'),
    ),
  };
}

/** The first cycle in a directed graph as the names along it, or `null`. */
export function findCycle(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): string[] | null => {
    const at = trail.indexOf(node);
    if (at >= 0) return [...trail.slice(at), node];
    if (done.has(node)) return null;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...trail, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return null;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle) return cycle;
  }
  return null;
}

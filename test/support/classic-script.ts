import { createHash } from 'node:crypto';
import { minify } from 'uglify-js';
import type { Plugin, Rolldown } from 'vite';
import type { ScriptFiles } from '../../src/script-tag/script-loader.js';

/** Where modules lie that the script and its lazy chunks share: a chunk of its own, until it is put together. */
const main = 'main';

/** The group of modules that are loaded with the script: `test` finds those that it imports. */
export const classicGroup = (test: RegExp) => ({ name: main, test });

/**
 * Makes the entry of a build of modules a classic script, whose lazy chunks stay modules beside it. A classic script can
 * import and export nothing: what it shares with them it leaves under a symbol of the page, and they take it from there.
 *
 * They are loaded by `src/script-tag/script-loader.ts`, by the list of their hashes that is written here. The list's own hash goes into
 * the script.
 *
 * @param environment of the build; its output is minified
 * @param entry the file of the script, such as `graft.js`
 */
export function classicScript(environment: string, entry: string): Plugin {
  const shared = `Symbol.for(${JSON.stringify(entry)})`;
  const load = `globalThis[Symbol.for(${JSON.stringify(`${entry} load`)})]`;
  const list = entry.replace('.js', '-files.js');
  return {
    name: 'classic-script',
    applyToEnvironment: ({ name }) => name === environment,
    generateBundle(_, files) {
      const chunks = Object.values(files).filter((file) => file.type === 'chunk');
      const script = chunks.find(({ fileName }) => fileName === entry);
      const common = chunks.find(({ name }) => name === main);
      if (!script || !common) return this.error(`${environment} has no chunk for ${entry}.`);
      const lazy = chunks.filter((chunk) => chunk !== script && chunk !== common);
      const names = new Map(
        pairs(exportClause.exec(common.code)?.[1]).map(([inner, outer]) => [outer, inner]),
      );

      /** The names inside of the common chunk that lazy chunks use. */
      const used = new Set<string>();
      for (const chunk of lazy) {
        const code = replaceImport(chunk.code, common, (imported) => {
          const members = imported.map(([outer, local]) => [names.get(outer) as string, local] as const);
          for (const [inner] of members) used.add(inner);
          return `const{${members.map((each) => each.join(':'))}}=globalThis[${shared}];`;
        });
        chunk.code = replaceLoads(code, load);
      }
      const hashes = lazy.map(
        ({ fileName, code }) => [fileName, [hashOf(code), ...staticImports(code)]] as const,
      );
      const source = `export const files=${JSON.stringify(Object.fromEntries(hashes) satisfies ScriptFiles)};\n`;
      this.emitFile({ type: 'asset', fileName: list, source });

      // What the entry imports are its arguments, so that its own variables may have the same names.
      let imported: readonly Pair[] = [];
      const rest = replaceImport(script.code, common, (pairs) => {
        imported = pairs;
        return '';
      });
      const locals = imported.map(([, local]) => local);
      const given = imported.map(([outer]) => names.get(outer));
      const body = `${common.code.replace(exportClause, '')};((${locals})=>{${rest}})(${given});return{${[...used]}}`;
      if (/(^|[;}])(import|export)\s*[{"]/.test(body)) this.error(`${entry} still imports or exports.`);
      if (!body.includes(`hash of ${list}`)) this.error(`${entry} has no place for the hash of ${list}.`);

      // As one script it is minified anew: each visit of a page loads it.
      const { code, error } = minify(
        `if(!(${shared} in globalThis)){` +
          `const value=(()=>{${replaceLoads(body, load).replace(`hash of ${list}`, hashOf(source))}})();` +
          `Object.defineProperty(globalThis,${shared},{value})}`,
        { toplevel: true, compress: { passes: 3, inline: false, varify: false } },
      );
      if (error) throw error;
      script.code = `(()=>{"use strict";${code}})();\n`;
      delete files[common.fileName];
    },
  };
}

/** A name that a chunk exports, and the name that another has for it; or that inside of it, and the one it exports. */
type Pair = readonly [string, string];

/** `a as b,c` as `[[a, b], [c, c]]`. */
const pairs = (names = ''): readonly Pair[] =>
  names
    .split(',')
    .filter(Boolean)
    .map((each) => {
      const [first, second] = each.split(' as ') as [string, string?];
      return [first, second ?? first];
    });

const exportClause = /export\{([^}]*)\};?\s*$/;

/** Puts something else in the place of the import of a chunk. */
const replaceImport = (
  code: string,
  { fileName }: Rolldown.OutputChunk,
  replacement: (imported: readonly Pair[]) => string,
): string =>
  code.replace(
    new RegExp(`import\\{([^}]*)\\}from"\\./${fileName.replaceAll('.', '\\.')}";`),
    (_, names: string) => replacement(pairs(names)),
  );

/** Has `import()` of the modules beside the script call `load`. */
const replaceLoads = (code: string, load: string): string =>
  code.replace(/\bimport\(([`"'])\.\/([\w-]+\.js)\1\)/g, `${load}("$2")`);

const hashOf = (code: string): string => createHash('sha256').update(code).digest('base64');

const staticImports = (code: string): readonly string[] =>
  [...code.matchAll(/(?:^|;)import(?:\{[^}]*\}from)?"\.\/([\w-]+\.js)"/g)].map(([, name]) => name as string);

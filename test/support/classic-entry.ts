import type { Plugin, Rolldown } from 'vite';

/** Where modules lie that the entry's script and its lazy chunks share: a chunk of its own, until it is put together. */
const main = 'main';

/**
 * Makes the entry of a build of modules a classic script, whose lazy chunks stay modules. A classic script can import and
 * export nothing, so what it shares with them it leaves under a symbol of the page, and they take it from there.
 *
 * @param environment of the build; its output is minified
 * @param entry the file of the script
 */
export function classicEntry(environment: string, entry: string): Plugin {
  const shared = `Symbol.for(${JSON.stringify(entry)})`;
  return {
    name: 'classic-entry',
    applyToEnvironment: ({ name }) => name === environment,
    generateBundle(_, files) {
      const chunks = Object.values(files).filter((file) => file.type === 'chunk');
      const find = (wanted: (chunk: Rolldown.OutputChunk) => boolean): Rolldown.OutputChunk => {
        const found = chunks.find(wanted);
        if (!found) throw new Error(`classic-entry: ${environment} has no chunk for ${entry}`);
        return found;
      };
      const script = find(({ fileName }) => fileName === entry);
      const common = find(({ name }) => name === main);
      const takeFrom = (code: string, from: Rolldown.OutputChunk, place: string): string =>
        code.replace(
          new RegExp(`import\\{([^}]*)\\}from"\\./${from.fileName.replaceAll('.', '\\.')}";`),
          (_, names: string) => `const{${names.replaceAll(' as ', ':')}}=${place};`,
        );
      /** A chunk as an expression: the object of its exports. */
      const inline = ({ code }: Rolldown.OutputChunk): string => {
        const [exports = '', names = ''] = /export\{([^}]*)\};?\s*$/.exec(code) ?? [];
        const members = names.replace(/([\w$]+) as ([\w$]+)/g, '$2:$1');
        return `(()=>{${code.slice(0, code.length - exports.length)};return{${members}}})()`;
      };

      // The bundler keeps its own functions in a chunk apart.
      const runtime = chunks.find(({ fileName }) => common.imports.includes(fileName));
      if (runtime) common.code = takeFrom(common.code, runtime, inline(runtime));
      const body = inline(common);
      const rest = takeFrom(script.code, common, 'shared');
      if ([common.code, rest].some((code) => /^import\b/.test(code)) || /export\{/.test(rest))
        throw new Error(`classic-entry: ${entry} still imports or exports`);
      script.code = `(()=>{"use strict";if(${shared} in globalThis)return;const shared=${body};(()=>{${rest}})();Object.defineProperty(globalThis,${shared},{value:shared})})();\n`;
      delete files[common.fileName];
      for (const chunk of chunks)
        if (chunk !== script) chunk.code = takeFrom(chunk.code, common, `globalThis[${shared}]`);
    },
  };
}

/** The group of modules that are loaded with the entry: `test` finds those that it imports. */
export const classicGroup = (test: RegExp) => ({ name: main, test });

import { createHash } from 'node:crypto';
import type { Plugin, Rolldown } from 'vite';
import type { ScriptFiles } from '../../src/script-loader.js';

/**
 * Has the modules beside a classic script loaded by `src/script-loader.ts`, and writes the list of their hashes, whose own
 * hash goes into the script.
 *
 * @param environment of the build, after {@link classicEntry}
 * @param entry the file of the script
 */
export const scriptFiles = (environment: string, entry: string): Plugin => ({
  name: 'script-files',
  applyToEnvironment: ({ name }) => name === environment,
  generateBundle(_, files) {
    const list = entry.replace('.js', '-files.js');
    const loader = `globalThis[Symbol.for(${JSON.stringify(`${entry} load`)})]`;
    const chunks = Object.values(files).filter((file) => file.type === 'chunk');
    for (const chunk of chunks)
      chunk.code = chunk.code.replace(/\bimport\(([`"'])\.\/([\w-]+\.js)\1\)/g, `${loader}("$2")`);
    const script = chunks.find(({ fileName }) => fileName === entry) as Rolldown.OutputChunk;
    const entries = chunks
      .filter((chunk) => chunk !== script)
      .map(({ fileName, code }) => [fileName, [hashOf(code), ...staticImports(code)]] as const);
    const source = `export const files=${JSON.stringify(Object.fromEntries(entries) satisfies ScriptFiles)};\n`;
    this.emitFile({ type: 'asset', fileName: list, source });
    const code = script.code.replace(`hash of ${list}`, hashOf(source));
    if (code === script.code) this.error(`${entry} has no place for the hash of ${list}.`);
    script.code = code;
  },
});

const hashOf = (code: string) => createHash('sha256').update(code).digest('base64');
const staticImports = (code: string) =>
  [...code.matchAll(/(?:^|;)import(?:\{[^}]*\}from)?"\.\/([\w-]+\.js)"/g)].map(([, name]) => name as string);

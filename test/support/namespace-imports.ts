import type { Plugin } from 'vite';

/**
 * Writes the import of a module that shares its file with others as `(await import('./file.js')).module_exports`, and one with
 * `.catch(…)` as `((await import('./file.js').catch(…))?.module_exports ?? null)`, which keeps what `.catch(() => null)` gives. The
 * bundler writes `await import('./file.js').then((n) => n.module_exports)`. Vite 5 and 6 take the names that are destructured from
 * this for exports of the file, and a page that they build gets `undefined`.
 */
export const namespaceImports = (): Plugin => ({
  name: 'namespace-imports',
  // Bundlers read no script tag.
  applyToEnvironment: ({ name }) => !/Tag$|^testPage$/.test(name),
  renderChunk(code) {
    const written = code.replace(
      /await (import\([^()]+\))\.then\(\((\w+)\) => \2\.(\w+)\)(\.catch\((?:\(\) => )?\w+\))?/g,
      (_, imported, _namespace, name, caught) =>
        caught === undefined
          ? `(await ${imported}).${name}`
          : `((await ${imported}${caught})?.${name} ?? null)`,
    );
    const [left] = written.match(/await import\([^()]+\)\.then\(\((\w+)\) => \1\.\w+\)\.\w+/) ?? [];
    if (left !== undefined) throw new Error(`An import of a shared file that is not rewritten: ${left}`);
    return written === code ? null : { code: written, map: null };
  },
});

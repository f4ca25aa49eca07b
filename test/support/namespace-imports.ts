import type { Plugin } from 'vite';

/**
 * Writes the import of a module that shares its file with others as `(await import('./file.js')).module_exports`. The bundler
 * writes `await import('./file.js').then((n) => n.module_exports)`. Vite 5 and 6 take the names that are destructured from this
 * for exports of the file, and a page that they build gets `undefined`.
 */
export const namespaceImports = (): Plugin => ({
  name: 'namespace-imports',
  // Bundlers read no script tag.
  applyToEnvironment: ({ name }) => !/Tag$|^testPage$/.test(name),
  renderChunk(code) {
    const written = code.replace(
      /await (import\([^()]+\))\.then\(\((\w+)\) => \2\.(\w+)\)/g,
      (_, imported, _namespace, name) => `(await ${imported}).${name}`,
    );
    return written === code ? null : { code: written, map: null };
  },
});

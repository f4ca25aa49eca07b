import type { Plugin } from 'vite';

/**
 * Has the bundler's own code read an object's own members alone. It goes through the exports of a merged module by
 * `for … in`, so that a page that adds anything to `Object.prototype` before would stop that module from loading, or add
 * an export to it.
 */
export const ownExports = (): Plugin => ({
  name: 'own-exports',
  renderChunk(code) {
    if (!code.includes('__exportAll = ')) return null;
    let found = 0;
    const own = code
      .replace(/(for \(\w+ \w+) in all\)/, (_, each) => `${each} of Object.keys(all))`)
      .replace(/__defProp\(target, (?:name|Symbol\.toStringTag), \{/g, (definition) => {
        found++;
        return `${definition} __proto__: null,`;
      });
    if (found !== 2 || own.includes(' in all)'))
      this.error('The bundler writes its exports otherwise now: change own-exports.ts.');
    return { code: own, map: null };
  },
});

import { headOfPage, prototypeOfPage } from '../ui/page.js';

/** The files beside a classic script: of each its SHA-256 in base64, and the files that it imports statically. */
export type ScriptFiles = Readonly<Record<string, readonly [hash: string, ...imports: string[]]>>;

/**
 * Loads modules that lie beside a classic script, each only if it is the file of the same build, with all that it imports.
 * The script's own `integrity` so covers everything that it loads: it knows the hash of the list, and the list all others.
 * The browser checks them when it preloads them; one that cannot preload modules (Safari before 17) loads them unchecked.
 *
 * The build has each `import()` call what this leaves under `Symbol.for('{name}.js load')`. It rejects with a TypeError for a
 * file that is missing or differs.
 *
 * @param script its URL and its nonce
 * @param name of the script's file, such as `graft` for `graft.js`; the list is `graft-files.js` then, a module that exports
 * `files`
 * @param hash of the list
 */
export function installScriptLoader(
  script: { readonly src: string; readonly nonce: string },
  name: string,
  hash: string,
): void {
  const list = `${name}-files.js`;
  const urlOf = (file: string) => new URL(file, script.src).href;
  const loaded = new Map<string, Promise<void>>();

  const preload = (file: string, integrity: string): Promise<void> => {
    const loading = loaded.get(file);
    if (loading) return loading;
    const link = prototypeOfPage().createElement.call(document, 'link') as HTMLLinkElement;
    if (!link.relList.supports('modulepreload')) return Promise.resolve();
    const checked = new Promise<void>((resolve, reject) => {
      link.onload = () => resolve();
      link.onerror = () => {
        loaded.delete(file);
        reject(new TypeError(`${file} is missing, or of another version`));
      };
    });
    Object.assign(link, {
      rel: 'modulepreload',
      nonce: script.nonce,
      crossOrigin: 'anonymous',
      integrity: `sha256-${integrity}`,
      href: urlOf(file),
    });
    headOfPage().append(link);
    loaded.set(file, checked);
    return checked.finally(() => link.remove());
  };

  const load = async (file: string): Promise<unknown> => {
    await preload(list, hash);
    const { files } = (await import(urlOf(list))) as { readonly files: ScriptFiles };
    const needed = new Set([file]);
    for (const each of needed)
      for (const next of (files[each] as ScriptFiles[string]).slice(1)) needed.add(next);
    await Promise.all([...needed].map((each) => preload(each, (files[each] as ScriptFiles[string])[0])));
    return import(urlOf(file));
  };
  const property = { __proto__: null, value: load } as PropertyDescriptor;
  Object.defineProperty(globalThis, Symbol.for(`${name}.js load`), property);
}

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { classicScriptOf } from '../../test/support/worker-source.js';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * Makes a built site an app: emits its service worker and its icons, and links the home document to the manifest that
 * `graft-host` writes. A development server has no releases, so there the home document links to none.
 */
export function appFiles(): Plugin {
  return {
    name: 'app-files',
    apply: 'build',
    async buildStart() {
      this.emitFile({ type: 'asset', fileName: 'sw.js', source: await classicScriptOf(pathOf('sw.ts')) });
      for (const fileName of ['icon-192.png', 'icon-512.png', 'icon-maskable-512.png'])
        this.emitFile({ type: 'asset', fileName, source: await readFile(pathOf(fileName)) });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_, { path }) =>
        path === '/index.html'
          ? [{ tag: 'link', attrs: { rel: 'manifest', href: '/manifest.webmanifest' }, injectTo: 'head' }]
          : [],
    },
  };
}

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { workerSource } from '../../test/support/worker-source.js';
import { appFiles } from './app-files-plugin.js';
import { chunks } from './chunks.js';

const root = fileURLToPath(new URL('.', import.meta.url));

/** The documents of a wallet on an origin of its own: for `graft-host build`, which has them built, and for the demo. */
export default defineConfig({
  root,
  publicDir: false,
  plugins: [workerSource({ asFile: true }), appFiles()],
  oxc: { jsx: { development: false, pure: false } },
  build: {
    outDir: fileURLToPath(new URL('../../dist/wallet-site', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the documents allows no inline script.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: { codeSplitting: { groups: chunks } },
      input: ['index.html', 'frame.html', 'window.html', 'connect.html'].map((name) => `${root}${name}`),
    },
  },
});

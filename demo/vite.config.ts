import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { workerSource } from '../test/support/worker-source.js';
import { localService } from './local-service-plugin.js';

/** Builds the demo as a static site that works from any folder. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  publicDir: false,
  plugins: [localService(), workerSource()],
  build: {
    outDir: fileURLToPath(new URL('../dist-demo', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: {
      input: ['index', 'shop'].map((page) => fileURLToPath(new URL(`${page}.html`, import.meta.url))),
    },
    // The policy of the page allows no inline script.
    modulePreload: { polyfill: false },
  },
});

import { resolve } from 'node:path';

/** Builds `page.js` with webpack or with Rspack, which has the same options. */
const { default: bundle } = await import(process.argv[2]);
bundle(
  { mode: 'production', entry: './page.js', output: { path: resolve('out'), filename: 'page.js' } },
  (error, stats) => {
    if (error) throw error;
    if (stats.hasErrors() || stats.hasWarnings()) {
      console.error(stats.toString());
      process.exitCode = 1;
    }
  },
);

import { resolve } from 'node:path';

/** Builds `page.js` with webpack or with Rspack, which has the same options; as it is where `--no-minimize` is the last argument. */
const { default: bundle } = await import(process.argv[2]);
const minimize = process.argv[3] !== '--no-minimize';
bundle(
  {
    ...{ mode: 'production', entry: './page.js', output: { path: resolve('out'), filename: 'page.js' } },
    optimization: { minimize },
  },
  (error, stats) => {
    if (error) throw error;
    if (stats.hasErrors() || stats.hasWarnings()) {
      console.error(stats.toString());
      process.exitCode = 1;
    }
  },
);

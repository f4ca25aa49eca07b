import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packages } from '../../support/packages.js';

/** The examples in TypeScript, with their own settings, against the declarations of the package. */

/** The declarations of the wallet, as they are published. */
let declarations = '';

beforeAll(async () => {
  await mkdir('.cache', { recursive: true });
  declarations = await mkdtemp('.cache/declarations-');
  expect(await runTsc('-p', 'tsconfig.build.json', '--outDir', declarations)).toEqual([]);
});
afterAll(() => rm(declarations, { recursive: true, force: true }));

/** Runs the compiler. Resolves with an error a line. */
const runTsc = (...args: readonly string[]) =>
  new Promise<string[]>((done) => {
    const command = ['node_modules/typescript/bin/tsc', ...args, '--pretty', 'false'];
    execFile(process.execPath, command, (_, stdout, stderr) =>
      done((stdout + stderr).split('\n').filter((line) => line !== '')),
    );
  });

/** Type-checks the folder of an example, and this code as a further file of it. Resolves with an error a line. */
async function check(name: string, further = ''): Promise<string[]> {
  const folder = await mkdtemp('.cache/example-');
  const example = resolve('examples', name);
  try {
    const compilerOptions = {
      // Stricter than the example: what a project adds that it may be copied into.
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      noImplicitReturns: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      paths: Object.fromEntries(
        packages[0]?.entries.map(({ specifier, types }) => [
          specifier,
          [resolve(declarations, types.replace('./dist/', ''))],
        ]) ?? [],
      ),
    };
    const project = {
      extends: join(example, 'tsconfig.json'),
      compilerOptions,
      include: [join(example, 'src'), '.'],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
    await writeFile(join(folder, 'further.tsx'), `${further}\nexport {};\n`);
    return await runTsc('-p', folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('react-wagmi type-checks under strict settings', async () => {
  expect(await check('react-wagmi')).toEqual([]);
});

test('code of an example that does not type-check is found', async () => {
  const app = resolve('examples/react-wagmi/src/App');
  const further = `import { App } from '${app}';\nexport const explain = (error) => <App>{error}</App>;`;
  expect(await check('react-wagmi', further)).toEqual([
    expect.stringMatching(/further\.tsx\(2,\d+\): error TS7006/),
    expect.stringMatching(/further\.tsx\(2,\d+\): error TS2559/),
  ]);
});

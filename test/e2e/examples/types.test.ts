import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { packageEntries } from '../../support/packages.js';

/** The examples in TypeScript, with their own settings, against the sources of the entries. */

/** Type-checks the folder of an example, and this code as a further file of it. Resolves with an error a line. */
async function check(name: string, further = ''): Promise<string[]> {
  await mkdir('.cache', { recursive: true });
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
      // The sources name modules of Node; the declarations that are published do not.
      types: ['vite/client', 'node'],
      paths: Object.fromEntries(
        packageEntries.map(({ specifier, source }) => [specifier, [resolve(source)]]),
      ),
    };
    const project = {
      extends: join(example, 'tsconfig.json'),
      compilerOptions,
      include: [join(example, 'src'), '.'],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
    await writeFile(join(folder, 'further.tsx'), `${further}\nexport {};\n`);
    const output = await new Promise<string>((done) => {
      const args = ['node_modules/typescript/bin/tsc', '-p', folder, '--pretty', 'false'];
      execFile(process.execPath, args, (_, stdout, stderr) => done(stdout + stderr));
    });
    return output.split('\n').filter((line) => line !== '');
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

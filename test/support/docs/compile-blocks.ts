import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { packageEntries } from '../packages.js';
import type { Block } from './blocks.js';
import { givenDeclaration } from './given.js';

/** Type-checks blocks as modules against the sources of the entries. Resolves with an error a line, by document and line. */
export async function compileBlocks(blocks: readonly Block[]): Promise<string[]> {
  await mkdir('.cache', { recursive: true });
  const folder = await mkdtemp('.cache/docs-');
  try {
    const paths = packageEntries.map(({ specifier, source }) => [specifier, [resolve(source)]]);
    const compilerOptions = {
      noUnusedLocals: false,
      noUnusedParameters: false,
      rootDir: resolve('.'),
      paths: Object.fromEntries(paths),
    };
    const project = { extends: '../../tsconfig.json', compilerOptions, include: ['.'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'given.d.ts'), givenDeclaration);
    await Promise.all(
      // Without an import a file would be a script, whose names are global.
      blocks.map(({ code }, at) => writeFile(join(folder, `${at}.ts`), `${code}\nexport {};\n`)),
    );
    const output = await new Promise<string>((done) => {
      const args = ['node_modules/typescript/bin/tsc', '-p', folder, '--pretty', 'false'];
      execFile(process.execPath, args, (_, stdout, stderr) => done(stdout + stderr));
    });
    return output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) =>
        line.replace(/^\S*\/(\d+)\.ts\((\d+),\d+\)/, (_, at: string, inBlock: string) => {
          const { path, line: first } = blocks[Number(at)] as Block;
          return `${path}:${first + Number(inBlock) - 1}`;
        }),
      );
  } finally {
    await rm(folder, { recursive: true });
  }
}

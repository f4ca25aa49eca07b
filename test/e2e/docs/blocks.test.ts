import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documents, readBlocks } from '../../support/docs/blocks.js';
import { compileBlocks } from '../../support/docs/compile-blocks.js';
import { given } from '../../support/docs/given.js';
import { openStage, type Stage } from '../../support/docs/stage.js';
import { writeReference } from '../../support/docs/write-reference.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';

hastenKdfOfFile();
await writeReference();

const blocks = documents().flatMap(readBlocks);
const code = blocks.filter(({ language }) => /^(ts|tsx|js)$/.test(language));
const whole = code.filter(({ mark }) => mark === '' || mark === 'page');
const runnable = whole.filter(
  ({ mark, path, language }) => mark === '' && language === 'ts' && !/docs\/api\//.test(path),
);

describe('code of the documents', () => {
  test('is whole unless its mark says otherwise, and few blocks have a mark', () => {
    const written = code.filter(({ path }) => !path.startsWith('docs/api/'));
    const count = (mark: string) => written.filter((block) => block.mark === mark).length;
    expect(written.filter(({ mark }) => !['', 'page', 'file'].includes(mark))).toEqual([]);
    expect({ needPage: count('page'), run: runnable.length }).toMatchInlineSnapshot(`
      {
        "needPage": 40,
        "run": 75,
      }
    `);
  });

  test('compiles against the types of the package, and a block that is wrong is found by its document and line', async () => {
    const [first] = whole as [(typeof whole)[number]];
    const wrong = { ...first, path: 'README.md', line: 7, code: 'wallet.unlock(\n  1,\n);' };
    expect(await compileBlocks([...whole, wrong])).toEqual([
      expect.stringMatching(/^README\.md:8: error TS2345/),
    ]);
  }, 300_000);

  test('the names that examples use without declaring them are in the table of docs/index.md', () => {
    const [, table = ''] = readFileSync('docs/index.md', 'utf8').split('## In the examples');
    const names = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(given)));
  });

  test('the configuration for React is the file of the example, but for the variable that names another node', () => {
    const file = readFileSync('examples/react-wagmi/src/wagmi.ts', 'utf8');
    const shown = file.replace('import.meta.env.VITE_SERVICE_URL ?? ', '');
    expect(shown).not.toBe(file);
    const inGuide = code.filter(({ path }) => path === 'docs/start/library.md').map((block) => block.code);
    expect(inGuide).toContain(shown);
  });

  test('the files that are to be copied for React are those of the example', () => {
    const guide = readFileSync('docs/start/library.md', 'utf8');
    const named = [...guide.matchAll(/^\| `(src\/[\w.]+)` \|/gm)].map(([, name = '']) => name);
    const files = readdirSync('examples/react-wagmi/src').map((name) => `src/${name}`);
    expect(named.sort()).toEqual(files.sort());
    expect(guide).toContain('cp node_modules/graft-wallet/examples/react-wagmi/src/* src/\n');
  });

  test('commands name scripts, binaries and packages that there are', () => {
    const { scripts, name } = JSON.parse(readFileSync('package.json', 'utf8'));
    const commands = blocks
      .filter(({ language }) => language === 'sh')
      .flatMap((block) => block.code.split('\n'));
    const run = commands.flatMap((line) => [
      // Those of the reader's own project, made by `npm create vite`, have `dev`.
      ...line.matchAll(/npm (?:run )?(?!run|install|init|ci|test|start|create |dev$)([\w:]+)/g),
    ]);
    expect(run.map(([, script = '']) => script).filter((script) => !(script in scripts))).toEqual([]);
    // Ours are held by test/unit/project/tasks.test.ts.
    const npx = commands.flatMap((line) => [...line.matchAll(/npx (?:-p \S+ )?(?!graft-|-p)([\w-]+)/g)]);
    const others = ['http-server', 'playwright', 'vitest', 'vite', 'wrangler'];
    expect(npx.map(([, bin = '']) => bin).filter((each) => !others.includes(each))).toEqual([]);
    expect(commands.filter((line) => line.includes('npm install')).join()).toContain(name);
  });
});

describe('runs', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  }, 60_000);
  afterAll(() => stage?.stop());

  test.each(runnable.map((block) => [`${block.path}:${block.line}`, block] as const))(
    '%s',
    async (_, block) => {
      await stage.run(block);
    },
    60_000,
  );
});

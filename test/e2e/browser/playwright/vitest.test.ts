import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findChromium } from '../../../support/chromium.js';
import { readBlocks } from '../../../support/docs/blocks.js';
import { projectRoot } from '../../../support/packages.js';
import { buildTestKit, createTestProject } from '../../../support/test-kit.js';

/** The files of the guide, whose first line is their name. */
const guide = readBlocks('docs/guides/testing.md').flatMap(({ code }) => {
  const [, name] = code.match(/^\/\/ (\S+\.ts)\n/) ?? [];
  return name ? [[name, code] as const] : [];
});

/** The wallet of the guide in a module of its own, for a dapp that looks for `window.ethereum` when it loads. */
const own = {
  'wallet.ts': `
    import { createMemoryStorage, createVolatileMemory, createWallet } from 'graft-wallet';
    import { scripted } from 'graft-kit/testing';
    import { inject } from 'vitest';

    const password = 'test password';
    export const person = scripted({ password, answers: [{ kind: 'connect', answer: 'approve' }] });
    const wallet = createWallet({
      networks: [inject('chain')],
      approver: () => person,
      storage: createMemoryStorage(),
      memory: createVolatileMemory(),
    });
    wallet.announce({ window: true, isMetaMask: true });
    await wallet.importMnemonic('test test test test test test test test test test test junk', { password });`,
  'dapp.ts': `
    const { ethereum } = window;
    export async function pay() {
      const [from] = await ethereum.request({ method: 'eth_requestAccounts' });
      return ethereum.request({ method: 'eth_sendTransaction', params: [{ from, to: from, value: '0x5' }] });
    }
    export const isMetaMask = ethereum.isMetaMask;`,
  'dapp.test.ts': `
    import { expect, test } from 'vitest';
    import { person } from './wallet.js';
    import { isMetaMask, pay } from './dapp.js';

    test('refuses', async () => {
      const refused = expect(pay()).rejects.toMatchObject({ code: 4001 });
      await person.reject({ kind: 'transaction', value: 5n });
      await refused;
      expect(isMetaMask).toBe(true);
    });

    test('fails', async () => {
      pay().catch(() => {});
      await person.approve({ kind: 'transaction', value: 6n });
    });`,
};

interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

test("Vitest's browser mode runs the guide's project, and fails where another question was asked", async () => {
  const [built, { path, environment }] = await Promise.all([buildTestKit({ library: true }), findChromium()]);
  const launchOptions = { executablePath: path, env: { ...process.env, ...environment } };
  const files = Object.fromEntries(guide);
  expect(Object.keys(files)).toEqual(['vitest.config.ts', 'chain.ts', 'pay.test.ts']);
  expect(files['vitest.config.ts']).toContain('playwright()');
  const project = await createTestProject(
    built,
    {
      ...files,
      ...own,
      'vitest.config.ts': (files['vitest.config.ts'] as string).replace(
        'playwright()',
        `playwright(${JSON.stringify({ launchOptions })})`,
      ),
      'package.json': '{ "type": "module" }',
    },
    ['vitest', '@vitest/browser-playwright', '@foundry-rs/anvil'],
  );
  try {
    const cli = join(projectRoot, 'node_modules/vitest/vitest.mjs');
    const run = [
      cli,
      'run',
      '--reporter=json',
      '--outputFile=report.json',
      '--browser.screenshotFailures=false',
    ];
    const env = { ...process.env, NODE_OPTIONS: '' };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, run, {
      cwd: project.folder,
      env,
    }).catch((failed: { stdout: string; stderr: string }) => failed);
    const report = await readFile(join(project.folder, 'report.json'), 'utf8').catch(() => {
      throw new Error(`${stdout}${stderr}`);
    });
    const { testResults }: Report = JSON.parse(report);
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    expect(
      Object.fromEntries(results.map(({ title, status }) => [title, status])),
      `${testResults.map(({ message }) => message)}${results.flatMap(({ failureMessages }) => failureMessages)}`,
    ).toEqual({ pays: 'passed', refuses: 'passed', fails: 'failed' });
    expect(results.find(({ title }) => title === 'fails')?.failureMessages.join()).toContain(
      'Expected the question { kind: "transaction", value: 6n }, but was asked { kind: "transaction"',
    );
  } finally {
    await Promise.all([project.stop(), built.stop()]);
  }
}, 180_000);

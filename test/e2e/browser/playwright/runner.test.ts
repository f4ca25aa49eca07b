import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChromium } from '../../../support/chromium.js';
import { readBlocks } from '../../../support/docs/blocks.js';
import { projectRoot } from '../../../support/packages.js';
import { type Served, servePage } from '../../../support/serve.js';
import {
  buildTestKit,
  createTestProject,
  type TestKit,
  type TestProject,
} from '../../../support/test-kit.js';

/** A project of a test author: Playwright's own runner over the published package. */

const html = `<!doctype html><title>Shop</title><button>Pay</button><output></output><script>
  const ask = (method, ...params) => ethereum.request({ method, params });
  document.querySelector('button').onclick = async () => {
    const [from] = await ask('eth_requestAccounts');
    const hash = await ask('eth_sendTransaction', { from, to: '0x0c54fccd2e384b4bb6f2e405bf5cbc15a017aafb', value: '0x5' });
    document.querySelector('output').value = 'Paid with ' + hash;
  };
</script>`;

const spec = `
  import { expect, test } from 'graft-kit/playwright';

  test.use({ walletOptions: { answers: [{ kind: 'connect', answer: 'approve' }], timeout: 5000 } });

  const blocks = (chain) => chain.request('eth_blockNumber');
  let first;

  test('pays', async ({ page, wallet, chain }) => {
    first = await blocks(chain);
    await page.goto(process.env.SHOP);
    await page.getByRole('button', { name: 'Pay' }).click();
    await wallet.approve({ kind: 'transaction', value: 5n });
    await expect(page.getByRole('status')).toHaveText(/Paid with 0x/);
    await wallet.expectNoQuestion();
    expect(Number(await blocks(chain))).toBe(Number(first) + 1);
  });

  test('finds the chain as it was', async ({ wallet, chain }) => {
    expect(await blocks(chain)).toBe(first);
    expect(await chain.request('eth_getBalance', [wallet.accounts[0], 'latest'])).toBe('0x56bc75e2d63100000');
  });

  test('travels in time', async ({ chain }) => {
    await chain.setTime(new Date('2040-01-01'));
    expect((await chain.time()).getUTCFullYear()).toBe(2040);
    await chain.increaseTime(365 * 86400);
    await chain.mine(2);
    expect((await chain.time()).toISOString()).toMatch(/^2040-12-31/);
  });

  test('is back in the present', async ({ wallet, chain }) => {
    await chain.mine();
    expect(Math.abs((await chain.time()).getTime() - Date.now())).toBeLessThan(60000);
  });

  test('fails', async ({ page, wallet }) => {
    await page.goto(process.env.SHOP);
    await page.getByRole('button', { name: 'Pay' }).click();
    await wallet.approve({ kind: 'transaction', value: 6n });
  });
`;

/** A dapp whose wallet is on a site of its own, which no server serves. */
const bridgedHtml =
  '<!doctype html><title>Shop</title><body><script type="module" src="/test/e2e/browser/playwright/bridge-page.ts"></script>';

const bridgedSpec = `
  import { expect, test } from 'graft-kit/playwright';

  test.use({ walletOptions: { bridge: 'https://wallet.example.com' } });

  test('pays in windows', async ({ page, wallet }) => {
    await page.goto(process.env.SHOP + '?wallet=https://wallet.example.com');
    await page.getByRole('button', { name: 'Pay' }).click();
    await wallet.approve({ kind: 'connect' });
    await wallet.approve({ kind: 'transaction', value: 5n });
    await expect(page.getByRole('status')).toHaveText(/"0x/);
    await wallet.expectNoQuestion();
    expect(page.context().pages()).toHaveLength(1);
  });
`;

/** A test file whose tests compare the state of the chain with what its hooks did. */
const chainSpec = `
  import { expect, test } from 'graft-kit/playwright';

  const [kept, hooked, left] = ['1', '2', '3'].map((digit) => '0x' + digit.repeat(40));
  const balance = async (chain, address) => Number(await chain.request('eth_getBalance', [address, 'latest']));

  test.beforeAll(async ({ chain }) => {
    await chain.fund(kept, 7n);
    await chain.keep();
  });
  test.beforeEach(({ chain }) => chain.fund(hooked, 5n));

  test('a test with a wallet finds what its hooks did', async ({ wallet, chain }) => {
    expect(await balance(chain, hooked)).toBe(5);
    expect(await balance(chain, kept)).toBe(7);
    expect(await balance(chain, wallet.accounts[0])).toBe(1e20);
    await chain.fund(left);
  });
  for (const turn of ['first', 'second'])
    test('a test with the chain alone finds it as new: the ' + turn, async ({ chain }) => {
      expect(await balance(chain, left)).toBe(0);
      expect(await balance(chain, hooked)).toBe(5);
      expect(await balance(chain, kept)).toBe(7);
      await chain.fund(left);
    });
`;

/** A test that names neither the wallet nor the chain. A chain keeps its files in such a folder. */
const plainSpec = `
  import { readdirSync } from 'node:fs';
  import { tmpdir } from 'node:os';
  import { expect, test } from 'graft-kit/playwright';

  test('needs no chain', async ({ page }) => {
    await page.goto(process.env.SHOP);
    expect(await page.title()).toBe('Shop');
  });
  test('has started none', () => {
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('graft-anvil-'))).toEqual([]);
  });
`;

/** The fixture of the guide, which plays a tape, and a test with it. */
const [sample] = readBlocks('docs/guides/testing.md').filter(({ code }) => code.includes('base.extend({'));
const taped = `
  import { expect } from 'graft-kit/playwright';
  ${sample?.code.replace('chainId: 31', 'chainId: 33')}
  test.use({ walletOptions: { answers: [{ kind: 'connect', answer: 'approve' }] } });

  test('pays from a tape: a/b', async ({ page, wallet }) => {
    await page.goto(process.env.SHOP);
    await page.getByRole('button', { name: 'Pay' }).click();
    await wallet.approve({ kind: 'transaction', value: 5n });
    await expect(page.getByRole('status')).toHaveText(/Paid with 0x/);
  });
`;

interface Report {
  readonly suites: readonly {
    readonly specs: readonly {
      readonly title: string;
      readonly ok: boolean;
      readonly tests: readonly {
        readonly results: readonly { readonly errors: readonly { message: string }[] }[];
      }[];
    }[];
  }[];
  readonly errors: readonly unknown[];
}

let project: TestProject;
let shop: Served;
let stopKit: () => Promise<void>;
let report: Report;
let kit: TestKit;

beforeAll(async () => {
  const [built, chromium, served] = await Promise.all([buildTestKit(), findChromium(), servePage({ html })]);
  [{ kit, stop: stopKit }, shop] = [built, served];
  const launchOptions = { executablePath: chromium.path, env: { ...process.env, ...chromium.environment } };
  project = await createTestProject(built, {
    'playwright.config.ts': `module.exports = { workers: 1, use: { launchOptions: ${JSON.stringify(launchOptions)} } };`,
    'shop.spec.ts': spec,
    'chain.spec.ts': chainSpec,
    'plain.spec.ts': plainSpec,
    'taped.spec.ts': taped,
    'bridged.spec.ts': bridgedSpec,
  });
  report = await run('shop.spec.ts');
}, 120_000);
afterAll(async () => {
  await Promise.all([shop?.stop(), stopKit?.(), project?.stop()]);
});

async function run(file: string, environment: Record<string, string> = {}): Promise<Report> {
  const cli = join(projectRoot, 'node_modules/@playwright/test/cli.js');
  const env = { ...process.env, NODE_OPTIONS: '', SHOP: shop.url, ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'test', file, '--reporter=json'], {
    cwd: project.folder,
    env,
    maxBuffer: 2 ** 24,
  }).catch((error: { stdout: string }) => error);
  return JSON.parse(stdout);
}

const outcomes = ({ suites }: Report) =>
  suites.flatMap(({ specs }) => specs.map(({ title, ok }) => [title, ok]));

test("Playwright's runner runs tests with the fixtures of the kit", () => {
  expect(report.errors).toEqual([]);
  expect(outcomes(report)).toEqual([
    ['pays', true],
    ['finds the chain as it was', true],
    ['travels in time', true],
    ['is back in the present', true],
    ['fails', false],
  ]);
});

test('a test that expected another question fails with what was asked', () => {
  const failed = report.suites.flatMap(({ specs }) => specs).find(({ title }) => title === 'fails');
  const [error] = failed?.tests[0]?.results[0]?.errors ?? [];
  expect(error?.message).toContain(
    'Expected the question { kind: "transaction", value: 6n }, but was asked { kind: "transaction"',
  );
});

test('each test finds the chain as new before its hooks, with what beforeAll kept', async () => {
  const hooks = await run('chain.spec.ts');
  expect(hooks.errors).toEqual([]);
  expect(outcomes(hooks)).toEqual([
    ['a test with a wallet finds what its hooks did', true],
    ['a test with the chain alone finds it as new: the first', true],
    ['a test with the chain alone finds it as new: the second', true],
  ]);
});

test('a test that uses no chain starts none', async () => {
  const plain = await run('plain.spec.ts', { TMPDIR: project.folder });
  expect(outcomes(plain)).toEqual([
    ['needs no chain', true],
    ['has started none', true],
  ]);
});

test('the fixture serves the wallet of a dapp that has it on a site of its own', async () => {
  const bridged = await servePage({ html: bridgedHtml });
  const ran = await run('bridged.spec.ts', { SHOP: `${bridged.url}/` });
  await bridged.stop();
  expect(ran.errors).toEqual([]);
  expect(outcomes(ran)).toEqual([['pays in windows', true]]);
});

test('a test records its tape once, and passes from it when the chain is gone', async () => {
  const chain = await kit.startChain();
  const [account] = await kit.addressesOf({ chain });
  await chain.fund(account as `0x${string}`);
  const recorded = await run('taped.spec.ts', { RECORD_FROM: chain.url });
  await chain.close();
  expect(await readdir(join(project.folder, 'tapes'))).toEqual(['taped.spec.ts-pays-from-a-tape-a-b.json']);
  expect(outcomes(recorded)).toEqual([['pays from a tape: a/b', true]]);
  expect(outcomes(await run('taped.spec.ts'))).toEqual([['pays from a tape: a/b', true]]);
});

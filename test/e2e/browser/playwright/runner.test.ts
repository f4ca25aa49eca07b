import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../../support/built.js';
import { findChromium } from '../../../support/chromium.js';
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
  import { expect, test } from 'graft-wallet/playwright';

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

/** As the guide has it, `docs/guides/testing.md`. */
const taped = `
  import { expect, test as base } from 'graft-wallet/playwright';
  import { installWallet, openTape } from 'graft-wallet/playwright/library';

  const record = process.env.RECORD_FROM;

  const test = base.extend({
    wallet: async ({ context }, use, { title }) => {
      const tape = await openTape(\`tapes/\${title}.json\`, record ? { record } : {});
      await use(await installWallet(context, { chain: { chainId: 33, url: tape.url } }));
      await tape.close();
    },
  });

  test('pays from a tape', async ({ page, wallet }) => {
    await page.goto(process.env.SHOP);
    await page.getByRole('button', { name: 'Pay' }).click();
    await wallet.approve({ kind: 'connect' });
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
    'taped.spec.ts': taped,
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

test('a test records its tape once, and passes from it when the chain is gone', async () => {
  const chain = await kit.startChain();
  const [account] = await kit.addressesOf({ chain });
  await chain.fund(account as `0x${string}`);
  const recorded = await run('taped.spec.ts', { RECORD_FROM: chain.url });
  await chain.close();
  expect(outcomes(recorded)).toEqual([['pays from a tape', true]]);
  expect(outcomes(await run('taped.spec.ts'))).toEqual([['pays from a tape', true]]);
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService } from '../../../../packages/kit/src/local/index.js';
import { launchChromium } from '../../../support/chromium.js';
import { alice, clientOf, nobody, sign } from '../../../support/local-client.js';
import { type Served, servePage } from '../../../support/serve.js';
import { buildTestKit, type TestKit } from '../../../support/test-kit.js';

/** A dapp that pays, waits for the receipt and shows the block that it is in. */
const html = `<!doctype html><title>Shop</title><button>Pay</button><output></output><script>
  const ask = (method, ...params) => ethereum.request({ method, params });
  document.querySelector('button').onclick = async () => {
    const show = (text) => (document.querySelector('output').value = text);
    try {
      const [from] = await ask('eth_requestAccounts');
      const value = new URLSearchParams(location.search).get('value');
      const hash = await ask('eth_sendTransaction', { from, to: from, value });
      let receipt = null;
      while (!(receipt = await ask('eth_getTransactionReceipt', hash))) await new Promise((wake) => setTimeout(wake, 50));
      show(hash + ' in block ' + Number(receipt.blockNumber));
    } catch (error) {
      show(error.message);
    }
  };
</script>`;

const apiKey = 'a-secret-key-of-31-days';

let kit: TestKit;
let stopKit: () => Promise<void>;
let browser: Browser;
let served: Served;
let folder: string;

beforeAll(async () => {
  [{ kit, stop: stopKit }, browser, served, folder] = await Promise.all([
    buildTestKit(),
    launchChromium(),
    servePage({ html }),
    mkdtemp(join(tmpdir(), 'graft-tape-')),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), stopKit?.(), rm(folder, { recursive: true, force: true })]);
});

/** Pays at the shop, over a service. Resolves with what the shop shows. */
async function pay(url: string, value: string): Promise<string> {
  const page = await browser.newPage();
  const chain = { chainId: 33, url };
  const wallet = await kit.installWallet(page, { chain, answers: () => 'approve' });
  await page.goto(`${served.url}/?value=${value}`);
  await page.getByRole('button').click();
  await page.waitForFunction(() => document.querySelector('output')?.value !== '');
  const shown = await page.locator('output').textContent();
  expect(wallet.asked.length).toBeGreaterThan(0);
  await page.close();
  return shown as string;
}

test('a payment is recorded once and replayed without a chain, with the same hash and block', async () => {
  const file = join(folder, 'payment.json');
  const service = await createLocalService({ apiKeys: [apiKey] });
  const [account] = await kit.addressesOf({ chain: service });
  await service.controls.faucet(account as `0x${string}`);

  const recording = await kit.openTape(file, { record: service.url });
  const recorded = await pay(recording.url, '0x5');
  await recording.close();
  await service.close();
  expect(recorded).toMatch(/^0x[\da-f]{64} in block 2$/);

  const replayed = await kit.openTape(file);
  expect(await pay(replayed.url, '0x5')).toBe(recorded);
  expect(replayed.missing).toEqual([]);
  await replayed.close();
});

test('the file holds neither the API key nor the address of the service', async () => {
  const text = await readFile(join(folder, 'payment.json'), 'utf8');
  expect(text).toContain('eth_sendRawTransaction');
  expect(text).not.toContain(apiKey);
  expect(text).not.toContain('127.0.0.1');
});

test('a request that is not on the tape fails and is named, at the page and at the end', async () => {
  const tape = await kit.openTape(join(folder, 'payment.json'));
  expect(await pay(tape.url, '0x6')).toContain('Not on the tape: eth_estimateGas');
  expect(tape.missing).toContainEqual(expect.stringMatching(/^eth_estimateGas \[\{.*"value":"0x6"/));
  await expect(tape.close()).rejects.toThrow(
    /^Not on the tape .*payment\.json, record it again:\n(eth_.*\n)*eth_estimateGas/,
  );
});

test('opening a tape whose file does not exist fails, and says how to record it', async () => {
  await expect(kit.openTape(join(folder, 'none.json'))).rejects.toThrow(
    /^There is no tape .*none\.json\. Record it: openTape\(file, \{ record: /,
  );
});

describe('a replay that runs longer than its recording', () => {
  const file = () => join(folder, 'two-payments.json');
  const reading = ['eth_getBalance', nobody, 'latest'] as const;
  let payments: string[];
  let receipts: unknown[];

  // A page that pays twice, reads a balance and is closed before it waits for any receipt.
  beforeAll(async () => {
    const service = await createLocalService();
    await service.controls.faucet(alice.address);
    payments = [await sign({ nonce: 0 }), await sign({ nonce: 1 })];
    const recording = await kit.openTape(file(), { record: service.url });
    const page = clientOf(recording);
    const hashes = [];
    for (const raw of payments) hashes.push(await page.call('eth_sendRawTransaction', raw));
    await page.call(...reading);
    await recording.close();
    receipts = await Promise.all(
      hashes.map((hash) => clientOf(service).call('eth_getTransactionReceipt', hash)),
    );
    await service.close();
  });

  test('gets the receipts that the recording did not wait for, between two payments as well', async () => {
    const tape = await kit.openTape(file());
    const page = clientOf(tape);
    for (const [at, raw] of payments.entries()) {
      const hash = await page.call('eth_sendRawTransaction', raw);
      expect(receipts[at]).toMatchObject({ status: '0x1', transactionHash: hash });
      expect(await page.call('eth_getTransactionReceipt', hash)).toEqual(receipts[at]);
    }
    expect(tape.missing).toEqual([]);
    await tape.close();
  });

  test('gets an error for what is new after the last recorded request, which is no fault of the tape', async () => {
    const tape = await kit.openTape(file());
    const page = clientOf(tape);
    for (const raw of payments) await page.call('eth_sendRawTransaction', raw);
    await page.call(...reading);
    expect(await page.refusal('eth_gasPrice')).toMatchObject({ message: 'Not on the tape: eth_gasPrice []' });
    expect(tape.missing).toEqual(['eth_gasPrice []']);
    await tape.close();
  });

  test('fails where it requests something new while a recorded request is still to come', async () => {
    const tape = await kit.openTape(file());
    const page = clientOf(tape);
    for (const raw of payments) await page.call('eth_sendRawTransaction', raw);
    await page.refusal('eth_gasPrice');
    await page.call(...reading);
    await expect(tape.close()).rejects.toThrow(/record it again:\neth_gasPrice \[\]$/);
  });
});

test('a transaction that the recording sent twice may be sent once in the replay', async () => {
  const file = join(folder, 'sent-again.json');
  const service = await createLocalService({ mining: 'manual' });
  await service.controls.faucet(alice.address);
  const raw = await sign();
  const recording = await kit.openTape(file, { record: service.url });
  const sent = await clientOf(recording).call('eth_sendRawTransaction', raw);
  await clientOf(recording).ask('eth_sendRawTransaction', raw);
  await clientOf(recording).call('eth_gasPrice');
  // What was recorded is written even if the service is gone.
  await service.close();
  await recording.close();

  const tape = await kit.openTape(file);
  const page = clientOf(tape);
  expect(await page.call('eth_sendRawTransaction', raw)).toBe(sent);
  await page.call('eth_gasPrice');
  await page.refusal('eth_blockNumber'); // after the end of the tape
  await tape.close();
});

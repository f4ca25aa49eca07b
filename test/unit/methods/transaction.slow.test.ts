import { BrowserProvider } from 'ethers';
import { keccak256 } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Address } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { nobody } from '../../support/local-client.js';
import { openPage, type Page } from './page.js';

hastenKdfOfFile();

describe.each(['seed', 'node'] as const)('a transaction sent from here, in the dialect %s', (dialect) => {
  let page: Page;
  let from: Address;
  beforeAll(async () => {
    page = await openPage({ dialect });
    const mnemonic = 'test test test test test test test test test test test junk';
    from = (await page.wallet.importMnemonic(mnemonic, { password: 'correct horse' })).address;
    await page.service.controls.faucet(from, 10n ** 18n);
    await page.request('eth_requestAccounts');
    page.service.controls.setMining('manual');
  });
  afterAll(() => page.stop());

  const send = (nonce: string) =>
    page.request('eth_sendTransaction', { from, to: nobody, value: '0x1', nonce });
  const find = (hash: unknown) => page.request('eth_getTransactionByHash', hash);
  const pending = { blockHash: null, blockNumber: null, transactionIndex: null };

  test('pending, as the service shows it', async () => {
    const hash = await send('0x0');
    expect(await find(hash)).toMatchObject({ hash, from, nonce: '0x0', ...pending });
  });

  test('after a gap in the nonces the pool hides it, and it is shown all the same', async () => {
    const hash = await send('0x5');
    const sent = page.service.requests.filter(({ method }) => method === 'eth_sendRawTransaction');
    const hashes = sent.map(({ params }) => keccak256((params as [`0x${string}`])[0]));
    expect(hashes).toContain(hash);
    const shown = await find(hash);
    expect(shown).toMatchObject({ hash, from, to: nobody, value: '0x1', nonce: '0x5', ...pending });
    expect(shown).toMatchObject({ v: expect.any(String), r: expect.any(String), s: expect.any(String) });
  });

  test('the pool forgot it, and it is shown all the same', async () => {
    const hash = await send('0x1');
    await page.service.controls.evictPending();
    expect(await find(hash)).toMatchObject({ hash, from, nonce: '0x1', ...pending });
  });

  test('an unknown transaction is null', async () => {
    expect(await find(`0x${'ab'.repeat(32)}`)).toBeNull();
  });

  test('ethers, which waits for it to be shown, gets its answer at once', async () => {
    const ethers = new BrowserProvider(page.wallet.provider, undefined, { staticNetwork: true });
    const signer = await ethers.getSigner();
    const response = await signer.sendTransaction({ to: nobody, value: 1n, nonce: 7 });
    expect(response).toMatchObject({ nonce: 7, blockNumber: null });
    ethers.destroy();
  });
});

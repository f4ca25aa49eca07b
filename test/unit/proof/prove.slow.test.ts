import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { encodeFunctionData, erc20Abi } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { tokenCode } from '../../../demo/dapp/contracts/token.js';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Address, Hash, Hex, Wallet } from '../../../src/index.js';
import { type PaymentProof, verifyPayment } from '../../../src/proof/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { programOf } from '../../support/program.js';
import { shop } from '../../support/proven-payment.js';

hastenKdfOfFile();

const password = 'correct horse';
const floor = 1n;

describe.each(['node', 'seed'] as const)('over the local service, dialect %s', (dialect) => {
  let local: LocalService;
  let wallet: Wallet;
  let from: Address;
  let payment: Hash;

  beforeAll(async () => {
    local = await createLocalService({ dialect });
    wallet = openWallet({
      networks: [{ chainId: 33, url: local.url, batch: 50 }],
      approver: () => headless({ password }),
      pollingInterval: 30,
    });
    from = (await wallet.importPrivateKey(generatePrivateKey(), { password })).address;
    await local.controls.faucet(from, 10n ** 18n);
    payment = await wallet.send({ from, to: shop, value: '0x3e8' });
    await local.controls.mine(14);
  });
  afterEach(() => local.controls.clearFaults());
  afterAll(async () => {
    wallet?.destroy();
    await local?.close();
  });

  const wanted = () => ({ to: shop, value: 1_000n, chainId: 33, floor });

  test('a payment is proven in two round trips, and the file proves it again', async () => {
    const posts: string[][] = [];
    local.controls.intercept(({ calls }) => {
      posts.push(calls.map(({ method }) => method));
      return undefined;
    });
    const proof = await wallet.prove(payment);
    // The wallet may look at its own transactions meanwhile, in the same batch.
    const [all = [], ...others] = posts.filter((methods) =>
      methods.includes('rsk_getTransactionReceiptNodesByHash'),
    );
    expect(others).toEqual([]);
    expect(all).toContain('eth_getBlockByHash');
    expect(all.filter((method) => method === 'eth_getBlockByNumber').length).toBeGreaterThanOrEqual(12);
    const file = JSON.stringify(proof);
    expect(file.length).toBeLessThan(100_000);
    expect(verifyPayment(file, wanted())).toMatchObject({
      transaction: payment,
      value: 1_000n,
      confirmations: 12,
    });
  });

  test('a payment of tokens is proven by its receipt, with other transactions in the block', async () => {
    local.controls.setMining('manual');
    const creation = await wallet.send({
      from,
      data: `${tokenCode}${(10n ** 21n).toString(16).padStart(64, '0')}` as Hex,
    });
    await local.controls.mine();
    const receipt = (await wallet.provider.request({
      method: 'eth_getTransactionReceipt',
      params: [creation],
    })) as { contractAddress: Address };
    const token = receipt.contractAddress;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [shop, 25n] });
    const sent: Hash[] = [];
    for (const call of [
      { to: shop, value: '0x1' },
      { to: token, data },
      { to: shop, value: '0x2' },
    ] as const)
      sent.push(await wallet.send({ from, ...call }));
    await local.controls.mine(4);
    local.controls.setMining('auto');
    const proof = await wallet.prove(sent[1] as Hash, { confirmations: 3 });
    const payment = verifyPayment(proof, { ...wanted(), token, value: 25n, confirmations: 3 });
    expect(payment).toMatchObject({ token, value: 25n, transaction: sent[1] });
    expect(() => verifyPayment(proof, { ...wanted(), confirmations: 3 })).toThrow('pays nothing');
  });

  test('a service without the nodes of receipts is asked for all receipts of the block', async () => {
    let lacked = 0;
    local.controls.intercept(async ({ calls }, process) => {
      const lacks = calls.filter(({ method }) => method === 'rsk_getTransactionReceiptNodesByHash');
      if (lacks.length === 0) return undefined;
      lacked++;
      const error = { code: -32601, message: 'method not found' };
      const { body, ...reply } = await process();
      const answer = (each: { id: unknown }) =>
        lacks.some(({ id }) => id === each.id) ? { jsonrpc: '2.0', id: each.id, error } : each;
      const replies = JSON.parse(body);
      return {
        ...reply,
        body: JSON.stringify(Array.isArray(replies) ? replies.map(answer) : answer(replies)),
      };
    });
    expect(
      verifyPayment(await wallet.prove(payment, { confirmations: 0 }), { ...wanted(), confirmations: 0 })
        .confirmations,
    ).toBe(0);
    expect(lacked).toBe(1);
  });

  test('too few blocks, an unknown hash and a wrong option have their own errors', async () => {
    const early = wallet.prove(payment, { confirmations: 63 });
    await expect(early).rejects.toMatchObject({ code: -32002, data: { reason: 'confirmations' } });
    await expect(wallet.prove(`0x${'7'.repeat(64)}`)).rejects.toMatchObject({ code: -32001 });
    await expect(wallet.prove(payment, { confirmations: 64 })).rejects.toMatchObject({ code: -32602 });
    await expect(wallet.prove('0x12' as Hash)).rejects.toMatchObject({ code: -32602 });
  });

  test('a service that lies about the receipt proves nothing', async () => {
    local.controls.intercept(async ({ calls }, process) => {
      if (!calls.some(({ method }) => method === 'eth_getTransactionReceipt')) return undefined;
      const reply = await process();
      return { ...reply, body: reply.body.replaceAll('"gasUsed":"0x5208"', '"gasUsed":"0x5209"') };
    });
    await expect(wallet.prove(payment)).rejects.toMatchObject({
      code: -32603,
      data: { reason: 'contradicted' },
    });
  });
});

describe('graft-proof', () => {
  let folder: string;
  let local: LocalService;
  let proof: PaymentProof;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graft-proof-'));
    local = await createLocalService();
    const wallet = openWallet({
      networks: [{ chainId: 33, url: local.url }],
      approver: () => headless({ password }),
    });
    const { address: from } = await wallet.importPrivateKey(generatePrivateKey(), { password });
    await local.controls.faucet(from, 10n ** 18n);
    const hash = await wallet.send({ from, to: shop, value: '0x3e8' });
    await local.controls.mine(12);
    proof = await wallet.prove(hash);
    wallet.destroy();
    await writeFile(join(folder, 'payment.json'), JSON.stringify(proof));
    await writeFile(join(folder, 'cut.json'), JSON.stringify(proof).slice(0, 900));
  });
  afterAll(async () => {
    await local?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(...args: readonly string[]) {
    const child = spawn(process.execPath, [programOf('src/proof/cli.ts'), ...args], { cwd: folder });
    const [out, problem, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.on('close', resolve)),
    ]);
    return { out, problem, code };
  }

  const local33 = ['--chain', '33', '--floor', '1'];

  test('says what is proven, and ends with 0', async () => {
    const { out, code } = await run('check', 'payment.json', '--to', shop, '--value', '1000', ...local33);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Proven: Miners of Bitcoin have worked on block \d+/),
    ]);
    const json = await run('check', 'payment.json', '--to', shop, '--value', '1', ...local33, '--json');
    expect(JSON.parse(json.out)).toMatchObject({ proven: true, value: '1000', confirmations: 12 });
  });

  test('says what is missing, and ends with 1', async () => {
    const much = await run('check', 'payment.json', '--to', shop, '--value', '1001', ...local33);
    expect(much).toMatchObject({
      code: 1,
      out: 'Not proven (claimed): The transaction pays 1000, not 1001.\n',
    });
    const cut = await run('check', 'cut.json', '--to', shop, '--value', '1', ...local33, '--json');
    expect(JSON.parse(cut.out)).toEqual({
      ...{ proven: false, verdict: 'claimed' },
      reason: 'The proof is not JSON: it may be cut off.',
    });
  });

  test('explains itself, and ends with 2 for what it cannot check', async () => {
    expect((await run('--help')).out).toContain('graft-proof check payment.json');
    expect(await run('check', 'payment.json')).toMatchObject({
      code: 2,
      problem: expect.stringContaining('graft-proof check'),
    });
    expect((await run('check', 'none.json', '--to', shop, '--value', '1')).code).toBe(2);
    const nobody = await run('check', 'payment.json', '--to', 'shop.rsk', '--value', '1');
    expect(nobody).toMatchObject({ code: 2, problem: 'to: expected an address\n' });
    expect((await run('check', 'payment.json', '--to', shop, '--value', '1e3')).problem).toContain('--value');
  });
});

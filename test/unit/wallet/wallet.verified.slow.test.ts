import { generatePrivateKey } from 'viem/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createLocalService,
  type LocalNode,
  type LocalService,
} from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Address, Hash, Wallet, WalletEvent } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

/** Wallets whose network is verified, over nodes that may lie. */

hastenKdfOfFile();

const password = 'correct horse';
const to: Address = `0x${'5a'.repeat(20)}`;
let local: LocalService;
let liar: LocalNode;
let wallet: Wallet;
let from: Address;
let events: WalletEvent[];

beforeEach(async () => {
  local = await createLocalService({ mining: 'manual', difficulty: 40n });
  liar = await local.addNode();
});
afterEach(async () => {
  wallet.destroy();
  await local.close();
});

async function open(...url: string[]): Promise<void> {
  events = [];
  wallet = openWallet({
    networks: [{ chainId: 33, url, verify: 'work', floor: 40n }],
    approver: () => headless({ password }),
    pollingInterval: 20,
  });
  wallet.observe((event) => events.push(event));
  from = (await wallet.importPrivateKey(generatePrivateKey(), { password })).address;
  await local.controls.faucet(from, 10n ** 18n);
  await local.controls.mine();
}

const entryOf = async (hash: Hash) => (await wallet.transactions({ hash }))[0];

/** Mines until the entry is as it is wanted, one block after the other has been seen. */
const mineUntil = (hash: Hash, wanted: object) =>
  expect
    .poll(
      async () => {
        await local.controls.mine();
        return entryOf(hash);
      },
      { interval: 60 },
    )
    .toMatchObject(wanted);

const verify = (hash: Hash, confirmations = '0x0') =>
  wallet.provider.request({ method: 'graft_verify', params: [hash, confirmations] } as never);

test('a payment is mined, and proven once twelve blocks are on top of it', async () => {
  await open(local.url);
  const hash = await wallet.send({ from, to, value: '0x3e8' });
  await mineUntil(hash, { state: 'mined' });
  expect(await entryOf(hash)).not.toHaveProperty('proven');
  const watched = new Promise<true | undefined>((resolve) => {
    wallet.watch(() => void entryOf(hash).then((entry) => entry?.proven && resolve(entry.proven)));
  });
  await mineUntil(hash, { state: 'mined', proven: true });
  expect(await watched).toBe(true);
  const entry = await entryOf(hash);
  const head = Number(await wallet.provider.request({ method: 'eth_blockNumber' }));
  expect(head - Number(entry?.blockNumber)).toBeGreaterThanOrEqual(12);
  expect(await verify(hash, '0xc')).toEqual({ verdict: 'proven', confirmations: 12 });
  expect(await verify(entry?.blockHash as Hash)).toEqual({ verdict: 'proven', confirmations: 0 });
  expect(events.filter(({ kind }) => kind === 'contradicted')).toEqual([]);
});

test('a receipt that contradicts its block is not believed, in the journal either', async () => {
  await open(liar.url);
  liar.controls.lie('false-receipt');
  const hash = await wallet.send({ from, to, value: '0x3e8' });
  await local.controls.mine(2);
  const receipt = wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
  await expect(receipt).rejects.toMatchObject({ code: -32603, data: { reason: 'contradicted' } });
  await expect.poll(() => wallet.usage().get(33)?.verified?.contradicted).toBeGreaterThan(1);
  expect((await entryOf(hash))?.state).toBe('sent');
  expect(await verify(hash)).toMatchObject({ verdict: 'contradicted' });
  liar.controls.clearFaults();
  await mineUntil(hash, { state: 'mined' });
});

test('the owner learns of an endpoint that lies, and it is left out', async () => {
  await open(liar.url, local.url);
  const hash = await wallet.send({ from, to, value: '0x3e8' });
  liar.controls.lie('false-receipt');
  await mineUntil(hash, { state: 'mined' });
  const { host } = new URL(liar.url);
  expect(events.filter(({ kind }) => kind === 'contradicted')[0]).toEqual({
    ...{ kind: 'contradicted', chainId: 33, method: 'eth_getTransactionReceipt', host },
    ...{ why: 'The receipt is not that in the block.', number: expect.any(Number), at: expect.any(Number) },
  });
  expect(wallet.usage().get(33)?.verified?.quarantined).toEqual([host]);
  expect(JSON.stringify([events, [...wallet.usage()]])).not.toContain(
    new URL(liar.url).pathname.split('/').at(-1),
  );
});

test('subscriptions go on over a node whose headers are forged, and another one answers', async () => {
  await open(liar.url, local.url);
  liar.controls.lie('forged-header');
  const heads: string[] = [];
  wallet.provider.on('message', ({ data }) =>
    heads.push((data as { result: { stateRoot: string } }).result.stateRoot),
  );
  await wallet.provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
  await expect
    .poll(async () => {
      await local.controls.mine();
      return heads.length;
    })
    .toBeGreaterThan(2);
  const roots = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      const params = [`0x${at.toString(16)}`, false];
      const block = await wallet.provider.request({ method: 'eth_getBlockByNumber', params } as never);
      return (block as { stateRoot?: string } | null)?.stateRoot;
    }),
  );
  expect(roots).toEqual(expect.arrayContaining(heads.slice(0, 2)));
});

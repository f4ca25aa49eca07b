import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { totalOf } from '../../../packages/relay/src/reports/metrics.js';
import type { createWallet, Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { clientOf, nobody, word } from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';
import { apiKey, deployEmitter, type RelayRig, startRelay } from '../../support/relay-server.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

/** Wallets that know only the relay: as at the node, without its key. */
let rig: RelayRig;
let contract: Awaited<ReturnType<typeof deployEmitter>>;

beforeAll(async () => {
  rig = await startRelay();
  contract = await deployEmitter(rig.service);
});
afterAll(() => rig[Symbol.asyncDispose]());

async function walletAt(network: object = {}, options: Partial<createWallet.Options> = {}) {
  const wallet: Wallet = openWallet({
    networks: [{ chainId: 33, url: rig.url, ...network }],
    approver: () => headless({ password: 'correct horse' }),
    pollingInterval: 200,
    ...options,
  });
  onTestFinished(() => wallet.destroy());
  const { account } = await wallet.create('correct horse');
  await rig.service.controls.faucet(account.address as `0x${string}`);
  await rig.service.controls.mine();
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  return { wallet, provider: wallet.provider, from: account.address as `0x${string}` };
}

test('a transaction is prepared, signed, sent and mined', async () => {
  const { provider, from } = await walletAt();
  const hash = await provider.request({
    method: 'eth_sendTransaction',
    params: [{ from, to: nobody, value: '0x5' }],
  });
  const { call } = clientOf(rig.service);
  await until(() => call('eth_getTransactionByHash', hash));
  await rig.service.controls.mine();
  const receipt = await until(() =>
    provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }),
  );
  expect(receipt).toMatchObject({ status: '0x1', from });
  expect(await until(() => provider.request({ method: 'eth_getBalance', params: [nobody] }))).toBe('0x5');
});

test('errors are the ones that the wallet reports at the node', async () => {
  const through = await walletAt();
  const direct = await walletAt({ url: rig.service.url });
  for (const [method, params] of [
    ['eth_call', [{ to: nobody, data: '0x', gas: '0x1' }]],
    ['eth_sendRawTransaction', ['0x00']],
    ['eth_getProof', [nobody, [], 'latest']],
    ['eth_getWork', []],
    ['eth_getBlockByNumber', ['0xffffff', false]],
  ] as [string, unknown[]][]) {
    const ask = ({ provider }: typeof through) =>
      provider.request({ method, params } as never).then(
        (result: unknown) => ({ result }),
        ({ code, message }: { code: number; message: string }) => ({ code, message }),
      );
    expect([method, await ask(through)]).toEqual([method, await ask(direct)]);
  }
});

test('heads and logs are pushed: while the socket lives, the wallet hardly polls', async () => {
  // Node 20 has none of its own, as browsers do.
  vi.stubGlobal('WebSocket', WebSocket);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { provider } = await walletAt({ push: rig.socketUrl });
  const told: unknown[] = [];
  provider.on('message', ({ data }) => void told.push((data as { result: unknown }).result));
  await provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
  await provider.request({
    method: 'eth_subscribe',
    params: ['logs', { address: contract.address as `0x${string}`, topics: [`0x${word(9)}`] }],
  });
  await until(() => rig.node.relay.metrics.snapshot().subscriptions.graft_steps > 0);
  await contract.emit(9, 1);
  await rig.service.controls.mine();
  await until(() => told.some((each) => (each as { topics?: string[] }).topics?.[0] === `0x${word(9)}`));
  expect(told.some((each) => (each as { parentHash?: string }).parentHash !== undefined)).toBe(true);
  const polls = () => {
    const { eth_getBlockByNumber: counts } = rig.node.relay.metrics.snapshot().chains[0]?.requests ?? {};
    return counts ? totalOf(counts) : 0;
  };
  // The socket is trusted once a head has come by it before a poll has shown it.
  await until(
    async () => {
      const before = polls();
      await rig.service.controls.mine();
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      // Ten at the interval of this wallet.
      return polls() - before < 4;
    },
    { timeout: 30_000 },
  );
});

test('a wallet that polls sees no gap when its relay restarts', async () => {
  const second = await startRelay({ port: 0 }, rig.service);
  const { port } = second.node;
  const { provider } = await walletAt({ url: second.url }, { pollingInterval: 100 });
  const heads: { number: string; hash: string; parentHash: string }[] = [];
  provider.on('message', ({ data }) => void heads.push((data as { result: (typeof heads)[0] }).result));
  await provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
  await rig.service.controls.mine();
  await until(() => heads.length === 1);
  await second.node.stop();
  await rig.service.controls.mine(3);
  const third = await startRelay({ port }, rig.service);
  await until(() => heads.length >= 4, { timeout: 30_000 });
  await third.node.stop();
  expect(heads).toHaveLength(4);
  for (const [i, head] of heads.slice(1).entries()) expect(head.parentHash).toBe(heads[i]?.hash);
});

test('the wallet never learns the key', async () => {
  const { wallet, provider } = await walletAt();
  const seen: string[] = [JSON.stringify(wallet.network()), JSON.stringify(wallet.state())];
  const { intercept } = rig.service.controls;
  const restore = intercept(() => ({ status: 500, body: `failed at ${rig.service.url}` }));
  await provider.request({ method: 'eth_gasPrice' }).catch((error) => {
    seen.push(String(error), JSON.stringify(error), String(error.stack));
  });
  restore();
  expect(seen.join('\n')).not.toContain(apiKey);
});

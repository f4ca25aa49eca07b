import { BrowserProvider } from 'ethers';
import { createPublicClient, custom, type Hash } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { Web3 } from 'web3';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createMemoryStorage } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { createProxy } from '../../support/proxy.js';
import { createRandom } from '../../support/random.js';

hastenKdfOfFile();

/**
 * Three real nodes of different heights behind a real balancer over HTTP, which die, come back and reorganise, while viem,
 * ethers and web3.js wait for payments in two tabs. With `STEADY_PAYMENTS` it goes on for as many payments of each.
 */
const payments = Number(process.env.STEADY_PAYMENTS ?? 1);
const friend = `0x${'aa'.repeat(20)}` as const;
const privateKey = `0x${'46'.repeat(32)}` as const;

async function createWorld(policy: 'round robin' | 'random' | 'sticky', seed: number) {
  const random = createRandom(seed);
  const upTo = (max: number) => Math.floor(random() * (max + 1));
  const service = await createLocalService({ chainId: 31 });
  await service.controls.mine(5);
  onTestFinished(() => service.close());
  const others = [await service.addNode({ lag: 1 }), await service.addNode({ lag: 2 })];
  const urls = [service.url, ...others.map(({ url }) => url)];
  let turn = 0;
  let dead = -1;
  const next = () =>
    ({ 'round robin': turn++, random: upTo(2), sticky: Math.floor(turn++ / 20) })[policy] % 3;
  let chosen = 0;
  const balancer = await createProxy({
    pick: () => urls[chosen] as string,
    async rule() {
      chosen = next();
      return chosen === dead ? 'drop' : undefined;
    },
  });
  onTestFinished(() => balancer.stop());
  /** Counts the reorganisations: what was shown before one may be taken back. */
  let branch = 0;
  const changes: (() => Promise<void> | void)[] = [
    () => service.controls.mine(),
    () => service.controls.mine(),
    () => service.controls.mine(),
    () => others[0]?.controls.setLag(upTo(2)),
    () => others[1]?.controls.setLag(upTo(3)),
    () => {
      dead = dead < 0 ? 1 + upTo(1) : -1;
    },
    async () => {
      branch += 1;
      await service.controls.reorg(1 + upTo(1), { transactions: 'mined' });
      branch += 1;
    },
  ];
  let isRunning = true;
  let running = Promise.resolve();
  async function run(): Promise<void> {
    while (isRunning) {
      await changes[upTo(changes.length - 1)]?.();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }
  const start = () => {
    running = run();
  };
  const stop = async () => {
    isRunning = false;
    dead = -1;
    await running;
  };
  onTestFinished(stop);
  return { service, balancer, branch: () => branch, start, stop };
}

test.each([
  ['round robin', 1],
  ['random', 2],
  ['sticky', 3],
] as const)(
  'behind a balancer (%s) no tab takes anything back, and every wait ends',
  { timeout: 600_000 },
  async (policy, seed) => {
    const { service, balancer, branch, start, stop } = await createWorld(policy, seed);
    const storage = createMemoryStorage();
    const tabs = [0, 1].map(() =>
      openWallet({
        networks: [{ chainId: 31, url: balancer.url }],
        approver: () => headless({ password: 'correct horse' }),
        storage,
      }),
    );
    onTestFinished(() => {
      for (const tab of tabs) tab.destroy();
    });
    const [first, second] = tabs as [(typeof tabs)[0], (typeof tabs)[0]];
    const { address } = await first.importPrivateKey(privateKey, { password: 'correct horse' });
    await service.controls.faucet(address, 10n ** 20n);
    // A node that is two blocks behind has the coins as well.
    await service.controls.mine(2);
    const mined: Hash[] = [];
    const wrong: string[] = [];

    /** Polls as a page does, and compares with what the same tab has shown since the last reorganisation. */
    async function watch({ provider }: (typeof tabs)[0], isOver: () => boolean): Promise<number> {
      let [height, balance, epoch] = [0, 0n, branch()];
      let polls = 0;
      const shown = new Map<Hash, string>();
      while (!isOver()) {
        const started = branch();
        if (started !== epoch) [height, balance, epoch] = [0, 0n, started];
        const isSettled = () => started === branch() && started % 2 === 0;
        try {
          const number = Number(await provider.request({ method: 'eth_blockNumber' }));
          const head = await provider.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
          const sum = BigInt(
            await provider.request({ method: 'eth_getBalance', params: [friend, 'latest'] }),
          );
          if (isSettled() && number < height) wrong.push(`the number ${number} after ${height}`);
          if (isSettled() && Number(head?.number) < number)
            wrong.push(`latest ${Number(head?.number)} after ${number}`);
          if (isSettled() && sum < balance) wrong.push(`the balance ${sum} after ${balance}`);
          if (isSettled()) [height, balance] = [Math.max(number, Number(head?.number)), sum];
          for (const hash of mined) {
            const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
            const transaction = await provider.request({
              method: 'eth_getTransactionByHash',
              params: [hash],
            });
            const place = `${receipt?.blockHash} ${transaction?.blockHash}`;
            const key = `${hash} ${epoch}` as Hash;
            if (isSettled() && shown.has(key) && shown.get(key) !== place)
              wrong.push(`${hash}: ${shown.get(key)}, then ${place}`);
            if (isSettled() && receipt?.blockHash && place === `${receipt.blockHash} ${receipt.blockHash}`)
              shown.set(key, place);
          }
          polls += 1;
        } catch (error) {
          const { data, code } = error as { code: number; data?: { reason?: string } };
          // An outage or nodes that are all behind is an error, never an older answer.
          if (data?.reason !== 'behind' && code !== -32002 && code !== 4901) throw error;
        }
      }
      return polls;
    }

    const viem = createPublicClient({ transport: custom(first.provider), pollingInterval: 100 });
    const ethers = new BrowserProvider(second.provider, 31, { staticNetwork: true });
    ethers.pollingInterval = 100;
    onTestFinished(() => ethers.destroy());
    const web3 = new Web3(first.provider);
    web3.eth.transactionPollingInterval = 100;
    web3.eth.handleRevert = false;
    for (const { provider } of tabs) await provider.request({ method: 'eth_requestAccounts' });

    const pay = async () =>
      (await first.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from: address, to: friend, value: '0x1' }],
      })) as Hash;
    const waits = [
      async () => {
        const hash = await pay();
        const { status } = await viem.waitForTransactionReceipt({ hash, timeout: 60_000 });
        mined.push(hash);
        return status;
      },
      async () => {
        const hash = await pay();
        const receipt = await ethers.waitForTransaction(hash, 1, 60_000);
        mined.push(hash);
        return receipt?.status === 1 ? 'success' : receipt;
      },
      async () => {
        const receipt = await web3.eth.sendTransaction({
          from: address,
          to: friend,
          value: '1',
          type: '0x0',
        });
        mined.push(`${receipt.transactionHash}` as Hash);
        return Number(receipt.status) === 1 ? 'success' : receipt;
      },
    ];
    start();
    let isOver = false;
    const watching = Promise.all(tabs.map((tab) => watch(tab, () => isOver)));
    watching.catch(() => {});
    try {
      for (let round = 0; round < payments; round++)
        expect(await Promise.all(waits.map((wait) => wait()))).toEqual(['success', 'success', 'success']);
    } finally {
      isOver = true;
    }
    const polls = await watching;
    await stop();
    expect(wrong).toEqual([]);
    expect(Math.min(...polls)).toBeGreaterThan(0);
    // Nobody paid twice, and nothing that was waited for is missing.
    await service.controls.mine(3);
    const count = await fetch(service.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [friend, 'latest'] }),
    });
    expect(Number(((await count.json()) as { result: string }).result)).toBe(payments * 3);
  },
);

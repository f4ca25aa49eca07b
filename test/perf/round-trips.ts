import { Wallet as EthersWallet, JsonRpcProvider } from 'ethers';
import { createPublicClient, createWalletClient, defineChain, http, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createLocalService } from '../../packages/kit/src/local/index.js';
import type { Approver } from '../../src/approvals/question.js';
import { createMemoryStorage, createVolatileMemory } from '../../src/index.js';
import { openWallet } from '../support/open-wallet.js';
import { rawCaller } from './raw.js';
import { atMost, type Extent, type Row } from './row.js';
import { median, time } from './sample.js';

/** Milliseconds by which the service delays every answer. */
const latency = 150;
const password = 'correct horse battery';
const privateKey = `0x${'46'.repeat(32)}` as const;
const account = privateKeyToAccount(privateKey);
const to = `0x${'35'.repeat(20)}` as const;

/** Notes when the question arrives and when the answer leaves; reads it for `reading` milliseconds. */
function createReader(reading: number) {
  const seen = { asked: 0, confirmed: 0 };
  const approver: Approver = {
    async ask(question, session) {
      seen.asked = performance.now();
      if (question.locked) await session.unlock(password);
      await new Promise((resolve) => setTimeout(resolve, reading));
      seen.confirmed = performance.now();
      return { approved: true };
    },
  };
  return { seen, approver };
}

/**
 * A payment, in round trips: one is what a read by `fetch` takes at the same time, so that the work of the
 * service counts as little as the machine's.
 */
export async function measureRoundTrips({ short }: Extent): Promise<Row[]> {
  const samples = short ? 2 : 7;
  const service = await createLocalService({ chainId: 33 });
  const storage = createMemoryStorage();
  const memory = createVolatileMemory();
  const reader = createReader(200);
  const payment = { from: account.address.toLowerCase() as `0x${string}`, to, value: '0x1' } as const;
  const read = rawCaller(service.url);
  const options = {
    networks: [{ chainId: 33, url: service.url }],
    approver: () => reader.approver,
    storage,
    memory,
  };
  let wallet = openWallet(options);
  try {
    await wallet.importPrivateKey(privateKey, { password });
    await service.controls.faucet(payment.from, parseEther('10'));
    await wallet.provider.request({ method: 'eth_requestAccounts' });

    const measure = async () => {
      const start = performance.now();
      await wallet.provider.request({ method: 'eth_sendTransaction', params: [payment] });
      const { asked, confirmed } = reader.seen;
      const end = performance.now();
      const unit = await time(() => read('eth_getBalance', [payment.from, 'latest']));
      return { question: (asked - start) / unit, hash: (end - confirmed) / unit };
    };
    // Every chunk has been read from the disk before anything is timed.
    await measure();
    service.controls.latency(latency);
    const first: Awaited<ReturnType<typeof measure>>[] = [];
    const later: typeof first = [];
    for (let i = 0; i < samples; i++) {
      const again = openWallet(options);
      wallet.destroy();
      wallet = again;
      await wallet.unlock(password);
      first.push(await measure());
      later.push(await measure());
    }
    const others = await peers(service.url, short ? 1 : 4);
    const figure = (values: readonly number[]) => median(values).toFixed(2);
    const row = (what: string, values: readonly number[], peers?: string): Row => ({
      what: `Round trips (${latency} ms): ${what}`,
      ours: figure(values),
      ...(peers && { peers }),
      aim: atMost(median(values), 1.1, '≤ 1.1'),
    });
    return [
      row(
        'request to question, first payment of a page',
        first.map(({ question }) => question),
      ),
      row(
        'request to question, later ones',
        later.map(({ question }) => question),
      ),
      row(
        'confirmation to hash',
        [...first, ...later].map(({ hash }) => hash),
        `request to hash, nobody asked: viem ${figure(others.viem)}, ethers ${figure(others.ethers)}`,
      ),
    ];
  } finally {
    wallet.destroy();
    await service.close();
  }
}

async function peers(url: string, samples: number): Promise<Record<'viem' | 'ethers', number[]>> {
  const chain = defineChain({
    id: 33,
    name: 'Rootstock Local',
    nativeCurrency: { name: 'Rootstock Bitcoin', symbol: 'tRBTC', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const transport = http(url);
  const client = createWalletClient({ account, chain, transport });
  const reads = createPublicClient({ chain, transport });
  const provider = new JsonRpcProvider(url, 33);
  const signer = new EthersWallet(privateKey, provider);
  const values = { viem: [] as number[], ethers: [] as number[] };
  try {
    for (let i = 0; i < samples; i++) {
      let hash: `0x${string}` = '0x';
      values.viem.push(
        (await time(async () => {
          hash = await client.sendTransaction({ to, value: 1n, type: 'legacy' });
        })) / latency,
      );
      await reads.waitForTransactionReceipt({ hash, pollingInterval: 50 });
      values.ethers.push((await time(() => signer.sendTransaction({ to, value: 1n, type: 0 }))) / latency);
      await provider.getBlockNumber();
    }
  } finally {
    provider.destroy();
  }
  return values;
}

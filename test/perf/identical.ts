import { JsonRpcProvider } from 'ethers';
import { createPublicClient, http } from 'viem';
import { openWallet } from '../support/open-wallet.js';
import type { Row } from './row.js';
import { startScriptedNode } from './scripted-node.js';

const account = `0x${'42'.repeat(20)}` as const;

/** A wallet without keys, in memory. */
export const plainWallet = (url: string, pollingInterval?: number) =>
  openWallet({
    networks: [{ chainId: 31, url }],
    ...(pollingInterval !== undefined && { pollingInterval }),
    approver: () => ({ ask: async () => ({ approved: true }) }),
  });

/** HTTP requests that `count` identical reads at once become. */
export async function measureIdentical(count = 1_000): Promise<Row[]> {
  const node = await startScriptedNode();
  const wallet = plainWallet(node.url('ours'));
  const viem = createPublicClient({ transport: http(node.url('viem')) });
  const batching = createPublicClient({ transport: http(node.url('batching'), { batch: true }) });
  const ethers = new JsonRpcProvider(node.url('ethers'), 31, { staticNetwork: true });
  const many = (read: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, read));
  const params = [account, 'latest'] as const;
  try {
    await many(() => wallet.provider.request({ method: 'eth_getBalance', params }));
    await many(() => viem.getBalance({ address: account }));
    await many(() => batching.getBalance({ address: account }));
    await many(() => ethers.getBalance(account));
    const posts = async (name: string) => (await node.counts(name)).posts;
    const ours = await posts('ours');
    return [
      {
        what: `${count.toLocaleString('en')} identical reads at once: HTTP requests`,
        ours: String(ours),
        peers: `viem ${await posts('viem')}, viem with batch ${await posts('batching')}, ethers ${await posts('ethers')}`,
        aim: { text: '1', met: ours === 1 },
      },
    ];
  } finally {
    wallet.destroy();
    ethers.destroy();
    await node.stop();
  }
}

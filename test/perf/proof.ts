import { generatePrivateKey } from 'viem/accounts';
import { createLocalService } from '../../packages/kit/src/local/index.js';
import { headless } from '../../packages/kit/src/testing/index.js';
import { verifyPayment } from '../../src/proof/index.js';
import { rulesOf } from '../../src/proof/rules.js';
import type { Block } from '../../src/rpc/schema.js';
import { createService } from '../../src/service/client.js';
import { createNetworks } from '../../src/service/networks.js';
import { createVerifier } from '../../src/service/verified/verifier.js';
import { mainnetBlocks } from '../support/mined-blocks.js';
import { openWallet } from '../support/open-wallet.js';
import { shop } from '../support/proven-payment.js';
import { createRandom } from '../support/random.js';
import { atMost, type Extent, kilobytes, milliseconds, type Row } from './row.js';
import { median, time } from './sample.js';

/** The cost of proofs: of a block while polling, and of a payment with 12 blocks on top of it. */
export async function measureProof({ short }: Extent): Promise<Row[]> {
  const rounds = short ? 5 : 51;
  return [await measureBlock(rounds), ...(await measurePayment(rounds))];
}

async function measureBlock(rounds: number): Promise<Row> {
  const blocks = [...mainnetBlocks()].reverse();
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const verifier = createVerifier(rulesOf(30));
    const check = async () => {
      for (const block of blocks) verifier.checkBlock(block);
    };
    values.push((await time(check)) / blocks.length);
  }
  const [plain, verified] = await Promise.all([requestsOf(undefined), requestsOf('work')]);
  return {
    what: 'A block of mainnet verified while polling, and further requests for 20 blocks',
    ours: `${median(values).toFixed(2)} ms, ${verified - plain} requests`,
    aim: atMost(
      median(values) + (verified === plain ? 0 : Number.POSITIVE_INFINITY),
      0.3,
      '≤ 0.3 ms, 0 requests',
    ),
  };
}

/** Requests for 20 blocks as the follower reads them. */
async function requestsOf(verify: 'work' | undefined): Promise<number> {
  await using local = await createLocalService({ mining: 'manual' });
  const [network] = createNetworks([{ chainId: local.chainId, url: local.url, verify }]);
  const service = createService({ network: network as NonNullable<typeof network> });
  for (let at = 0; at < 20; at++) {
    await local.controls.mine();
    const block = (await service.request('eth_getBlockByNumber', ['latest', false])) as Block;
    await service.request('eth_getBlockByHash', [block.parentHash, false]);
  }
  return local.requests.length;
}

async function measurePayment(rounds: number): Promise<Row[]> {
  await using local = await createLocalService();
  const password = 'correct horse';
  const networks = [{ chainId: local.chainId, url: local.url, batch: 50 }];
  const wallet = openWallet({
    networks,
    approver: () => headless({ password }),
    pollingInterval: 3_600_000,
  });
  const { address: from } = await wallet.importPrivateKey(generatePrivateKey(), { password });
  await local.controls.faucet(from, 10n ** 18n);
  const hash = await wallet.send({ from, to: shop, value: '0x3e8' });
  await local.controls.mine(20);
  wallet.destroy();
  // Another wallet, which does not look for the transaction as its own.
  const prover = openWallet({ networks });
  let [posts, bytes] = [0, 0];
  const undo = local.controls.intercept(async (_, process) => {
    const reply = await process();
    posts++;
    bytes += Buffer.byteLength(reply.body);
    return reply;
  });
  const proof = await prover.prove(hash);
  undo();
  const file = JSON.stringify(proof);
  const making: number[] = [];
  const checking: number[] = [];
  const wanted = { to: shop, value: 1_000n, chainId: local.chainId, floor: 1n };
  for (let round = 0; round < rounds; round++) {
    making.push(await time(() => prover.prove(hash)));
    checking.push(await time(async () => void verifyPayment(file, wanted)));
  }
  prover.destroy();
  const random = createRandom(7);
  const damaged: number[] = [];
  for (let run = 0; run < 40 * rounds; run++) {
    const at = Math.floor(random() * file.length);
    const other = `${file.slice(0, at)}${Math.floor(random() * 10)}${file.slice(at + 1)}`;
    damaged.push(await time(async () => void refusalOf(() => verifyPayment(other, wanted))));
  }
  return [
    {
      what: 'wallet.prove, a payment with 12 blocks on top',
      ours: `${posts} round trips, ${kilobytes(bytes)}, ${milliseconds(median(making))}`,
      aim: atMost(posts, 2, '2 round trips'),
    },
    {
      what: 'verifyPayment, the same payment’s file',
      ours: `${milliseconds(median(checking))}, ${kilobytes(file.length)}`,
    },
    {
      what: `verifyPayment, the slowest of ${damaged.length} damaged files`,
      ours: milliseconds(Math.max(...damaged)),
      aim: atMost(Math.max(...damaged), 50, '≤ 50 ms'),
    },
  ];
}

/** The error of a file that is refused; a digit may also have stayed the same. */
function refusalOf(check: () => unknown): unknown {
  try {
    return check();
  } catch (error) {
    return error;
  }
}

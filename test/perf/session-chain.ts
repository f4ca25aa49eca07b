import { privateKeyToAccount } from 'viem/accounts';
import { createAnvilEngine } from '../../packages/kit/src/local/anvil.js';
import { createLocalService, type LocalService } from '../../packages/kit/src/local/index.js';
import type { Address, Hash, Hex, Receipt } from '../../src/rpc/schema.js';
import { createRandom } from '../support/random.js';
import { rawCaller } from './raw.js';
import { pause } from './session-clock.js';
import { topics } from './session-dapps.js';

/** The local service of one contender, with a contract that emits ERC-20 events. */
export interface SessionChain {
  readonly service: LocalService;
  readonly token: Address;
  /** HTTP requests and the calls in them, without the ones that move the chain. */
  counts(): Counts;
  /** A block that comes so many seconds after the last, with a transfer or without; resolves to its height. */
  mine(seconds: number, transfers: boolean): Promise<number>;
}

export interface Counts {
  readonly requests: number;
  readonly calls: number;
}

/** When a block is mined, in seconds after the previous one (exponentially distributed), and whether it has transfers. */
export interface Arrival {
  readonly after: number;
  readonly transfers: boolean;
}

const meanBlockTime = 25;

/** The same for every contender. */
export function arrivals(count: number, seed = 20_261_121): readonly Arrival[] {
  const random = createRandom(seed);
  const gaps = Array.from({ length: count }, () => -Math.log(1 - random()));
  // The mean is 25 s exactly, whatever the few blocks of a session happen to be.
  const scale = (meanBlockTime * count) / gaps.reduce((sum, gap) => sum + gap, 0);
  return gaps.map((gap) => ({ after: Math.max(1, gap * scale), transfers: random() < 0.5 }));
}

/** `Transfer(caller, word 0 of the call data, 1)`, whatever it is called with. */
const tokenCode: Hex = `0x6030600c60003960306000f3${`600160005260003533${`7f${topics.Transfer.slice(2)}`}60206000a300`}`;
const owner = privateKeyToAccount(`0x${'acc0'.repeat(16)}`);

export async function startSessionChain(factor: number): Promise<SessionChain> {
  let lengthen: (seconds: number) => Promise<void> = async () => {};
  const service = await createLocalService({
    mining: 'manual',
    // The service's timeout is in real time, which the sped-up clocks do not change.
    timeout: 5_000 * factor,
    async engine(settings) {
      const engine = await createAnvilEngine(settings);
      lengthen = engine.increaseTime;
      return engine;
    },
  });
  const ask = rawCaller(service.url);
  let own = 0;
  let nonce = 0;
  const asked = async (method: string, params: readonly unknown[]) => {
    own += 1;
    return (await ask(method, params)) as unknown;
  };
  const send = async (to: Address | undefined, data: Hex): Promise<Hash> => {
    const gas = { nonce: nonce++, gas: 200_000n, gasPrice: 100_000_000n };
    const signed = await owner.signTransaction({
      type: 'legacy',
      chainId: 33,
      data,
      ...gas,
      ...(to && { to }),
    });
    return (await asked('eth_sendRawTransaction', [signed])) as Hash;
  };
  await service.controls.faucet(owner.address);
  const deployed = await send(undefined, tokenCode);
  await service.controls.mine();
  const receipt = (await asked('eth_getTransactionReceipt', [deployed])) as Receipt;
  const token = receipt.contractAddress as Address;
  let height = Number(receipt.blockNumber);
  return {
    service,
    token,
    counts: () => ({ requests: service.requests.http - own, calls: service.requests.count() - own }),
    async mine(seconds, transfers) {
      if (transfers) await send(token, `0x${'35'.repeat(20).padStart(64, '0')}`);
      await lengthen(Math.max(0, Math.round(seconds - seconds / factor)));
      await service.controls.mine();
      height += 1;
      return height;
    },
  };
}

/** Mines on all chains at the same times; calls `onBlock` with the chain's index for each new block. */
export async function play(
  chains: readonly SessionChain[],
  schedule: readonly Arrival[],
  onBlock: (chain: number, height: number, at: number) => void,
): Promise<void> {
  let due = Date.now();
  for (const { after, transfers } of schedule) {
    due += after * 1000;
    await pause(Math.max(0, due - Date.now()));
    await Promise.all(
      chains.map(async (chain, at) => {
        const height = await chain.mine(after, transfers);
        onBlock(at, height, Date.now());
      }),
    );
  }
}

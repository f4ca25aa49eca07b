import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import type { WalletEvent } from '../../../../src/rpc/observation.js';
import type { Hex } from '../../../../src/rpc/schema.js';
import { createService } from '../../../../src/service/client.js';
import { createDiagnosis } from '../../../../src/service/errors/diagnose.js';
import { createNetworks, type NetworkOptions } from '../../../../src/service/networks.js';
import type { Service } from '../../../../src/service/service.js';
import { alice, clientOf, emitter, sign, word } from '../../../support/local-client.js';

/** The difficulty of the chains, and the floor of the clients. */
export const difficulty = 40n;

export type Told = Omit<WalletEvent.Contradicted, 'at' | 'kind' | 'chainId'>;

/** Makes clients of chain 33 whose replies are held against work, and which tell each contradiction. */
export const clientsTelling =
  (tell: (contradiction: Told) => void) =>
  (
    url: readonly string[],
    options: Partial<NetworkOptions> = {},
    more: Partial<createService.Options> = {},
  ): Service => {
    const [network] = createNetworks([{ chainId: 33, url, verify: 'work', floor: difficulty, ...options }]);
    const contradicted = (_: number, each: Told) => tell(each);
    const observation = { by: { read() {}, posted() {}, contradicted } as never };
    const made = {
      network: network as NonNullable<typeof network>,
      createDiagnosis,
      observation,
      backoff: 2,
    };
    return createService({ ...made, ...more });
  };

export const usageOf = (service: Service): Service.Verified =>
  service.verification?.peek()?.usage() as Service.Verified;

export const verdictOf = async (service: Service, hash: Hex, confirmations: number) =>
  (await service.verification?.())?.verdictOf(hash, confirmations);

export const hostOf = ({ url }: { readonly url: string }): string => new URL(url).host;

/** A chain with a contract that emits a log with each call; Alice has used one nonce, and has coins. */
export async function startChain(): Promise<{
  readonly honest: LocalService;
  readonly truth: ReturnType<typeof clientOf>;
  readonly contract: Hex;
  /** Calls the contract, in a block to come. */
  readonly emit: (nonce: number) => Promise<Hex>;
}> {
  const honest = await createLocalService({ difficulty, mining: 'manual' });
  const truth = clientOf(honest);
  await honest.controls.faucet(alice.address, 10n ** 22n);
  const creation = await sign({ to: null, data: emitter, gas: 100_000n, value: 0n });
  const created = await truth.call('eth_sendRawTransaction', creation);
  await honest.controls.mine();
  const { contractAddress: contract } = await truth.call('eth_getTransactionReceipt', created);
  return {
    ...{ honest, truth, contract },
    async emit(nonce) {
      const data = `0x${word(nonce)}${word(nonce + 7)}` as const;
      const raw = await sign({ nonce, to: contract, data, gas: 60_000n, value: 0n });
      return truth.call('eth_sendRawTransaction', raw);
    },
  };
}

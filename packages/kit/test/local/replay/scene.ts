import { serializeTransaction } from 'viem';
import { type alice, clientOf, sign, type Wish } from '../../../../../test/support/local-client.js';
import { createAnvilEngine } from '../../../src/local/anvil.js';
import { createLocalService, type Engine, type Hex, type LocalService } from '../../../src/local/index.js';
import type { Names } from './names.js';

/**
 * Rebuilds the recorded node's chain: the same heights, accounts, contract and transaction bytes, so that the recorded
 * requests refer to the same objects.
 */
export interface Scene {
  readonly service: LocalService;
  readonly names: Names;
  /** Files in the order of the recording; a part is `file:from-to`, `to` excluded. */
  readonly order: readonly string[];
  /** Parameters to use instead of those that a recording omits or that name the recorded chain, by `file#index`. */
  readonly params: Readonly<Record<string, () => readonly unknown[]>>;
  /** Changes at the node before a recorded request, by `file#index`. */
  readonly before: Readonly<Record<string, () => Promise<unknown>>>;
  /** The local results where a recording summarises several replies, by `file#index`. */
  readonly summaries: Readonly<Record<string, () => Promise<unknown>>>;
  /** Bodies that a recording only describes, by `file#index`. */
  readonly bodies?: Readonly<Record<string, string>>;
  /** Items that cannot be sent, by `file#index`. */
  readonly skipped?: readonly string[];
}

export const coin = 10n ** 18n;
export const minimumGasPrice = 60_000_000n;
export const gasPrice = 66_000_000n;
export const zeros = (bytes: number): Hex => `0x${'00'.repeat(bytes)}`;

export interface Stage {
  readonly service: LocalService;
  readonly call: ReturnType<typeof clientOf>['call'];
  readonly send: (wish: Wish, account?: typeof alice) => Promise<Hex>;
  readonly mine: (count?: number) => Promise<void>;
  readonly mineTo: (height: number) => Promise<void>;
  /** Advances the clock of pool, quota and filters by milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly setAccount: (address: Hex, account: { nonce?: number; code?: Hex }) => Promise<void>;
  /** The hashes that the EVM knows blocks by, which BLOCKHASH returns. */
  readonly engineHashes: (...heights: number[]) => Promise<Hex[]>;
}

export async function stage(options: createLocalService.Options): Promise<Stage> {
  let engine: Engine | undefined;
  let now = 1_795_000_000_000;
  const service = await createLocalService({
    dialect: 'node',
    mining: 'manual',
    now: () => now,
    ...options,
    engine: async (settings) => {
      engine = await createAnvilEngine(settings);
      return engine;
    },
  });
  const { call } = clientOf(service);
  const { mine } = service.controls;
  return {
    service,
    call,
    send: async (wish, account) =>
      call('eth_sendRawTransaction', await sign({ gasPrice, gas: 300_000n, value: 0n, ...wish }, account)),
    mine,
    mineTo: async (height) => mine(height - Number(await call('eth_blockNumber'))),
    wait: async (milliseconds) => {
      now += milliseconds;
    },
    setAccount: async (address, { nonce, code }) => {
      if (nonce !== undefined) await engine?.request('anvil_setNonce', [address, `0x${nonce.toString(16)}`]);
      if (code !== undefined) await engine?.request('anvil_setCode', [address, code]);
    },
    engineHashes: (...heights) =>
      Promise.all(
        heights.map(async (height) => {
          const block = await engine?.request('eth_getBlockByNumber', [`0x${height.toString(16)}`, false]);
          return (block as { hash: Hex }).hash;
        }),
      ),
  };
}

/** The signed bytes of a transaction object of the node. */
export function rawOf(shown: Readonly<Record<string, Hex>>): Hex {
  const quantity = (field: string) => BigInt(shown[field] as Hex);
  const word = (field: string): Hex => `0x${quantity(field).toString(16).padStart(64, '0')}`;
  const { to, input } = shown;
  return serializeTransaction(
    {
      type: 'legacy',
      nonce: Number(quantity('nonce')),
      gasPrice: quantity('gasPrice'),
      gas: quantity('gas'),
      to: to ?? null,
      value: quantity('value'),
      data: input as Hex,
    },
    { r: word('r'), s: word('s'), v: quantity('v') },
  );
}

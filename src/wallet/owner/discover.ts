import { callSafely } from '../../async/listeners.js';
import { userRejected } from '../../rpc/core-errors.js';
import { listedTokens } from '../../rpc/known-contracts.js';
import type { Address } from '../../rpc/schema.js';
import type { Service } from '../../service/service.js';
import { readHolders } from './holders.js';

/** An account that was used on the chain. */
export interface UsedAccount {
  /** Index of its mnemonic. */
  readonly mnemonic: number;
  readonly path: string;
}

/** Unused addresses in a row after which a path is given up (BIP-44 says 20, at a request or two for each). */
const gap = 5;
/** Addresses of one path. */
const maxAddresses = 200;

const accountPath = (coinType: number, index: number): string => `m/44'/${coinType}'/0'/0/${index}`;

/**
 * Finds the accounts of all mnemonics that have sent a transaction, or hold coins or tokens, on the chain of the service:
 * the wallet's own list of tokens and those that the person watches. Known accounts count as used and cost no request. A
 * wallet without any takes 18 requests for each mnemonic; 31 where the service cannot be asked for all balances at once,
 * and then only coins count.
 * @throws ProviderRpcError 4001 once `signal` is aborted; the service's own error
 */
export async function findUsedAccounts(options: findUsedAccounts.Options): Promise<readonly UsedAccount[]> {
  const { addressesAt, isKnown, service, coinTypes, watched, signal, onProgress } = options;
  const tokens = [...listedTokens(service.network.chainId).map(({ address }) => address), ...watched];
  const requireWanted = () => {
    if (signal?.aborted) throw userRejected();
  };
  const settings = { priority: 'background' as const, signal };
  const isPositive = async (method: string, address: Address): Promise<boolean> => {
    const checked = { ...settings, check: requireQuantity };
    return BigInt((await service.request(method, [address, 'latest'], checked)) as string) > 0n;
  };
  let asksForAll = true;
  /** Resolves, separately for each address, whether it holds anything. */
  const holdings = (addresses: readonly Address[]): readonly Promise<boolean>[] => {
    const all = asksForAll
      ? // Whatever the refusal: if it is the service's last word, the next request meets it as well.
        readHolders(service, addresses, tokens, settings).catch(() => null)
      : Promise.resolve(null);
    return addresses.map(async (address, at) => {
      const answers = await all;
      asksForAll &&= answers !== null;
      return answers?.[at] ?? isPositive('eth_getBalance', address);
    });
  };

  requireWanted();
  const pathsOf = (coinType: number, from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, at) => accountPath(coinType, from + at));
  const firstPaths = coinTypes.flatMap((coinType) => pathsOf(coinType, 0, gap));
  const firstAddresses = await addressesAt(firstPaths);
  let done = 0;
  let total = firstAddresses.length * firstPaths.length;
  const progress = () => onProgress && callSafely(onProgress, done, total);

  const scan = async (mnemonic: number, coinType: number): Promise<UsedAccount[]> => {
    const used: UsedAccount[] = [];
    let end = gap;
    for (let from = 0; from < end; ) {
      const paths = pathsOf(coinType, from, end);
      const addresses =
        from === 0
          ? paths.map((path) => firstAddresses[mnemonic]?.[firstPaths.indexOf(path)])
          : ((await addressesAt(paths))[mnemonic] ?? []);
      const unknown = (addresses as Address[]).filter((address) => !isKnown(address));
      const held = unknown.length > 0 ? holdings(unknown) : [];
      const answers = await Promise.all(
        (addresses as Address[]).map(async (address) => {
          const at = unknown.indexOf(address);
          // At once, so that a service that takes batches gets one.
          const answer =
            at < 0 ||
            (await Promise.all([isPositive('eth_getTransactionCount', address), held[at]])).includes(true);
          done += 1;
          progress();
          return { address, answer };
        }),
      );
      const start = from;
      from = end;
      answers.forEach(({ address, answer }, at) => {
        if (!answer) return;
        if (!isKnown(address)) used.push({ mnemonic, path: paths[at] as string });
        const next = Math.min(Math.max(end, start + at + 1 + gap), maxAddresses);
        total += next - end;
        end = next;
      });
      requireWanted();
    }
    return used;
  };

  try {
    progress();
    const found: UsedAccount[] = [];
    for (const mnemonic of firstAddresses.keys())
      for (const coinType of coinTypes) found.push(...(await scan(mnemonic, coinType)));
    return found;
  } catch (error) {
    requireWanted();
    throw error;
  }
}

/** Not imported from `rpc/results.ts`, which would become a separate chunk beside the core. */
function requireQuantity(received: unknown): void {
  if (typeof received !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(received))
    throw new Error('not a QUANTITY of at most 256 bits');
}

export declare namespace findUsedAccounts {
  interface Options {
    /** The addresses at the paths, for each mnemonic. */
    readonly addressesAt: (paths: readonly string[]) => Promise<readonly (readonly Address[])[]>;
    readonly isKnown: (address: Address) => boolean;
    readonly service: Service;
    /** SLIP-44 coin types, in the order in which accounts are added. */
    readonly coinTypes: readonly number[];
    /** Tokens of the service's chain that the person watches, beside those that the wallet lists. */
    readonly watched: readonly Address[];
    readonly signal?: AbortSignal | undefined;
    /** Called with the number of addresses that were checked, and of those to check, which grows. */
    readonly onProgress?: ((done: number, of: number) => void) | undefined;
  }
}

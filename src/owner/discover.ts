import { callSafely } from '../async/listeners.js';
import { userRejected } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** An account that was used on the chain. */
export interface UsedAccount {
  /** Index of its mnemonic. */
  readonly mnemonic: number;
  readonly path: string;
}

/** Unused addresses in a row after which a path is given up (BIP-44 says 20, at two requests for each). */
const gap = 5;
/** Most addresses of one path. */
const longest = 200;

export const accountPath = (coinType: number, index: number): string => `m/44'/${coinType}'/0'/0/${index}`;

/**
 * Finds the accounts of all mnemonics that have sent a transaction or hold coins on the chain of the service. Known
 * accounts count as used and cost no request. A wallet without any takes 30 requests for each mnemonic.
 * @throws ProviderRpcError 4001 once `signal` is aborted; the service's own error
 */
export async function findUsedAccounts(given: findUsedAccounts.Options): Promise<readonly UsedAccount[]> {
  const { addressesAt, isKnown, service, coinTypes, signal, onProgress } = own(given);
  const requireWanted = () => {
    if (signal?.aborted) throw userRejected();
  };
  const read = async (method: string, address: Address): Promise<bigint> => {
    const result = await service.request(
      method,
      [address, 'latest'],
      own({
        priority: 'background' as const,
        check: requireQuantity,
        ...(signal && { signal }),
      }),
    );
    return BigInt(result as string);
  };
  const isUsed = async (address: Address): Promise<boolean> => {
    // At once, so that a service that takes batches gets one.
    const numbers = await Promise.all([
      read('eth_getTransactionCount', address),
      read('eth_getBalance', address),
    ]);
    return numbers.some((number) => number > 0n);
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
      const answers = await Promise.all(
        (addresses as Address[]).map(async (address) => {
          const answer = isKnown(address) || (await isUsed(address));
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
        const next = Math.min(Math.max(end, start + at + 1 + gap), longest);
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

/** Not with `rpc/results.ts`, which would then be a chunk of its own beside the core. */
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
    readonly signal?: AbortSignal | undefined;
    /** Called with the number of addresses that were checked, and of those to check, which grows. */
    readonly onProgress?: ((done: number, of: number) => void) | undefined;
  }
}

import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { isProviderRpcError } from '../rpc/errors.js';
import { bytesToHex, hexToBytes } from '../rpc/hex.js';
import { nameRegistry } from '../rpc/known-contracts.js';
import { checkData } from '../rpc/results.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** Looks names of the RIF Name Service up (RNSIP-02: the contracts of EIP-137), on chains that have its registry. */
export interface Names {
  /**
   * The address of a name, such as `alice.rsk`. `null` for a name without a resolver or an address, with the zero address,
   * or that is not spelt as names are.
   * @throws ProviderRpcError as the service's request
   */
  resolve(service: Service, name: string): Promise<Address | null>;
  /**
   * The name that an address claims and that resolves to it (EIP-181); `null` for any other.
   * @throws ProviderRpcError as the service's request
   */
  nameOf(service: Service, address: Address): Promise<string | null>;
}

/** Milliseconds for which an answer is remembered. */
const lifetime = 300_000;
/** Answers that are remembered; the oldest are forgotten first. */
const maxAnswers = 500;

/** Function selectors of the registry and of resolvers. */
const selectors = { resolver: '0x0178b8bf', addr: '0x3b3b57de', name: '0x691f3431' } as const;

/** @param now milliseconds since 1970 */
export function createNames(now: () => number): Names {
  const answers = new Map<string, { readonly answer: Promise<string | null>; readonly until: number }>();

  /** Calls that arrive while a lookup runs share it. A failed lookup is not remembered. */
  const remember = <T extends string>(key: string, lookUp: () => Promise<T | null>): Promise<T | null> => {
    const remembered = answers.get(key);
    if (remembered && now() < remembered.until) return remembered.answer as Promise<T | null>;
    const answer = lookUp();
    answers.delete(key);
    answers.set(key, { answer, until: now() + lifetime });
    for (const oldest of answers.keys()) if (answers.size > maxAnswers) answers.delete(oldest);
    answer.catch(() => answers.get(key)?.answer === answer && answers.delete(key));
    return answer;
  };

  const resolve = (service: Service, spelling: string): Promise<Address | null> => {
    const registry = nameRegistry(service.network.chainId);
    const name = normalizeName(spelling);
    if (registry === null || name === null) return Promise.resolve(null);
    return remember(`${service.network.chainId} ${name}`, async () => {
      const node = namehash(name);
      const resolver = readAddress(await call(service, registry, selectors.resolver, node));
      return resolver && readAddress(await call(service, resolver, selectors.addr, node));
    });
  };

  return {
    resolve,
    nameOf(service, address) {
      const registry = nameRegistry(service.network.chainId);
      if (registry === null) return Promise.resolve(null);
      return remember(`${service.network.chainId} ${address}`, async () => {
        const node = namehash(`${address.slice(2).toLowerCase()}.addr.reverse`);
        const resolver = readAddress(await call(service, registry, selectors.resolver, node));
        const name = resolver && readText(await call(service, resolver, selectors.name, node));
        // A claim that is not spelt as names are could be shown as another name.
        if (!name || normalizeName(name) !== name) return null;
        return (await resolve(service, name)) === address.toLowerCase() ? name : null;
      });
    },
  };
}

/**
 * A name in lower case; `null` unless it has two labels or more of Latin letters, digits and hyphens. Other letters could
 * look like these and lead elsewhere.
 */
export function normalizeName(name: string): string | null {
  const lower = name.trim().toLowerCase();
  return lower.length <= 255 && /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/.test(lower) ? lower : null;
}

/** The node of a normalised name (EIP-137). */
export const namehash = (name: string): Hex =>
  bytesToHex(
    name
      .split('.')
      .reduceRight(
        (node, label) => keccak_256(concatBytes(node, keccak_256(utf8ToBytes(label)))),
        new Uint8Array(32),
      ),
  );

/** Calls a contract and returns its data; `0x` if it reverts, as a resolver without such records does. */
async function call(service: Service, to: Address, selector: Hex, node: Hex): Promise<Hex> {
  try {
    return (await service.request('eth_call', [{ to, data: `${selector}${node.slice(2)}` }, 'latest'], {
      check: checkData,
    })) as Hex;
  } catch (error) {
    if (isProviderRpcError(error) && error.code === 3) return '0x';
    throw error;
  }
}

/** An ABI `address` other than zero. */
function readAddress(word: Hex): Address | null {
  const digits = /^0x0{24}([0-9a-f]{40})$/.exec(word.toLowerCase())?.[1];
  return digits === undefined || /^0+$/.test(digits) ? null : `0x${digits}`;
}

/** An ABI `string` of at most 255 bytes, in the one canonical encoding. */
function readText(data: Hex): string | null {
  if (data.length < 130 || data.length > 2 + 2 * (64 + 256)) return null;
  const bytes = hexToBytes(data);
  const word = (at: number) => BigInt(`0x${data.slice(2 + at * 2, 66 + at * 2)}`);
  if (word(0) !== 32n || word(32) > 255n) return null;
  const content = bytes.subarray(64, 64 + Number(word(32)));
  return content.length === Number(word(32)) ? new TextDecoder().decode(content) : null;
}

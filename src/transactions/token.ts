import type { TokenLabel } from '../approvals/decoded-call.js';
import { hexToBytes } from '../rpc/hex.js';
import { isData } from '../rpc/results.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** `symbol()` and `decimals()` of ERC-20. */
const selectors = { symbol: '0x95d89b41', decimals: '0x313ce567' } as const;

/**
 * Asks a token contract what it calls itself. Its answer is a claim, and optional: without it amounts are
 * shown in base units. `decimals` over 36 is not believed.
 */
export async function readTokenLabel(service: Service, address: Address): Promise<TokenLabel> {
  const ask = (data: Hex) =>
    service
      .request('eth_call', [{ to: address, data }, 'latest'], {
        check: (result) => isData(result, undefined),
      })
      .catch(() => '0x') as Promise<Hex>;
  const [symbol, decimals] = await Promise.all([ask(selectors.symbol), ask(selectors.decimals)]);
  const text = readText(symbol);
  const places = decimals.length === 66 ? Number(BigInt(decimals)) : Number.NaN;
  return {
    address,
    ...(text !== null && { symbol: text }),
    ...(places <= 36 && { decimals: places }),
  };
}

/** An ABI `string`, or the `bytes32` of early tokens: at most 16 visible ASCII characters, else `null`. */
function readText(data: Hex): string | null {
  if ((data.length - 2) % 64 !== 0 || data.length > 1026) return null;
  const bytes = hexToBytes(data);
  const isString = bytes.length >= 96 && bytes[31] === 0x20;
  const content = isString ? bytes.subarray(64, 64 + (bytes[63] ?? 0)) : bytes.subarray(0, 32);
  const text = new TextDecoder().decode(content).replace(/\0+$/, '');
  return /^[\x21-\x7e]{1,16}$/.test(text) ? text : null;
}

import { imitatedSymbol } from '../assets/likeness.js';
import { withTimeout } from '../async/cancellation.js';
import { revertReason } from '../rpc/core-errors.js';
import { hexToBytes } from '../rpc/hex.js';
import { knownToken } from '../rpc/known-contracts.js';
import { own } from '../rpc/own.js';
import { checkData } from '../rpc/results.js';
import type { Address, Hex } from '../rpc/schema.js';
import { tokenCall } from '../rpc/token-calls.js';
import { isNodeFailure } from '../service/errors/errors.js';
import type { Service } from '../service/service.js';
import type { TokenLabel } from './decode-call.js';

/**
 * Reads what a token contract reports about itself: symbol and decimals, unless the wallet knows the token; with an
 * owner also total supply and the owner's balance. Values that cannot be read are left out; all of them may be forged.
 *
 * @param owner whose balance an allowance is compared with
 * @param options.mustAnswer rejects if the service cannot report a value of the contract. Default: it is left out
 */
export async function readTokenLabel(
  service: Service,
  address: Address,
  owner?: Address,
  options: { readonly mustAnswer?: boolean | undefined } = {},
): Promise<TokenLabel> {
  const { mustAnswer = false } = own(options);
  const call = (data: Hex) =>
    service
      .request('eth_call', [{ to: address, data }, 'latest'], {
        check: checkData,
      })
      .catch((error: unknown) => {
        if (mustAnswer && revertReason(error) === undefined && !isNodeFailure(error)) throw error;
        return '0x';
      }) as Promise<Hex>;
  const known = knownToken(service.network.chainId, address);
  const nothing: Hex = '0x';
  const [symbol, decimals, supply, balance] = await Promise.all([
    known ? nothing : call(tokenCall('symbol')),
    known ? nothing : call(tokenCall('decimals')),
    owner === undefined ? nothing : call(tokenCall('totalSupply')),
    owner === undefined ? nothing : call(tokenCall('balanceOf', owner)),
  ]);
  const [text, places] = [readText(symbol), readInteger(decimals)];
  const [total, held] = [readInteger(supply), readInteger(balance)];
  const { chainId, currency } = service.network;
  const imitates = text === null ? null : imitatedSymbol(chainId, address, text, currency.symbol);
  return {
    address,
    symbol: known?.symbol ?? text ?? undefined,
    // With more decimals than 36, large amounts would be shown as almost zero.
    decimals: known?.decimals ?? (places !== null && places <= 36n ? Number(places) : undefined),
    known: known ? true : undefined,
    imitates: imitates ?? undefined,
    supply: total?.toString(),
    balance: held?.toString(),
  };
}

/** The labels that tokens report about themselves, by contract address. */
export type Labels = ReadonlyMap<Address, TokenLabel>;

/**
 * Maximum number of tokens that are read for one question, those that the wallet knows first; amounts of others are shown in
 * base units.
 */
const maxTokens = 6;
/** Milliseconds to wait for labels. The question is shown without those that are late. */
const labelTimeout = 1_500;

/**
 * Reads the labels that tokens report about themselves. Those that do not arrive in time are left out.
 * @param owner whose balance an allowance is compared with
 */
export async function readLabels(
  service: Service,
  tokens: Iterable<Address>,
  owner: Address | undefined,
): Promise<Labels> {
  const labels = new Map<Address, TokenLabel>();
  const isKnown = (token: Address) => knownToken(service.network.chainId, token) !== null;
  const known = [...new Set(tokens)].sort((one, other) => Number(isKnown(other)) - Number(isKnown(one)));
  const reads = known.slice(0, maxTokens).map(async (token) => {
    labels.set(token, await readTokenLabel(service, token, owner));
  });
  if (reads.length === 0) return labels;
  await withTimeout(labelTimeout, () => Promise.allSettled(reads));
  return new Map(labels);
}

const readInteger = (data: Hex): bigint | null => (data.length === 66 ? BigInt(data) : null);

/** Decodes an ABI `string`, or the `bytes32` of early tokens. `null` unless it has 1 to 16 visible ASCII characters. */
function readText(data: Hex): string | null {
  if ((data.length - 2) % 64 !== 0 || data.length > 1026) return null;
  const bytes = hexToBytes(data);
  const isString = bytes.length >= 96 && bytes[31] === 0x20;
  const content = isString ? bytes.subarray(64, 64 + (bytes[63] ?? 0)) : bytes.subarray(0, 32);
  const text = new TextDecoder().decode(content).replace(/\0+$/, '');
  return /^[\x21-\x7e]{1,16}$/.test(text) ? text : null;
}

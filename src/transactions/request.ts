import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import {
  address,
  data,
  hash,
  memberReader,
  quantity,
  quantityUpTo,
  type Reader,
  record,
  refuse,
  sameData,
} from '../rpc/params.js';
import type { Address, Hex } from '../rpc/schema.js';
import { callKeys } from '../rpc/selectors.js';
import type { AccessList } from '../rpc/transaction.js';
import { maxInitCodeSize, maxTransactionSize } from '../rpc/transaction-size.js';

/**
 * A validated transaction request: the params of `eth_sendTransaction`, aliases resolved
 * (docs/notes/service.md#methods-with-full-parameter-and-result-shape).
 */
export interface TransactionRequest {
  readonly from: Address;
  /** `null` creates a contract. */
  readonly to: Address | null;
  /** `to` as the page wrote it: its checksum may be that of the other Rootstock network. */
  readonly recipient?: Hex | undefined;
  /** The name that the person gave in place of `to`, which it resolves to. No page's param sets it. */
  readonly recipientName?: string | undefined;
  readonly value: Hex;
  readonly data: Hex;
  readonly gas?: Hex | undefined;
  /** An exact price, wei per gas. */
  readonly gasPrice?: Hex | undefined;
  /** Upper bound of the price, wei per gas: EIP-1559's field, on a chain with one price. */
  readonly maxFeePerGas?: Hex | undefined;
  /** For a replacement, which no page's param sets: the lowest price that a node takes for it, wei per gas. */
  readonly replacementPrice?: Hex | undefined;
  readonly nonce?: Hex | undefined;
  readonly chainId?: number | undefined;
  /** The type that the page names or whose fields it uses; absent for legacy. */
  readonly transactionType?: '0x1' | '0x2' | undefined;
  readonly accessList?: AccessList | undefined;
}

const keys = [...callKeys, 'authorizationList'] as const;
type Key = (typeof keys)[number];

const gasUnits = quantityUpTo(64, 'gas');

/**
 * Reads a transaction object. EIP-1559 and EIP-2930 forms are accepted as far as they have the same meaning on a chain of
 * legacy transactions; blobs (type 3) and account delegations (type 4) are not.
 *
 * @throws ProviderRpcError -32602 naming the field, also for an unknown key, since a misspelt `gasPrice` would otherwise
 * be ignored
 */
export const transactionRequest: Reader<TransactionRequest> = (value, path) => {
  const fields = record(value, path, keys);
  const read = memberReader(fields, path);
  const from = read('from', address);
  if (from === undefined) throw invalidParams(`${path}.from: required, received nothing`);
  const to = read('to', address) ?? null;
  const amount = read('value', quantity) ?? '0x0';
  const input = sameData(read('data', data), read('input', data), path) ?? '0x';
  const gasLimit = read('gasLimit', gasUnits);
  const gas = read('gas', gasUnits) ?? gasLimit;
  if (gasLimit !== undefined && gas !== gasLimit)
    throw invalidParams(`${path}.gasLimit: gas and gasLimit are two names of one value, and differ`);
  const gasPrice = read('gasPrice', quantity);
  const maxFeePerGas = read('maxFeePerGas', quantity);
  read('maxPriorityFeePerGas', quantity);
  const nonce = read('nonce', quantityUpTo(64, 'a nonce (QUANTITY)'));
  const chainId = read('chainId', quantityUpTo(53, 'a chain id (QUANTITY)'));
  const accessList = read('accessList', accessListOf);
  const transactionType = typeOf(fields, path);
  if (gas === '0x0') throw invalidParams(`${path}.gas: zero gas executes nothing`);
  if (gasPrice !== undefined && maxFeePerGas !== undefined)
    throw invalidParams(`${path}.maxFeePerGas: gasPrice and maxFeePerGas exclude each other`);
  const size = (input.length - 2) / 2;
  if (to === null && size === 0)
    throw invalidParams(`${path}.to: required, unless data carries the code of a contract to create`);
  if (to === null && size > maxInitCodeSize)
    throw invalidParams(`${path}.data: init code is larger than ${maxInitCodeSize} bytes`);
  if (size > maxTransactionSize)
    throw invalidParams(
      `${path}.data: the signed transaction would be larger than ${maxTransactionSize} bytes`,
    );
  return own({
    from,
    to,
    recipient: to === null ? undefined : (fields.to as Hex),
    value: amount,
    data: input,
    gas,
    gasPrice,
    maxFeePerGas,
    nonce,
    chainId: chainId === undefined ? undefined : Number(chainId),
    transactionType,
    accessList: accessList?.length ? accessList : undefined,
  });
};

/** The requested transaction type; `undefined` for legacy. */
function typeOf(fields: { readonly [key in Key]?: Json }, path: string): '0x1' | '0x2' | undefined {
  const { type, accessList, authorizationList, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = fields;
  if (authorizationList !== undefined && type === undefined)
    throw invalidParams(`${path}.authorizationList: accounts cannot be delegated on this chain`);
  const hasMarketFields = (maxFeePerGas ?? maxPriorityFeePerGas ?? null) !== null;
  switch (type ?? null) {
    case '0x0':
    case '0x00':
      if (hasMarketFields && gasPrice === undefined)
        throw invalidParams(
          `${path}.type: a legacy transaction (0x0) has no maxFeePerGas or maxPriorityFeePerGas`,
        );
      return undefined;
    case '0x1':
    case '0x01':
      return '0x1';
    case '0x2':
    case '0x02':
      return '0x2';
    case null:
      if (hasMarketFields && (gasPrice ?? null) === null) return '0x2';
      return Array.isArray(accessList) && accessList.length > 0 ? '0x1' : undefined;
    default:
      throw invalidParams(
        `${path}.type: expected "0x0", "0x1" or "0x2"; other transaction types are not supported`,
      );
  }
}

const accessListOf: Reader<AccessList> = (value, path) => {
  if (!Array.isArray(value)) throw refuse(path, 'an array', value);
  return value.map((entry: Json, i) => {
    const fields = record(entry, `${path}[${i}]`, ['address', 'storageKeys']);
    const keys = fields.storageKeys ?? null;
    if (!Array.isArray(keys)) throw refuse(`${path}[${i}].storageKeys`, 'an array', keys);
    return {
      address: address(fields.address ?? null, `${path}[${i}].address`),
      storageKeys: keys.map((key: Json, at) => hash(key, `${path}[${i}].storageKeys[${at}]`)),
    };
  });
};

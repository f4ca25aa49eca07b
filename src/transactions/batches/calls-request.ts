import { excerpt } from '../../rpc/core-errors.js';
import { errorCode, invalidParams, ProviderRpcError } from '../../rpc/errors.js';
import type { Json } from '../../rpc/message.js';
import { own } from '../../rpc/own.js';
import { address, boolean, chainId, type Reader, record, refuse, text } from '../../rpc/params.js';
import type { Address } from '../../rpc/schema.js';
import { maxTransactionSize } from '../../rpc/transaction-size.js';
import { type TransactionRequest, transactionRequest } from '../request.js';

/** The validated argument of `wallet_sendCalls` (EIP-5792, `SendCallsParams`). */
export interface CallsRequest {
  readonly id: string | undefined;
  readonly from: Address | undefined;
  readonly chainId: number;
  /** At least one; in the order they are sent. */
  readonly calls: readonly Omit<TransactionRequest, 'from'>[];
}

/** The node accepts nonces up to this many above an account's mined ones (docs/notes/node.md#nonces-and-the-queue). */
export const maxCalls = 16;
/** EIP-5792 allows 4096 bytes, which are 8194 characters in hexadecimal. */
const maxIdBytes = 4096;

/** The final version, and that of the drafts, which libraries still send. */
const versions: readonly Json[] = ['2.0.0', '1.0'];
const keys = ['version', 'id', 'from', 'chainId', 'atomicRequired', 'calls', 'capabilities'] as const;
/** Placeholder for the sender, which a call does not have. */
const placeholder = `0x${'0'.repeat(40)}`;

/**
 * Reads the argument of `wallet_sendCalls`.
 *
 * @throws ProviderRpcError -32602 naming the value that is wrong; 5740 for more than {@link maxCalls} calls, or one
 * that is too large for a transaction; 5760 for several calls that must be atomic, since each is a transaction of its
 * own; 5700 for a capability that is not marked as optional, since this wallet has none.
 */
export const callsRequest: Reader<CallsRequest> = (value, path) => {
  const fields = record(value, path, keys);
  const required = (key: 'chainId' | 'version') => fields[key] ?? null;
  if (!versions.includes(required('version')))
    throw refuse(`${path}.version`, 'one of 2.0.0 and 1.0', required('version'));
  const id = fields.id === undefined ? undefined : callsId(fields.id, `${path}.id`);
  const from = fields.from === undefined ? undefined : address(fields.from, `${path}.from`);
  const chain = chainId(required('chainId'), `${path}.chainId`);
  // The drafts had no `atomicRequired`.
  const isDraft = fields.version === '1.0' && fields.atomicRequired === undefined;
  const atomicRequired = isDraft ? false : boolean(fields.atomicRequired ?? null, `${path}.atomicRequired`);
  const { calls } = fields;
  if (!Array.isArray(calls) || calls.length === 0)
    throw invalidParams(`${path}.calls: expected an array of at least one call`);
  if (calls.length > maxCalls)
    throw tooLarge(`${path}.calls: at most ${maxCalls} calls, received ${calls.length}`);
  const read = calls.map((call: Json, i) => readCall(call, chain, `${path}.calls[${i}]`));
  refuseCapabilities(fields.capabilities, chain, `${path}.capabilities`);
  if (atomicRequired && calls.length > 1)
    throw new ProviderRpcError(
      errorCode.atomicityNotSupported,
      'Atomicity not supported: this account sends each call as a transaction of its own.',
    );
  return { id, from, chainId: chain, calls: read };
};

/** Reads the id of a batch: any text of 1 to 4096 bytes. */
export const callsId: Reader<string> = (value, path) => {
  const id = text(value, path);
  const size = /^0x[\da-f]*$/i.test(id) ? (id.length - 2) / 2 : new TextEncoder().encode(id).length;
  if (id === '' || size > maxIdBytes)
    throw invalidParams(`${path}: expected 1 to ${maxIdBytes} bytes (8194 characters of hexadecimal)`);
  return id;
};

function readCall(value: Json, chain: number, path: string): Omit<TransactionRequest, 'from'> {
  const { capabilities, ...fields } = record(value, path, ['to', 'data', 'value', 'capabilities']);
  const { data } = fields;
  if (typeof data === 'string' && data.length > 2 * maxTransactionSize)
    throw tooLarge(`${path}.data: the signed transaction would be larger than ${maxTransactionSize} bytes`);
  const { from: _from, ...call } = transactionRequest({ ...fields, from: placeholder } as Json, path);
  refuseCapabilities(capabilities, chain, `${path}.capabilities`);
  return own(call);
}

/**
 * Refuses a capability that is not marked as optional. Some are given for each chain (ERC-7677 in its first form): then the
 * entry of the batch's chain decides, and a capability without one does not concern the batch.
 */
function refuseCapabilities(value: Json | undefined, chain: number, path: string): void {
  if (value === undefined || value === null) return;
  for (const [name, capability] of Object.entries(requireObject(value, path))) {
    const at = `${path}.${excerpt(name)}`;
    const members = Object.entries(requireObject(capability, at));
    const isByChain = members.length > 0 && members.every(([key]) => /^0x[\da-f]+$/i.test(key));
    const entries = isByChain
      ? members
          .filter(([key]) => Number(key) === chain)
          .map(([key, entry]) => requireObject(entry, `${at}.${excerpt(key)}`))
      : [capability];
    for (const entry of entries)
      if ((entry as { readonly optional?: Json }).optional !== true)
        throw new ProviderRpcError(
          errorCode.unsupportedCapability,
          `Unsupported non-optional capability: ${at}`,
        );
  }
}

function requireObject(value: Json, path: string): { readonly [key: string]: Json } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse(path, 'an object', value);
  return value as { readonly [key: string]: Json };
}

const tooLarge = (rule: string) => new ProviderRpcError(errorCode.callsTooLarge, `Bundle too large: ${rule}`);

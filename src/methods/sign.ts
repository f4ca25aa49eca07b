import { utf8ToBytes } from '@noble/hashes/utils.js';
import { limitExceeded } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { bytesToHex } from '../rpc/hex.js';
import type { Json } from '../rpc/message.js';
import { bytesOf } from '../rpc/message.js';
import { address, anything, data, optional, positions, type Reader, text } from '../rpc/params.js';
import { type Address, type Hex, isAddress } from '../rpc/schema.js';
import { method } from './method.js';
import { requesterOf } from './requester.js';

/**
 * Signs a message (DATA, or any other string as UTF-8) with the EIP-191 prefix. The address may come first, as early
 * dapps wrote it. The password of geth's form is ignored. Resolves with 65 bytes r‖s‖v.
 */
export const personal_sign = method<[message: string, from: Address, password?: string], Hex>()(
  readPersonalSign,
  {
    account: ({ from }) => from,
    handle: async (context, { from, bytes }, request) => {
      const requester = requesterOf(context, from, request);
      const signatures = await (await context.signing()).signatures();
      return signatures.signMessage({ method: 'personal_sign', bytes, path: 'params[0]' }, requester);
    },
  },
);

/** Like `personal_sign`, with the address first. The EIP-191 prefix keeps it from signing a transaction. */
export const eth_sign = method<[from: Address, message: Hex], Hex>()(
  positions(address, (value, path) => messageBytes(value, path)),
  {
    account: ([from]) => from,
    handle: async (context, [from, bytes], request) => {
      const requester = requesterOf(context, from, request);
      const signatures = await (await context.signing()).signatures();
      return signatures.signMessage({ method: 'eth_sign', bytes, path: 'params[1]' }, requester);
    },
  },
);

/** The address (lower case) whose key signed the message, computed in the page. */
export const personal_ecRecover = method<[message: string, signature: Hex], Address>()(
  positions((value, path) => messageBytes(value, path), data),
  {
    handle: async (context, [bytes, signature]) => (await context.signing()).recoverMessage(bytes, signature),
  },
);

interface TypedDataParams {
  readonly from: Address;
  readonly typedData: Json;
  /** Where the typed data is in the request, for errors. */
  readonly path: string;
}

const typedData = (version: 'V1' | 'V3' | 'V4', params: (params: Json) => TypedDataParams) =>
  method<readonly [Json, Json], Hex>()(params, {
    account: ({ from }) => from,
    handle: async (context, { from, typedData, path }, request) => {
      const requester = requesterOf(context, from, request);
      const signatures = await (await context.signing()).signatures();
      return signatures.signTypedData({ version, typedData, path }, requester);
    },
  });

const addressFirst = (params: Json): TypedDataParams => {
  const [from, typedData] = positions(address, structured)(params);
  return { from, typedData, path: 'params[1]' };
};
const addressLast = (params: Json): TypedDataParams => {
  const [typedData, from] = positions(structured, address)(params);
  return { from, typedData, path: 'params[0]' };
};

export const eth_signTypedData_v4 = typedData('V4', addressFirst);
export const eth_signTypedData_v3 = typedData('V3', addressFirst);
/** The form before EIP-712: an array of typed values without a domain. The address comes last. */
export const eth_signTypedData_v1 = typedData('V1', addressLast);

/** The unsuffixed name has meant two things: v1 with the address last, v4 with the address first. */
export const eth_signTypedData = method<readonly [Json, Json], Hex>()(
  (params) => {
    const isV4 = Array.isArray(params) && isAddress(params[0]);
    return isV4
      ? { version: 'V4' as const, ...addressFirst(params) }
      : { version: 'V1' as const, ...addressLast(params) };
  },
  {
    account: ({ from }) => from,
    handle: async (context, { version, from, typedData, path }, request) => {
      const requester = requesterOf(context, from, request);
      const signatures = await (await context.signing()).signatures();
      return signatures.signTypedData({ version, typedData, path }, requester);
    },
  },
);

function readPersonalSign(params: Json): { from: Address; bytes: Hex } {
  const [first, second] = Array.isArray(params) ? params : [];
  if (isAddress(first) && !isAddress(second)) {
    const [from, bytes] = positions(address, messageBytes, optional(anything, null))(params);
    return { from, bytes };
  }
  const [bytes, from] = positions(messageBytes, address, optional(anything, null))(params);
  return { from, bytes };
}

/** Bytes: 256 KiB. */
const maxMessageSize = 2 ** 18;

/** The bytes of a message: DATA as it is; any other string as UTF-8, also hexadecimal with an odd number of digits. */
function messageBytes(value: Json, path: string): Hex {
  const message = text(value, path);
  const isData = message.length % 2 === 0 && /^0x[\da-fA-F]*$/.test(message);
  const size = isData ? message.length / 2 - 1 : bytesOf(message, maxMessageSize);
  if (size > maxMessageSize) throw limitExceeded(`${path}: the message is too large: at most 256 KiB`);
  const bytes = isData ? (message.toLowerCase() as Hex) : bytesToHex(utf8ToBytes(message));
  if (bytes === '0x') throw invalidParams(`${path}: the message is empty`);
  return bytes;
}

const structured: Reader<Json> = (value, path) => {
  if (typeof value !== 'string' && typeof value !== 'object')
    throw invalidParams(`${path}: expected typed data as JSON text or as an object`);
  return value;
};

import { limitExceeded } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { bytesToHex } from '../rpc/hex.js';
import type { Json } from '../rpc/message.js';
import { bytesOf } from '../rpc/message.js';
import { address, anything, data, optional, positions, type Reader, text } from '../rpc/params.js';
import { type Address, type Hex, isAddress } from '../rpc/schema.js';
import type { Requester } from '../session/requester.js';
import type { Signatures } from '../signatures/signatures.js';
import { method } from './method.js';
import { requesterOf } from './requester.js';

/** Defines a method that signs with the account of its params, as {@link Signatures} does. */
const signing =
  <Wire extends object>() =>
  <Read extends { readonly from: Address }>(
    params: (params: Json) => Read,
    sign: (signatures: Signatures, read: NoInfer<Read>, requester: Requester) => Promise<Hex>,
  ) =>
    method<Wire, Hex>()(
      params,
      async (context, read, request) => {
        const requester = requesterOf(context, read.from, request);
        return sign(await (await context.signing()).signatures(), read, requester);
      },
      ({ from }) => from,
    );

/**
 * Signs a message (DATA, or any other string as UTF-8) with the EIP-191 prefix. The address may come first, as early
 * dapps wrote it. The password of geth's form is ignored. Resolves with 65 bytes r‖s‖v.
 */
export const personal_sign = signing<[message: string, from: Address, password?: string]>()(
  readPersonalSign,
  (signatures, { bytes }, requester) =>
    signatures.signMessage({ method: 'personal_sign', bytes, path: 'params[0]' }, requester),
);

/** Like `personal_sign`, with the address first. The EIP-191 prefix keeps it from signing a transaction. */
export const eth_sign = signing<[from: Address, message: Hex]>()(
  (params) => {
    const [from, bytes] = positions(address, messageBytes)(params);
    return { from, bytes };
  },
  (signatures, { bytes }, requester) =>
    signatures.signMessage({ method: 'eth_sign', bytes, path: 'params[1]' }, requester),
);

/** The address (lower case) whose key signed the message, computed in the page. */
export const personal_ecRecover = method<[message: string, signature: Hex], Address>()(
  positions(messageBytes, data),
  async (context, [bytes, signature]) => (await context.signing()).recoverMessage(bytes, signature),
);

interface TypedDataParams extends Signatures.TypedDataRequest {
  readonly from: Address;
}

const typedData = (params: (params: Json) => TypedDataParams) =>
  signing<readonly [Json, Json]>()(params, (signatures, read, requester) =>
    signatures.signTypedData(read, requester),
  );

const addressFirst =
  (version: 'V3' | 'V4') =>
  (params: Json): TypedDataParams => {
    const [from, typedData] = positions(address, structured)(params);
    return { from, version, typedData, path: 'params[1]' };
  };
const addressLast = (params: Json): TypedDataParams => {
  const [typedData, from] = positions(structured, address)(params);
  return { from, version: 'V1', typedData, path: 'params[0]' };
};

export const eth_signTypedData_v4 = typedData(addressFirst('V4'));
export const eth_signTypedData_v3 = typedData(addressFirst('V3'));
/** The form before EIP-712: an array of typed values without a domain. The address comes last. */
export const eth_signTypedData_v1 = typedData(addressLast);

/** The unsuffixed name has meant two things: v1 with the address last, v4 with the address first. */
export const eth_signTypedData = typedData((params) =>
  Array.isArray(params) && isAddress(params[0]) ? addressFirst('V4')(params) : addressLast(params),
);

function readPersonalSign(params: Json): { readonly from: Address; readonly bytes: Hex } {
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
  const bytes = isData ? (message.toLowerCase() as Hex) : bytesToHex(new TextEncoder().encode(message));
  if (bytes === '0x') throw invalidParams(`${path}: the message is empty`);
  return bytes;
}

const structured: Reader<Json> = (value, path) => {
  if (typeof value !== 'string' && typeof value !== 'object')
    throw invalidParams(`${path}: expected typed data as JSON text or as an object`);
  return value;
};

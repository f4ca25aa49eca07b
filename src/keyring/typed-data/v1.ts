import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { TypedDataField } from '../../approvals/question.js';
import { excerpt } from '../../rpc/core-errors.js';
import { invalidParams } from '../../rpc/errors.js';
import { readType, type Type } from './types.js';
import { encodeValue, type Refuse, readBytesValue, readTextValue, type ValueType } from './values.js';

/**
 * Hashes the predecessor of EIP-712 (`eth_signTypedData_v1`): a list of `{ type, name, value }` without a domain, as
 * keccak256(keccak256(schema) ‖ keccak256(values)), both tightly packed.
 *
 * @throws ProviderRpcError -32602
 */
export function hashVersion1(value: unknown, path: string): { digest: Uint8Array; fields: TypedDataField[] } {
  if (!Array.isArray(value) || value.length === 0)
    throw invalidParams(`${path}: typed data V1 is a list of { type, name, value }`);
  const schema: Uint8Array[] = [];
  const values: Uint8Array[] = [];
  const fields = value.map((entry: unknown, index): TypedDataField => {
    const at = `${path}[${index}]`;
    if (typeof entry !== 'object' || entry === null)
      throw invalidParams(`${at}: expected { type, name, value }`);
    const { type: typeText, name, value: content } = entry as Record<string, unknown>;
    if (typeof name !== 'string' || name === '' || name.length > 256)
      throw invalidParams(`${at}.name: expected a name`);
    // This version accepts the aliases `uint` and `int`, and hashes their names unchanged.
    const canonical = typeText === 'uint' || typeText === 'int' ? `${typeText}256` : typeText;
    const type = readType(canonical, `${at}.type (of "${excerpt(name)}")`, new Set());
    const refuse = (rule: string): never => {
      throw invalidParams(`${at}.value (of "${excerpt(name)}"): ${rule}`);
    };
    schema.push(utf8ToBytes(`${typeText} ${readTextValue(name, refuse)}`));
    const { packed, shown } = pack(type, content, refuse);
    values.push(packed);
    return { path: name, type: String(typeText), value: shown };
  });
  return {
    digest: keccak_256(concatBytes(keccak_256(concatBytes(...schema)), keccak_256(concatBytes(...values)))),
    fields,
  };
}

/** Solidity's tight packing, in which each element of an array takes a whole word. */
function pack(type: Type, value: unknown, refuse: Refuse): { packed: Uint8Array; shown: string } {
  if (type.kind === 'string') {
    const shown = readTextValue(value, refuse);
    return { packed: utf8ToBytes(shown), shown };
  }
  if (type.kind === 'bytes') {
    const shown = readBytesValue(value, refuse);
    return { packed: hexToBytes(shown.slice(2)), shown };
  }
  if (type.kind === 'struct') return refuse('typed data V1 has no structs');
  if (type.kind === 'array') {
    const { of, length } = type;
    if (of.kind === 'string' || of.kind === 'bytes' || of.kind === 'array' || of.kind === 'struct')
      return refuse(`typed data V1 has no ${type.text}`);
    if (!Array.isArray(value) || (length !== null && value.length !== length))
      return refuse(`expected an array for ${type.text}`);
    const elements = value.map((element: unknown) => word(of, element, refuse));
    return {
      packed: concatBytes(...elements.map((element) => element.bytes)),
      shown: `[${elements.map((element) => element.shown).join(', ')}]`,
    };
  }
  const { bytes, shown } = word(type, value, refuse);
  if (type.kind === 'fixed-bytes') return { packed: bytes.subarray(0, type.size), shown };
  const length = type.kind === 'uint' || type.kind === 'int' ? type.bits / 8 : type.kind === 'bool' ? 1 : 20;
  return { packed: bytes.subarray(32 - length), shown };
}

function word(type: ValueType, value: unknown, refuse: Refuse): { bytes: Uint8Array; shown: string } {
  const bytes = new Uint8Array(32);
  return { bytes, shown: encodeValue(type, value, bytes, refuse) };
}

import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { TypedDataField } from '../../approvals/question.js';
import { excerpt } from '../../rpc/core-errors.js';
import { invalidParams } from '../../rpc/errors.js';
import { createTypeTexts, reserved, type Struct, type Structs, type Type } from './types.js';
import { encodeValue, type Target } from './values.js';

/** The type hash of the most common domain, precomputed. */
const usualDomain = {
  text: 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
  hash: hexToBytes('8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f'),
};

export interface Encoder {
  /**
   * `hashStruct` (EIP-712) of `value`, which must have all fields of the struct. Other members are left out, since the digest
   * does not cover them. Appends what it reads to `fields`, in the order of declaration. It recurses, so `typed-data.ts` limits the depth first.
   *
   * @param path of the value in the request
   * @throws ProviderRpcError -32602
   */
  hashStruct(name: string, value: unknown, path: string, fields: TypedDataField[]): Uint8Array;
}

/** `V3` has no arrays and no `null`, and omits absent fields (docs/notes/clients.md#missing-values-of-typed-data). */
export function createEncoder(structs: Structs, version: 'V3' | 'V4'): Encoder {
  const textOf = createTypeTexts(structs);
  const typeHashes = new Map<string, Uint8Array>();
  const typeHash = (name: string): Uint8Array => {
    const known = typeHashes.get(name);
    if (known !== undefined) return known;
    const text = textOf(name);
    const hash = text === usualDomain.text ? usualDomain.hash : keccak_256(utf8ToBytes(text));
    typeHashes.set(name, hash);
    return hash;
  };

  const hashStruct = (
    struct: Struct,
    value: unknown,
    root: string,
    at: string,
    fields: TypedDataField[],
  ): Uint8Array => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalidParams(`${join(root, at)}: expected an object of type ${struct.name}`);
    const record = value as Record<string, unknown>;
    for (const key of Object.keys(record))
      if (reserved.has(key)) throw invalidParams(`${join(root, join(at, key))}: not a name of a member`);
    const target = createTarget(struct.fields.length + 1);
    target.bytes.set(typeHash(struct.name));
    let offset = 32;
    for (const { name, type } of struct.fields) {
      const member = Object.hasOwn(record, name) ? record[name] : undefined;
      const memberAt = memberPath(at, name);
      if (member === undefined) {
        if (version === 'V3') continue;
        throw invalidParams(`${join(root, memberAt)}: missing`);
      }
      encode(type, member, target, offset, root, memberAt, fields);
      offset += 32;
    }
    return keccak_256(target.bytes.subarray(0, offset));
  };

  const encode = (
    type: Type,
    value: unknown,
    target: Target,
    offset: number,
    root: string,
    at: string,
    fields: TypedDataField[],
  ): void => {
    const refuse = (rule: string): never => {
      throw invalidParams(`${join(root, at)}: ${rule}`);
    };
    if (type.kind === 'struct') {
      if (value === null && version === 'V4') {
        // A recursive struct ends with 32 zero bytes.
        fields.push({ path: at, type: type.text, value: 'null' });
        return;
      }
      const struct = structs.get(type.text) as Struct;
      target.bytes.set(hashStruct(struct, value, root, at, fields), offset);
      return;
    }
    if (type.kind === 'array') {
      if (version === 'V3') refuse('arrays need eth_signTypedData_v4');
      if (!Array.isArray(value))
        throw invalidParams(
          `${join(root, at)}: expected an array for ${type.text}, received ${excerpt(value)}`,
        );
      if (type.length !== null && value.length !== type.length)
        refuse(`${type.text} takes ${type.length} elements, received ${value.length}`);
      if (value.length === 0) fields.push({ path: at, type: type.text, value: '[]' });
      const elements = createTarget(value.length);
      for (let i = 0; i < value.length; i++)
        encode(type.of, value[i], elements, i * 32, root, `${at}[${i}]`, fields);
      target.bytes.set(keccak_256(elements.bytes), offset);
      return;
    }
    fields.push({ path: at, type: type.text, value: encodeValue(type, value, target, offset, refuse) });
  };

  return {
    hashStruct: (name, value, path, fields) =>
      hashStruct(structs.get(name) as Struct, value, path, '', fields),
  };
}

/** Quotes names other than identifiers, so that none can pass for another path. */
const memberPath = (at: string, name: string): string => {
  if (!/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name)) return `${at}[${JSON.stringify(name)}]`;
  return at === '' ? name : `${at}.${name}`;
};

const join = (root: string, at: string): string =>
  root === '' || at === '' || at.startsWith('[') ? root + at : `${root}.${at}`;

function createTarget(words: number): Target {
  const bytes = new Uint8Array(words * 32);
  return { bytes, view: new DataView(bytes.buffer) };
}

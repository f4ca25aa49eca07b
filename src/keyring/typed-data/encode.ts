import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { TypedDataField } from '../../approvals/question.js';
import { excerpt } from '../../rpc/core-errors.js';
import { invalidParams } from '../../rpc/errors.js';
import { createTypeTexts, type Field, reserved, type Structs, type Type } from './types.js';
import { encodeValue } from './values.js';

/** The type hash of the most common domain, precomputed. */
const usualDomain = {
  text: 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
  hash: hexToBytes('8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f'),
};

/**
 * `hashStruct` (EIP-712) of `value`, which must have all fields of the struct. Other members are left out, since the digest
 * does not cover them. Appends what it reads to `fields`, in the order of declaration. It recurses, so `typed-data.ts` limits the depth first.
 *
 * @param root path of the value in the request
 * @throws ProviderRpcError -32602
 */
type HashStruct = (name: string, value: unknown, root: string, fields: TypedDataField[]) => Uint8Array;

/** `V3` has no arrays and no `null`, and omits absent fields (docs/notes/clients.md#missing-values-of-typed-data). */
export function createEncoder(structs: Structs, version: 'V3' | 'V4'): HashStruct {
  const textOf = createTypeTexts(structs);
  const typeHashes = new Map<string, Uint8Array>();
  const typeHash = (name: string): Uint8Array => {
    const present = typeHashes.get(name);
    if (present !== undefined) return present;
    const text = textOf(name);
    const hash = text === usualDomain.text ? usualDomain.hash : keccak_256(utf8ToBytes(text));
    typeHashes.set(name, hash);
    return hash;
  };

  return (rootName, rootValue, root, shown) => {
    const refuse: (at: string, rule: string) => never = (at, rule) => {
      throw invalidParams(`${join(root, at)}: ${rule}`);
    };

    const hashStruct = (struct: string, value: unknown, at: string): Uint8Array => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        refuse(at, `expected an object of type ${struct}`);
      const record = value as Record<string, unknown>;
      for (const key of Object.keys(record))
        if (reserved.has(key)) refuse(join(at, key), 'not a name of a member');
      const fields = structs.get(struct) as readonly Field[];
      const words = new Uint8Array((fields.length + 1) * 32);
      words.set(typeHash(struct));
      let offset = 32;
      for (const { name, type } of fields) {
        const member = Object.hasOwn(record, name) ? record[name] : undefined;
        if (member === undefined && version === 'V3') continue;
        if (member === undefined) refuse(memberPath(at, name), 'missing');
        encode(type, member, memberPath(at, name), words.subarray(offset, offset + 32));
        offset += 32;
      }
      return keccak_256(words.subarray(0, offset));
    };

    /** Writes `value` to `word`, 32 bytes that are zero. */
    const encode = (type: Type, value: unknown, at: string, word: Uint8Array): void => {
      const show = (text: string) => shown.push({ path: at, type: type.text, value: text });
      if (type.kind === 'struct') {
        // A recursive struct ends with 32 zero bytes.
        if (value === null && version === 'V4') show('null');
        else word.set(hashStruct(type.text, value, at));
      } else if (type.kind === 'array') {
        if (version === 'V3') refuse(at, 'arrays need eth_signTypedData_v4');
        if (!Array.isArray(value))
          refuse(at, `expected an array for ${type.text}, received ${excerpt(value)}`);
        if (type.length !== null && value.length !== type.length)
          refuse(at, `${type.text} takes ${type.length} elements, received ${value.length}`);
        if (value.length === 0) show('[]');
        const words = new Uint8Array(value.length * 32);
        for (const [i, element] of value.entries())
          encode(type.of, element, `${at}[${i}]`, words.subarray(i * 32, i * 32 + 32));
        word.set(keccak_256(words));
      } else show(encodeValue(type, value, word, (rule) => refuse(at, rule)));
    };

    return hashStruct(rootName, rootValue, '');
  };
}

/** Quotes names other than identifiers, so that none can pass for another path. */
const memberPath = (at: string, name: string): string => {
  if (!/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name)) return `${at}[${JSON.stringify(name)}]`;
  return at === '' ? name : `${at}.${name}`;
};

const join = (root: string, at: string): string =>
  root === '' || at === '' || at.startsWith('[') ? root + at : `${root}.${at}`;

import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import type { TypedDataDomain, TypedDataField } from '../../approvals/question.js';
import { excerpt, limitExceeded } from '../../rpc/core-errors.js';
import { invalidParams } from '../../rpc/errors.js';
import { bytesToHex } from '../../rpc/hex.js';
import { own } from '../../rpc/own.js';
import type { Hash } from '../../rpc/schema.js';
import { createEncoder } from './encode.js';
import { readType, readTypes, type Structs } from './types.js';
import { hashVersion1 } from './v1.js';

export interface TypedData {
  readonly version: 'V1' | 'V3' | 'V4';
  readonly domain: TypedDataDomain;
  /** Empty for V1, which has none. */
  readonly primaryType: string;
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  /** As received. */
  readonly message: unknown;
  /** The digest to sign. */
  readonly digest: Hash;
  /** Every value of the message that the digest covers, in the order of declaration. */
  readonly fields: readonly TypedDataField[];
}

/** Characters of all keys and strings: 1 MiB. */
const maxSize = 1_048_576;
const maxDepth = 64;
const maxValues = 10_000;

const domainTypes = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
  salt: 'bytes32',
} as const;

/**
 * Reads typed data (an object or its JSON) and hashes it: EIP-712 as `V4` or `V3`, or its predecessor `V1`. It refuses
 * everything that could make the displayed data differ from the signed data: types without a field, values out of range,
 * inexact numbers, names that change the text of a type. Members that the digest does not cover are left out. The domain's chain id is always checked
 * (docs/notes/security.md#typed-data-is-read-strictly).
 *
 * @param path of the value in the request, for errors
 * @param options.chainId the active chain; a domain with another one is refused
 * @throws ProviderRpcError -32602 naming the path and the rule; -32005 over 1 MiB or 10,000 values
 */
export function readTypedData(value: unknown, path: string, options?: readTypedData.Options): TypedData {
  const { version = 'V4', chainId } = own(options);
  const data = parse(value, path);
  if (version === 'V1') {
    const { digest, fields } = hashVersion1(data, path);
    return {
      version,
      domain: own({}),
      primaryType: '',
      types: {},
      message: data,
      digest: bytesToHex(digest),
      fields,
    };
  }
  const { types, primaryType, domain, message } = readMembers(data, path);
  const structs = readTypes(types, `${path}.types`, [
    typeof primaryType === 'string' ? primaryType : '',
    'EIP712Domain',
  ]);
  if (typeof primaryType !== 'string' || !structs.has(primaryType) || primaryType === 'EIP712Domain')
    throw invalidParams(
      `${path}.primaryType: expected one of the struct types, received ${excerpt(primaryType)}`,
    );
  const hashStruct = createEncoder(withDomain(structs, domain, path), version);

  const domainFields: TypedDataField[] = [];
  const separator = hashStruct('EIP712Domain', domain, `${path}.domain`, domainFields);
  const domainShown: TypedDataDomain = own(
    Object.fromEntries(domainFields.map((field) => [field.path, field.value])),
  );
  const chain = domainShown.chainId;
  if (chainId !== undefined && chain !== undefined && chain !== String(chainId))
    throw invalidParams(
      `${path}.domain.chainId: the typed data is for chain ${chain}, the active chain is ${chainId}`,
    );

  const fields: TypedDataField[] = [];
  const hash = hashStruct(primaryType, message, `${path}.message`, fields);
  const digest = bytesToHex(keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), separator, hash)));
  return {
    version,
    domain: domainShown,
    primaryType,
    types: types as TypedData['types'],
    message,
    digest,
    fields,
  };
}

export declare namespace readTypedData {
  interface Options {
    /** Default `V4`. */
    version?: 'V1' | 'V3' | 'V4' | undefined;
    chainId?: number | undefined;
  }
}

function parse(value: unknown, path: string): unknown {
  let data = value;
  if (typeof value === 'string') {
    if (value.length > maxSize) throw tooLarge();
    try {
      data = JSON.parse(value);
    } catch {
      throw invalidParams(`${path}: typed data is not valid JSON`);
    }
  }
  if (typeof data !== 'object' || data === null)
    throw invalidParams(`${path}: expected typed data as an object or its JSON, received ${excerpt(data)}`);
  measure(data, path);
  return data;
}

const tooLarge = () =>
  limitExceeded(`Typed data is too large: the limit is ${maxSize} bytes or ${maxValues} values`);

/** Limits depth, size and number of values before any recursive processing. */
function measure(root: object, path: string): void {
  let size = 0;
  let values = 0;
  const visit = (node: object, depth: number): void => {
    if (depth > maxDepth) throw invalidParams(`${path}: nested deeper than ${maxDepth} levels`);
    for (const key of Object.keys(node)) {
      const member = (node as Record<string, unknown>)[key];
      values += 1;
      size += key.length + (typeof member === 'string' ? member.length : 8);
      if (values > maxValues || size > maxSize) throw tooLarge();
      if (typeof member === 'object' && member !== null) visit(member, depth + 1);
    }
  };
  visit(root, 1);
}

function readMembers(data: unknown, path: string) {
  if (Array.isArray(data))
    throw invalidParams(`${path}: a list is typed data V1; expected { types, primaryType, domain, message }`);
  const members = data as Record<string, unknown>;
  for (const name of ['types', 'primaryType', 'domain', 'message'])
    if (!Object.hasOwn(members, name) || members[name] === undefined)
      throw invalidParams(`${path}.${name}: missing`);
  const { types, primaryType, domain, message } = members;
  return { types, primaryType, domain, message };
}

/**
 * The struct types including `EIP712Domain`. If the page leaves that out, it consists of the fields that the domain has,
 * in the standard order.
 */
function withDomain(structs: Structs, domain: unknown, path: string): Structs {
  if (typeof domain !== 'object' || domain === null || Array.isArray(domain))
    throw invalidParams(`${path}.domain: expected an object`);
  const declared = structs.get('EIP712Domain');
  if (declared !== undefined) {
    for (const { name, type } of declared)
      if (!Object.hasOwn(domainTypes, name) || domainTypes[name as 'name'] !== type.text)
        throw invalidParams(
          `${path}.types.EIP712Domain: "${excerpt(name)}" of type ${excerpt(type.text)} is not a domain field of EIP-712`,
        );
    return structs;
  }
  const fields = Object.entries(domainTypes)
    .filter(
      ([name]) => Object.hasOwn(domain, name) && (domain as Record<string, unknown>)[name] !== undefined,
    )
    .map(([name, type]) => ({ name, type: readType(type, path, new Set()) }));
  return new Map(structs).set('EIP712Domain', fields);
}

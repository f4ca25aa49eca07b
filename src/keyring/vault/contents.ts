import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { limitExceeded } from '../../rpc/core-errors.js';
import type { Address } from '../../rpc/schema.js';
import { type ByteArray, Bytes, encodeText, partOf, setBytes } from '../builtins.js';
import { newerVault } from './record.js';

/**
 * The secrets in the vault, as bytes, since strings cannot be wiped. Derived accounts are stored with their private key,
 * so that signing needs neither the word list nor a derivation.
 */
export interface Contents {
  /** In the order they were added. */
  readonly mnemonics: readonly ContentsMnemonic[];
  readonly accounts: readonly ContentsAccount[];
  /** Data beside the secrets, JSON in UTF-8; only in a backup file. */
  readonly note?: Uint8Array | undefined;
  /** In the order in which they were read. Every rewrite keeps those that it does not know. */
  readonly optional?: readonly OptionalRecord[] | undefined;
}

/**
 * A record that builds may know or not: kinds from 128 to 255 (docs/notes/security.md#contents-of-a-vault). A later build
 * adds a kind with {@link optionalRecords} and {@link withOptionalRecords}.
 */
export interface OptionalRecord {
  readonly kind: number;
  /** At most 65,535. */
  readonly bytes: Uint8Array;
}

/**
 * Kinds of records that are bound to their vault: a backup file neither has nor brings them.
 * - 128: a permission, JSON (`permissions/grant.ts`).
 * - 129: the key that marks the journal's entries, 32 bytes.
 * - 130: a purse, JSON (`purse/purse.ts`).
 */
export const boundKinds: readonly number[] = [128, 129, 130];

export interface ContentsMnemonic {
  readonly entropy: Uint8Array;
  /** The BIP-39 passphrase, NFKD in UTF-8; empty for none. */
  readonly passphrase: Uint8Array;
}

export interface ContentsAccount {
  readonly address: Address;
  readonly privateKey: Uint8Array;
  /** BIP-32 path; `null` for an imported private key. */
  readonly path: string | null;
}

/** The size is padded to a multiple of this many bytes, so that the ciphertext does not reveal it. */
const step = 1_024;
/**
 * `passphrased`: the length of the entropy (1 byte), the entropy, the passphrase. `note`: a part of the note. `secret`: the
 * vault's secret, so that an open vault can be rekeyed without it in memory.
 */
const kind = { mnemonic: 1, account: 2, passphrased: 3, note: 4, secret: 5, optional: 128 } as const;
const maxRecord = 0xffff;

/** The total length (4 bytes), then records of kind (1), length (2) and content, padded with zeros. */
export function encodeContents(
  { mnemonics, accounts, note, optional = [] }: Contents,
  secret?: Uint8Array,
): ByteArray {
  const records: (readonly [kind: number, parts: readonly Uint8Array[]])[] = [
    ...(secret ? [[kind.secret, [secret]] as const] : []),
    ...mnemonics.map(({ entropy, passphrase }) =>
      passphrase.length === 0
        ? ([kind.mnemonic, [entropy]] as const)
        : ([kind.passphrased, [Bytes.of(entropy.length), entropy, passphrase]] as const),
    ),
    ...accounts.map(({ address, privateKey, path }) => {
      const text = encodeText(path ?? '');
      return [kind.account, [privateKey, hexToBytes(address.slice(2)), text]] as const;
    }),
  ];
  for (let at = 0; note && at < note.length; at += maxRecord)
    records.push([kind.note, [partOf(note, at, at + maxRecord)]]);
  for (const each of optional) records.push([each.kind, [each.bytes]]);
  const lengths = records.map(([, parts]) => parts.reduce((sum, part) => sum + part.length, 0));
  if (lengths.some((length) => length > maxRecord))
    throw limitExceeded('A path or passphrase is too long to be stored. Nothing was stored.');
  const total = lengths.reduce((sum, length) => sum + length + 3, 0);
  const bytes = new Bytes(Math.ceil((total + 4) / step) * step);
  writeInteger(bytes, 0, 4, total);
  let at = 4;
  records.forEach(([type, parts], index) => {
    bytes[at] = type;
    writeInteger(bytes, at + 1, 2, lengths[index] as number);
    at += 3;
    for (const part of parts) {
      setBytes(bytes, part, at);
      at += part.length;
    }
  });
  return bytes;
}

/**
 * Decodes contents as views into `bytes`, so that wiping `bytes` wipes all secrets.
 * @throws ProviderRpcError -32002 for contents of a newer version
 */
export function decodeContents(bytes: Uint8Array): Contents {
  const mnemonics: ContentsMnemonic[] = [];
  const accounts: ContentsAccount[] = [];
  const notes: Uint8Array[] = [];
  const optional: OptionalRecord[] = [];
  for (const [type, content] of recordsIn(bytes))
    switch (type) {
      case kind.mnemonic:
        mnemonics.push({ entropy: content, passphrase: new Bytes(0) });
        break;
      case kind.passphrased: {
        const from = 1 + (content[0] as number);
        mnemonics.push({ entropy: partOf(content, 1, from), passphrase: partOf(content, from) });
        break;
      }
      case kind.account: {
        const path = new TextDecoder().decode(partOf(content, 52));
        accounts.push({
          address: `0x${bytesToHex(partOf(content, 32, 52))}`,
          privateKey: partOf(content, 0, 32),
          path: path === '' ? null : path,
        });
        break;
      }
      case kind.note:
        notes.push(content);
        break;
      case kind.secret:
        break;
      default:
        if (type < kind.optional) throw newerVault();
        optional.push({ kind: type, bytes: content });
    }
  return {
    mnemonics,
    accounts,
    note: notes.length > 0 ? join(notes) : undefined,
    optional: optional.length > 0 ? optional : undefined,
  };
}

/** The vault's secret in encoded contents, as a view into `bytes`; `null` before version 3. */
export function secretIn(bytes: Uint8Array): ByteArray | null {
  for (const [type, content] of recordsIn(bytes)) if (type === kind.secret) return content;
  return null;
}

function* recordsIn(bytes: Uint8Array): Generator<[kind: number, content: ByteArray]> {
  const end = 4 + readInteger(bytes, 0, 4);
  if (end > bytes.length) throw new RangeError('The vault is truncated');
  for (let at = 4; at < end; ) {
    const content = partOf(bytes, at + 3, at + 3 + readInteger(bytes, at + 1, 2));
    yield [bytes[at] as number, content];
    at += 3 + content.length;
  }
}

/** The contents of the optional records of a kind, which are lent. */
export const optionalRecords = ({ optional = [] }: Contents, kind: number): readonly Uint8Array[] =>
  optional.filter((record) => record.kind === kind).map(({ bytes }) => bytes);

/** The contents with these optional records of a kind in place of the present ones. */
export function withOptionalRecords(
  contents: Contents,
  type: number,
  records: readonly Uint8Array[],
): Contents {
  if (type < kind.optional || type > 0xff || records.some(({ length }) => length > maxRecord))
    throw new RangeError('An optional record has a kind from 128 to 255 and at most 65,535 bytes');
  const others = (contents.optional ?? []).filter((record) => record.kind !== type);
  return { ...contents, optional: [...others, ...records.map((bytes) => ({ kind: type, bytes }))] };
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Bytes(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    setBytes(whole, part, at);
    at += part.length;
  }
  return whole;
}

/** Writes an unsigned integer, big-endian. */
function writeInteger(bytes: Uint8Array, at: number, length: number, value: number): void {
  for (let i = 0; i < length; i++) bytes[at + i] = value >>> (8 * (length - 1 - i));
}

function readInteger(bytes: Uint8Array, at: number, length: number): number {
  if (at + length > bytes.length) throw new RangeError('The vault is truncated');
  let value = 0;
  for (let i = at; i < at + length; i++) value = value * 256 + (bytes[i] as number);
  return value;
}

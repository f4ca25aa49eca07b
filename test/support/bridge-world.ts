import { createHash } from 'node:crypto';
import { encodeAbiParameters, keccak256, toBytes, toEventSelector } from 'viem';
import type { Address, Hash, Hex, Log } from '../../src/rpc/schema.js';

/**
 * Logs of the bridge as its node writes them, encoded by viem, and Bitcoin transactions as its signers make them: none of it with the
 * code under test.
 */

export const bridge = '0x0000000000000000000000000000000001000006' as const;

/** A different hash for each name. */
export const hashOf = (name: string): Hash => keccak256(toBytes(name));

const varInt = (value: number): string => {
  if (value < 0xfd) return value.toString(16).padStart(2, '0');
  const bytes = Buffer.alloc(3);
  bytes[0] = 0xfd;
  bytes.writeUInt16LE(value, 1);
  return bytes.toString('hex');
};

export interface Output {
  readonly amount: bigint;
  readonly script: Hex;
}

export function bitcoinTransaction(
  outputs: readonly Output[],
  { inputs = 2, hasWitness = true, salt = 0 } = {},
): { readonly raw: Hex; readonly id: string } {
  const scriptSig = hasWitness ? `220020${'c0'.repeat(32)}` : `00${'d0'.repeat(300)}`;
  const ins = Array.from({ length: inputs }, (_, at) => {
    const outpoint = Buffer.alloc(36, salt & 0xff);
    outpoint.writeUInt32LE(at, 32);
    return `${outpoint.toString('hex')}${varInt(scriptSig.length / 2)}${scriptSig}ffffffff`;
  });
  const outs = outputs.map(({ amount, script }) => {
    const value = Buffer.alloc(8);
    value.writeBigUInt64LE(amount);
    return `${value.toString('hex')}${varInt((script.length - 2) / 2)}${script.slice(2)}`;
  });
  const body = `${varInt(inputs)}${ins.join('')}${varInt(outputs.length)}${outs.join('')}`;
  const witness = hasWitness
    ? `04${'00'}47${'30'.repeat(71)}47${'31'.repeat(71)}23${'52'.repeat(35)}`.repeat(inputs)
    : '';
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  const id = hash(hash(Buffer.from(`02000000${body}00000000`, 'hex')))
    .reverse()
    .toString('hex');
  return { raw: `0x02000000${hasWitness ? '0001' : ''}${body}${witness}00000000`, id };
}

/** Where a log is. */
export interface Place {
  readonly block: number;
  readonly transaction: Hash;
  readonly index?: number;
  /** Distinguishes blocks of one height. */
  readonly fork?: string;
}

export const blockHash = (block: number, fork = ''): Hash => hashOf(`block ${block} ${fork}`);

const logAt = ({ block, transaction, index = 0, fork }: Place, topics: readonly Hash[], data: Hex): Log => ({
  address: bridge,
  topics,
  data,
  blockNumber: `0x${block.toString(16)}`,
  blockHash: blockHash(block, fork),
  transactionHash: transaction,
  transactionIndex: '0x0',
  logIndex: `0x${index.toString(16)}`,
});

const topicOf = (address: Address): Hash => `0x${address.slice(2).padStart(64, '0')}`;
const [string, bytes, uint, int] = [
  { type: 'string' },
  { type: 'bytes' },
  { type: 'uint256' },
  { type: 'int256' },
] as const;

/** The events of the bridge, by their signatures. */
export const events = {
  received: (place: Place, sender: Address, destination: string, amount: bigint): Log =>
    logAt(
      place,
      [toEventSelector('release_request_received(address,string,uint256)'), topicOf(sender)],
      encodeAbiParameters([string, uint], [destination, amount]),
    ),
  receivedBefore: (place: Place, sender: Address, hash160: Hex, amount: bigint): Log =>
    logAt(
      place,
      [toEventSelector('release_request_received(address,bytes,uint256)'), topicOf(sender)],
      encodeAbiParameters([bytes, uint], [hash160, amount]),
    ),
  rejected: (place: Place, sender: Address, amount: bigint, reason: bigint): Log =>
    logAt(
      place,
      [toEventSelector('release_request_rejected(address,uint256,int256)'), topicOf(sender)],
      encodeAbiParameters([uint, int], [amount, reason]),
    ),
  requested: (place: Place, topic: Hash, amount: bigint): Log =>
    logAt(
      place,
      [toEventSelector('release_requested(bytes32,bytes32,uint256)'), place.transaction, topic],
      encodeAbiParameters([uint], [amount]),
    ),
  batch: (place: Place, topic: Hash, requests: readonly Hash[]): Log =>
    logAt(
      place,
      [toEventSelector('batch_pegout_created(bytes32,bytes)'), topic],
      encodeAbiParameters([bytes], [`0x${requests.map((each) => each.slice(2)).join('')}`]),
    ),
  confirmed: (place: Place, topic: Hash, creation: number): Log =>
    logAt(
      place,
      [toEventSelector('pegout_confirmed(bytes32,uint256)'), topic],
      encodeAbiParameters([uint], [BigInt(creation)]),
    ),
  release: (place: Place, batch: Hash, raw: Hex): Log =>
    logAt(place, [toEventSelector('release_btc(bytes32,bytes)'), batch], encodeAbiParameters([bytes], [raw])),
};

import { ProviderRpcError } from '../rpc/errors.js';
import { bytesToHex, bytesToInteger } from '../rpc/hex.js';
import { keccak256 } from '../rpc/keccak.js';
import { own } from '../rpc/own.js';
import { type Address, type Hash, isAddress } from '../rpc/schema.js';
import { checkBranch, checkFloor } from './branch.js';
import { listOf, type OpenProof, type PaymentProof, readProof } from './payment-proof.js';
import { type Checkpoint, maxSecondsAhead, rulesOf } from './rules.js';
import { checkInTrie, indexKey } from './trie.js';
import { contradiction, NotProven, noProof } from './verdict.js';

/** A payment that a proof has shown. */
export interface ProvenPayment {
  /** As a number, such as 30. */
  readonly chainId: number;
  /** Its hash. Keep it, since a proof can be shown twice. */
  readonly transaction: Hash;
  /** The recipient. */
  readonly to: Address;
  /** wei, or base units of the token: all that the transaction has paid to `to`. */
  readonly value: bigint;
  /** Absent for the native currency. */
  readonly token?: Address;
  /** The block that it is in. `time` is the miner's, in seconds since 1970. */
  readonly block: { readonly number: number; readonly hash: Hash; readonly time: number };
  /** How many blocks are on top of that one. */
  readonly confirmations: number;
  /** The time of the newest of them, in seconds since 1970. */
  readonly newest: number;
  /** The least difficulty of all of these blocks. */
  readonly difficulty: bigint;
  /** The proven facts in words. */
  readonly statement: string;
}

export declare namespace verifyPayment {
  /** The payment that is wanted. */
  interface Options {
    /** The recipient that is wanted. */
    readonly to: Address;
    /** The least that must have been paid, in wei or in base units of `token`. */
    readonly value: bigint;
    /** The contract of the token. Default: the native currency. */
    readonly token?: Address | undefined;
    /** The chain. Default 30, Rootstock's mainnet. */
    readonly chainId?: number | undefined;
    /** The least number of blocks on top of the payment's. Default 12. */
    readonly confirmations?: number | undefined;
    /** The least difficulty of each block. Default: of mainnet the release's; elsewhere it must be given. */
    readonly floor?: bigint | undefined;
    /** A block that is known. Default: of mainnet the release's. */
    readonly checkpoint?: Checkpoint | undefined;
    /** How many blocks are read. Default 64. */
    readonly maxBlocks?: number | undefined;
    /** The time, in milliseconds since 1970. Default: the clock's. */
    readonly now?: number | undefined;
  }
}

/**
 * Verifies a payment proof, without any network: that the transaction has paid, and that Bitcoin's miners have worked on its block and
 * on those on top of it. It does not show that the newest block is the newest there is.
 *
 * @param proof the file's text, or the object
 * @throws ProviderRpcError -32602 with a sentence that says what is missing, and `data.verdict`: `claimed` for what is not shown,
 * `contradicted` for what cannot be true; or that an option is wrong
 *
 * @example
 * const { transaction, statement } = verifyPayment(await file.text(), { to: recipient, value: 10n ** 15n });
 * console.log(transaction, statement); // refuse the same transaction the next time
 */
export function verifyPayment(proof: string | PaymentProof, options: verifyPayment.Options): ProvenPayment {
  const wanted = readOptions(options);
  try {
    return verify(readProof(proof, wanted.maxBlocks), wanted);
  } catch (error) {
    if (!(error instanceof NotProven)) throw error;
    const { verdict, message } = error;
    throw refused(`proof: ${message}`, { reason: 'proof', verdict });
  }
}

/** The table of codes would be a twentieth of this entry. */
const refused = (message: string, data?: object) => new ProviderRpcError(-32602, message, data);

interface Wanted {
  readonly to: Address;
  readonly value: bigint;
  readonly chainId: number;
  readonly confirmations: number;
  readonly maxBlocks: number;
  readonly now: number;
  readonly token: Address | undefined;
  readonly floor: bigint | undefined;
  readonly checkpoint: Checkpoint | undefined;
}

function readOptions(options: verifyPayment.Options): Wanted {
  if (typeof options !== 'object' || options === null) throw refused('options: expected an object');
  const { to, token, value, chainId, confirmations, floor, checkpoint, maxBlocks, now } = own(options);
  const address = (given: unknown, name: string): Address => {
    if (!isAddress(given)) throw refused(`${name}: expected an address`);
    return given.toLowerCase() as Address;
  };
  const amount = (given: unknown, name: string, min: bigint): bigint => {
    if (typeof given !== 'bigint' || given < min) throw refused(`${name}: expected a bigint, ${min} or more`);
    return given;
  };
  const count = (given: unknown, name: string, min: number, otherwise: number): number => {
    if (given === undefined) return otherwise;
    if (!Number.isSafeInteger(given) || (given as number) < min)
      throw refused(`${name}: expected a whole number, ${min} or more`);
    return given as number;
  };
  return {
    to: address(to, 'to'),
    // Nothing would be proven about a payment of nothing.
    value: amount(value, 'value', 1n),
    token: token === undefined ? undefined : address(token, 'token'),
    chainId: count(chainId, 'chainId', 1, 30),
    confirmations: count(confirmations, 'confirmations', 0, 12),
    floor: floor === undefined ? undefined : amount(floor, 'floor', 1n),
    checkpoint,
    maxBlocks: count(maxBlocks, 'maxBlocks', 1, 64),
    now: count(now, 'now', 0, Date.now()),
  };
}

function verify(proof: OpenProof, wanted: Wanted): ProvenPayment {
  const { blocks, index, transaction, receipt } = proof;
  const { chainId, confirmations, floor, checkpoint, now } = wanted;
  if (proof.chainId !== chainId)
    throw noProof(`The payment is on chain ${proof.chainId}, not on ${chainId}.`);
  const [block, newest] = [blocks[0], blocks.at(-1)];
  if (!block || !newest) throw noProof('The proof has no blocks.');
  if (blocks.length <= confirmations)
    throw noProof(`The proof has ${blocks.length - 1} blocks on top of the payment, not ${confirmations}.`);
  const rules = rulesOf(chainId, floor);
  checkBranch(blocks, checkpoint ? { ...rules, checkpoint } : rules);
  checkFloor(blocks, rules);
  if (newest.timestamp > now / 1000 + maxSecondsAhead)
    throw contradiction('A block is from the future, or this clock is wrong.');
  const key = indexKey(index);
  checkInTrie(block.transactionsRoot, key, transaction, proof.transactionNodes);
  checkInTrie(block.receiptsRoot, key, receipt, proof.receiptNodes);
  const { to, token } = wanted;
  const value = paidBy(transaction, receipt, wanted);
  const hash = bytesToHex(keccak256(transaction));
  const [difficulty = 0n] = blocks.map((each) => each.difficulty).sort((a, b) => (a < b ? -1 : 1));
  const unit = token === undefined ? 'wei' : `base units of the token ${token}`;
  return {
    ...{ chainId, transaction: hash, to, value, ...(token !== undefined && { token }) },
    block: { number: block.number, hash: block.hash, time: block.timestamp },
    confirmations: blocks.length - 1,
    newest: newest.timestamp,
    difficulty,
    statement:
      `Miners of Bitcoin have worked on block ${block.number} of chain ${chainId} and on ${blocks.length - 1} blocks on top of it, ` +
      `each with a difficulty of at least ${difficulty}. In it, transaction ${hash} has succeeded and paid ${value} ${unit} to ${to}.`,
  };
}

/** All that the transaction has paid to the recipient. */
function paidBy(transaction: Uint8Array, receipt: Uint8Array, { to, token, value, chainId }: Wanted): bigint {
  const receiptFields = listOf(receipt, 'The receipt is of a form that is not known.');
  const fields = listOf(transaction, 'The transaction is of a form that is not known.');
  const status = receiptFields[5];
  if (!(status instanceof Uint8Array) || status[0] !== 1) throw noProof('The transaction has failed.');
  const [recipient, amount, v] = [fields[3], fields[4], fields[6]];
  if (!isBytes(recipient) || !isBytes(amount) || !isBytes(v) || fields.length !== 9)
    throw noProof('The transaction is of a form that is not known.');
  const signedFor = (bytesToInteger(v) - 35n) / 2n;
  if (bytesToInteger(v) >= 35n && signedFor !== BigInt(chainId))
    throw noProof(`The transaction was signed for chain ${signedFor}.`);
  const paid =
    token === undefined
      ? bytesToHex(recipient) === to && bytesToInteger(amount)
      : transfersOf(receiptFields[3], token, to);
  if (!paid)
    throw noProof(`The transaction pays ${token === undefined ? 'nothing' : 'no such token'} to ${to}.`);
  if (paid < value) throw noProof(`The transaction pays ${paid}, not ${value}.`);
  return paid;
}

const isBytes = (item: unknown): item is Uint8Array => item instanceof Uint8Array;

/** `Transfer(address,address,uint256)` */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** The sum of a token's transfers to an address, less those from it. */
function transfersOf(logs: unknown, token: Address, to: Address): bigint {
  if (!Array.isArray(logs)) throw noProof('The receipt is of a form that is not known.');
  const party = `0x${to.slice(2).padStart(64, '0')}`;
  let sum = 0n;
  for (const log of logs) {
    const [address, topics, data] = Array.isArray(log) ? log : [];
    if (!isBytes(address) || !Array.isArray(topics) || !isBytes(data) || !topics.every(isBytes))
      throw noProof('The receipt is of a form that is not known.');
    const [event, sender, recipient] = topics.map(bytesToHex);
    const isTransfer = bytesToHex(address) === token && event === transferTopic && topics.length === 3;
    if (!isTransfer || data.length !== 32) continue;
    if (recipient === party) sum += bytesToInteger(data);
    if (sender === party) sum -= bytesToInteger(data);
  }
  return sum;
}

import { remasc } from '../rpc/remasc.js';
import { encodeRlp } from '../rpc/rlp.js';
import type { Transaction } from '../rpc/schema.js';
import { dataOf, unsignedOf } from './fields.js';
import { noProof } from './verdict.js';

/**
 * The signed bytes of a transaction, from what a block with whole transactions tells of it. REMASC's, which ends each block, has no
 * signature.
 *
 * @throws NotProven `claimed`
 */
export function encodeTransaction(transaction: Transaction): Uint8Array {
  const { type, to } = transaction;
  if ((type ?? '0x0') !== '0x0') throw noProof('A transaction is of a type that is not known.');
  const integer = (name: string) => unsignedOf(transaction, name);
  const nonce = integer('nonce');
  const recipient = (to ?? null) === null ? none : dataOf(transaction, 'to', 20);
  if (to === remasc && BigInt(transaction.from) === 0n)
    return encodeRlp([nonce, zero, zero, recipient, none, none, none, none, none]);
  return encodeRlp([
    nonce,
    integer('gasPrice'),
    integer('gas'),
    recipient,
    integer('value'),
    dataOf(transaction, 'input'),
    integer('v'),
    integer('r'),
    integer('s'),
  ]);
}

const none = new Uint8Array(0);
const zero = Uint8Array.of(0);

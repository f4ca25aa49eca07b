import type { CallTree } from '../approvals/call-tree.js';
import { type CallReader, refundOf, transferOf } from '../approvals/read-calls.js';
import type { CallsRight } from '../approvals/right.js';
import type { TypedData } from '../keyring/typed-data/typed-data.js';
import type { Address, Hex } from '../rpc/schema.js';
import { addressType, asAddress, bytes, isZero, type StructValues, structsOf, uint } from './structs.js';

/** The calls in the `bytes` of a message. */
export interface SignedCalls {
  /** Calls that a forwarder, a Safe or an account would make: of structs with a target, and known calls anywhere. */
  readonly made: readonly MadeCall[];
  /** Calls found inside other bytes. */
  readonly found: readonly CallTree[];
  /** Whether there are bytes in which no call was found. */
  readonly hasUnread: boolean;
}

/** A call with the struct that it comes from. */
export interface MadeCall {
  readonly tree: CallTree;
  readonly struct: StructValues;
  readonly data: Hex;
  readonly by: CallsRight['by'];
}

const dataNames =
  /^_*(?:(?:call|tx|transaction|encoded)?_?data|functionSignature|functionCall|func|encodedCall)s?$/i;
const targetNames = /^_*(?:to|target|dest|destination|contract|contractAddress|callee)s?$/i;

/** Reads every `bytes` of the message: as a call where it is one, whatever its name, else for the calls inside it. */
export function readSignedCalls({ primaryType, domain, fields }: TypedData, reader: CallReader): SignedCalls {
  const made: MadeCall[] = [];
  const found: CallTree[] = [];
  let hasUnread = false;
  const structs = structsOf(fields);
  for (const struct of structs) {
    for (const field of struct.fields) {
      if (!bytes.test(field.type)) continue;
      if (reader.isExhausted()) return { made, found, hasUnread: true };
      const data = field.value as Hex;
      const { name, index } = split(field.name);
      const isOperation = /^callData$/i.test(name) && struct.get(uint, 'nonce') !== undefined;
      const account = isOperation
        ? asAddress(struct.get(addressType, 'sender', 'safe', 'account', 'wallet'))
        : null;
      const isMeta = name === 'functionSignature';
      const target =
        account ?? targetOf(struct, index) ?? (isMeta ? asAddress(domain.verifyingContract) : null);
      const isCall = dataNames.test(name) && target !== null;
      if (!isCall && data === '0x') continue;
      if (!isCall && !reader.isKnownCall(data)) {
        const inside = reader.find(data);
        found.push(...inside);
        hasUnread ||= inside.length === 0;
        continue;
      }
      const to = target === null || isZero(target) ? null : target;
      const value = struct.get(uint, `value${index}`, `values${index}`) ?? '0';
      const operation = struct.get(uint, 'operation', 'howToCall', 'callType');
      const tree = reader.read({
        ...{ to, value, data, delegated: operation === '1', isFound: target === null },
        from: asAddress(struct.get(addressType, 'from')),
      });
      const by = primaryType === 'SafeTx' ? 'safe' : account !== null ? 'account' : 'forwarder';
      made.push({ tree, struct, data, by });
      const refund = refundOf((each) => struct.get(/Gas$|Price$/.test(each) ? uint : addressType, each));
      if (refund) found.push(refund);
    }
  }
  const fee = made.length > 0 ? feeOf(structs, domain) : null;
  if (fee) found.push(fee);
  return { made, found, hasUnread };
}

/** The relay fee in tokens, such as RIF Relay's `tokenContract` and `tokenAmount`; `null` without one. */
function feeOf(
  structs: readonly StructValues[],
  { verifyingContract }: TypedData['domain'],
): CallTree | null {
  const first = (type: RegExp, ...names: readonly string[]) =>
    structs.map(({ get }) => get(type, ...names)).find((value) => value !== undefined);
  const token = asAddress(first(addressType, 'tokenContract', 'feeToken', 'paymentToken'));
  const amount = first(uint, 'tokenAmount', 'feeAmount', 'paymentAmount', 'fee', 'maxFee') ?? '0';
  const receiver = first(
    addressType,
    'feesReceiver',
    'feeReceiver',
    'feeRecipient',
    'paymentReceiver',
    'relayWorker',
  );
  const to = asAddress(receiver) ?? asAddress(verifyingContract);
  return token === null || isZero(token) || to === null || amount === '0'
    ? null
    : transferOf(token, to, amount);
}

/** `calls[2]` as its name and index. */
const split = (name: string): { readonly name: string; readonly index: string } => {
  const [start = name] = name.split('[', 1);
  return { name: start, index: name.slice(start.length) };
};

/** The target beside the data; of parallel arrays the one with the same index. */
function targetOf(struct: StructValues, index: string): Address | null {
  const isTarget = (each: string) => {
    const { name, index: at } = split(each);
    return targetNames.test(name) && at === index;
  };
  const field = struct.fields.find(({ name, type }) => addressType.test(type) && isTarget(name));
  return asAddress(field?.value);
}

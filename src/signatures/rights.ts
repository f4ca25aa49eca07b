import { decodeCall } from '../approvals/decode-call.js';
import type { CallRight, OtherRight, Right } from '../approvals/right.js';
import type { TypedData } from '../keyring/typed-data/typed-data.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { readOrders } from './orders.js';
import { isTimeField } from './readings.js';
import { address, asAddress, bytes, isZero, type StructValues, structsOf, uint } from './structs.js';

/**
 * The right that a signature over typed data would give to somebody: one of the known forms, or an unknown form that
 * names an address and an amount or a time. `null` for other typed data.
 *
 * @param signer the account that would sign
 */
export function readRight(data: TypedData, signer: Address): Right | null {
  const structs = structsOf(data.fields);
  const [top] = structs as [StructValues];
  if (/^Cancel/.test(data.primaryType)) return null;
  return (
    readTokenRight(data, top) ??
    readCall(data, structs) ??
    readOrders(structs, signer) ??
    readOther(data, structs, signer)
  );
}

const deadlineOf = ({ get }: StructValues): string | null =>
  get(uint, 'deadline', 'expiry', 'expiration', 'validBefore', 'validUntil', 'validUntilTime') ?? null;

/** Reads the forms of token contracts, where the token is the domain's contract. */
function readTokenRight({ primaryType, domain }: TypedData, top: StructValues): Right | null {
  const token = asAddress(domain.verifyingContract);
  if (token === null) return null;
  const deadline = deadlineOf(top);
  const common = { token: own({ address: token }), deadline };
  const amount = top.get(uint, 'value');
  const to = asAddress(top.get(address, 'to'));
  if (/^(?:Transfer|Receive)WithAuthorization$/.test(primaryType) && to !== null && amount !== undefined)
    return { kind: 'transfer', to, amount, ...common };
  const spender = asAddress(top.get(address, 'spender', 'operator'));
  const tokenId = top.get(uint, 'tokenId');
  if (spender === null) return null;
  if (primaryType === 'Permit' && tokenId !== undefined)
    return { kind: 'collectible', spender, tokenId, ...common };
  const approved = top.get(/^bool$/, 'approved');
  if (/ForAll$/.test(primaryType) || approved !== undefined)
    return { kind: 'collection', operator: spender, approved: approved !== 'false', ...common };
  return null;
}

/** Reads a call that a forwarder or a Safe would send; `null` for several calls. */
function readCall({ primaryType, domain }: TypedData, structs: readonly StructValues[]): CallRight | null {
  const calls = structs.flatMap((struct) => {
    const data = struct.get(bytes, 'data', 'callData', 'calldata', 'functionSignature', 'functionCall');
    const isMeta = struct.get(bytes, 'functionSignature') !== undefined;
    const to = asAddress(
      struct.get(address, 'to', 'target') ?? (isMeta ? domain.verifyingContract : undefined),
    );
    return data === undefined || to === null ? [] : [{ struct, data: data as Hex, to }];
  });
  const [only] = calls;
  if (only === undefined || calls.length > 1) return null;
  const { struct, data, to } = only;
  const target = isZero(to) ? null : to;
  return {
    kind: 'call',
    by: primaryType === 'SafeTx' ? 'safe' : 'forwarder',
    to: target,
    value: struct.get(uint, 'value') ?? '0',
    data,
    call: decodeCall(target, data),
    delegated: primaryType === 'SafeTx' && struct.get(uint, 'operation') === '1',
    deadline: deadlineOf(struct),
  };
}

const holderNames =
  /^_*(?:spender|operator|delegat(?:e|ee|or)|grantee|agent|relayer|executor|solver|filler|authori[sz]ed|to|target|recipient|receiver|beneficiary|payee|taker|session(?:key|signer)?)$/i;
const givingForms =
  /permit|approv|allow|delegat|authori[sz]|grant|order|\bbid|offer|listing|auction|swap|trade|withdraw|transfer|SafeMessage|intent/i;
const amountNames = /amount|value|price|allowance|limit|wad|quantity|shares/i;

function readOther(
  { primaryType, fields }: TypedData,
  structs: readonly StructValues[],
  signer: Address,
): OtherRight | null {
  const members = structs.flatMap((struct) => struct.fields);
  const holders = members
    .filter(({ name, type, value }) => address.test(type) && holderNames.test(name) && !isZero(value))
    .filter(({ value }) => value !== signer)
    .map(({ path, value }) => ({ path, address: value as Address }));
  const isBounded = fields.some(
    (field) => isTimeField(field) || (uint.test(field.type) && amountNames.test(field.path)),
  );
  const isGiving = givingForms.test(primaryType) && (isBounded || primaryType === 'SafeMessage');
  return isGiving || (holders.length > 0 && isBounded) ? { kind: 'other', holders } : null;
}

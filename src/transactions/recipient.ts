import { type DecodedCall, decodeCall } from '../approvals/decode-call.js';
import type { QuestionRecipient } from '../approvals/question.js';
import { knownContracts } from '../assets/known-contracts.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import { isMined, isOpen, type JournalEntry } from './journal-entry.js';
import type { TransactionRequest } from './request.js';

/** The address that gets the coins, the tokens or the right; else the called contract; `null` for a contract creation. */
export function recipientOf({ to, data }: Pick<TransactionRequest, 'to' | 'data'>): Address | null {
  const call = decodeCall(to, data);
  return call === null ? to : recipientOfCall(call);
}

export function recipientOfCall(call: DecodedCall): Address {
  switch (call.name) {
    case 'transfer':
    case 'transferFrom':
    case 'safeTransferFrom':
      return call.to;
    case 'setApprovalForAll':
      return call.operator;
    case 'burn':
      return call.token.address;
    default:
      return call.spender;
  }
}

/** Whether the transaction pays coins or tokens, so that its recipient is a person rather than a contract. */
export function isPayment({ to, data }: Pick<TransactionRequest, 'to' | 'data'>): boolean {
  const call = decodeCall(to, data);
  return call === null
    ? data === '0x'
    : call.name === 'transfer' || call.name === 'transferFrom' || call.name === 'safeTransferFrom';
}

/** Compares a recipient with all addresses that the wallet knows. Reads nothing from the service. */
export function describeRecipient(address: Address, facts: describeRecipient.Facts): QuestionRecipient {
  const { chainId, ownAddresses, entries, name } = facts;
  const contracts = knownContracts(chainId);
  const known = contracts.find((contract) => contract.address === address)?.name;
  const isOwn = ownAddresses.includes(address);
  const isPaid = entries.some(
    (entry) =>
      entry.chainId === chainId && (isOpen(entry) || isMined(entry)) && recipientOf(entry) === address,
  );
  const others = [
    ...ownAddresses,
    ...contracts.map((contract) => contract.address),
    ...entries.flatMap((entry) => [recipientOf(entry), entry.to]),
  ];
  const resembles =
    isOwn || known !== undefined
      ? undefined
      : others.find((other) => other !== null && isLookAlike(address, other));
  return own({
    address,
    ...(typeof name === 'string' && { name }),
    ...(known !== undefined && { known }),
    ...(!isPaid && !isOwn && { firstTime: true as const }),
    ...(resembles && { resembles }),
  });
}

export declare namespace describeRecipient {
  interface Facts {
    readonly chainId: number;
    /** All addresses of the wallet. */
    readonly ownAddresses: readonly Address[];
    /** The whole journal. */
    readonly entries: readonly JournalEntry[];
    /** The name that resolves to the address, if any. */
    readonly name?: string | null | undefined;
  }
}

/** Digits at each end that wallets show and people compare; a made-up address has the same ones. */
const comparedDigits = 4;

const isLookAlike = (a: Address, b: Address): boolean =>
  a !== b &&
  a.slice(2, 2 + comparedDigits) === b.slice(2, 2 + comparedDigits) &&
  a.slice(-comparedDigits) === b.slice(-comparedDigits);

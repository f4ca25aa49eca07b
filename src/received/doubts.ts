import { recipientOf } from '../approvals/decode-call.js';
import type { Address } from '../rpc/schema.js';
import type { Journal } from '../transactions/journal.js';
import { isLookAlike, isMined, type JournalEntry } from '../transactions/journal-entry.js';
import type { Doubt, ReceivedPayment } from './received.js';

/** Judges why a payment may be meant to deceive; `undefined` where nothing says so. A sender is judged once. */
export function createDoubts(
  options: createDoubts.Options,
): (payment: ReceivedPayment) => Promise<Doubt | undefined> {
  const { isNamed, ownAddresses, contacts, entries, parties } = options;
  const judged = new Map<Address, Promise<boolean>>();

  /** Whether an address begins and ends like one that is known here, and was never paid itself. */
  const looksLikeKnown = async (address: Address): Promise<boolean> => {
    const [present, archived] = [await entries(), await parties(address)];
    const isPaid =
      archived.some((party) => party.isPaid && party.address === address) ||
      present.some((entry) => isMined(entry) && recipientOf(entry) === address);
    const others = [
      ...contacts,
      ...ownAddresses,
      ...present.flatMap((entry) => [recipientOf(entry), entry.to]),
      ...archived.map((party) => party.address),
    ];
    return (
      !isPaid &&
      !contacts.includes(address) &&
      others.some((other) => other !== null && isLookAlike(other, address))
    );
  };

  return async ({ from, token, amount }) => {
    if (BigInt(amount) === 0n) return 'nothing';
    if (token !== null && !isNamed(token)) return 'unlisted';
    if (ownAddresses.includes(from)) return undefined;
    const isLike = judged.get(from) ?? looksLikeKnown(from);
    judged.set(from, isLike);
    return (await isLike) ? 'look-alike' : undefined;
  };
}

export declare namespace createDoubts {
  interface Options {
    /** Whether the wallet lists a token, or the person watches it. */
    readonly isNamed: (token: Address) => boolean;
    readonly ownAddresses: readonly Address[];
    readonly contacts: readonly Address[];
    /** The transactions in the journal that can be read. */
    readonly entries: () => Promise<readonly JournalEntry[]>;
    /** The parties of those that have left it, with addresses that look like this one. */
    readonly parties: Journal['parties'];
  }
}

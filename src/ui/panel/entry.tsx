import { knownContracts } from '../../rpc/known-contracts.js';
import type { Address, Hex } from '../../rpc/schema.js';
import { tokenSelectors } from '../../rpc/token-calls.js';
import type { RecordedTransaction } from '../../transactions/transactions.js';
import { type Content, fill } from '../h.js';
import { formatCoins } from '../pieces/amounts.js';
import { chip } from '../pieces/lines.js';
import type { PanelWords } from '../words/words.js';
import type { Panel } from './context.js';
import { type Teller, tellEffects } from './effects.js';

/** Describes a transaction in a few words: by its effects, else by its calldata. */
export const describe = (entry: RecordedTransaction, panel: Panel, teller: Teller): Content =>
  tellEffects(entry, teller) ?? describeCall(entry, panel);

function describeCall({ from, to, value, data }: RecordedTransaction, { words, network }: Panel): string {
  if (to === null) return words.deployed;
  if (data !== '0x') {
    const selector = data.slice(0, 10);
    if (selector === tokenSelectors.transfer) return words.sentTokens;
    return selector === tokenSelectors.approve ? words.allowedSpending : words.usedContract;
  }
  if (to === from && BigInt(value) === 0n) return words.sentNothing;
  return fill(words.sentAmount, { amount: formatCoins(value, network.currency, words) });
}

/** The address that a plain payment or a transfer of a token goes to; `null` for anything else, and for a contract of the network. */
export function recipientIn({ chainId, from, to, value, data }: RecordedTransaction): Address | null {
  const hasValue = BigInt(value) > 0n;
  const payee = data === '0x' ? hasValue && to : !hasValue && to !== null && transferredTo(data);
  if (!payee || payee === from || knownContracts(chainId).some(({ address }) => address === payee))
    return null;
  return payee;
}

/** Reads the canonical encoding of a `transfer` only, as questions do. */
function transferredTo(data: Hex): Address | null {
  const digits = data.slice(tokenSelectors.transfer.length).toLowerCase();
  if (!data.toLowerCase().startsWith(tokenSelectors.transfer)) return null;
  return /^0{24}[0-9a-f]{104}$/.test(digits) ? `0x${digits.slice(24, 64)}` : null;
}

/** Whether it may still happen: it is on its way, and no other one with its nonce has a higher price. */
export const isWaiting = ({ state, supersededBy }: RecordedTransaction): boolean =>
  supersededBy === undefined && (state === 'signed' || state === 'sent');

/** The outcome of a transaction as a word and a colour. */
export function stateChip(entry: RecordedTransaction, words: PanelWords): Content {
  const { state, supersededBy } = entry;
  const isBad = state === 'reverted' || state === 'refused';
  const colour = isWaiting(entry) ? 'open' : state === 'mined' ? 'good' : isBad ? 'bad' : 'none';
  if (entry.proven && state === 'mined') return chip(words.proven, colour);
  return chip(words.states[supersededBy === undefined ? state : 'replaced'], colour);
}

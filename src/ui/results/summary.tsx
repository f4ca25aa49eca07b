import { readable } from '../../rpc/text.js';
import { type Content, Fragment, h, sentence } from '../h.js';
import type { ResultWords } from '../words/words.js';
import type { SendQuestion, SentOutcome } from './outcome.js';

/** The state of the transactions of one question, as the line shows it. */
export interface Summary {
  readonly text: Content;
  readonly tone: 'waiting' | 'good' | 'bad';
  /** A transaction that waits for longer than usual and can be sped up. */
  readonly slow: SentOutcome['entry'] | undefined;
}

/** Milliseconds after which waiting for a block is longer than usual: three times Rootstock's block time. */
export const usualWait = 90_000;

/** Characters of a reason that fit the line. */
const maxReason = 160;

/**
 * Puts the outcomes of a question's transactions into words.
 *
 * @param outcomes at least one, in the order of the question
 * @param now milliseconds since 1970
 */
export function summarize(
  question: SendQuestion,
  outcomes: readonly SentOutcome[],
  words: ResultWords,
  now: number,
): Summary {
  const late = outcomes.find((each) => isOpen(each) && now - each.entry.createdAt >= usualWait);
  const slow = late?.state === 'sent' ? late.entry : undefined;
  const done = outcomes.filter(({ state }) => state === 'done').length;
  const values = { done: String(done), count: String(outcomes.length) };
  const isBatch = outcomes.length > 1;
  const waiting = outcomes.find(isOpen);
  if (late) return { text: textOfLate(late, words), tone: 'waiting', slow };
  if (waiting && done > 0) return { text: sentence(words.resultCallsWaiting, values), tone: 'waiting', slow };
  if (waiting) return { text: textOf(waiting, question, words), tone: 'waiting', slow };
  const failed = outcomes.find(({ state }) => state !== 'done');
  const tone = failed ? 'bad' : 'good';
  if (!isBatch) return { text: textOf(outcomes[0] as SentOutcome, question, words), tone, slow };
  if (!failed) return { text: sentence(words.resultCallsDone, values), tone, slow };
  const text = withReason(sentence(words.resultCallsFailed, values), reasonOf(failed, words));
  return { text, tone, slow };
}

const isOpen = ({ state }: SentOutcome): boolean => state === 'unsent' || state === 'sent';

const textOfLate = ({ state }: SentOutcome, words: ResultWords): string =>
  state === 'sent' ? words.resultSlow : words.resultUnsent;

function textOf(outcome: SentOutcome, question: SendQuestion, words: ResultWords): Content {
  const isCancel = question.kind === 'transaction' && question.replacement === 'cancel';
  const { state } = outcome;
  switch (state) {
    case 'unsent':
      return words.resultSending;
    case 'sent':
      return words.resultSent;
    case 'held':
      return words.resultHeld;
    case 'done':
      return isCancel ? words.resultCancelled : words.resultDone;
    case 'replaced':
      return isCancel ? words.resultNotCancelled : words.resultReplaced;
    case 'abandoned':
      return words.resultAbandoned;
    case 'failed':
    case 'refused':
      return withReason(
        state === 'failed' ? words.resultFailed : words.resultRefused,
        reasonOf(outcome, words),
      );
  }
}

const withReason = (text: Content, reason: Content): Content => (
  <>
    {text} {reason}
  </>
);

function reasonOf({ state, entry: { reason } }: SentOutcome, words: ResultWords): Content {
  if (state === 'failed') return textOfRevert(reason, words);
  return state === 'refused' ? textOfRefusal(reason, words) : null;
}

/** The journal's own words for a revert without a reason of the contract. */
function textOfRevert(reason: string | undefined, words: ResultWords): Content {
  if (reason === undefined || reason === 'no reason given') return null;
  if (reason === 'out of gas') return words.resultReasons.gas;
  return sentence(words.resultReasons.contract, { reason: shorten(reason) });
}

/** The texts of nodes as the wallet normalises them. */
const refusals: readonly (readonly [text: RegExp, words: keyof ResultWords['resultReasons']])[] = [
  [/insufficient funds/, 'funds'],
  [/nonce too low/, 'place'],
  [/underpriced|lower than/, 'fee'],
];

function textOfRefusal(reason: string | undefined, words: ResultWords): Content {
  if (!reason) return null;
  const known = refusals.find(([text]) => text.test(reason));
  if (known) return words.resultReasons[known[1]];
  return sentence(words.resultReasons.network, { reason: shorten(reason) });
}

/** A text from outside, without hidden characters and line breaks, cut to the size of the line. */
function shorten(reason: string): string {
  const characters = Array.from(readable(reason).replace(/\s+/g, ' '));
  return characters.length > maxReason ? `${characters.slice(0, maxReason).join('')}…` : characters.join('');
}

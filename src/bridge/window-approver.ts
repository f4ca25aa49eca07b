import type { Approver, Question, SharedUnlock } from '../approvals/question.js';
import { own } from '../rpc/own.js';
import { inAskingTurn } from './asking-turn.js';

/**
 * The approver of a document of the wallet's own site: it asks in turn with the other documents, and without a password while
 * an earlier unlock for the same dapp lasts.
 *
 * @param person draws the question
 */
/** Unlocks with the half of an earlier unlock. @returns whether it did */
export async function unlockWith(
  half: CryptoKey | null,
  question: Question,
  shared: SharedUnlock | undefined,
): Promise<boolean> {
  if (!question.locked || !shared || !half) return false;
  return shared.unlock(half).then(
    () => true,
    () => false,
  );
}

export function windowApprover(person: Approver, options: windowApprover.Options): Approver {
  const { origin, half, onApproved, onRefused, onHalf, onBusy } = options;
  return {
    async ask(question, session) {
      const { sharedUnlock } = own(session);
      const shared = sharedUnlock?.(origin);
      const isUnlocked = await unlockWith(half(), question, shared);
      if (isUnlocked && question.kind === 'unlock') return { approved: true };
      if (!isUnlocked && question.locked) onHalf(null);
      const shown = isUnlocked ? { ...question, locked: false } : question;
      const draw = (signal: AbortSignal) => person.ask(shown, { ...session, signal });
      const answer = await inAskingTurn(session.signal, draw, onBusy);
      if (!answer.approved) {
        if (!session.signal.aborted) onRefused();
        return answer;
      }
      onApproved();
      await shared?.renew().catch(() => {});
      const next = shared?.half() ?? null;
      if (next && next !== half()) onHalf(next);
      return answer;
    },
  };
}

export declare namespace windowApprover {
  interface Options {
    /** The dapp's, as the browser attests it. */
    readonly origin: string;
    /** The half of the last unlock, which the wallet's frame keeps between two windows; `null` before the first. */
    readonly half: () => CryptoKey | null;
    /** Takes the half of a new unlock; `null` once the last one has ended. */
    readonly onHalf: (half: CryptoKey | null) => void;
    /** Called when the person has agreed, before anything is signed. */
    readonly onApproved: () => void;
    /** Called when the person has refused. */
    readonly onRefused: () => unknown;
    /** Makes the error with which a question ends here while another one is drawn. Default: it waits. */
    readonly onBusy?: (() => Error) | undefined;
  }
}

import type { Answer } from '../approvals/question.js';
import { anySignal } from '../async/cancellation.js';
import { own } from '../rpc/own.js';
import { showNotice, translated } from './notice.js';

/** The Web Lock of the document whose question is drawn, and the channel on which others ask for it. */
export const askingLock = 'graft:asking';
/** Milliseconds that a document has to take its question away before its turn is taken from it. */
const yieldTimeout = 1_000;

const texts = {
  en: ['The wallet is asking you something in another window.', 'Answer this one first'],
  es: ['La billetera te está preguntando algo en otra ventana.', 'Responder primero a esta'],
  pt: ['A carteira está perguntando algo em outra janela.', 'Responder a esta primeiro'],
} as const;

interface Turn {
  /** Aborts when another document wants the turn. */
  readonly wanted: AbortSignal;
  end(): void;
}

/**
 * Draws one question of the wallet at a time, over all its windows and frames: two that lie over each other could be taken
 * for one. A document that has to wait shows so, and its person can have its question answered first.
 *
 * @param draw its signal aborts when another document takes the turn
 * @param onBusy makes the error with which it ends instead of waiting
 */
export async function inAskingTurn(
  signal: AbortSignal,
  draw: (signal: AbortSignal) => Promise<Answer>,
  onBusy?: () => Error,
): Promise<Answer> {
  for (;;) {
    const turn = await takeTurn(signal, onBusy);
    if (!turn) return { approved: false };
    const [either, release] = anySignal(signal, turn.wanted);
    let answer: Answer;
    try {
      answer = await draw(either);
    } finally {
      release();
      turn.end();
    }
    if (answer.approved || signal.aborted || !turn.wanted.aborted) return answer;
  }
}

/** Resolves with the turn; `null` if `signal` aborts first. */
async function takeTurn(signal: AbortSignal, onBusy?: () => Error): Promise<Turn | null> {
  const free = await request({ ifAvailable: true });
  if (free || signal.aborted) return free;
  if (onBusy) throw onBusy();
  const waiting = new AbortController();
  const [text, first] = translated<readonly [string, string]>(texts);
  const channel = new BroadcastChannel(askingLock);
  return new Promise((resolve) => {
    const close = showNotice('waiting', text, [[first, () => void take()]]);
    const done = (turn: Turn | null): void => {
      waiting.abort();
      close();
      channel.close();
      resolve(turn);
    };
    signal.addEventListener('abort', () => done(null), own({ signal: waiting.signal }));
    void request({ signal: waiting.signal }).then((turn) => turn && done(turn));
    async function take(): Promise<void> {
      const yielded = new Promise((resolve) => {
        setTimeout(resolve, yieldTimeout);
        channel.onmessage = ({ data }) => data === 'yielded' && resolve(undefined);
      });
      channel.postMessage('yield');
      await yielded;
      if (waiting.signal.aborted) return;
      const turn = await request({ steal: true });
      if (turn) done(turn);
    }
  });
}

/** Requests the lock. `null` if it is not available, or if the request was aborted. */
function request(options: LockOptions): Promise<Turn | null> {
  return new Promise((resolve) => {
    const wanted = new AbortController();
    const channel = new BroadcastChannel(askingLock);
    let isWanted = false;
    let isTaken = false;
    const held = navigator.locks.request(askingLock, own(options), (lock) => {
      if (!lock) return resolve(null);
      return new Promise<void>((end) => {
        channel.onmessage = ({ data }) => {
          if (data !== 'yield') return;
          isWanted = true;
          wanted.abort();
        };
        resolve({
          wanted: wanted.signal,
          end() {
            if (!isWanted || isTaken) return end();
            // Held until the other document takes it, so that no third one comes between.
            channel.postMessage('yielded');
            setTimeout(end, yieldTimeout);
          },
        });
      });
    });
    held
      .catch(() => {
        // Taken by another document, or not wanted any more.
        isTaken = true;
        wanted.abort();
        resolve(null);
      })
      .finally(() => channel.close());
  });
}

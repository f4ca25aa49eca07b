import { userRejected } from '../rpc/errors.js';
import { own } from '../rpc/own.js';

/**
 * Does once what several ask for: who asks for the same (`key`) while it is under way shares its one outcome.
 * Who gives up (`signal`) is refused and leaves it to the others; when the last has gone, its own signal ends
 * it, and nobody joins it any more.
 */
export type Join = <T>(
  key: string,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** What is under way, and how many wait for it. */
interface Joint {
  readonly outcome: Promise<unknown>;
  waiting: number;
  readonly abandon: () => void;
}

export function createJoin(): Join {
  const underWay = new Map<string, Joint>();

  const start = (key: string, work: (signal: AbortSignal) => Promise<unknown>): Joint => {
    const abandoned = new AbortController();
    const forget = () => {
      if (underWay.get(key) === joint) underWay.delete(key);
    };
    const joint: Joint = {
      outcome: work(abandoned.signal).finally(forget),
      waiting: 0,
      abandon() {
        forget();
        abandoned.abort();
      },
    };
    underWay.set(key, joint);
    return joint;
  };

  return <T>(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) =>
    new Promise<T>((resolve, reject) => {
      if (signal?.aborted) return reject(userRejected());
      const joint = underWay.get(key) ?? start(key, work);
      const leave = () => {
        reject(userRejected());
        if (--joint.waiting === 0) joint.abandon();
      };
      joint.waiting++;
      signal?.addEventListener('abort', leave, own({ once: true }));
      const stay = () => signal?.removeEventListener('abort', leave);
      joint.outcome.then(
        (outcome) => {
          stay();
          resolve(outcome as T);
        },
        (error: unknown) => {
          stay();
          reject(error);
        },
      );
    });
}

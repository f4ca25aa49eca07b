import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import type { Hex } from '../rpc/schema.js';
import type { Connection, PendingRequest } from './connection.js';
import { randomToken, readJson } from './protocol.js';

/**
 * The page's subscriptions. After a lost line they are renewed in the next generation, under the ids that the page knows.
 * Those of logs and headers resume where they stopped: each has a name of its own, under which the wallet keeps a cursor of
 * the delivered results.
 */
export interface Resubscription {
  /** Sends an `eth_subscribe` or `eth_unsubscribe` on its way. */
  request(pending: PendingRequest): void;
  /** A result under the id of the present generation. */
  receive(id: Hex, result: unknown): void;
  /** Renews all subscriptions. */
  renew(connection: Connection): void;
  /** The wallet has left the chain, and they have ended with it. */
  clear(): void;
  isEmpty(): boolean;
}

interface Subscribed {
  /** The id that the page knows. */
  readonly id: Hex;
  readonly json: string;
  /** Whether the page has received this result already: the wallet repeats some after a lost line. */
  readonly isRepeated: (result: unknown) => boolean;
}

/** @param notify emits a result under the id that the page knows */
export function createResubscription(
  send: (pending: PendingRequest) => void,
  notify: (id: Hex, result: unknown) => void,
): Resubscription {
  /** By the id of the present generation. */
  let byId = new Map<string, Subscribed>();
  /** Subscriptions whose generation has ended, until they are renewed. */
  let lost: Subscribed[] = [];

  const all = () => [...byId.values(), ...lost];

  function subscribe(pending: PendingRequest): void {
    const json = withName(pending.json);
    const kind = (readJson(json) as readonly unknown[] | undefined)?.[0];
    const resolve = (id: unknown): void => {
      byId.set(id as string, { id: id as Hex, json, isRepeated: createRepetition(kind) });
      pending.resolve(id);
    };
    send(own({ ...pending, json, resolve }));
  }

  function unsubscribe(pending: PendingRequest): void {
    const [id] = (readJson(pending.json) as readonly unknown[] | undefined) ?? [];
    const entry = [...byId].find(([, subscribed]) => subscribed.id === id);
    const count = lost.length;
    lost = lost.filter((subscribed) => subscribed.id !== id);
    if (entry) {
      byId.delete(entry[0]);
      send(own({ ...pending, json: JSON.stringify([entry[0]]) }));
    } else if (lost.length < count) pending.resolve(true);
    else send(pending);
  }

  function resume(connection: Connection, subscribed: Subscribed, isAgain = false): void {
    const { json } = subscribed;
    connection.request(
      own<PendingRequest>({
        method: 'eth_subscribe',
        ...{ json, at: Date.now(), isAgain: true },
        resolve(id) {
          if (!lost.includes(subscribed)) return;
          lost = lost.filter((each) => each !== subscribed);
          byId.set(id as string, subscribed);
        },
        // Too many blocks were missed: the name starts at the head then. With any other error it waits for the next line.
        reject(error) {
          if (error.code === -32005 && !isAgain) resume(connection, subscribed, true);
        },
      }),
    );
  }

  return {
    request: (pending) => (pending.method === 'eth_subscribe' ? subscribe(pending) : unsubscribe(pending)),
    receive(id, result) {
      const subscribed = byId.get(id);
      if (subscribed && !subscribed.isRepeated(result)) notify(subscribed.id, result);
    },
    renew(connection) {
      lost = all();
      byId = new Map();
      for (const subscribed of lost) resume(connection, subscribed);
    },
    clear() {
      byId = new Map();
      lost = [];
    },
    isEmpty: () => all().length === 0,
  };
}

/** Names the cursor of a subscription to logs or headers, unless the page has named it. */
function withName(json: string): string {
  const params = readJson(json);
  if (!Array.isArray(params) || params.length > 2) return json;
  const [kind, criteria]: readonly unknown[] = params;
  if (kind !== 'logs' && kind !== 'newHeads') return json;
  const members = membersOf(criteria);
  // A name that begins with `~` is forgotten with its subscription.
  return JSON.stringify([kind, { ...members, resume: members.resume ?? `~${randomToken()}` }]);
}

/** Results that are remembered for each subscription. */
const maxRemembered = 2_048;

/**
 * Creates a function that returns whether a result was delivered before. A log is delivered, then removed, then delivered
 * again: two results of one log with the same `removed` are a repetition. A header is one if it is the newest
 * header or an ancestor of it.
 */
function createRepetition(kind: unknown): (result: unknown) => boolean {
  const seen = new Map<string, unknown>();
  let head: string | undefined;
  const note = (key: string, value: unknown): void => {
    seen.delete(key);
    seen.set(key, value);
    if (seen.size > maxRemembered) seen.delete(seen.keys().next().value as string);
  };
  return (result) => {
    const { hash, parentHash, blockHash, logIndex, removed } = membersOf(result);
    if (kind === 'logs') {
      const key = `${blockHash} ${logIndex}`;
      if (seen.get(key) === (removed === true)) return true;
      note(key, removed === true);
    } else if (kind === 'newHeads') {
      let each = head;
      for (let steps = 0; each !== undefined && steps < maxRemembered; steps++) {
        if (each === hash) return true;
        each = seen.get(each) as string | undefined;
      }
      head = hash as string;
      note(head, parentHash);
    }
    return false;
  };
}

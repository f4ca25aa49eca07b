import { type Clock, systemClock } from '../../async/clock.js';
import { errorCode } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import { membersOf } from '../../rpc/own-data.js';
import { checkBlock, isHash, isQuantity } from '../../rpc/results.js';
import type { Hash } from '../../rpc/schema.js';
import { pageVisibility, type Visibility } from '../visibility.js';
import type { HeadSource } from './head-source.js';

/** The part of a WebSocket that is used here. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number }) => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(): void;
}

/**
 * Heads over a WebSocket. It subscribes to the `graft_steps` of a relay, whose messages hold the blocks; a server that does
 * not confirm them and deliver steps, in whatever way, is a node, and is asked for `newHeads`. A node also reports
 * blocks beside the chain, and its headers lack fields (docs/notes/node.md#push), so of those only hash and height are
 * used.
 *
 * The URL has an API key, so that nothing that the socket throws or the server says is passed on.
 */
export function createSocketSource(given: createSocketSource.Options): HeadSource {
  const options = own(given);
  const { url, takesBlocks, clock = systemClock, visibility = pageVisibility } = options;
  const { random = Math.random, openSocket = openWebSocket } = options;
  /** The server has refused this page: it is not asked again before the page is shown again. */
  let refused = false;
  /** The newest head that a relay has reported, also in an earlier connection. */
  let newest: Hash | undefined;
  /** The subscription that the next connection begins with, and the one that was confirmed last. */
  let wanted: Kind = 'graft_steps';
  let known: Kind | undefined;

  function open(listener: HeadSource.Listener): HeadSource.Connection {
    let socket: Socket | undefined;
    let kind: Kind;
    let subscription: unknown;
    let isLive = false;
    let isClosed = false;
    /** Connections in a row that lasted less than a minute. */
    let failures = 0;
    let openedAt = 0;
    let requests = 0;
    /** Id of the request for the subscription. */
    let subscribing = 0;
    let timer: unknown;
    let silence: unknown;
    /** Ends the wait for the answer to a subscription, and for the first step. */
    let patience: unknown;
    let second = { at: 0, messages: 0 };

    function setLive(next: boolean): void {
      if (isLive === next) return;
      isLive = next;
      listener.state(next ? 'live' : 'lost');
    }

    function send(method: string, params: readonly unknown[]): void {
      requests += 1;
      try {
        socket?.send(JSON.stringify({ jsonrpc: '2.0', id: requests, method, params }));
      } catch {
        // It is closing, and will say so.
      }
    }

    function subscribe(next: Kind): void {
      kind = next;
      wanted = next;
      subscription = undefined;
      const since = newest === undefined ? [] : [{ since: newest }];
      send('eth_subscribe', kind === 'newHeads' ? [kind] : [kind, ...since]);
      subscribing = requests;
      clock.clearTimeout(patience);
      patience = clock.setTimeout(
        () => (kind === 'newHeads' ? lose() : subscribe('newHeads')),
        answerTimeout,
      );
    }

    function confirm(id: string | number): void {
      clock.clearTimeout(patience);
      subscription = id;
      known = kind;
      setLive(true);
      // A relay says something every 15 s; a gateway may confirm a subscription that it does not know.
      if (kind === 'graft_steps') patience = clock.setTimeout(() => giveUpSteps(), firstStepTimeout);
    }

    function giveUpSteps(): void {
      known = undefined;
      setLive(false);
      subscribe('newHeads');
    }

    function connect(): void {
      clock.clearTimeout(timer);
      if (isClosed || refused || socket) return;
      openedAt = clock.now();
      try {
        socket = openSocket(url);
      } catch {
        lose();
        return;
      }
      const opened = socket;
      const ifCurrent =
        <Args extends unknown[]>(react: (...args: Args) => void) =>
        (...args: Args) => {
          if (socket === opened) react(...args);
        };
      opened.onopen = ifCurrent(() => subscribe(wanted));
      opened.onmessage = ifCurrent(({ data }) => receive(data));
      opened.onclose = ifCurrent(({ code }) => lose(code));
      opened.onerror = ifCurrent(() => lose());
      watchSilence();
    }

    /** A connection that is half open shows nothing; a node has nothing to say between two blocks, so it is asked. */
    function watchSilence(): void {
      clock.clearTimeout(silence);
      silence = clock.setTimeout(() => {
        send('eth_chainId', []);
        silence = clock.setTimeout(() => lose(), maxSilence - askAfter);
      }, askAfter);
    }

    function lose(code?: number): void {
      const lost = socket;
      const wasRefused = subscribing > 0 && subscription === undefined;
      // A close before the answer is a refusal: the next connection tries the other subscription, unless this one has worked
      // before.
      if (wasRefused && known !== wanted && !isClosed)
        wanted = kind === 'newHeads' ? 'graft_steps' : 'newHeads';
      socket = undefined;
      subscribing = 0;
      clock.clearTimeout(silence);
      clock.clearTimeout(timer);
      clock.clearTimeout(patience);
      try {
        lost?.close();
      } catch {
        // It never opened.
      }
      setLive(false);
      if (isClosed) return;
      // The code for a broken rule may be about the subscription alone.
      const isOfSteps = wasRefused && kind === 'graft_steps' && code === refusals[0];
      refused ||= code !== undefined && refusals.includes(code) && !isOfSteps;
      if (clock.now() - openedAt >= 60_000) failures = 0;
      const pause = Math.min(minPause * 2 ** failures + random() * 4_000, maxPause);
      failures += 1;
      timer = clock.setTimeout(connect, pause);
    }

    function receive(data: unknown): void {
      const now = clock.now();
      if (now - second.at >= 1_000 || now < second.at) second = { at: now, messages: 0 };
      second.messages += 1;
      const message = second.messages > maxMessages ? undefined : read(data);
      if (!message) {
        lose();
        return;
      }
      watchSilence();
      const { method, params } = message;
      if (method === 'eth_subscription') {
        const notification = membersOf(params);
        if (subscription === undefined || `${notification.subscription}` !== `${subscription}`) return;
        const content = membersOf(notification.result);
        if (kind === 'graft_steps' && isStep(content)) receiveStep(content);
        else if (isHash(content.hash)) listener.head({ hash: content.hash, height: heightIn(content) });
      } else if (subscription === undefined && isAnswer(message)) {
        const { result } = message;
        if (isSubscriptionId(result)) confirm(result);
        else if (temporary.includes(membersOf(message.error).code)) lose();
        // The server has no such subscription. One without any is left alone.
        else if (kind === 'newHeads') lose(refusals[0]);
        else subscribe('newHeads');
      }
    }

    /** Gateways may give the id as a text, or none with an error. */
    const isAnswer = ({ id, error, result }: Record<string, unknown>): boolean =>
      subscribing > 0 && (`${id}` === `${subscribing}` || (id == null && (error ?? result) !== undefined));

    /** `stale`: the relay itself cannot read the chain at present. */
    function receiveStep({ added, removed, missed, stale }: Record<string, unknown>): void {
      clock.clearTimeout(patience);
      setLive(stale !== true);
      const blocks = Array.isArray(added) ? (added as unknown[]) : [];
      const tip = membersOf(blocks.at(-1));
      if (isHash(tip.hash)) {
        newest = tip.hash;
        const pushed = takesBlocks ? linked(blocks) : undefined;
        listener.head({ hash: tip.hash, height: heightIn(tip), blocks: pushed });
      } else if (missed !== undefined || (Array.isArray(removed) && removed.length > 0)) listener.head({});
    }

    const unwatch = visibility.watch(() => {
      if (!visibility.visible()) return;
      refused = false;
      failures = 0;
      connect();
    });
    connect();
    return {
      close() {
        isClosed = true;
        unwatch();
        lose();
      },
      fail: () => lose(),
    };
  }

  return { open, maxDelay: () => maxDelay };
}

/** Whether a WebSocket is at the origin of an endpoint, such as `wss://node.example` at that of `https://node.example`. */
export const isSameOrigin = (push: string, url: string): boolean =>
  new URL(push.replace(/^ws/, 'http')).origin === new URL(url).origin;

/** One JSON object; `undefined` for anything else. */
function read(data: unknown): Record<string, unknown> | undefined {
  if (typeof data !== 'string' || data.length > maxMessageLength) return undefined;
  try {
    const message: unknown = JSON.parse(data);
    return typeof message === 'object' && message !== null
      ? own(message as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

type Kind = 'graft_steps' | 'newHeads';

/** Whether a message is a relay's step, perhaps an empty one; a gateway may push headers under any name. */
const isStep = ({ added, removed, missed, stale }: Record<string, unknown>): boolean =>
  Array.isArray(added) || Array.isArray(removed) || missed !== undefined || stale !== undefined;

/** Servers choose the form of their ids, but an id is no sentence. */
const isSubscriptionId = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && /^[^\s:]{1,128}$/.test(value));

/** The blocks where all of them have the form of one, and each is the parent of the next; else none. */
function linked(blocks: readonly unknown[]): readonly unknown[] {
  try {
    let parent: unknown;
    for (const block of blocks) {
      checkBlock(block);
      const { hash, parentHash } = own(block as NonNullable<typeof block>);
      if (!isHash(hash) || (parent !== undefined && parentHash !== parent)) return [];
      parent = hash;
    }
    return blocks;
  } catch {
    return [];
  }
}

const heightIn = ({ number }: Record<string, unknown>): number | undefined =>
  isQuantity(number) && Number.isSafeInteger(Number(number)) ? Number(number) : undefined;

/** The page's WebSocket, looked up when it is first needed. */
const openWebSocket = (url: string): Socket => new globalThis.WebSocket(url) as unknown as Socket;

/** Close codes by which a server refuses a page: policy, expired token, too many connections. */
const refusals: readonly number[] = [1008, 4001, 4003];
/** Error codes of a server that cannot take a subscription now, and may later: it is unavailable, or a limit is reached. */
const temporary: readonly unknown[] = [errorCode.resourceUnavailable, errorCode.limitExceeded];
/** Milliseconds. */
const maxDelay = 10_000;
/** Milliseconds without a message after which the server is asked for one, and after which the connection is lost. */
const askAfter = 30_000;
const maxSilence = 45_000;
/** Milliseconds in which a subscription must be answered, and in which the first step must have come. */
const answerTimeout = 10_000;
const firstStepTimeout = 60_000;
/** Milliseconds before the next connection: this at first, doubled each time, and up to 4 s at random. */
const minPause = 1_000;
const maxPause = 60_000;
/** Characters. */
const maxMessageLength = 256_000;
/** In one second. A relay that resumes sends up to 256 steps at once. */
const maxMessages = 512;

export declare namespace createSocketSource {
  interface Options {
    /** `wss`, or `ws` on this machine. Has an API key. */
    readonly url: string;
    /** Whether blocks in the messages are trusted as replies of the service are. */
    readonly takesBlocks: boolean;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
    /** 0 to 1. */
    readonly random?: (() => number) | undefined;
    /** Default: the platform's WebSocket. */
    readonly openSocket?: ((url: string) => Socket) | undefined;
  }
}

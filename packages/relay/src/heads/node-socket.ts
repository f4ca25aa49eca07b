import type { Clock } from '../../../../src/async/clock.js';
import { membersOf } from '../../../../src/rpc/own-data.js';
import { heightIn } from '../../../../src/rpc/results.js';

/** A node's own `newHeads` over WebSocket, as a signal that the head may have moved. It is never a proof. */
export interface NodeSocket {
  /** Connects, and reconnects until {@link stop}. */
  start(): void;
  stop(): void;
  /** Whether the node has earned trust: a poll has confirmed a block that it had announced, and none has shown one first since. */
  live(): boolean;
  /** A poll has shown a block of this height: a node that did not announce two in a row is connected to again. */
  polled(height: number): void;
}

/** A block that the node has announced. */
export interface Announcement {
  readonly hash: unknown;
  readonly height: number;
}

/**
 * Reconnects after 1 s and up to 1 s more at random, twice as long after each failure, at most 60 s. A connection that is
 * silent for three minutes is taken to be lost. No error of the connection is passed on: it may contain the URL.
 */
export function createNodeSocket(options: createNodeSocket.Options): NodeSocket {
  const { url, clock, onHead, onLost } = options;
  let socket: WebSocket | undefined;
  let started = false;
  let subscribed = false;
  let failures = 0;
  /** Heights of announced blocks, the oldest first. */
  const announced = new Set<number>();
  let trusted = false;
  let polledHeight = -1;
  /** Blocks in a row that polls have shown first. */
  let unannounced = 0;
  let reconnecting: unknown;
  let silence: unknown;

  function connect(): void {
    const Socket = options.WebSocket ?? globalThis.WebSocket;
    if (!Socket) return;
    let current: WebSocket;
    try {
      current = new Socket(url);
    } catch {
      lost();
      return;
    }
    socket = current;
    const isCurrent = () => socket === current;
    heard();
    const subscription = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] };
    current.onopen = () => {
      if (isCurrent()) current.send(JSON.stringify(subscription));
    };
    current.onmessage = ({ data }) => {
      if (isCurrent()) read(data);
    };
    const lose = () => {
      if (isCurrent()) lost();
    };
    // A socket of `ws` without a listener for errors ends the process.
    current.onerror = lose;
    current.onclose = lose;
  }

  function read(data: unknown): void {
    if (typeof data !== 'string' || data.length > maxLength) return;
    let message: Readonly<Record<string, unknown>>;
    try {
      message = membersOf(JSON.parse(data));
    } catch {
      return;
    }
    heard();
    if (message.id === 1) {
      if (typeof message.result !== 'string') lost();
      else {
        subscribed = true;
        failures = 0;
        onHead(undefined);
      }
    }
    const { result } = membersOf(message.params);
    if (message.method !== 'eth_subscription' || typeof result !== 'object') return;
    const { hash } = membersOf(result);
    const height = heightIn(result);
    // Those that a poll has shown before earn nothing.
    if (height > polledHeight) announced.add(height);
    for (const oldest of announced) if (announced.size > maxAnnounced) announced.delete(oldest);
    onHead({ hash, height });
  }

  function heard(): void {
    clock.clearTimeout(silence);
    silence = clock.setTimeout(lost, maxSilence);
  }

  function drop(): void {
    clock.clearTimeout(silence);
    const old = socket;
    socket = undefined;
    subscribed = false;
    trusted = false;
    announced.clear();
    unannounced = 0;
    try {
      old?.close();
    } catch {
      // It was not open yet.
    }
  }

  function lost(): void {
    const wasLive = subscribed;
    drop();
    if (!started) return;
    const pause = Math.min(maxPause, (1_000 + Math.random() * 1_000) * 2 ** Math.min(failures, 6));
    failures += 1;
    clock.clearTimeout(reconnecting);
    reconnecting = clock.setTimeout(connect, pause);
    if (wasLive) onLost();
  }

  return {
    start() {
      if (started) return;
      started = true;
      connect();
    },
    stop() {
      started = false;
      failures = 0;
      clock.clearTimeout(reconnecting);
      drop();
    },
    live: () => trusted,
    polled(height) {
      polledHeight = height;
      if (!subscribed) return;
      trusted = announced.has(height);
      unannounced = trusted ? 0 : unannounced + 1;
      if (unannounced > 1) lost();
    },
  };
}

/** Heights that are remembered. */
const maxAnnounced = 64;
/** Characters of a message. */
const maxLength = 2 ** 18;
/** Milliseconds. */
const maxPause = 60_000;
/** Milliseconds: of Rootstock's blocks one in a thousand takes longer. */
const maxSilence = 180_000;

export declare namespace createNodeSocket {
  interface Options {
    /** With the API key. */
    readonly url: string;
    readonly clock: Clock;
    /** Called with each announced block, and without one when the subscription begins. */
    readonly onHead: (block: Announcement | undefined) => void;
    /** Called when a subscription has ended that was live. */
    readonly onLost: () => void;
    /** Default `globalThis.WebSocket`; without any, nothing is connected. */
    readonly WebSocket?: (new (url: string) => WebSocket) | undefined;
  }
}

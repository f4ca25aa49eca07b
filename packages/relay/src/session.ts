import type { Clock } from '../../../src/async/clock.js';
import { errorCode } from '../../../src/rpc/errors.js';
import { bytesToHex, toQuantity } from '../../../src/rpc/hex.js';
import { own } from '../../../src/rpc/own.js';
import { membersOf } from '../../../src/rpc/own-data.js';
import type { Hash, Hex } from '../../../src/rpc/schema.js';
import { alreadyKnown } from '../../../src/service/errors/errors.js';
import { isNested } from '../../../src/service/http/reply.js';
import type { ClientLimits } from './access/limits.js';
import { type Policy, signedSend } from './access/policy.js';
import { outcomeOf, type RelayChain } from './chain.js';
import type { Frame, Hub, Subscriber, Subscription } from './heads/hub.js';
import type { Outlet } from './heads/outlet.js';
import { readSubscription, type Topic, topicOfKey } from './heads/topics.js';
import { JsonText } from './json-text.js';
import { isOfService, notAvailable, type Refusal, refusalOf, refused } from './refusal.js';
import type { Metrics } from './reports/metrics.js';
import { numericIds } from './request-ids.js';

/** One client of one chain: text in, text out. */
export interface Session {
  /**
   * Handles one message of a WebSocket, or the body of a POST. Never rejects. `text` is absent where there is nothing to
   * reply. The subscriptions that the message makes push nothing before the reply can have been sent.
   */
  receive(text: string): Promise<Session.Reply>;
  /** A short text for each subscription, from which another session can {@link restore} it. */
  topics(): readonly string[];
  /** Takes up the subscriptions of an earlier session of the same connection. */
  restore(topics: readonly string[]): void;
  /** Ends the subscriptions. The outlet stays open. */
  close(): void;
}

export declare namespace Session {
  interface Reply {
    readonly text?: string | undefined;
    /** HTTP status; without meaning for a WebSocket. */
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>> | undefined;
  }
}

/** A subscription of this session. */
interface Held {
  readonly topic: Topic;
  subscription: Subscription;
  /** Frames that wait for the reply with the id; absent once it was sent. */
  early: string[] | undefined;
}

/** The answer to one request: its result, as a value or as JSON, or its refusal. */
type Answer = { readonly result: unknown } | Written;
type Written = { readonly json: string } | Refusal;

/** The id of a request as JSON, in the client's own digits. */
type Id = string;

export function createSession(options: createSession.Options): Session {
  const { chain, hub, policy, client, metrics, outlet, clock, random } = options;
  const { chainId } = chain;
  const held = new Map<Hex, Held>();
  /** The newest head that waits for a slow client, by subscription. */
  const delayed = new Map<Hex, string>();
  let flushing: unknown;
  let closed = false;
  const release = outlet && client.hold(outlet.buffered);
  /** Reads under way: equal ones share one answer, and its text. */
  const reads = new Map<string, Promise<Written>>();

  function count(method: string, outcome: Parameters<Metrics['request']>[2]): void {
    metrics?.request(chainId, method, outcome);
  }

  /**
   * @param parsed one request as JSON
   * @param digits its id, where that is a number
   * @param opened collects the new subscriptions
   */
  async function handle(
    parsed: unknown,
    digits: string | undefined,
    opened: Held[],
  ): Promise<{ readonly id: Id; readonly answer: Answer } | undefined> {
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      return { id: noId, answer: reject(invalidRequest) };
    const request = own(parsed as Record<string, unknown>);
    const id = idOf(request.id, digits);
    if (id === undefined) return { id: noId, answer: reject(invalidRequest) };
    const { method, params: sent } = request;
    if (typeof method !== 'string' || method === '') return { id, answer: reject(invalidRequest) };
    const answer = await perform(method, sent ?? [], opened);
    // A notification is not answered.
    return Object.hasOwn(parsed, 'id') ? { id, answer } : undefined;
  }

  /** The refusal of what cannot be read, which counts as a message too. */
  const reject = (refusal: Refusal) => client.message() ?? refusal;

  async function perform(method: string, params: unknown, opened: Held[]): Promise<Answer> {
    const refusal = client.message();
    if (refusal) return limit(method, refusal);
    if (!Array.isArray(params)) {
      count(method, 'refused');
      return refused(errorCode.invalidParams, 'params: expected an array');
    }
    // A long transaction takes time to read: those beyond the limit are not read.
    const limited = method === signedSend ? client.send() : undefined;
    if (limited) return limit(method, limited);
    const judged = policy.judge(method, params, chainId);
    if ('error' in judged) {
      if (method === signedSend) client.sent('shared');
      count(judged.error.code === errorCode.methodNotFound ? 'other' : method, 'refused');
      metrics?.dropped('policy');
      return judged;
    }
    if (judged.kind === 'subscription') return subscribeOrEnd(method, params, opened);
    return judged.kind === 'send' ? send(method, params) : read(method, params, judged.cost);
  }

  function limit(method: string, refusal: Refusal): Refusal {
    count(method, 'refused');
    metrics?.dropped('rate');
    return refusal;
  }

  async function read(method: string, params: readonly unknown[], cost: number): Promise<Answer> {
    if (params.length === 0 && (method === 'eth_chainId' || method === 'net_version')) {
      const spent = chain.wasConfirmed() ? undefined : client.spent();
      if (spent) return limit(method, spent);
      if (await chain.isConfirmed(() => client.charge(1))) {
        count(method, 'hit');
        return { result: method === 'eth_chainId' ? toQuantity(chainId) : `${chainId}` };
      }
      // The service serves another chain: a wallet signs nothing then.
    }
    const limited = client.full() ?? client.read(cost);
    if (limited) return limit(method, limited);
    const key = JSON.stringify([method, params]);
    const same = reads.get(key);
    if (same) {
      const answer = await same;
      count(method, 'shared');
      client.settle(cost, 'shared');
      return charge(answer);
    }
    const answer = readInTurn(method, params, cost).finally(() => reads.delete(key));
    reads.set(key, answer);
    return answer;
  }

  async function readInTurn(method: string, params: readonly unknown[], cost: number): Promise<Written> {
    const { isFirst, end } = await client.turn();
    // Those before it may have taken all that was left.
    const full = client.full();
    if (full) {
      end();
      client.settle(cost, 'hit');
      return limit(method, full);
    }
    const { outcome, sent, received, answer } = await forward(
      method,
      params,
      isFirst ? 'read' : 'background',
    );
    const written = 'result' in answer ? write(answer.result, received) : answer;
    end();
    client.settle(cost, outcome, sent);
    return written;
  }

  /** @param received bytes of the service's replies, which are charged where they are more than the answer */
  function write(result: unknown, received: number): Written {
    let refusal = client.full();
    let json = '';
    try {
      if (!refusal) json = textOf(result);
    } catch {
      refusal = nestedTooDeeply;
    }
    client.answered(Math.max(json.length, received));
    return refusal ?? { json };
  }

  /** Charges an answer that was written for an equal request. */
  function charge(answer: Written): Written {
    if ('error' in answer) return answer;
    const refusal = client.full();
    if (refusal) return refusal;
    client.answered(answer.json.length);
    return answer;
  }

  async function send(method: string, params: readonly unknown[]): Promise<Answer> {
    const { outcome, error, answer } = await forward(method, params);
    if (outcome !== 'upstream') client.sent('shared');
    else if (error === undefined) client.sent('accepted');
    else if (isOfService(error) && !alreadyKnown(error)) client.sent('refused');
    return answer;
  }

  /** Never rejects. */
  async function forward(
    method: string,
    params: readonly unknown[],
    priority?: RelayChain.RequestOptions['priority'],
  ) {
    let sent = 0;
    let received = 0;
    const onReply = (bytes: number) => {
      received += bytes;
    };
    const onRequest = () => {
      sent += 1;
    };
    try {
      const { result, outcome } = await chain.request(method, params, { onRequest, onReply, priority });
      count(method, outcome);
      return { outcome, sent, received, error: undefined, answer: { result } };
    } catch (error) {
      const outcome = outcomeOf(error);
      count(method, isOfService(error) ? outcome : 'failed');
      client.answered(received);
      return { outcome, sent, received, error, answer: refusalOf(error) };
    }
  }

  async function subscribeOrEnd(method: string, params: readonly unknown[], opened: Held[]): Promise<Answer> {
    if (!outlet) {
      count(method, 'refused');
      return notAvailable(method, 'Subscriptions need a WebSocket.');
    }
    if (method === 'eth_unsubscribe') {
      count(method, 'hit');
      return { result: end(`${params[0]}`.toLowerCase() as Hex) };
    }
    if (held.size >= client.maxSubscriptions) {
      const message = `There are too many subscriptions on this connection (${client.maxSubscriptions})`;
      return limit(method, refused(errorCode.limitExceeded, message, 429, { reason: 'rate' }));
    }
    try {
      const { topic, since } = readSubscription(params);
      const limited = client.stream() ?? (since === undefined ? undefined : client.replay(0));
      if (limited) return limit(method, limited);
      const id = held.has(topic.id) ? (bytesToHex(random(16)) as Hex) : topic.id;
      const added = add(id, topic, since, false);
      opened.push(added);
      await added.subscription.ready;
      count(method, 'hit');
      return { result: id };
    } catch (error) {
      count(method, 'refused');
      const refusal = refusalOf(error);
      return refusal.error.code === errorCode.limitExceeded ? { ...refusal, status: 429 } : refusal;
    }
  }

  function add(id: Hex, topic: Topic, since: Hash | undefined, restored: boolean): Held {
    const entry = { topic, early: restored ? undefined : [] } as Held;
    held.set(id, entry);
    try {
      const subscriber: Subscriber = { id, push: (text, frame) => push(id, text, frame), cut };
      entry.subscription = hub.subscribe(topic, subscriber, { since, restored, payer: client });
    } catch (error) {
      held.delete(id);
      throw error;
    }
    metrics?.subscription(topic.kind, 1);
    return entry;
  }

  function end(id: Hex): boolean {
    const entry = held.get(id);
    if (!entry) return false;
    held.delete(id);
    delayed.delete(id);
    entry.subscription.end();
    metrics?.subscription(entry.topic.kind, -1);
    return true;
  }

  function push(id: Hex, text: string, { isReplaceable }: Frame): void {
    const entry = held.get(id);
    if (!entry || !outlet) return;
    if (entry.early) {
      entry.early.push(text);
      return;
    }
    const unsent = outlet.buffered();
    if (!client.answered(text.length)) cut('bytes');
    else if (unsent > maxUnsent) closeSlow();
    else if (isReplaceable && unsent > manyUnsent) delay(id, text);
    else {
      if (delayed.size > 0) flush();
      outlet.send(text);
    }
  }

  /** Queues a head for a slow client, in place of the one that waits. */
  function delay(id: Hex, text: string): void {
    if (delayed.has(id)) metrics?.dropped('slow');
    delayed.delete(id);
    delayed.set(id, text);
    flushing ??= clock.setTimeout(flush, flushInterval);
  }

  function flush(): void {
    clock.clearTimeout(flushing);
    flushing = undefined;
    if (!outlet || closed) return;
    for (const [id, text] of delayed) {
      if (outlet.buffered() > manyUnsent) {
        flushing = clock.setTimeout(flush, flushInterval);
        return;
      }
      delayed.delete(id);
      outlet.send(text);
    }
  }

  function closeSlow(): void {
    if (closed) return;
    metrics?.dropped('slow');
    close();
    outlet?.close(4002, 'reads too slowly');
  }

  /** Missing logs must be noticed: the client connects again, and reads what it lacks. */
  function cut(reason: 'exhausted' | 'gap' | 'bytes'): void {
    if (closed) return;
    metrics?.dropped(reason === 'gap' ? 'gap' : 'rate');
    close();
    if (reason === 'gap') outlet?.close(4005, 'no node has the logs of a block');
    else outlet?.close(4004, reason === 'bytes' ? 'too many bytes' : 'share of the day used up');
  }

  function close(): void {
    closed = true;
    release?.();
    clock.clearTimeout(flushing);
    for (const id of [...held.keys()]) end(id);
  }

  /** Lets new subscriptions push, once the reply with their ids can have been sent. */
  function openAll(opened: readonly Held[]): void {
    if (opened.length === 0) return;
    clock.setTimeout(() => {
      for (const [id, entry] of [...held]) {
        if (!opened.includes(entry)) continue;
        const { early = [] } = entry;
        entry.early = undefined;
        for (const text of early) if (held.get(id) === entry) push(id, text, notReplaceable);
      }
    }, 0);
  }

  function toText({ id, answer }: { readonly id: Id; readonly answer: Answer }): string {
    const reply = (member: 'result' | 'error', json: string) =>
      `{"jsonrpc":"2.0","id":${id},"${member}":${json}}`;
    if (!('error' in answer)) return reply('result', 'json' in answer ? answer.json : textOf(answer.result));
    const error = JSON.stringify(answer.error);
    client.answered(error.length);
    return reply('error', error);
  }

  function single(id: Id, answer: Answer): Session.Reply {
    const text = toText({ id, answer });
    if (!('error' in answer)) return { text, status: 200 };
    const { status, retryAfter } = answer;
    return {
      text,
      status,
      headers: retryAfter === undefined ? undefined : { 'retry-after': `${retryAfter}` },
    };
  }

  async function receive(text: string, opened: Held[]): Promise<Session.Reply> {
    if (outlet && outlet.buffered() > maxUnsent) {
      closeSlow();
      return { status: 503 };
    }
    const maxSend = policy.maxLength(signedSend);
    if (text.length > maxSend) return tooLong(noId, maxSend);
    let parsed: unknown;
    try {
      parsed = isNested(text) ? undefined : JSON.parse(text);
    } catch {
      parsed = undefined;
    }
    if (parsed === undefined) return single(noId, reject(notJson));
    const digits = numericIds(text);
    if (!Array.isArray(parsed)) {
      const { id, method } = membersOf(parsed);
      const max = policy.maxLength(typeof method === 'string' ? method : undefined);
      if (text.length > max) return tooLong(idOf(id, digits[0]) ?? noId, max);
      const handled = await handle(parsed, digits[0], opened);
      return handled ? single(handled.id, handled.answer) : nothingToSay;
    }
    if (text.length > policy.maxLength()) return tooLong(noId, policy.maxLength());
    if (parsed.length === 0 || parsed.length > maxBatch)
      return single(
        noId,
        reject(refused(errorCode.invalidRequest, `A batch has 1 to ${maxBatch} requests.`)),
      );
    const handled = (await Promise.all(parsed.map((each, at) => handle(each, digits[at], opened)))).filter(
      (each) => each !== undefined,
    );
    if (handled.length === 0) return nothingToSay;
    return { text: `[${handled.map(toText).join(',')}]`, status: 200 };
  }

  function tooLong(id: Id, max: number): Session.Reply {
    metrics?.dropped('size');
    const message = `The message is longer than ${max} characters.`;
    return single(id, reject(refused(errorCode.limitExceeded, message, 413, { reason: 'size' })));
  }

  return {
    async receive(text) {
      if (closed) return { status: 503 };
      const opened: Held[] = [];
      const reply = await receive(text, opened);
      openAll(opened);
      return reply;
    },
    topics: () => [...held].map(([id, { topic }]) => (id === topic.id ? topic.key : `${id} ${topic.key}`)),
    restore(topics) {
      for (const each of topics) {
        const [, id, key = each] = /^(0x[0-9a-f]{32}) (.*)$/s.exec(each) ?? [];
        const topic = topicOfKey(key);
        if (topic) add((id ?? topic.id) as Hex, topic, undefined, true);
      }
    },
    close,
  };
}

/** An id of JSON-RPC as JSON; `undefined` for values that are not ids. */
function idOf(value: unknown, digits: string | undefined): Id | undefined {
  if (value === undefined || value === null) return noId;
  if (typeof value === 'number') return digits ?? JSON.stringify(value);
  return typeof value === 'string' ? JSON.stringify(value) : undefined;
}

/** The JSON of results that several clients wait for is made once. */
const texts = new WeakMap<object, string>();

function textOf(result: unknown): string {
  if (result instanceof JsonText) return result.text;
  if (typeof result !== 'object' || result === null) return JSON.stringify(result ?? null);
  const text = texts.get(result) ?? JSON.stringify(result);
  texts.set(result, text);
  return text;
}

const noId = 'null';
/** The answer to notifications alone: HTTP 204 without a body. */
const nothingToSay: Session.Reply = { status: 204 };

const notReplaceable: Frame = { isReplaceable: false };
/** Like any other reply that cannot be read. */
const nestedTooDeeply = refused(errorCode.internal, "The service's reply is nested too deeply");
const notJson = refused(errorCode.parseError, 'The message is not JSON.');
const invalidRequest = refused(errorCode.invalidRequest, 'The message is not a JSON-RPC request.');

/** Requests in one message. */
const maxBatch = 20;
/** Bytes not yet sent, above which a connection is closed. */
const maxUnsent = 2 ** 20;
/** Bytes not yet sent, above which heads wait. */
const manyUnsent = 2 ** 18;
/** Milliseconds between attempts to send heads that wait. */
const flushInterval = 1_000;

export declare namespace createSession {
  interface Options {
    readonly chain: RelayChain;
    readonly hub: Hub;
    readonly policy: Policy;
    readonly client: ClientLimits;
    readonly metrics?: Metrics | undefined;
    /** Absent for a POST. */
    readonly outlet?: Outlet | undefined;
    readonly clock: Clock;
    /** Random bytes, for the ids of repeated subscriptions. */
    readonly random: (length: number) => Uint8Array;
  }
}

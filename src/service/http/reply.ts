import { own } from '../../rpc/own.js';
import type { Symptom } from '../errors/errors.js';

/** Reads one JSON-RPC reply that nobody has vouched for (docs/notes/node.md#replies; bad-inputs "reply"). */

export type Reply = { readonly result: unknown } | Failure;

/** Everything of a {@link Symptom} but the method, which the sender knows. */
export type Failure = Omit<Symptom, 'method'>;

/**
 * Deeper than any trace of the node (1,024 calls, two levels each), and less than overflows the stack in
 * `JSON.stringify` (4,173 levels in Node 20). `structuredClone` overflows sooner, from 1,954 nested objects or
 * 2,452 levels of objects and arrays in turn: who clones must expect it.
 */
const maxDepth = 4096;

export function readReply(text: string, id: number): Reply {
  if (isNested(text)) return own({ trouble: 'nested' });
  let reply: unknown;
  try {
    reply = JSON.parse(text);
  } catch {
    return own({ trouble: 'not-json' });
  }
  return judgeReply(reply, id);
}

function judgeReply(reply: unknown, id: number): Reply {
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply)) return broken('not an object');
  const { jsonrpc, id: echoed, result, error } = own(reply as Record<string, unknown>);
  if (error !== undefined && error !== null) {
    // Other services add `"result": null`; a result beside an error leaves open which of them holds.
    if (result !== undefined && result !== null) return broken('it has both result and error');
    return readError(error, echoed, id);
  }
  if (result === undefined) return broken('it has neither result nor error');
  if (jsonrpc !== '2.0') return broken('jsonrpc is not "2.0"');
  if (echoed !== id) return broken('the id is not that of the request');
  return own({ result });
}

/**
 * The answers to a batch, by id; `null` where the text is no list. What answers nobody is passed over, as are
 * the `null`s that some nodes put in; of two answers to one id neither is believed.
 */
export function readReplies(text: string): ((id: number) => Reply) | null {
  if (isNested(text)) return () => own({ trouble: 'nested' });
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return () => own({ trouble: 'not-json' });
  }
  if (!Array.isArray(list)) return null;
  const byId = new Map<unknown, unknown[]>();
  for (const reply of list as unknown[]) {
    const { id } = own(Object(reply) as { id?: unknown });
    byId.set(id, [...(byId.get(id) ?? []), reply]);
  }
  return (id) => {
    const [reply, ...others] = byId.get(id) ?? [];
    if (reply === undefined) return broken('no answer of the batch has the id of the request');
    if (others.length > 0) return broken('two answers of the batch have the id of the request');
    return judgeReply(reply, id);
  };
}

/** The node leaves the id out of its top-level errors, and spells a missing one `"null"` (docs/notes/node.md#errors-without-an-id). */
function readError(error: unknown, echoed: unknown, id: number): Failure {
  if (echoed !== undefined && echoed !== null && echoed !== 'null' && echoed !== id) {
    return broken('the id is not that of the request');
  }
  const { code, message, data } = own(error as Record<string, unknown>);
  if (!Number.isInteger(code)) return broken('error.code is not an integer');
  return own({
    code: code as number,
    text: typeof message === 'string' ? message : undefined,
    // null says no more than nothing.
    data: data ?? undefined,
  });
}

const broken = (text: string): Failure => own({ trouble: 'broken', text });

/** Counts brackets outside strings; a text too short to nest that deep is not looked at. */
function isNested(text: string): boolean {
  if (text.length <= maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = endOfString(text, at + 1);
      if (at < 0) return false;
    } else if (char === 0x5b || char === 0x7b) {
      if (++depth > maxDepth) return true;
    } else if (char === 0x5d || char === 0x7d) depth--;
  }
  return false;
}

/** Where the string that starts at `from` has its closing quote, -1 if nowhere. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') before--;
    if ((quote - before) % 2 === 0) return quote;
  }
  return -1;
}

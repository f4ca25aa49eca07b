import { own } from '../../rpc/own.js';
import { membersOf } from '../../rpc/own-data.js';
import type { Symptom } from '../errors/errors.js';

export type Reply = { readonly result: unknown } | Failure;

/** A {@link Symptom} without the method. */
export type Failure = Omit<Symptom, 'method'>;

/**
 * Levels of nesting: more than any trace of the node (1,024 calls, two levels each), and fewer than overflow the stack in
 * `JSON.stringify` (4,173 in Node 20). `structuredClone` overflows from 1,954 nested objects, or 2,452 alternating objects
 * and arrays, so its callers must catch that.
 */
const maxDepth = 4096;

/** Reads one JSON-RPC reply, which is untrusted (docs/notes/node.md#replies; bad-inputs.json, "reply"). */
export function readReply(text: string, id: number): Reply {
  if (isNested(text)) return own({ trouble: 'nested' });
  let reply: unknown;
  try {
    reply = JSON.parse(text);
  } catch {
    return own({ trouble: 'not-json' });
  }
  return readParsedReply(reply, id);
}

/** Reads a reply that was parsed, {@link maxDepth} levels deep at most. */
export function readParsedReply(reply: unknown, id: number): Reply {
  // Some gateways answer with an array of one error.
  if (Array.isArray(reply) && reply.length === 1 && isErrorAlone(reply[0]))
    return readParsedReply(reply[0], id);
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply)) return broken('not an object');
  const { jsonrpc, id: echoed, result, error } = own(reply as Record<string, unknown>);
  const said = errorOf(reply, error, result);
  if (said !== undefined && said !== null) {
    // Some services add `"result": null` to an error. With both a result and an error neither is reliable.
    if (result !== undefined && result !== null) return broken('it has both result and error');
    return readError(said, echoed, id);
  }
  if (result === undefined) return broken('it has neither result nor error');
  if (jsonrpc !== '2.0') return broken('jsonrpc is not "2.0"');
  if (echoed !== id) return broken('the id is not that of the request');
  return own({ result });
}

/** Whether a reply, or an item of an array, is an error and no result, in the frame of JSON-RPC or without. */
export function isErrorAlone(reply: unknown): boolean {
  const { error, result } = membersOf(reply);
  return (errorOf(reply, error, result) ?? null) !== null && (result ?? null) === null;
}

/** The error of a reply with these members. A flag, such as `"error": true`, says less than the members beside it. */
function errorOf(reply: unknown, error: unknown, result: unknown): unknown {
  const beside = result === undefined && !isErrorItself(error) ? errorBeside(reply) : undefined;
  return beside ?? error;
}

const isErrorItself = (error: unknown): boolean =>
  typeof error === 'string' || (typeof error === 'object' && error !== null);

/** The error of a gateway that answers without the frame of JSON-RPC: `{code, message}`, `{message}`, `{errors: …}`. */
function errorBeside(reply: unknown): unknown {
  const { errors, code, message, data } = membersOf(reply);
  if (typeof errors === 'object' && errors !== null) return innermost(errors);
  return typeof message === 'string' ? own({ code, message, data }) : undefined;
}

/** Levels of errors inside errors that are opened. */
const maxWrapped = 3;

/** The error inside arrays and members named `error`, where the outer one has neither code nor message. */
function innermost(error: unknown, levels = maxWrapped): unknown {
  if (levels === 0) return error;
  if (Array.isArray(error)) return error.length > 0 ? innermost(error[0], levels - 1) : undefined;
  const { code, message, error: inner } = membersOf(error);
  if (typeof message === 'object' && message !== null) {
    const said = innermost(message, levels - 1);
    return own({ code, ...(typeof said === 'string' ? { message: said } : membersOf(said)) });
  }
  return code === undefined && message === undefined && isErrorItself(inner)
    ? innermost(inner, levels - 1)
    : error;
}

/** A code that is written as text is that number, but for -32000: it says nothing by itself, so the words count alone. */
const integerOf = (code: unknown): unknown =>
  typeof code === 'string' && code !== '-32000' && /^-?\d{1,6}$/.test(code) ? Number(code) : code;

/**
 * Reads an error: an object, or the text of a gateway. The node leaves the id out of its top-level errors, and spells a
 * missing one `"null"` (docs/notes/node.md#errors-without-an-id).
 */
function readError(error: unknown, echoed: unknown, id: number): Failure {
  if (echoed !== undefined && echoed !== null && echoed !== 'null' && echoed !== id) {
    return broken('the id is not that of the request');
  }
  const inner = innermost(error);
  const { code: number, message, data } = membersOf(inner);
  const code = integerOf(number);
  const said = typeof inner === 'string' ? inner : message;
  const text = typeof said === 'string' ? said : undefined;
  // `null` means no data.
  if (Number.isInteger(code)) return own({ code: code as number, text, data: data ?? undefined });
  return own({ trouble: 'uncoded', text, data: data ?? undefined });
}

export const broken = (text: string): Failure => own({ trouble: 'broken', text });

/** Whether the JSON is nested deeper than {@link maxDepth}: counts brackets outside strings. */
export function isNested(text: string): boolean {
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

/** The index of the closing quote of the string that starts at `from`; -1 if it is missing. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') before--;
    if ((quote - before) % 2 === 0) return quote;
  }
  return -1;
}

/**
 * Whether the result of a call is the payload of `Error(string)` or `Panic(uint256)`: some services answer a revert as a success.
 * A function returns whole words, so its result is never four bytes and whole words.
 */
export function isRevertPayload(result: unknown): result is string {
  if (typeof result !== 'string' || !/^0x(08c379a0|4e487b71)/i.test(result) || result.length % 64 !== 10)
    return false;
  if (/^0x4e/i.test(result)) return result.length === 74;
  const [offset, length] = [word(result, 10), word(result, 74)];
  return offset === 32 && result.length === 138 + 64 * Math.ceil(length / 32);
}

const word = (data: string, at: number) => Number.parseInt(data.slice(at, at + 64), 16);

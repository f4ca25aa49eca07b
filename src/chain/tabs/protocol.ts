import { errorCode, isProviderRpcError, ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';

/** What tabs say to each other. All of them hear all of it. */
export type Message = Message.Ask | Message.Heard | Message.Reply | Message.Lead | Message.Head;

export declare namespace Message {
  /** To the leader. */
  interface Ask {
    readonly kind: 'ask';
    readonly id: string;
    /** The tab that asks. */
    readonly from: string;
    /** Milliseconds since 1970, of this machine: a leader that slept must not answer what was asked meanwhile. */
    readonly at: number;
    readonly method: string;
    readonly params: readonly unknown[];
    /** The look that the asker knows already. */
    readonly seen?: string;
    /** Milliseconds. */
    readonly maxAge?: number;
  }
  /** The leader is there, and has begun to answer. */
  interface Heard {
    readonly kind: 'heard';
    readonly id: string;
  }
  interface Reply extends Answer {
    readonly kind: 'reply';
    readonly id: string;
  }
  /** The sender leads from now on. */
  interface Lead {
    readonly kind: 'lead';
  }
  /** The leader's look has brought another head than the one before. */
  interface Head {
    readonly kind: 'head';
    readonly look: string;
  }
}

/** A result, as JSON so that every reader has its own, or a failure. One of the two is there. */
export interface Answer {
  readonly result?: string;
  readonly failure?: Failure;
  /** Names the look that it comes from. */
  readonly look?: string;
  /** When that look began: milliseconds since 1970, of this machine. */
  readonly at?: number;
}

/** An error of ours in plain parts; `data` as JSON. */
export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data?: string;
}

/** Errors that come from the service are redacted where they are made; what is not ours shows nothing of itself. */
export function toFailure(error: unknown): Failure {
  if (!isProviderRpcError(error)) return { code: errorCode.internal, message: 'The request failed' };
  const { code, message } = error;
  const data = error.data === undefined ? undefined : JSON.stringify(error.data);
  return {
    code,
    message: message.slice(0, longestMessage),
    ...(data !== undefined && data.length <= longestData && { data }),
  };
}

export function fromFailure(failure: Failure): ProviderRpcError {
  const { code, message, data } = own(failure);
  return new ProviderRpcError(code, message, data === undefined ? undefined : JSON.parse(data));
}

/**
 * What another tab said; `null` for what is none of these messages. Other tabs may run another build, or have a
 * bug: nothing of what they say is believed because of its type.
 */
export function readMessage(received: unknown): Message | null {
  if (!isObject(received)) return null;
  const { kind, id, look, from, at, method, params, seen, maxAge } = own(received);
  if (kind === 'lead') return own<Message>({ kind });
  if (kind === 'head') return isName(look) ? own<Message>({ kind, look }) : null;
  if (!isName(id)) return null;
  switch (kind) {
    case 'heard':
      return own({ kind, id });
    case 'ask':
      if (!isName(from) || !isName(method) || !isTime(at) || !Array.isArray(params) || params.length > 2)
        return null;
      if (!(seen === undefined || isName(seen)) || !(maxAge === undefined || isTime(maxAge))) return null;
      return own<Message>({
        ...{ kind, id, from, at, method, params },
        ...(seen !== undefined && { seen }),
        ...(maxAge !== undefined && { maxAge }),
      });
    case 'reply': {
      const answer = readAnswer(received);
      return answer && own<Message>({ kind, id, ...answer });
    }
    default:
      return null;
  }
}

function readAnswer(received: Record<string, unknown>): Answer | null {
  const { result, failure, look, at } = own(received);
  if (!(look === undefined || isName(look)) || !(at === undefined || isTime(at))) return null;
  const named = { ...(look !== undefined && { look }), ...(at !== undefined && { at }) };
  if (typeof result === 'string') return isJson(result, longestResult) ? own({ result, ...named }) : null;
  if (!isObject(failure)) return null;
  const { code, message, data } = own(failure);
  if (!Number.isSafeInteger(code) || typeof message !== 'string' || message.length > longestMessage)
    return null;
  if (!(data === undefined || isJson(data, longestData))) return null;
  return own({ failure: { code: code as number, message, ...(data !== undefined && { data }) }, ...named });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 100;
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

function isJson(value: unknown, longest: number): value is string {
  if (typeof value !== 'string' || value.length > longest) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** A reply of the service at its largest (10 MiB), and a little. */
const longestResult = 11_000_000;
const longestMessage = 1_000;
const longestData = 10_000;

/** To and from the other tabs. */
export interface Channel {
  post(message: Message): void;
  close(): void;
}

export type OpenChannel = (name: string, hear: (message: Message) => void) => Channel;

/** @throws where there is no BroadcastChannel, or it is forbidden. */
export const openChannel: OpenChannel = (name, hear) => {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => {
    const message = readMessage(data);
    if (message) hear(message);
  };
  return {
    post: (message) => channel.postMessage(message),
    close: () => channel.close(),
  };
};

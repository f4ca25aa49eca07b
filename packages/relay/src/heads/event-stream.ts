/** A body of server-sent events, and a function that ends it. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Bytes that its reader has not taken. */
  unread(): number;
  end(): void;
}

/** Bytes that a reader may leave unread. More than for a WebSocket: the steps it has missed come first. */
const maxUnread = 2_097_152;

/**
 * Creates a body of server-sent events.
 *
 * @param start subscribes to what is written: each event with its name, its data as one line, and the id from which the client
 * goes on when it comes back. `end` ends the stream of a client that was sent too much. Returns a function that unsubscribes. An
 * error of `start` is rethrown.
 * @param onEnd called once, when the stream has ended: by {@link EventStream.end}, by the reader, or because it reads too
 * slowly
 */
export function createEventStream(
  start: (write: (event: string, id: string, data: string) => void, end: () => void) => () => void,
  onEnd: (reason: 'ended' | 'slow' | 'rate') => void,
): EventStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let stop: (() => void) | undefined;
  let ended = false;

  function finish(reason: 'ended' | 'slow' | 'rate'): void {
    if (ended) return;
    ended = true;
    stop?.();
    try {
      controller?.close();
    } catch {
      // The reader has cancelled it.
    }
    // Later, so that it is never called before this function has returned.
    queueMicrotask(() => onEnd(reason));
  }

  function enqueue(text: string): void {
    if (ended || !controller) return;
    if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text));
    else finish('slow');
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
        // Spread, so that not all come back at once after a restart.
        enqueue(`retry: ${1_000 + Math.floor(Math.random() * 4_000)}\n\n`);
        // An empty id would make the client forget where it stands.
        stop = start(
          (event, id, data) => enqueue(`event: ${event}\n${id === '' ? '' : `id: ${id}\n`}data: ${data}\n\n`),
          () => finish('rate'),
        );
        // It may have ended before there was anything to stop.
        if (ended) stop();
      },
      cancel: () => finish('ended'),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnread }),
  );
  const unread = () => (ended ? 0 : maxUnread - (controller?.desiredSize ?? maxUnread));
  return { body, unread, end: () => finish('ended') };
}

import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A connection in the protocol WebDriver BiDi. */
export interface Bidi {
  /** Sends a command. Rejects with the browser's error. */
  send<T>(method: string, params?: object): Promise<T>;
  close(): void;
}

export async function connectBidi(url: string): Promise<Bidi> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  let count = 0;
  socket.on('message', (text) => {
    const { id, result, error, message } = JSON.parse(String(text));
    const command = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) command?.resolve(result as never);
    else command?.reject(new Error(`${error}: ${message}`));
  });
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('The browser has ended the connection.'));
    waiting.clear();
  });
  return {
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++count;
        waiting.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      }),
    close: () => socket.close(),
  };
}

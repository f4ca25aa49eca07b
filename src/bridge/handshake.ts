import { bridgeError, versionError } from './errors.js';
import { commonVersion, randomToken, readGreeting, times, versions } from './protocol.js';

/** A port whose other end the wallet holds. */
export interface Opened {
  readonly port: MessagePort;
  /** The nonce that the wallet must repeat through the port. */
  readonly nonce: string;
}

/**
 * Waits until the wallet's document in a frame or window reports that it is ready, and hands it a port.
 *
 * @param host the wallet's origin
 * @param target the frame's or the window's content
 * @param signal aborted when the frame or window is gone
 * @throws ProviderRpcError -32002 `bridge-unreachable` after a timeout or if `signal` aborts, `bridge-version` for
 * a wallet that speaks none of our versions
 */
export function handshake(
  host: string,
  target: () => Window | null | undefined,
  signal: AbortSignal,
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const unreachable = () => {
      stop();
      reject(
        bridgeError(
          'bridge-unreachable',
          'The wallet did not load. Its address, its headers or this page’s Content-Security-Policy may forbid it.',
        ),
      );
    };
    const timer = setTimeout(unreachable, times.ready);
    const onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
      // Any window may post here: only the document in our frame or window, on the wallet's origin, is the wallet.
      const document = target();
      if (origin !== host || !document || source !== document) return;
      const greeting = readGreeting(data);
      if (greeting?.t !== 'ready') return;
      stop();
      if (commonVersion(greeting.v) === undefined) reject(versionError(greeting.v));
      else {
        const nonce = randomToken();
        const { port1, port2 } = new MessageChannel();
        document.postMessage({ graft: 'bridge', t: 'open', v: versions, nonce }, host, [port2]);
        resolve({ port: port1, nonce });
      }
    };
    const stop = () => {
      clearTimeout(timer);
      window.removeEventListener('message', onMessage);
      signal.removeEventListener('abort', unreachable);
    };
    window.addEventListener('message', onMessage);
    signal.addEventListener('abort', unreachable);
  });
}

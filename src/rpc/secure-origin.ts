import { isLoopback } from './loopback.js';

/** The origin of a URL that is https, or http on this machine; `null` for anything else. */
export function secureOrigin(url: unknown): string | null {
  try {
    const { origin, protocol, hostname } = new URL(url as string);
    return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)) ? origin : null;
  } catch {
    return null;
  }
}

/**
 * Whether a host name, as `URL.hostname` gives it, is this machine: the browser trusts it without https. The URL parser
 * has normalised IPv4 addresses to four decimal numbers.
 */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

import { get as getByHttp, type IncomingMessage } from 'node:http';
import { get as getByHttps } from 'node:https';

/** A server's response to a GET. */
export interface FileReply {
  /** The URL that answered, after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer<ArrayBuffer>;
  /** The same as a text in UTF-8. */
  readonly body: string;
}

const timeout = 10_000;
const maxRedirects = 3;
/** Bytes of a body; the largest script of the wallet has some 80,000. */
const maxBody = 1_000_000;

/**
 * Fetches a file as it is sent, every header included, and follows redirects within the origin. Names that end in
 * `.localhost` are this machine, as in browsers.
 *
 * @throws Error that says what failed, in a few words
 */
export async function fetchFile(url: URL, redirects = 0): Promise<FileReply> {
  const response = await answerOf(url);
  const status = response.statusCode ?? 0;
  const headers = readHeaders(response.rawHeaders);
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    response.destroy();
    const next = new URL(location, url);
    if (next.origin === url.origin && redirects < maxRedirects) return fetchFile(next, redirects + 1);
    return { url, status, headers, bytes: Buffer.alloc(0), body: '' };
  }
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length > maxBody) break;
    }
  } catch (error) {
    throw failureOf(error as Error, url);
  }
  const bytes = Buffer.concat(parts);
  return { url, status, headers, bytes, body: bytes.toString() };
}

/** Failures of a connection by Node's codes: the problem and a check for the operator. `{host}` is filled in. */
const sentences: readonly [codes: RegExp, sentence: string][] = [
  [/^ECONNREFUSED$/, 'nothing listens at {host}: is the server running, at this port?'],
  [/^ENOTFOUND$/, 'there is no host {host}: is its DNS record set?'],
  [/^EAI_/, 'the name {host} could not be looked up: does this machine reach a name server?'],
  [
    /^E(HOST|NET)UNREACH$|^ETIMEDOUT$/,
    '{host} cannot be reached: is its address right, and open to this machine?',
  ],
  [
    /^ECONNRESET$|^EPIPE$/,
    '{host} closed the connection before its answer was complete: is it a web server?',
  ],
  [/^EPROTO$|^ERR_SSL_/, '{host} does not speak HTTPS at this port.'],
  [/^HPE_/, '{host} does not speak HTTP at this port.'],
  [/^CERT_HAS_EXPIRED$/, 'the certificate of {host} has expired: renew it.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'the certificate is not for {host}: get one with this name.'],
  [
    /SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER|VERIFY)/,
    'browsers do not trust the certificate of {host}: get one of a known authority, and send its whole chain.',
  ],
];

function failureOf(error: NodeJS.ErrnoException, { host }: URL): Error {
  const { name, code = '', message } = error;
  if (name === 'TimeoutError' || name === 'AbortError')
    return new Error(`no answer from ${host} within 10 seconds`);
  const [, sentence] = sentences.find(([codes]) => codes.test(code)) ?? [];
  return new Error(
    sentence === undefined ? code || message : `${sentence.replace('{host}', host)} (${code})`,
  );
}

function answerOf(url: URL): Promise<IncomingMessage> {
  const host = /(^|\.)localhost$/.test(url.hostname) ? '127.0.0.1' : url.hostname.replace(/^\[|\]$/g, '');
  const options = {
    host,
    port: url.port,
    path: url.pathname + url.search,
    headers: { host: url.host, accept: '*/*' },
    servername: /[a-z]/i.test(url.hostname) ? url.hostname : '',
    signal: AbortSignal.timeout(timeout),
    agent: false as const,
  };
  return new Promise((resolve, reject) => {
    const get = url.protocol === 'https:' ? getByHttps : getByHttp;
    get(options, resolve).once('error', (error) => reject(failureOf(error, url)));
  });
}

/** @param raw names and values by turns; one that was sent twice is there twice, which Node's own `headers` hide */
function readHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < raw.length; index += 2)
    headers.append(raw[index] as string, raw[index + 1] as string);
  return headers;
}

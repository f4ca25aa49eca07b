import { excerpt } from '../../../../src/rpc/core-errors.js';
import { invalidParams } from '../../../../src/rpc/errors.js';
import { isLoopback } from '../../../../src/rpc/loopback.js';
import { own } from '../../../../src/rpc/own.js';
import { isOnThisMachine } from '../../../../src/service/networks.js';
import type { JwtOptions, TokenAlgorithm } from '../access/auth.js';
import { defaultLimits, type LimitOptions, type LimitValues, limitValues } from '../access/limits.js';
import { type MethodOptions, mayBeRelayed } from '../access/policy.js';
import type { Engine } from '../engines/engine.js';

/** One chain of a relay. */
export interface RelayNetwork {
  /** Such as 30 (mainnet) or 31 (testnet). */
  readonly chainId: number;
  /** The endpoint with its API key, or several in order of preference: `https`, or `http` on this machine. */
  readonly url: string | readonly string[];
  /** The node's WebSocket URL (`wss`, or `ws` on this machine): its `newHeads` say when to poll. */
  readonly socket?: string | undefined;
  /**
   * Milliseconds between two polls, 1,000 to 60,000, from 20 for a service on this machine. Default 6,000; while `socket`
   * is connected 30,000. With less than 1,000 no answer is used twice. Clients that poll over HTTP get answers of at most a
   * second ago while the day's requests are spent no faster than evenly.
   */
  readonly interval?: number | undefined;
  /** Requests per day (UTC); `null` for no limit. Default 25,000. */
  readonly requestsPerDay?: number | null | undefined;
  /** Requests per second; `null` for no limit. Default 20. */
  readonly requestsPerSecond?: number | null | undefined;
  /** Requests that may be sent at once after a pause. Default 100. */
  readonly burst?: number | undefined;
}

/**
 * The options of `createRelay` and, with those of its server, of `serveRelay`.
 *
 * @example
 * import type { RelayOptions } from 'graft-relay';
 *
 * const options: RelayOptions = {
 *   networks: [{ chainId: 31, url: 'https://rpc.testnet.rootstock.io/my-key', interval: 6_000 }],
 *   origins: ['https://app.example'],
 *   limits: { readsPerMinute: 60 },
 *   methods: { only: ['eth_call', 'eth_getLogs', 'eth_sendRawTransaction'] },
 *   trustedProxies: 1,
 * };
 */
export interface RelayOptions {
  /** The first is also served without its chain id in the path. */
  readonly networks: readonly RelayNetwork[];
  /**
   * Origins of the pages that may use the relay, such as `https://app.example`. `*` for all, only together with `jwt` or
   * `open`. Other programs can claim any origin: where that matters, use `jwt`.
   */
  readonly origins: readonly string[];
  /** Says that everybody may use the relay, and with it the API key's requests. Default false. */
  readonly open?: boolean | undefined;
  /** Clients prove who they are with tokens. Default: no tokens. */
  readonly jwt?: JwtOptions | undefined;
  /** Narrows or widens the list of methods. */
  readonly methods?: MethodOptions | undefined;
  /** Limits per client. */
  readonly limits?: LimitOptions | undefined;
  /**
   * Proxies in front of the relay that each add an address to `X-Forwarded-For`. Default 0: the header counts for
   * nothing.
   */
  readonly trustedProxies?: number | undefined;
  /** Where given, `/metrics` and `/status` answer to `Authorization: Bearer <adminToken>`. At least 16 characters. */
  readonly adminToken?: string | undefined;
  /** Where steps and counts are kept. Default: in this process. */
  readonly engine?: ((chainId: number) => Engine) | undefined;
  /** For requests to the service. Default `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** For `socket`. Default `globalThis.WebSocket`. */
  readonly WebSocket?: (new (url: string) => WebSocket) | undefined;
}

/** Checked options, with their defaults. */
export interface CheckedOptions extends Omit<RelayOptions, 'networks' | 'origins' | 'open' | 'limits'> {
  readonly networks: readonly (Omit<RelayNetwork, 'url'> & { readonly urls: readonly string[] })[];
  /** `null`: every origin. */
  readonly origins: ReadonlySet<string> | null;
  readonly limits: LimitValues;
  readonly trustedProxies: number;
}

/** The options that a file can have too. */
export const plainOptions = [
  'networks',
  'origins',
  'open',
  'jwt',
  'methods',
  'limits',
  'trustedProxies',
  'adminToken',
] as const;
const functionOptions = ['engine', 'fetch', 'WebSocket'] as const;
const networkNames = [
  'chainId',
  'url',
  'socket',
  'interval',
  'requestsPerDay',
  'requestsPerSecond',
  'burst',
] as const;
const jwtNames = ['key', 'jwks', 'algorithms', 'audience', 'required'] as const;
const algorithmNames: readonly TokenAlgorithm[] = ['HS256', 'ES256', 'EdDSA'];

/**
 * Checks the options of a relay. A message names the option and the rule; never a URL, a key or a token.
 * @throws ProviderRpcError -32602
 */
export function readOptions(given: unknown): CheckedOptions {
  const options = readRecord(given, 'options', [
    ...plainOptions,
    ...functionOptions,
  ]) as Partial<RelayOptions>;
  const { networks, open = false, jwt, trustedProxies = 0, adminToken } = options;
  must(Array.isArray(networks) && networks.length > 0, 'networks', 'an array of at least one network');
  const seen = new Set<number>();
  const read = (networks as readonly unknown[]).map((each, i) => {
    const network = readNetwork(each, `networks[${i}]`);
    must(!seen.has(network.chainId), `networks[${i}].chainId`, 'a chain that is not listed before');
    seen.add(network.chainId);
    return network;
  });
  must(typeof open === 'boolean', 'open', 'true or false');
  const checkedJwt = jwt === undefined ? undefined : readJwt(jwt);
  const origins = readOrigins(options.origins);
  if (origins === null)
    must(
      open || (checkedJwt !== undefined && checkedJwt.required !== false),
      'origins',
      'a list without "*": that is only allowed together with jwt (required), or with open: true',
    );
  must(isWhole(trustedProxies, 0, 10), 'trustedProxies', 'a whole number from 0 to 10');
  must(
    adminToken === undefined || (typeof adminToken === 'string' && /^[\x21-\x7e]{16,512}$/.test(adminToken)),
    'adminToken',
    '16 to 512 characters without spaces',
  );
  for (const name of functionOptions)
    must(options[name] === undefined || typeof options[name] === 'function', name, 'a function');
  return {
    networks: read,
    origins,
    jwt: checkedJwt,
    methods: readMethods(options.methods),
    limits: readLimits(options.limits),
    trustedProxies,
    adminToken,
    engine: options.engine,
    fetch: options.fetch,
    WebSocket: options.WebSocket,
  };
}

function readNetwork(given: unknown, path: string): CheckedOptions['networks'][number] {
  const { url, ...network } = readRecord(given, path, networkNames) as Partial<RelayNetwork>;
  const { chainId, socket, interval, requestsPerDay, requestsPerSecond, burst } = own(network);
  must(isWhole(chainId, 1, Number.MAX_SAFE_INTEGER), `${path}.chainId`, 'a positive whole number');
  const urls: readonly unknown[] = Array.isArray(url) ? url : [url];
  must(urls.length > 0, `${path}.url`, 'a URL or an array of at least one');
  for (const [i, each] of urls.entries())
    must(
      isSafeUrl(each, 'http'),
      Array.isArray(url) ? `${path}.url[${i}]` : `${path}.url`,
      'an https URL without a user name (http on loopback only)',
    );
  must(
    socket === undefined || isSafeUrl(socket, 'ws'),
    `${path}.socket`,
    'a wss URL without a user name (ws on loopback only)',
  );
  const minInterval = urls.every((each) => isOnThisMachine(each as string)) ? 20 : 1_000;
  must(
    interval === undefined || isWhole(interval, minInterval, 60_000),
    `${path}.interval`,
    '1,000 to 60,000 milliseconds, from 20 for a service on this machine',
  );
  for (const [name, value] of Object.entries({ requestsPerDay, requestsPerSecond }))
    must(
      value === undefined || value === null || isAbove(value, 0),
      `${path}.${name}`,
      'a number above zero, or null',
    );
  must(burst === undefined || isAbove(burst, 0.999), `${path}.burst`, 'a number of at least 1');
  return { ...network, chainId: chainId as number, urls: urls as string[] };
}

function readOrigins(given: unknown): ReadonlySet<string> | null {
  must(Array.isArray(given) && given.length > 0, 'origins', 'a list of origins such as https://app.example');
  const list = given as readonly unknown[];
  if (list.includes('*')) {
    must(list.length === 1, 'origins', '"*" alone, or a list without it');
    return null;
  }
  for (const [i, each] of list.entries())
    must(
      typeof each === 'string' && URL.canParse(each) && new URL(each).origin === each,
      `origins[${i}]`,
      'an origin such as https://app.example: scheme, host and port, no path',
    );
  return new Set(list as string[]);
}

function readJwt(given: unknown): JwtOptions {
  const jwt = readRecord(given, 'jwt', jwtNames) as Partial<JwtOptions>;
  const { key, jwks, algorithms = [], audience, required } = jwt;
  must(
    Array.isArray(algorithms) &&
      algorithms.length > 0 &&
      algorithms.every((each) => algorithmNames.includes(each)),
    'jwt.algorithms',
    `a list of ${algorithmNames.join(', ')}`,
  );
  const shared = algorithms.includes('HS256');
  must(!shared || algorithms.length === 1, 'jwt.algorithms', 'HS256 alone, or others without it');
  must(typeof audience === 'string' && audience !== '', 'jwt.audience', 'a text');
  must((key === undefined) !== (jwks === undefined), 'jwt', 'given with either key or jwks');
  if (key !== undefined) {
    must(algorithms.length === 1, 'jwt.algorithms', 'one algorithm, where there is one key');
    if (shared)
      must(typeof key === 'string' && key.length >= 32, 'jwt.key', 'at least 32 characters for HS256');
    else
      must(
        typeof key === 'string' ? key.includes('-----BEGIN PUBLIC KEY-----') : isPublicKey(key),
        'jwt.key',
        'a public key: PEM (SPKI) or a JWK without its private part',
      );
  } else {
    must(!shared, 'jwt.algorithms', 'without HS256 where the keys are a public key set');
    const keys = typeof jwks === 'object' && jwks !== null ? own(jwks).keys : undefined;
    must(
      typeof jwks === 'string'
        ? isSafeUrl(jwks, 'http')
        : Array.isArray(keys) && keys.length > 0 && keys.every(isPublicKey),
      'jwt.jwks',
      'an https URL, or { keys } with public keys',
    );
  }
  must(required === undefined || typeof required === 'boolean', 'jwt.required', 'true or false');
  return jwt as JwtOptions;
}

const isPublicKey = (key: unknown): boolean => {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, d, k } = own(key as Record<string, unknown>);
  return typeof kty === 'string' && d === undefined && k === undefined;
};

function readMethods(given: unknown): MethodOptions {
  if (given === undefined) return {};
  const { only, also } = readRecord(given, 'methods', ['only', 'also']) as MethodOptions;
  const isList = (list: unknown) => Array.isArray(list) && list.every((each) => typeof each === 'string');
  must(only === undefined || isList(only), 'methods.only', 'a list of methods');
  must(also === undefined || isList(also), 'methods.also', 'a list of methods');
  for (const [i, method] of (also ?? []).entries())
    must(
      mayBeRelayed(method),
      `methods.also[${i}]`,
      `a method that may be relayed, and not ${excerpt(method)}`,
    );
  return { only, also };
}

function readLimits(given: unknown): LimitValues {
  if (given === undefined) return defaultLimits;
  const names = Object.keys(defaultLimits) as (keyof LimitOptions)[];
  const limits = readRecord(given, 'limits', names) as LimitOptions;
  for (const name of names) {
    const value = limits[name];
    if (value === undefined) continue;
    const path = `limits.${name}`;
    if (name === 'shareOfDay') must(isAbove(value, 0) && value <= 1, path, 'a number above 0, at most 1');
    else if (name.endsWith('Second') || name.endsWith('Minute'))
      must(isAbove(value, 0), path, 'a number above zero');
    else if (name === 'unreadBytes')
      must(isWhole(value, 1, 2 ** 40), path, 'a whole number of bytes above zero');
    else must(isWhole(value, 1, 1_000_000), path, 'a whole number above zero');
  }
  return limitValues(limits);
}

/** An object with no other keys than `names`, without a prototype. */
export function readRecord<K extends string>(
  given: unknown,
  path: string,
  names: readonly K[],
): { readonly [key in K]?: unknown } {
  must(typeof given === 'object' && given !== null && !Array.isArray(given), path, 'an object');
  for (const key of Object.keys(given as object))
    if (!(names as readonly string[]).includes(key))
      throw invalidParams(
        `${path === 'options' ? '' : `${path}.`}${excerpt(key)}: unknown option (known: ${names.join(', ')})`,
      );
  return own(given as { readonly [key in K]?: unknown });
}

/** @throws ProviderRpcError -32602: `path must be rule` */
export function must(holds: boolean, path: string, rule: string): void {
  if (!holds) throw invalidParams(`${path} must be ${rule}`);
}

export const isWhole = (value: unknown, min: number, max: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;

const isAbove = (value: unknown, min: number): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value > min;

function isSafeUrl(value: unknown, scheme: 'http' | 'ws'): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (username !== '' || password !== '') return false;
  return protocol === `${scheme}s:` || (protocol === `${scheme}:` && isLoopback(hostname));
}

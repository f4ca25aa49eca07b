import { errorCode, invalidParams, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { isLoopback } from '../rpc/loopback.js';
import { ownDeep } from '../rpc/own-data.js';
import { createNetworks, type NetworkOptions } from '../service/networks.js';
import { type RateLimits, readLimits } from '../service/rate-limit/limits.js';
import type { Look } from '../ui/preferences.js';

/** The contents of `wallet.json`: configuration of a wallet that lives on an origin of its own. */
export interface SiteConfiguration {
  /** Where the wallet is served, such as `https://wallet.example.com`. http only on this machine. */
  readonly origin: string;
  /** Name of the wallet and title of its pages, 1 to 40 characters. */
  readonly name: string;
  /** As in `createWallet`. Anyone can read the URLs and the keys in them. */
  readonly networks: readonly (NetworkOptions & RateLimits)[];
  /** The origins of the dapps that may use the wallet, each written out in full. No other origin can frame or ask it. */
  readonly allow: readonly string[];
  /**
   * Origins among `allow`, your own, whose pages may be asked in the wallet's frame instead of a window. Such a page can mask
   * the frame so that a person approves what they do not see. Default none.
   */
  readonly frameMayAsk: readonly string[];
  /**
   * Further origins that the wallet's pages may connect to: endpoints of networks that a dapp or the person adds later. All
   * others are blocked by the Content-Security-Policy. Default none.
   */
  readonly endpoints: readonly string[];
  /** Theme and language of the dialog and the panel. */
  readonly look: Pick<Look, 'theme' | 'language'>;
}

const members = ['origin', 'name', 'networks', 'allow', 'frameMayAsk', 'endpoints', 'look'] as const;
/** Objects, so that a theme or a language that is added to the type is missed by the compiler here. */
const themes: Readonly<Record<NonNullable<Look['theme']>, true>> = { auto: true, light: true, dark: true };
const languages: Readonly<Record<NonNullable<Look['language']>, true>> = { en: true, es: true, pt: true };

/**
 * Reads the text of `wallet.json`. The message of an error is for the person who wrote the file: it names the place and
 * the rule, and shows no URL of a network, because the key of the service is in it.
 *
 * @example
 * const configuration = readConfiguration(await (await fetch('/wallet.json')).text());
 *
 * @throws ProviderRpcError -32602 `wallet.json: allow[1]: …`
 */
export function readConfiguration(text: string): SiteConfiguration {
  const given = ownDeep(parse(text));
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw wrong('expected an object');
  const fields = given as Partial<Record<string, unknown>>;
  const unknown = Object.keys(fields).find((name) => !members.includes(name as never));
  if (unknown !== undefined)
    throw wrong(`there is no member "${unknown}"; it may have ${members.join(', ')}`);
  const missing = members.find((name) => required.has(name) && fields[name] === undefined);
  if (missing) throw wrong(`${missing} is missing`);
  const { name, networks } = fields;
  const origin = readOrigin(fields.origin, 'origin');
  const allow = readOrigins(fields.allow, 'allow');
  const local = isLocal(origin) ? -1 : allow.findIndex(isLocal);
  // In the web view of an app, that is the origin of its pages: every app would be on the list.
  if (local >= 0) throw wrong(`allow[${local}]: ${allow[local]} is on the machine of whoever visits it`);
  const frameMayAsk = readOrigins(fields.frameMayAsk ?? [], 'frameMayAsk');
  const unlisted = frameMayAsk.find((each) => !allow.includes(each));
  if (unlisted !== undefined) throw wrong(`frameMayAsk: ${unlisted} is not in allow`);
  if (typeof name !== 'string' || name.trim() === '' || name.length > 40)
    throw wrong('name: expected a text of 1 to 40 characters');
  return {
    origin,
    name,
    networks: readNetworks(networks),
    allow,
    frameMayAsk,
    endpoints: readOrigins(fields.endpoints ?? [], 'endpoints'),
    look: readLook(fields.look ?? {}),
  };
}

const isLocal = (origin: string): boolean => isLoopback(new URL(origin).hostname);

const required: ReadonlySet<string> = new Set(['origin', 'name', 'networks', 'allow']);

const wrong = (rule: string) => invalidParams(`wallet.json: ${rule}`);

/**
 * Leaves out a byte order mark, which editors on Windows write, and the parser's own message: it shows a part of the text, which
 * may have a key in it.
 */
function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1];
    if (position === undefined) throw wrong('this is not JSON');
    const before = text.slice(0, Number(position)).split('\n');
    throw wrong(`this is not JSON: line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`);
  }
}

function readNetworks(value: unknown): SiteConfiguration['networks'] {
  try {
    createNetworks(value as SiteConfiguration['networks']);
    readLimits(value as SiteConfiguration['networks']);
    return value as SiteConfiguration['networks'];
  } catch (error) {
    throw isProviderRpcError(error) ? wrong(error.message) : error;
  }
}

function readOrigins(value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value)) throw wrong(`${path}: expected an array of origins`);
  const origins = value.map((each, index) => readOrigin(each, `${path}[${index}]`));
  const twice = origins.find((each, index) => origins.indexOf(each) !== index);
  if (twice !== undefined) throw wrong(`${path}: ${twice} is there twice`);
  return origins;
}

/** An origin in the one spelling that a browser uses, because it is compared as text. */
function readOrigin(value: unknown, path: string): string {
  const expected = 'expected an origin, such as https://app.example.com';
  if (typeof value !== 'string') throw wrong(`${path}: ${expected}`);
  if (value.includes('*')) throw wrong(`${path}: no wildcards; name each origin`);
  const url = parseUrl(value);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isSafe) throw wrong(`${path}: ${expected} (http on this machine only)`);
  if (url.origin !== value) throw wrong(`${path}: write ${url.origin}, and nothing else`);
  return value;
}

function parseUrl(value: string): URL | null {
  try {
    return new URL(value);
  } catch {
    return null;
  }
}

function readLook(value: unknown): SiteConfiguration['look'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong('look: expected an object');
  const { theme, language, ...others } = value as Record<string, unknown>;
  const [other] = Object.keys(others);
  if (other !== undefined) throw wrong(`look: there is no member "${other}"; it may have theme, language`);
  const choose = (choice: unknown, name: string, from: object) => {
    if (choice !== undefined && !Object.hasOwn(from, String(choice)))
      throw wrong(`look.${name}: expected one of ${Object.keys(from).join(', ')}`);
  };
  choose(theme, 'theme', themes);
  choose(language, 'language', languages);
  return value;
}

/**
 * The configuration, for the page at `origin`: a wallet that is served somewhere else than it says would be an empty one.
 * @throws ProviderRpcError -32002
 */
export function requireServedAt(configuration: SiteConfiguration, origin: string): SiteConfiguration {
  if (configuration.origin === origin) return configuration;
  throw new ProviderRpcError(
    errorCode.resourceUnavailable,
    `wallet.json: origin is ${configuration.origin}, but this page is served at ${origin}`,
  );
}

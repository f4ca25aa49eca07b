import { errorCode, invalidParams, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { ownDeep } from '../rpc/own-data.js';
import { secureOrigin } from '../rpc/secure-origin.js';
import { createNetworks, isOnThisMachine, type NetworkOptions } from '../service/networks.js';
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

const required = ['origin', 'name', 'networks', 'allow'];
const members = [...required, 'frameMayAsk', 'endpoints', 'look'];
/** Objects, so that a theme or a language that is added to the type is missed by the compiler here. */
const looks: { readonly [Name in 'theme' | 'language']: Readonly<Record<NonNullable<Look[Name]>, true>> } = {
  theme: { auto: true, light: true, dark: true },
  language: { en: true, es: true, pt: true },
};

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
  const fields = readMembers(ownDeep(parse(text)), members);
  const missing = required.find((name) => fields[name] === undefined);
  if (missing) throw wrong(`${missing} is missing`);
  const { name } = fields;
  const origin = readOrigin(fields.origin, 'origin');
  const allow = readOrigins(fields.allow, 'allow');
  const local = isOnThisMachine(origin) ? -1 : allow.findIndex(isOnThisMachine);
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
    networks: readNetworks(fields.networks as SiteConfiguration['networks']),
    allow,
    frameMayAsk,
    endpoints: readOrigins(fields.endpoints ?? [], 'endpoints'),
    look: readLook(fields.look ?? {}),
  };
}

const wrong = (rule: string) => invalidParams(`wallet.json: ${rule}`);

/** @param path of the object, with a colon, or empty */
function readMembers(value: unknown, names: readonly string[], path = ''): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(`${path}expected an object`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw wrong(`${path}there is no member "${unknown}"; it may have ${names.join(', ')}`);
  return value as Readonly<Record<string, unknown>>;
}

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

function readNetworks(networks: SiteConfiguration['networks']): SiteConfiguration['networks'] {
  try {
    createNetworks(networks);
    readLimits(networks);
    return networks;
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
  const origin = secureOrigin(value);
  if (origin === null) throw wrong(`${path}: ${expected} (http on this machine only)`);
  if (origin !== value) throw wrong(`${path}: write ${origin}, and nothing else`);
  return value;
}

function readLook(value: unknown): SiteConfiguration['look'] {
  const look = readMembers(value, Object.keys(looks), 'look: ');
  for (const [name, choices] of Object.entries(looks))
    if (look[name] !== undefined && !Object.hasOwn(choices, String(look[name])))
      throw wrong(`look.${name}: expected one of ${Object.keys(choices).join(', ')}`);
  return look;
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

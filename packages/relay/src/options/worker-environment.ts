import { invalidParams } from '../../../../src/rpc/errors.js';
import { membersOf } from '../../../../src/rpc/own-data.js';
import { must, type RelayOptions, readOptions } from './config.js';
import { readSettings } from './settings.js';

/** Required bindings and optional variables of a Worker's configuration. */
export interface WorkerEnvironment {
  /** The namespace of the class `Chain`. */
  readonly CHAIN: unknown;
  /** The options of `graft-relay --config`, as JSON: an object or a text. */
  readonly GRAFT_RELAY_CONFIG?: unknown;
  /** `GRAFT_RELAY_URL_31` and the others of `graft-relay`. Those with keys are secrets. */
  readonly [variable: string]: unknown;
}

/** A namespace of the Workers runtime: the objects of a class, by their names. */
export interface ObjectNamespace {
  idFromName(name: string): ObjectId;
  get(id: ObjectId): { fetch(request: Request): Promise<Response> };
}

export interface ObjectId {
  equals(other: ObjectId): boolean;
}

export const namespaceOf = (env: WorkerEnvironment) => env.CHAIN as ObjectNamespace;

const read = new WeakMap<object, Promise<RelayOptions>>();

/** The options of the relay from the variables and secrets of a Worker. @throws ProviderRpcError -32602 */
export function optionsOf(env: WorkerEnvironment): Promise<RelayOptions> {
  const options = read.get(env) ?? readEnvironment(env);
  read.set(env, options);
  return options;
}

async function readEnvironment(env: WorkerEnvironment): Promise<RelayOptions> {
  const variables = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  must(typeof env.CHAIN === 'object', 'CHAIN', 'the namespace of the class Chain: see durable_objects');
  const file = readConfig(env.GRAFT_RELAY_CONFIG);
  const isListed = membersOf(file).networks !== undefined;
  const chains = Object.keys(variables).flatMap((name) => /^GRAFT_RELAY_URL_(\d+)$/.exec(name)?.[1] ?? []);
  const { host, port, admin, drain, redisUrl, ...options } = await readSettings(
    {},
    { ...(!isListed && chains.length > 0 && { GRAFT_RELAY_CHAINS: chains.join(' ') }), ...variables },
    file,
    () => Promise.reject(new Error('a Worker has no files')),
  );
  readOptions(options);
  return options as unknown as RelayOptions;
}

/** The message of the parser would show some of the text, which may contain a key. */
function readConfig(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    throw invalidParams('GRAFT_RELAY_CONFIG must be JSON');
  }
}

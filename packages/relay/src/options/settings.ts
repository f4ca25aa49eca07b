import { invalidParams } from '../../../../src/rpc/errors.js';
import { own } from '../../../../src/rpc/own.js';
import { membersOf } from '../../../../src/rpc/own-data.js';
import { isWhole, must, plainOptions, readRecord } from './config.js';

/** Flags of the command line of `graft-relay`. */
export interface Flags {
  readonly chain?: readonly string[] | undefined;
  readonly origin?: readonly string[] | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly 'admin-port'?: string | undefined;
  readonly 'trusted-proxies'?: string | undefined;
  readonly open?: boolean | undefined;
}

const names = [...plainOptions, 'host', 'port', 'admin', 'drain', 'redisUrl'] as const;

/**
 * Puts the options of `serveRelay` together from the command line, the environment and a configuration file; the first
 * that has an option wins. The result is checked by `serveRelay`.
 *
 * In the file, `url`, `socket`, `jwt.key`, `adminToken` and `redisUrl` may be `{ "env": "NAME" }` or `{ "file": "/run/secrets/key" }`.
 * From the environment come `GRAFT_RELAY_URL_31` and `GRAFT_RELAY_SOCKET_31` (for each chain; several URLs with spaces
 * between them), `GRAFT_RELAY_CHAINS`, `GRAFT_RELAY_ORIGINS`, `GRAFT_RELAY_HOST`, `GRAFT_RELAY_PORT`,
 * `GRAFT_RELAY_ADMIN_PORT`, `GRAFT_RELAY_ADMIN_TOKEN`, `GRAFT_RELAY_REDIS_URL` and `GRAFT_RELAY_TRUSTED_PROXIES`; each also with `_FILE` at its end,
 * which names a file with the value.
 *
 * @param file the parsed configuration file
 * @throws ProviderRpcError -32602 naming the option, flag or variable that is wrong, never its value
 */
export async function readSettings(
  flags: Flags,
  environment: Readonly<Record<string, string | undefined>>,
  file: unknown,
  readFile: (path: string) => Promise<string>,
): Promise<Record<string, unknown>> {
  async function secretFile(path: string, option: string): Promise<string> {
    try {
      return (await readFile(path)).trim();
    } catch {
      throw invalidParams(`${option}: the file that it names cannot be read`);
    }
  }

  async function variable(name: string): Promise<string | undefined> {
    const path = environment[`${name}_FILE`];
    const value = environment[name];
    must(path === undefined || value === undefined, name, `given once: there is also ${name}_FILE`);
    const read = path === undefined ? value?.trim() : await secretFile(path, `${name}_FILE`);
    return read === '' ? undefined : read;
  }

  /** Replaces `{ env }` and `{ file }` by what they name. */
  async function resolve(given: unknown, option: string): Promise<unknown> {
    if (Array.isArray(given)) return Promise.all(given.map((each, i) => resolve(each, `${option}[${i}]`)));
    if (typeof given !== 'object' || given === null) return given;
    const { env, file: path } = own(given as { env?: unknown; file?: unknown });
    if (typeof path === 'string') return secretFile(path, option);
    if (typeof env !== 'string') return given;
    const value = await variable(env);
    must(value !== undefined, option, `set: the variable ${env} is empty`);
    return value;
  }

  const config: Record<string, unknown> = { ...readRecord(file === undefined ? {} : file, 'options', names) };

  const chains = flags.chain ?? words(await variable('GRAFT_RELAY_CHAINS'));
  const listed: unknown[] = Array.isArray(config.networks) ? config.networks : [];
  if (chains) {
    config.networks = chains.map((each) => {
      const chainId = readNumber('--chain', each, 1, Number.MAX_SAFE_INTEGER);
      return listed.find((network) => membersOf(network).chainId === chainId) ?? { chainId };
    });
  }
  if (Array.isArray(config.networks))
    config.networks = await Promise.all(
      config.networks.map(async (each: unknown, i) => {
        if (typeof each !== 'object' || each === null) return each;
        const { chainId, url, socket, ...others } = own(each as Record<string, unknown>);
        const urls = words(await variable(`GRAFT_RELAY_URL_${chainId}`));
        const ofVariable = urls?.length === 1 ? urls[0] : urls;
        const found = ofVariable ?? (await resolve(url, `networks[${i}].url`));
        must(
          found !== undefined,
          `networks[${i}].url`,
          `set: put the URL with its key into GRAFT_RELAY_URL_${chainId}, or name a file in GRAFT_RELAY_URL_${chainId}_FILE`,
        );
        const wakeUps =
          (await variable(`GRAFT_RELAY_SOCKET_${chainId}`)) ??
          (await resolve(socket, `networks[${i}].socket`));
        return { chainId, url: found, ...(wakeUps !== undefined && { socket: wakeUps }), ...others };
      }),
    );
  must(
    config.networks !== undefined,
    '--chain',
    'given, such as --chain 31; or networks in the configuration file',
  );

  const set = (name: string, value: unknown) => {
    if (value !== undefined) config[name] = value;
  };
  const number = (flag: string, text: string | undefined, max: number) =>
    text === undefined ? undefined : readNumber(flag, text, 0, max);
  set('origins', flags.origin ?? words(await variable('GRAFT_RELAY_ORIGINS')));
  set('open', flags.open);
  set('host', flags.host ?? (await variable('GRAFT_RELAY_HOST')));
  set('port', number('--port', flags.port ?? (await variable('GRAFT_RELAY_PORT')), 65_535));
  const proxies = flags['trusted-proxies'] ?? (await variable('GRAFT_RELAY_TRUSTED_PROXIES'));
  set('trustedProxies', number('--trusted-proxies', proxies, 10));
  const adminPort = flags['admin-port'] ?? (await variable('GRAFT_RELAY_ADMIN_PORT'));
  if (adminPort === 'none') config.admin = null;
  else if (adminPort !== undefined)
    config.admin = { ...Object(config.admin), port: readNumber('--admin-port', adminPort, 0, 65_535) };
  const secret = async (name: string, option: string) =>
    set(option, (await variable(name)) ?? (await resolve(config[option], option)));
  await secret('GRAFT_RELAY_ADMIN_TOKEN', 'adminToken');
  await secret('GRAFT_RELAY_REDIS_URL', 'redisUrl');
  if (typeof config.jwt === 'object' && config.jwt !== null) {
    const jwt = { ...config.jwt } as Record<string, unknown>;
    const key = await resolve(jwt.key, 'jwt.key');
    config.jwt = key === undefined ? jwt : { ...jwt, key };
  }
  must(
    config.origins !== undefined,
    '--origin',
    'given: the origin of your app, such as https://app.example',
  );
  return config;
}

const words = (text: string | undefined): string[] | undefined =>
  text?.split(/[\s,]+/).filter((each) => each !== '');

function readNumber(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  must(/^\d+$/.test(text) && isWhole(value, min, max), flag, `a whole number from ${min} to ${max}`);
  return value;
}

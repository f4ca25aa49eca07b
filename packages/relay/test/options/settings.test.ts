import { describe, expect, test } from 'vitest';
import { type Flags, readSettings } from '../../src/options/settings.js';

const url = 'https://rpc.example/the-secret-key';
const files: Record<string, string> = { '/run/secrets/rsk': `${url}\n`, '/run/secrets/empty': '' };

function read(flags: Flags, environment: Record<string, string> = {}, file?: unknown) {
  return readSettings(flags, environment, file, async (path) => {
    const text = files[path];
    if (text === undefined) throw new Error(`ENOENT ${path}`);
    return text;
  });
}
const flags: Flags = { chain: ['31'], origin: ['https://app.example'] };

describe('where an option comes from', () => {
  test('the command line and a key in the environment', async () => {
    expect(await read({ ...flags, port: '8600', open: true }, { GRAFT_RELAY_URL_31: url })).toEqual({
      networks: [{ chainId: 31, url }],
      origins: ['https://app.example'],
      port: 8600,
      open: true,
    });
  });

  test('several URLs, and the key in a file', async () => {
    expect(await read(flags, { GRAFT_RELAY_URL_31: `${url} https://other.example` })).toMatchObject({
      networks: [{ chainId: 31, url: [url, 'https://other.example'] }],
    });
    expect(await read(flags, { GRAFT_RELAY_URL_31_FILE: '/run/secrets/rsk' })).toMatchObject({
      networks: [{ chainId: 31, url }],
    });
  });

  test('all from the environment', async () => {
    expect(
      await read(
        {},
        {
          GRAFT_RELAY_CHAINS: '30 31',
          GRAFT_RELAY_URL_30: url,
          GRAFT_RELAY_URL_31: url,
          GRAFT_RELAY_SOCKET_31: 'wss://rpc.example',
          GRAFT_RELAY_ORIGINS: 'https://a.example, https://b.example',
          GRAFT_RELAY_HOST: '0.0.0.0',
          GRAFT_RELAY_PORT: '80',
          GRAFT_RELAY_ADMIN_PORT: 'none',
          GRAFT_RELAY_ADMIN_TOKEN: 'a-token-of-the-owner',
          GRAFT_RELAY_TRUSTED_PROXIES: '1',
        },
      ),
    ).toEqual({
      networks: [
        { chainId: 30, url },
        { chainId: 31, url, socket: 'wss://rpc.example' },
      ],
      origins: ['https://a.example', 'https://b.example'],
      host: '0.0.0.0',
      port: 80,
      admin: null,
      adminToken: 'a-token-of-the-owner',
      trustedProxies: 1,
    });
  });

  test('a file, whose secrets are elsewhere; flags win', async () => {
    const file = {
      networks: [{ chainId: 31, url: [{ file: '/run/secrets/rsk' }, { env: 'SECOND' }], interval: 12_000 }],
      origins: ['https://app.example'],
      jwt: { key: { env: 'JWT' }, algorithms: ['HS256'], audience: 'relay' },
      port: 1,
    };
    expect(await read({ port: '2' }, { SECOND: 'https://b.example', JWT: 'secret' }, file)).toEqual({
      ...file,
      networks: [{ chainId: 31, url: [url, 'https://b.example'], interval: 12_000 }],
      jwt: { ...file.jwt, key: 'secret' },
      port: 2,
    });
    expect(
      await read({ chain: ['31'] }, { GRAFT_RELAY_URL_31: 'https://c.example', JWT: 'x' }, file),
    ).toMatchObject({
      networks: [{ chainId: 31, url: 'https://c.example', interval: 12_000 }],
    });
  });
});

describe('a setting that is missing or wrong is named, and never shown', () => {
  test.each<[Flags, Record<string, string>, unknown, string]>([
    [{}, {}, undefined, '--chain must be given, such as --chain 31'],
    [{ chain: ['31'] }, { GRAFT_RELAY_URL_31: url }, undefined, '--origin must be given'],
    [flags, {}, undefined, 'networks[0].url must be set: put the URL with its key into GRAFT_RELAY_URL_31'],
    [
      flags,
      { GRAFT_RELAY_URL_31_FILE: '/missing' },
      undefined,
      'GRAFT_RELAY_URL_31_FILE: the file that it names',
    ],
    [
      flags,
      { GRAFT_RELAY_URL_31: url, GRAFT_RELAY_URL_31_FILE: '/x' },
      undefined,
      'GRAFT_RELAY_URL_31 must be given once',
    ],
    [flags, { GRAFT_RELAY_URL_31_FILE: '/run/secrets/empty' }, undefined, 'networks[0].url must be set'],
    [{ ...flags, port: '8a' }, { GRAFT_RELAY_URL_31: url }, undefined, '--port must be a whole number'],
    [{ ...flags, chain: ['testnet'] }, {}, undefined, '--chain must be a whole number'],
    [{ ...flags, 'admin-port': '99999' }, { GRAFT_RELAY_URL_31: url }, undefined, '--admin-port must be'],
    [{}, {}, { netwroks: [] }, 'netwroks: unknown option'],
    [{}, {}, [], 'options must be an object'],
    [{}, {}, { networks: [{ chainId: 31, url: { env: 'NOPE' } }] }, 'the variable NOPE is empty'],
  ])('%o %o', async (given, environment, file, expected) => {
    const failed = await read(given, environment, file).catch((error: Error) => error.message);
    expect(failed).toContain(expected);
    expect(failed).not.toContain('the-secret-key');
  });
});

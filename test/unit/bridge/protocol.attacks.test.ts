import { describe, expect, test } from 'vitest';
import { createConnection } from '../../../src/bridge/connection.js';
import { serveBridge } from '../../../src/bridge/host.js';
import { commonVersion, type Message, readGreeting, readMessage } from '../../../src/bridge/protocol.js';
import { createSessionMirror } from '../../../src/bridge/session-mirror.js';
import { secureOrigin } from '../../../src/rpc/secure-origin.js';

/** What is read of a stranger before there is a line. The numbers are those of docs/notes/security.md#attacks-on-the-bridge. */

describe('the origins that a wallet serves', () => {
  const allowing =
    (...allow: string[]) =>
    () =>
      serveBridge({
        allow,
        wallet: () => {
          throw new Error('No wallet is made.');
        },
      });

  test.each([
    'null',
    '*',
    '',
    'https://app.site/',
    'https://app.site/path',
    'https://app.site#',
    'https://app.site:443',
    'https://APP.site',
    'https://user@app.site',
    'https://аpp.site',
    ' https://app.site',
    'app.site',
    '//app.site',
    'file://',
    'data:text/html,',
    'blob:https://app.site/1',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  ])('"%s" is refused, since no browser writes an origin so (attacks 5, 6)', (origin) => {
    expect(allowing('https://app.example', origin)).toThrow('allow[1]: expected an https origin');
  });

  test.each([
    'http://app.site',
    'http://127.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://evil-localhost',
    'ws://localhost',
    'ftp://localhost',
  ])('%s is refused, since only https and this machine are secure (attacks 7, 53)', (origin) => {
    expect(allowing(origin)).toThrow('allow[0]');
    expect(secureOrigin(origin)).toBeNull();
  });

  test('https origins, and http ones on this machine, are taken as they are', () => {
    for (const origin of [
      'https://app.site',
      'https://app.site:8443',
      'https://xn--pp-mia.site',
      'http://localhost:1',
      'http://app.localhost',
      'http://127.0.0.1:8080',
      'http://[::1]:80',
    ])
      expect([origin, secureOrigin(origin)]).toEqual([origin, new URL(origin).origin]);
  });
});

describe('versions', () => {
  test.each<[unknown]>([
    [undefined],
    [null],
    [1],
    ['1'],
    [{}],
    [{ 0: 1, length: 1 }],
    [[]],
    [['1']],
    [[[1]]],
    [[2, 0, -1, Number.NaN, 1.5]],
    [[...Array(1_000_000).fill(2), 1]],
    [new Uint8Array([1])],
  ])('offer %# has none in common (attack 11)', (offered) => {
    expect(commonVersion(offered)).toBeUndefined();
  });

  test('an older side and a newer one meet at the newest version that both have (attack 47)', () => {
    expect(commonVersion([2, 1])).toBe(1);
    expect(commonVersion([1])).toBe(1);
    expect(commonVersion([3, 2])).toBeUndefined();
  });
});

describe('messages', () => {
  test('nothing that a value inherits makes it a message (attack 14)', () => {
    for (const each of [
      null,
      undefined,
      0,
      1n,
      '',
      'ready',
      true,
      () => {},
      Symbol('t'),
      [],
      {},
      [{ t: 'ready' }],
    ])
      expect(readMessage(each)).toBeNull();
    expect(readMessage(Object.create({ t: 'ready' }))).toBeNull();
    expect(readGreeting({ t: 'ready' })).toBeNull();
    expect(readGreeting(Object.assign(Object.create({ graft: 'bridge' }), { t: 'ready' }))).toBeNull();
    const message = readMessage(JSON.parse('{"t":"x","__proto__":{"a":1},"constructor":1}')) as Message;
    expect(Object.getPrototypeOf(message)).toBeNull();
    expect(message.a).toBeUndefined();
  });
});

describe('a line to somebody who is not the wallet', () => {
  function connect() {
    const { port1, port2 } = new MessageChannel();
    const seen: Message[] = [];
    const connection = createConnection({
      port: port1,
      nonce: 'ab'.repeat(16),
      isNeeded: () => false,
      onMessage: (message) => void seen.push(message),
      onLost: () => {},
    });
    const settled = async () => {
      port2.postMessage({ t: 'mark', at: seen.length });
      for (const length = seen.length; seen.length === length; )
        await new Promise((resolve) => setImmediate(resolve));
    };
    return { connection, host: port2, seen, settled };
  }

  test('a welcome with the nonce of another client is passed over (attack 10)', async () => {
    const { connection, host, settled } = connect();
    let welcomed: Message | undefined;
    void connection.welcome.then((message) => {
      welcomed = message;
    });
    for (const nonce of [undefined, null, '', 'cd'.repeat(16), 'AB'.repeat(16), ['ab'.repeat(16)], true])
      host.postMessage({ t: 'welcome', v: 1, nonce, session: { accounts: [`0x${'ee'.repeat(20)}`] } });
    await settled();
    expect(welcomed).toBeUndefined();
    host.postMessage({ t: 'welcome', v: 1, nonce: 'ab'.repeat(16), mine: true });
    await settled();
    expect(welcomed).toMatchObject({ mine: true });
    connection.end();
  });

  test('a request sent to the client, and answers to what it has not asked, do nothing (attack 17)', async () => {
    const { connection, host, seen, settled } = connect();
    const answers: unknown[] = [];
    connection.request({
      ...{ method: 'eth_blockNumber', json: '[]', at: 0 },
      resolve: (result) => void answers.push(result),
      reject: (error) => void answers.push(error),
    });
    for (const id of [2, 0, -1, '1', null, undefined, [1], { valueOf: 1 }])
      host.postMessage({ t: 'response', id, json: '"forged"' });
    for (const message of [null, 1, 'x', [], { t: 1 }, { t: 'progress', id: 7, json: '1' }])
      host.postMessage(message);
    host.postMessage({ t: 'request', id: 1, method: 'eth_accounts', json: '[]' });
    await settled();
    expect(answers).toEqual([]);
    // The client knows no message `request`: it reaches the part that passes unknown ones over.
    expect(seen.map(({ t }) => t)).toEqual(['request', 'mark']);
    host.postMessage({ t: 'response', id: 1, error: { code: 'x', message: { toString: 1 } } });
    await settled();
    expect(answers).toMatchObject([{ code: -32603 }]);
    connection.end();
  });

  test('a wallet that lies puts into the page nothing that is no account, chain or error (attack 61)', async () => {
    const mirror = createSessionMirror('https://app.example');
    const account = `0x${'ab'.repeat(20)}`;
    const lies: unknown[] = [
      account.toUpperCase(),
      `${account}0`,
      'javascript:1',
      null,
      1,
      {},
      [account],
      { toString: 1 },
    ];
    mirror.set({ chainId: '31', accounts: [...lies, account] });
    expect(mirror.state()).toMatchObject({ chainId: 30, accounts: [{ address: account }] });
    for (const chainId of [null, 1.5, 2 ** 53, -1, 0, {}, [31]])
      mirror.set({ chainId, accounts: { length: 1 } });
    expect(mirror.state()).toMatchObject({
      chainId: 30,
      accounts: [],
      permissions: { 'https://app.example': {} },
    });

    const { connection, host, settled } = connect();
    const answers: unknown[] = [];
    const ask = () =>
      connection.request({
        ...{ method: 'eth_call', json: '[]', at: 0 },
        resolve: (result) => void answers.push(result),
        reject: (error) => void answers.push(error),
      });
    const responses = [
      { json: 'no JSON' },
      { json: '{"__proto__":{"polluted":1}}' },
      { error: null },
      { error: { code: Number.NaN, message: 'x' } },
      { error: { code: 4001, message: 'x', json: '{', service: '1' } },
    ];
    for (const [at, response] of responses.entries()) {
      ask();
      host.postMessage({ t: 'response', id: at + 1, ...response });
    }
    await settled();
    expect(answers).toHaveLength(5);
    expect(answers[0]).toBeUndefined();
    expect(Object.getPrototypeOf(answers[1])).toBe(Object.prototype);
    expect(answers.slice(2)).toMatchObject([{ code: -32603 }, { code: -32603 }, { code: 4001 }]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    connection.end();
  });
});

import { describe, expect, test } from 'vitest';
import { createVolatileMemory, ProviderRpcError } from '../../../src/index.js';
import { createProvider } from '../../../src/provider/provider.js';
import { createRequests, type Router } from '../../../src/provider/router.js';
import { grant } from '../../../src/session/changes.js';
import { createSession } from '../../../src/session/session.js';

/** The EIP-1193 face alone: who answers is played, so that every way to answer can be. */

const origin = 'https://app.example';
const a = '0x00000000000000000000000000000000000000aa';

function faceOf(router: Router) {
  const session = createSession({
    memory: createVolatileMemory(),
    origin,
    initialChainId: 31,
    chainIds: [30, 31],
  });
  session.update((state) => ({ ...state, accounts: [{ address: a, label: 'One', path: null }] }));
  return { session, ...createProvider({ requests: createRequests({ router }), session, origin }) };
}

const echo: Router = async (args) => args;

describe('request', () => {
  test('a request resolves with the router’s result', async () => {
    const { provider } = faceOf(async () => '0x1');
    expect(await provider.request({ method: 'eth_blockNumber' })).toBe('0x1');
  });

  test('it can be taken off the provider, and is an async function by its constructor', async () => {
    const { request } = faceOf(async () => '0x1').provider;
    expect(await request({ method: 'eth_blockNumber' })).toBe('0x1');
    expect(request.constructor.name).toBe('AsyncFunction');
  });

  test('an error without a code becomes a coded error without its message', async () => {
    const { provider } = faceOf(async () => {
      throw new Error('secret');
    });
    const error = await provider.request({ method: 'x' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProviderRpcError);
    expect(error).toMatchObject({ code: -32603 });
    expect(String((error as Error).stack)).not.toContain('secret');
  });
});

describe('events', () => {
  test('connect once, disconnect with a close code, and connect again', () => {
    const { provider, setReachable } = faceOf(echo);
    const heard: unknown[] = [];
    provider.on('connect', (info) => heard.push(info));
    provider.on('disconnect', (error) => heard.push(error.code));
    for (const reachable of [true, true, false, false, true]) setReachable(reachable);
    expect(heard).toEqual([{ chainId: '0x1f' }, 1013, { chainId: '0x1f' }]);
    expect(provider.isConnected()).toBe(true);
  });

  test('chainChanged in hexadecimal, only on change, when the new id is the one answered', () => {
    const { provider, session } = faceOf(echo);
    const heard: unknown[] = [];
    provider.on('chainChanged', (id) => heard.push([id, provider.chainId]));
    provider.on('networkChanged', (id) => heard.push(id));
    session.update((state) => ({ ...state, chainId: 30 }));
    session.update((state) => ({ ...state, chainId: 30 }));
    expect(heard).toEqual([['0x1e', '0x1e'], '30']);
  });

  test('accountsChanged for this origin only, and only on change', () => {
    const { provider, session } = faceOf(echo);
    const heard: unknown[] = [];
    provider.on('accountsChanged', (accounts) => heard.push(accounts));
    session.update(grant('https://other.example', [a], 1));
    session.update(grant(origin, [a], 1));
    session.update(grant(origin, [a], 2));
    session.update((state) => ({ ...state, accounts: [] }));
    expect(heard).toEqual([[a], []]);
  });

  test('a subscription’s result is a message', () => {
    const { provider, notify } = faceOf(echo);
    const heard: unknown[] = [];
    provider.on('message', (message) => heard.push(message));
    notify('0x1', { number: '0x2' });
    expect(heard).toEqual([
      { type: 'eth_subscription', data: { subscription: '0x1', result: { number: '0x2' } } },
    ]);
  });

  test('the ways to listen are chainable, and off is removeListener', () => {
    const { provider } = faceOf(echo);
    const listener = () => {};
    expect(provider.on('connect', listener).once('connect', listener).addListener('message', listener)).toBe(
      provider,
    );
    provider.off('connect', listener).removeListener('connect', listener);
    expect(provider.listenerCount('connect')).toBe(0);
    expect(provider.removeAllListeners().listenerCount('message')).toBe(0);
  });
});

describe('functions from before EIP-1193', () => {
  test('send(method, params), send(payload), send(payload, callback), sendAsync, enable', async () => {
    const { provider } = faceOf(echo);
    expect(await provider.send('eth_call', [1])).toEqual({ method: 'eth_call', params: [1] });
    expect(await provider.send({ method: 'eth_call', params: [] })).toEqual({
      method: 'eth_call',
      params: [],
    });
    const answered = await new Promise((resolve) =>
      provider.send({ id: 7, method: 'eth_call' }, (error, response) => resolve([error, response])),
    );
    expect(answered).toEqual([null, { id: 7, jsonrpc: '2.0', result: { id: 7, method: 'eth_call' } }]);
    expect(await provider.enable()).toEqual({ method: 'eth_requestAccounts' });
  });

  test('a callback gets the error, and the response with its code', async () => {
    const { provider } = faceOf(async () => {
      throw new ProviderRpcError(4001, 'no');
    });
    const [error, response] = await new Promise<unknown[]>((resolve) =>
      provider.sendAsync({ id: 7, method: 'eth_call' }, (thrown, answer) => resolve([thrown, answer])),
    );
    expect(error).toMatchObject({ code: 4001 });
    expect(response).toEqual({ id: 7, jsonrpc: '2.0', error: { code: 4001, message: 'no' } });
  });

  test('sendAsync and send take a batch, and answer each payload in its order', async () => {
    const { provider } = faceOf(async (args) => {
      const { method } = args as { method?: string };
      if (method === 'refused') throw new ProviderRpcError(4001, 'no');
      return method;
    });
    const payloads = [
      { id: 1, jsonrpc: '2.0', method: 'a' },
      { id: 2, jsonrpc: '2.0', method: 'refused' },
      { method: 'b' },
    ];
    const responses = [
      { id: 1, jsonrpc: '2.0', result: 'a' },
      { id: 2, jsonrpc: '2.0', error: { code: 4001, message: 'no' } },
      { id: null, jsonrpc: '2.0', result: 'b' },
    ];
    for (const face of [provider.sendAsync, provider.send] as (typeof provider.sendAsync)[]) {
      const answered = await new Promise((resolve) =>
        face(payloads, (error, response) => resolve([error, response])),
      );
      expect(answered).toEqual([null, responses]);
    }
  });

  test('an empty batch', async () => {
    const { provider } = faceOf(echo);
    const heard = await new Promise((resolve) => provider.sendAsync([], (...said) => resolve(said)));
    expect(heard).toEqual([expect.objectContaining({ code: -32600 })]);
  });

  test('request takes a batch of complete JSON-RPC requests, as web3.js 4 sends it', async () => {
    const { provider } = faceOf(async (args) => (args as { method: string }).method);
    const batch = [
      { id: 'one', jsonrpc: '2.0', method: 'a' },
      { id: 'two', jsonrpc: '2.0', method: 'b' },
    ];
    expect(await provider.request(batch as never)).toEqual([
      { id: 'one', jsonrpc: '2.0', result: 'a' },
      { id: 'two', jsonrpc: '2.0', result: 'b' },
    ]);
  });

  test('any other array is handed on as it is, to be refused', async () => {
    const { provider } = faceOf(echo);
    for (const args of [[], [{ method: 'a' }], ['eth_chainId']])
      expect(await provider.request(args as never)).toBe(args);
  });

  test('the old properties follow the session', () => {
    const { provider, session } = faceOf(echo);
    expect([provider.chainId, provider.networkVersion, provider.selectedAddress]).toEqual([
      '0x1f',
      '31',
      null,
    ]);
    session.update(grant(origin, [a], 1));
    expect(provider.selectedAddress).toBe(a);
  });
});

import { WebSocket } from 'ws';
import { createLocalService, type LocalService } from '../../packages/kit/src/local/index.js';
import { type NodeRelay, type NodeRelayOptions, serveRelay } from '../../packages/relay/src/node.js';
import type { Address } from '../../src/rpc/schema.js';
import { alice, clientOf, emitter, sign, word } from './local-client.js';
import { until } from './until.js';

/** A relay on this machine in front of a local service. Everybody may use it, unless the options say otherwise. */
export interface RelayRig extends AsyncDisposable {
  readonly service: LocalService;
  readonly node: NodeRelay;
  /** Of the chain: for HTTP, and for WebSockets. */
  readonly url: string;
  readonly socketUrl: string;
  /** A connection, once it is open. */
  connect(options?: WebSocket.ClientOptions, protocols?: string[]): Promise<Client>;
}

/** A client over WebSocket. */
export interface Client {
  readonly socket: WebSocket;
  /** Each message as it came. */
  readonly texts: readonly string[];
  /** Results of subscriptions, by id. */
  readonly pushed: ReadonlyMap<string, readonly unknown[]>;
  /** Resolves with the code when the connection has ended. */
  readonly closed: Promise<number>;
  // biome-ignore lint/suspicious/noExplicitAny: replies of any shape
  request(method: string, ...params: unknown[]): Promise<any>;
  /** Resolves with the result; rejects with the error's code and message. */
  // biome-ignore lint/suspicious/noExplicitAny: results of any method
  call(method: string, ...params: unknown[]): Promise<any>;
  close(): void;
}

export const apiKey = 'the-key-of-the-owner';

/** Limits that no test reaches: its wallets have one address, and poll as nobody does. */
export const generousLimits = {
  ...{ readsPerMinute: 100_000, readBurst: 100_000, messagesPerSecond: 1_000, messageBurst: 1_000 },
  ...{ sendsPerSecond: 100, sendBurst: 100 },
};

/** WebSockets that are open at a relay, and those of them that are pushed its steps. */
export function socketsOf({ relay }: Pick<NodeRelay, 'relay'>): readonly [open: number, pushed: number] {
  const { connections, subscriptions } = relay.metrics.snapshot();
  return [connections.websocket, subscriptions.graft_steps];
}

/** Mines on demand, so that a test decides what happens. */
export async function startRelay(
  options: Partial<NodeRelayOptions> = {},
  service?: LocalService,
): Promise<RelayRig> {
  const behind = service ?? (await createLocalService({ mining: 'manual', apiKeys: [apiKey] }));
  const { chainId, url } = behind;
  const node = await serveRelay({
    networks: [{ chainId, url, interval: 1_000 }],
    origins: ['*'],
    open: true,
    port: 0,
    admin: { port: 0 },
    drain: 0,
    ...options,
  });
  const socketUrl = `${node.url.replace('http', 'ws')}/${chainId}`;
  return {
    service: behind,
    node,
    url: `${node.url}/${chainId}`,
    socketUrl,
    connect: (socketOptions, protocols) => connect(socketUrl, socketOptions, protocols),
    async [Symbol.asyncDispose]() {
      await node.stop();
      if (!service) await behind.close();
    },
  };
}

export async function connect(
  url: string,
  options: WebSocket.ClientOptions = {},
  protocols: string[] = [],
): Promise<Client> {
  const socket = new WebSocket(url, protocols, options);
  const texts: string[] = [];
  const pushed = new Map<string, unknown[]>();
  // biome-ignore lint/suspicious/noExplicitAny: replies of any shape
  const waiting = new Map<unknown, (reply: any) => void>();
  let id = 0;
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('message', (data) => {
    const text = String(data);
    texts.push(text);
    const message = JSON.parse(text);
    const { subscription, result } = message.params ?? {};
    if (subscription !== undefined) pushed.set(subscription, [...(pushed.get(subscription) ?? []), result]);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  const request = (method: string, ...params: unknown[]) =>
    // biome-ignore lint/suspicious/noExplicitAny: replies of any shape
    new Promise<any>((resolve, reject) => {
      const wanted = ++id;
      waiting.set(wanted, resolve);
      closed.then((code) => reject(new Error(`closed with ${code}`)));
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: wanted, method, params }));
    });
  return {
    socket,
    texts,
    pushed,
    closed,
    request,
    async call(method, ...params) {
      const { result, error } = await request(method, ...params);
      if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
      return result;
    },
    close: () => socket.close(),
  };
}

/** Deploys a contract that logs what it is sent (`emitter`). Returns its address and a function that makes it log. */
export async function deployEmitter({ url, controls }: LocalService) {
  const { call } = clientOf({ url });
  await controls.faucet(alice.address.toLowerCase() as `0x${string}`);
  await controls.mine();
  const nonceOf = async () => Number(await call('eth_getTransactionCount', alice.address, 'pending'));
  const created = await call(
    'eth_sendRawTransaction',
    await sign({ to: null, data: emitter, gas: 1_000_000n, nonce: await nonceOf() }),
  );
  await controls.mine();
  const { contractAddress } = await until(() => call('eth_getTransactionReceipt', created));
  return {
    address: contractAddress as Address,
    /** Logs `value` under `topic`, in a transaction of its own that waits for the next block. */
    async emit(topic: number, value: number): Promise<void> {
      const data = `0x${word(topic)}${word(value)}` as const;
      const nonce = await nonceOf();
      await call('eth_sendRawTransaction', await sign({ to: contractAddress, data, gas: 100_000n, nonce }));
    },
  };
}

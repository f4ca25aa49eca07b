import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { MinedBlock } from '../../src/chain/blocks.js';
import type { Socket } from '../../src/chain/heads/socket-source.js';
import type { SimulatedChain } from './simulated-chain.js';

/** A relay has `graft_steps` and `newHeads`, a node only `newHeads`. */
export type PushKind = 'relay' | 'node';

interface Connection {
  /** What the client has subscribed to. */
  kind: string | undefined;
  /** The chain as the client was last told. */
  told: readonly MinedBlock[];
  send(text: string): void;
  close(code: number): void;
}

/** What a server that pushes the heads of a simulated chain does with each connection, whatever carries the messages. */
export function createPushServer(chain: SimulatedChain, server: PushKind) {
  const connections = new Set<Connection>();
  /** Requests of all clients. */
  const asked: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  let connected = 0;
  let isMute = false;
  /** The code with which subscriptions are refused. */
  let refusal: number | undefined;

  const notify = (each: Connection, result: unknown) =>
    each.send(
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'eth_subscription',
        params: { subscription: '0x5ab', result },
      }),
    );

  function stepOf(each: Connection): object {
    const now = chain.canonical();
    const common = now.findIndex(({ hash }, at) => each.told[at]?.hash !== hash);
    const from = common < 0 ? now.length : common;
    const link = ({ number, hash, parentHash }: MinedBlock) => ({ number, hash, parentHash });
    const step = { removed: each.told.slice(from).reverse().map(link), added: now.slice(from) };
    each.told = now;
    return { ...step, interval: 6_000, seen: 0 };
  }

  /** A header as the node's: without the fields that need the whole block. */
  const headerOf = ({ number, hash, parentHash, logsBloom, timestamp }: MinedBlock) => ({
    ...{ number, hash, parentHash, logsBloom, timestamp },
  });

  function receive(each: Connection, text: string): void {
    const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: unknown[] };
    asked.push({ method, params });
    if (isMute) return;
    const reply = (body: object) => each.send(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    if (method === 'eth_chainId') reply({ result: '0x21' });
    else if (refusal !== undefined) reply({ error: { code: refusal, message: 'not now' } });
    else if (params[0] === 'newHeads' || (params[0] === 'graft_steps' && server === 'relay')) {
      each.kind = params[0];
      each.told = chain.canonical();
      const since = (params[1] as { since?: string } | undefined)?.since;
      const at = each.told.findIndex(({ hash }) => hash === since);
      if (at >= 0) each.told = each.told.slice(0, at + 1);
      reply({ result: '0x5ab' });
      if (at >= 0 && at < chain.canonical().length - 1) notify(each, stepOf(each));
    } else reply({ error: { code: -32601, message: 'no such subscription' } });
  }

  return {
    asked,
    count: () => connections.size,
    connected: () => connected,
    /** Takes a connection. Returns what its client sends to, and what its end calls. */
    accept(send: Connection['send'], close: Connection['close']) {
      connected += 1;
      const each: Connection = { kind: undefined, told: [], send, close };
      connections.add(each);
      return {
        receive: (text: string) => receive(each, text),
        ended: () => void connections.delete(each),
      };
    },
    /** Reports the head to all subscribers: to those of a relay as one step. */
    push(): void {
      if (isMute) return;
      for (const each of connections) {
        if (each.kind === 'graft_steps') notify(each, stepOf(each));
        else if (each.kind === 'newHeads') notify(each, headerOf(chain.head()));
      }
    },
    /** Sends any result to all subscribers. */
    notify(result: (kind: string) => unknown): void {
      for (const each of connections) if (each.kind) notify(each, result(each.kind));
    },
    /** Sends any text to all clients. */
    sendText(text: string): void {
      for (const each of connections) each.send(text);
    },
    /** From now on it says nothing, or speaks again. */
    mute(now: boolean): void {
      isMute = now;
    },
    /** Refuses subscriptions with an error of this code, or no longer. */
    refuse(code: number | undefined): void {
      refusal = code;
    },
    close(code: number): void {
      for (const each of [...connections]) each.close(code);
    },
    headerOf,
  };
}

export type PushServer = ReturnType<typeof createPushServer>;

/** Sockets in this process: messages arrive within microtasks. */
export function createFakeSockets(server: PushServer) {
  let isDown = false;
  const urls: string[] = [];
  return {
    urls,
    /** From now on connections fail, or succeed again. */
    setDown(now: boolean): void {
      isDown = now;
      if (now) server.close(1006);
    },
    openSocket(url: string): Socket {
      urls.push(url);
      let isOpen = true;
      const end = (code: number) => {
        if (!isOpen) return;
        isOpen = false;
        accepted?.ended();
        queueMicrotask(() => socket.onclose?.({ code }));
      };
      const socket: Socket = {
        onopen: null,
        onmessage: null,
        onclose: null,
        onerror: null,
        send: (text) => queueMicrotask(() => isOpen && accepted?.receive(text)),
        close: () => end(1005),
      };
      const accepted = isDown
        ? undefined
        : server.accept((data) => queueMicrotask(() => isOpen && socket.onmessage?.({ data })), end);
      queueMicrotask(() => {
        if (accepted) socket.onopen?.();
        else {
          socket.onerror?.();
          end(1006);
        }
      });
      return socket;
    },
  };
}

/** A real WebSocket server on this machine. */
export async function listenForSockets(server: PushServer) {
  const listening = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  listening.on('connection', (socket) => {
    const accepted = server.accept(
      (text) => socket.send(text),
      (code) => (code === 1006 ? socket.terminate() : socket.close(code)),
    );
    socket.on('message', (data) => accepted.receive(String(data)));
    socket.on('error', () => {});
    socket.on('close', accepted.ended);
  });
  return {
    url: `ws://127.0.0.1:${port}/k3y-0f-the-s0cket`,
    async stop() {
      server.close(1006);
      listening.close();
      await once(listening, 'close');
    },
  };
}

import type { ClientLimits } from '../../packages/relay/src/access/limits.js';
import { createPolicy } from '../../packages/relay/src/access/policy.js';
import { createRelayChain } from '../../packages/relay/src/chain.js';
import type { Engine } from '../../packages/relay/src/engines/engine.js';
import { createInProcessEngine } from '../../packages/relay/src/engines/in-process.js';
import type { Outlet } from '../../packages/relay/src/heads/outlet.js';
import { createRelayCore, type RelayCore } from '../../packages/relay/src/relay.js';
import type { Metrics } from '../../packages/relay/src/reports/metrics.js';
import type { Session } from '../../packages/relay/src/session.js';
import type { Hex, Log } from '../../src/rpc/schema.js';
import { createFakeClock, settled } from './fake-clock.js';
import { createSimulatedChain } from './simulated-chain.js';

/** What a client has received. */
export interface Received {
  readonly subscription: Hex;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any result
  readonly result: any;
}

/** A client at the relay's core, without a network between. */
export interface RelayClient {
  readonly session: Session;
  /** Frames so far, in order. */
  readonly frames: readonly Received[];
  /** The same as texts. */
  readonly texts: readonly string[];
  /** The code with which the relay has closed the connection. */
  closedWith(): number | undefined;
  /** How many bytes the client has not read. */
  unsent: number;
  /** @throws the error object of the reply */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any result
  call(method: string, ...params: readonly unknown[]): Promise<any>;
  /** The hashes of the heads of a subscription, or of all. */
  heads(id?: Hex): readonly Hex[];
  logs(id?: Hex): readonly Log[];
  forget(): void;
}

export const noLimits: ClientLimits = {
  message: () => undefined,
  read: () => undefined,
  settle() {},
  stream: () => undefined,
  charge() {},
  spent: () => undefined,
  replay: () => undefined,
  full: () => undefined,
  answered: () => true,
  hold: () => () => {},
  send: () => undefined,
  sent() {},
  turn: async () => ({ isFirst: true, end() {} }),
  post: () => undefined,
  posted() {},
  connect: () => true,
  disconnect() {},
  maxSubscriptions: 20,
};

/** The core of a relay over a simulated chain, and a clock that stands still. */
export function createRelayRig(options: createRelayRig.Options = {}) {
  const chain = options.chain ?? createSimulatedChain();
  const { clock, advance, next } = options.clock ?? createFakeClock();
  let random = 0;
  const core: RelayCore = createRelayCore({
    chains: [{ chainId: 33, urls: ['http://localhost:1/key'], interval: 6_000 }],
    policy: createPolicy({ chains: [33] }),
    clock,
    random: (length) => new Uint8Array(length).fill(++random),
    passive: options.passive,
    metrics: options.metrics,
    headers: options.headers,
    engine: () => options.engine ?? createInProcessEngine(),
    createChain: (given) => createRelayChain({ ...given, createClient: () => chain.service }),
  });

  function connect(limits: ClientLimits = noLimits): RelayClient {
    const texts: string[] = [];
    let code: number | undefined;
    let calls = 0;
    const outlet: Outlet = {
      send: (text) => void texts.push(text),
      close(given) {
        code = given;
      },
      buffered: () => client.unsent,
    };
    const session = core.session(33, limits, outlet);
    const framesOf = () => texts.map((text) => JSON.parse(text).params as Received);
    const of = (id: Hex | undefined) =>
      framesOf().filter(({ subscription }) => id === undefined || subscription === id);
    const client: RelayClient = {
      session,
      texts,
      unsent: 0,
      get frames() {
        return framesOf();
      },
      closedWith: () => code,
      async call(method, ...params) {
        const { text = '' } = await session.receive(
          JSON.stringify({ jsonrpc: '2.0', id: ++calls, method, params }),
        );
        const { result, error } = JSON.parse(text);
        if (error) throw error;
        // A subscription pushes after its reply.
        if (method === 'eth_subscribe') await advance(0);
        return result;
      },
      heads: (id) => of(id).flatMap(({ result }) => (result.topics || result.added ? [] : [result.hash])),
      logs: (id) => of(id).flatMap(({ result }) => (result.topics ? [result] : [])),
      forget: () => void texts.splice(0),
    };
    return client;
  }

  return {
    chain,
    core,
    clock,
    next,
    advance,
    connect,
    /** Lets one interval pass. */
    async tick(times = 1) {
      for (let i = 0; i < times; i++) {
        await advance(6_000);
        await settled();
      }
    },
  };
}

export declare namespace createRelayRig {
  interface Options {
    readonly chain?: ReturnType<typeof createSimulatedChain>;
    readonly clock?: ReturnType<typeof createFakeClock>;
    readonly engine?: Engine;
    readonly passive?: boolean;
    readonly headers?: number;
    readonly metrics?: Metrics;
  }
}

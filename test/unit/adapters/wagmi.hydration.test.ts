// @vitest-environment happy-dom
import * as core from '@wagmi/core';
import { custom } from 'viem';
import { describe, expect, test, vi } from 'vitest';
import * as react from 'wagmi';
import { rootstockTestnet } from '../../../src/adapters/viem.js';
import { graft } from '../../../src/adapters/wagmi.js';
import type { Provider } from '../../../src/index.js';

const account = '0x00000000000000000000000000000000000000A1';

/** A provider that answers within microtasks, as the wallet's shell does after a reload. */
const provider = {
  on() {},
  removeListener() {},
  request: async ({ method }: { method: string }) => (method === 'eth_chainId' ? '0x1f' : [account]),
} as unknown as Provider;

/** Runs after every microtask that is queued now or by one of them, before any timer that is started later. */
const afterMicrotasks = () => new Promise<void>((resolve) => setTimeout(resolve));

/** A page whose server has rendered it with the connection that a cookie remembers. */
function hydrated(wagmi: typeof core) {
  const config = wagmi.createConfig({
    chains: [rootstockTestnet],
    connectors: [graft({ wallet: { provider } })],
    transports: { [rootstockTestnet.id]: custom(provider) },
    ssr: true,
  });
  const [connector] = config.connectors as [core.Connector];
  const connection = { accounts: [account], chainId: 31, connector } as const;
  config.setState((state) => ({
    ...state,
    chainId: 31,
    connections: new Map([[connector.uid, connection]]),
    current: connector.uid,
    status: 'reconnecting',
  }));
  return { config, connector };
}

// The actions of `@wagmi/core` 3, and those that wagmi 2 passes on.
describe.each([
  ['@wagmi/core 3', core],
  ['wagmi 2', { ...react, ...(await import('wagmi/actions')) } as unknown as typeof core],
])('with %s', (_, wagmi) => {
  test('a page is reconnecting until its framework has hydrated it, then connected', async () => {
    const { config } = hydrated(wagmi);
    const hydration = afterMicrotasks();
    const reconnected = wagmi.reconnect(config);
    await hydration;
    expect(config.state.status).toBe('reconnecting');
    await reconnected;
    expect(config.state.status).toBe('connected');
    expect(config.state.current && config.state.connections.get(config.state.current)?.accounts).toEqual([
      account,
    ]);
  });

  test.each(['isAuthorized', 'connect'] as const)(
    '%s answers no sooner than in the next task',
    async (name) => {
      const { connector } = hydrated(wagmi);
      let answered = false;
      const task = afterMicrotasks();
      const answer =
        name === 'connect' ? connector.connect({ isReconnecting: true }) : connector.isAuthorized();
      void answer.then(() => (answered = true));
      await task;
      expect(answered).toBe(false);
      await answer;
    },
  );

  test.each(['isAuthorized', 'connect'] as const)('%s waits until a browser is idle', async (name) => {
    const waiting: (() => void)[] = [];
    vi.stubGlobal('requestIdleCallback', (idle: () => void) => waiting.push(idle));
    const { connector } = hydrated(wagmi);
    let answered = false;
    const answer =
      name === 'connect' ? connector.connect({ isReconnecting: true }) : connector.isAuthorized();
    void answer.then(() => (answered = true));
    await afterMicrotasks();
    await afterMicrotasks();
    expect(answered).toBe(false);
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    await answer;
    vi.unstubAllGlobals();
  });

  test('a click waits for no further task', async () => {
    const { connector } = hydrated(wagmi);
    let answered = false;
    const task = afterMicrotasks();
    void connector.connect().then(() => (answered = true));
    await task;
    expect(answered).toBe(true);
  });
});

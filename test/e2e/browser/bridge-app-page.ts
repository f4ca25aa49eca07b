/** The dapp of `bridge.test.ts`: it has no key, only a bridge to the wallet on another origin. */
import { connectBridge } from '../../../src/bridge/client.js';
import { createWalletFrame } from '../../../src/bridge/frame.js';
import { times } from '../../../src/bridge/protocol.js';

const { host } = JSON.parse(document.getElementById('config')?.textContent ?? '') as { host: string };
// A dead frame is noticed within a second, not twenty.
if (location.hash === '#impatient') Object.assign(times, { quiet: 300, pong: 700 });

const events: { name: string; payload: unknown }[] = [];
const bridge = connectBridge({ host });
for (const name of ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message'])
  bridge.provider.on(name, (payload: unknown) => events.push({ name, payload }));

/** What a request comes to, for a test that must outlive it. */
const ask = (method: string, ...params: unknown[]) =>
  bridge.provider.request({ method, params }).then(
    (result) => ({ result }),
    ({ code, data }) => ({ code, data }),
  );

export interface BridgeAppPage {
  readonly bridge: typeof bridge;
  readonly events: typeof events;
  readonly ask: typeof ask;
  readonly createFrame: typeof createWalletFrame;
}

Object.assign(window, {
  page: { bridge, events, ask, createFrame: createWalletFrame } satisfies BridgeAppPage,
});

/** The wallet of `bridge.ts` on its own origin: its home makes it, its frames serve the dapps. */

import { headless } from '../../../packages/kit/src/testing/index.js';
import { serveBridge } from '../../../src/bridge/host.js';
import { createWallet } from '../../../src/index.js';

/** Times are milliseconds since 1970, with fractions. */
export interface BridgeWallet {
  /** When this document began to serve. */
  readonly ranAt: number;
  /** When a dialog was drawn last. */
  readonly drawnAt: number;
  make(privateKey: `0x${string}`, password: string): Promise<void>;
}

interface Config {
  readonly url: string;
  readonly allow: readonly string[];
  readonly pollingInterval: number;
  readonly password: string;
  /** Whether everything is agreed to without a dialog. */
  readonly agrees: boolean;
}

const { url, allow, pollingInterval, password, agrees }: Config = JSON.parse(
  document.getElementById('config')?.textContent as string,
);
const options = { networks: [{ chainId: 31, url }], pollingInterval };
const now = (): number => performance.timeOrigin + performance.now();

const bench = {
  ranAt: now(),
  drawnAt: 0,
  async make(privateKey: `0x${string}`, secret: string) {
    const wallet = createWallet(options);
    await wallet.importPrivateKey(privateKey, { password: secret });
    wallet.destroy();
  },
};
Object.assign(window, { bench: bench satisfies BridgeWallet });

new MutationObserver((changes) => {
  const isDialog = (node: Node) => node instanceof Element && node.hasAttribute('data-graft');
  if (!changes.some(({ addedNodes }) => [...addedNodes].some(isDialog))) return;
  // Drawn in the first of these frames, and seen in the second.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      bench.drawnAt = now();
    }),
  );
}).observe(document.body, { childList: true });

// What a message costs without the bridge.
addEventListener('message', ({ data, ports: [port] }) => {
  if (data === 'echo' && port) port.onmessage = (event) => port.postMessage(event.data);
});

bench.ranAt = now();
serveBridge({
  allow,
  wallet: (origin, approver) =>
    createWallet({ ...options, origin, approver: agrees ? () => headless({ password }) : approver }),
});

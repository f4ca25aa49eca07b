/** The pages of the wallet's origin in `bridge.test.ts`. */

import { serveBridge } from '../../../src/bridge/host.js';
import { createWallet } from '../../../src/index.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

interface Config {
  readonly url: string;
  readonly allow: readonly string[];
}

const { url, allow } = JSON.parse(document.getElementById('config')?.textContent ?? '') as Config;
const make = (more: Partial<createWallet.Options>) =>
  createWallet({
    networks: [
      { chainId: 31, url },
      { chainId: 33, url: `${url}/` },
    ],
    pollingInterval: 200,
    ...more,
  });

const host = serveBridge({ allow, wallet: (origin, approver) => make({ origin, approver }) });

export interface BridgeWalletPage {
  readonly host: typeof host;
  readonly make: typeof make;
}

Object.assign(window, { page: { host, make } satisfies BridgeWalletPage });

// For a test whose driver cannot reach into a frame in a shadow root.
window.addEventListener('message', async ({ data, source }) => {
  if (data === 'vaultState')
    source?.postMessage({ vaultState: await host.vaultState() }, { targetOrigin: '*' });
});

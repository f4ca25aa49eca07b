/** The pages of the wallet's origin in `bridge.test.ts`. */

import { serveBridge } from '../../../src/bridge/host.js';
import { createWallet } from '../../../src/index.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

interface Config {
  readonly url: string;
  readonly allow: readonly string[];
  readonly frameMayAsk?: readonly string[];
  /** Milliseconds by which the clock is ahead. */
  readonly ahead?: number;
}

const {
  url,
  allow,
  frameMayAsk = [],
  ahead = 0,
} = JSON.parse(document.getElementById('config')?.textContent ?? '') as Config;
let advanced = ahead;
const { now } = Date;
Date.now = () => now() + advanced;
/** Sets this document's clock forward. */
const advance = (milliseconds: number) => {
  advanced += milliseconds;
};

const make = (more: Partial<createWallet.Options>) =>
  createWallet({
    networks: [
      { chainId: 31, url },
      { chainId: 33, url: `${url}/` },
    ],
    pollingInterval: 200,
    lockAfter: 300_000,
    ...more,
  });

const host = serveBridge({
  ...{ allow, frameMayAsk },
  wallet: (origin, approver) => make({ origin, approver }),
});

export interface BridgeWalletPage {
  readonly host: typeof host;
  readonly make: typeof make;
  readonly advance: typeof advance;
}

Object.assign(window, { page: { host, make, advance } satisfies BridgeWalletPage });

/** What a test asks of a frame that its driver cannot reach, because it is in a shadow root. */
const answers = {
  advance(milliseconds: number) {
    advance(milliseconds);
    return true;
  },
  vaultState: () => host.vaultState(),
  /** The kind of the question that is drawn here; `null` for none. */
  drawn: () => document.querySelector('[data-graft]')?.getAttribute('data-graft') ?? null,
  /** Forgets the refusals of the person, after which a page has to wait. */
  forget() {
    for (const key of Object.keys(localStorage)) if (/refusals/.test(key)) localStorage.removeItem(key);
    return true;
  },
  /** The centre of the first button that is drawn here; `null` for none. */
  button() {
    const { shadowRoot } = document.querySelector('[data-graft]') ?? {};
    const box = shadowRoot?.querySelector('button')?.getBoundingClientRect();
    return box && box.width > 0 ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
  },
};

export type FrameAnswers = typeof answers;

window.addEventListener('message', async ({ data, source }) => {
  const answer = answers[data?.asked as keyof FrameAnswers];
  if (!answer) return;
  source?.postMessage({ answered: data.asked, value: await answer(data.given) }, { targetOrigin: '*' });
});

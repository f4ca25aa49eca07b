/** The page of `tabs.timed.test.ts`: one of several tabs with the same wallet. Its person approves, after `think` only at `decide`. */

import { headless } from '../../../packages/kit/src/testing/index.js';
import { createWallet, type Wallet } from '../../../src/index.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import type { Storage } from '../../../src/storage/storage.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

export interface TabsPage {
  readonly wallet: Wallet;
  /** What the provider has said, as `chainChanged 0x1f`. */
  readonly heard: readonly string[];
  /** From now on the journal's writes never end. */
  stall(): void;
  /** Resolves when the first such write has begun. */
  readonly stalled: Promise<void>;
  /** From now on the person thinks about each question until `decide`. */
  think(): void;
  /** Resolves when the first such question is shown. */
  readonly thinking: Promise<void>;
  decide(): void;
}

const parameters = new URLSearchParams(location.search);
const url = parameters.get('service') as string;
const password = parameters.get('password') as string;

let stalls = false;
const stalled = createSignal();
const stored = createIdbStorage({ name: 'graft:tabs' });
const storage: Storage = {
  ...stored,
  put(store, records) {
    if (!stalls || store !== 'journal') return stored.put(store, records);
    stalled.give();
    return new Promise(() => {});
  },
};

let thinks = false;
const thinking = createSignal();
const decision = createSignal();
const answer = async () => {
  if (thinks) {
    thinking.give();
    await decision.given;
  }
  return true;
};

const wallet = createWallet({
  networks: [
    { chainId: 33, url },
    // Nobody answers there: nothing asks it.
    { chainId: 31, url: 'http://127.0.0.1:9/none' },
  ],
  name: 'tabs',
  storage,
  approver: () => headless({ password, answer }),
  pollingInterval: 100,
});

const heard: string[] = [];
for (const event of ['accountsChanged', 'chainChanged'] as const)
  wallet.provider.on(event, (value: unknown) => heard.push(`${event} ${value}`));

Object.assign(window, {
  page: {
    wallet,
    heard,
    stall: () => {
      stalls = true;
    },
    stalled: stalled.given,
    think: () => {
      thinks = true;
    },
    thinking: thinking.given,
    decide: decision.give,
  } satisfies TabsPage,
});

function createSignal(): { readonly given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

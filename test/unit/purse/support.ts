import type { LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Address, Answer, createWallet, Hash, Hex, Question, Wallet } from '../../../src/index.js';
import type { FramePurses } from '../../../src/purse/frame-purses.js';
import type { PurseMessage } from '../../../src/purse/message.js';
import type { WindowPurses } from '../../../src/purse/window-purses.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import type { Storage } from '../../../src/storage/storage.js';
import { coreOf } from '../../../src/wallet/core-of.js';
import { openWallet } from '../../support/open-wallet.js';

/** A wallet whose sites have purses, and the frames of those sites, each with a storage of its own, on a real EVM. */

export const phrase = 'test test test test test test test test test test test junk';
const password = 'correct horse';
export const site = 'https://game.example';
export const shop: Address = `0x${'5a'.repeat(20)}`;
export const stranger: Address = `0x${'5b'.repeat(20)}`;
/** wei: the amount of {@link paymentsOf}. */
export const limit = 10n ** 16n;

export const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;

export interface World {
  readonly wallet: Wallet;
  readonly account: Address;
  readonly questions: readonly Question[];
  answer(how: (question: Question) => boolean | Answer): void;
  /** A window that the frame of a site has opened. */
  window(origin: string, frame: SiteFrame): Promise<WindowOfFrame>;
  close(): void;
}

export interface WindowOfFrame {
  /** Asks for permissions, as the frame hands the request over. */
  request(...permissions: object[]): Promise<readonly Granted[]>;
  answer(method: string, ...params: unknown[]): Promise<WindowPurses.Answer | null>;
  give(): Promise<void>;
  /** The messages so far, without their keys. */
  readonly said: readonly object[];
  /** Closes it: what it was asked is withdrawn. */
  close(): void;
}

interface Granted {
  readonly from: Address;
  readonly to: Address;
  readonly context: Hash;
}

export interface SiteFrame {
  readonly purses: FramePurses;
  send(from: Address, value: bigint, over?: object): Promise<Hash>;
  /** Loses everything, as when the browser evicts its storage. */
  evicted(): Promise<SiteFrame>;
  close(): void;
}

async function pursesOf(wallet: Wallet) {
  const core = await coreOf.get(wallet)?.();
  if (!core) throw new Error('The wallet has no core.');
  return (await core.signing()).purses();
}

export async function openWorld(
  local: LocalService,
  options: Partial<createWallet.Options> & { readonly secret?: Hex } = {},
): Promise<World> {
  const { secret, ...given } = options;
  let answer: (question: Question) => boolean | Answer = () => true;
  const approver = headless({ password, answer: (question) => answer(question) });
  const wallet = openWallet({
    networks: [{ chainId: local.chainId, url: local.url }],
    approver: () => approver,
    pollingInterval: 20,
    origin: site,
    storage: createIdbStorage({ name: crypto.randomUUID() }),
    ...given,
  });
  const { address: account } = secret
    ? await wallet.importPrivateKey(secret, { password })
    : await wallet.importMnemonic(phrase, { password });
  await local.controls.faucet(account, 10n ** 18n);
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  return {
    ...{ wallet, account, questions: approver.asked },
    answer(how) {
      answer = how;
    },
    async window(origin, frame) {
      const said: object[] = [];
      const ending = new AbortController();
      const post = (message: PurseMessage) => {
        const { t, address } = message;
        said.push({ t, address });
        // As a port does, it clones.
        void frame.purses.receive(structuredClone(message));
      };
      const window = await (await pursesOf(wallet)).inWindow({ origin, post, showWaiting: () => () => {} });
      const ask = async (method: string, params: readonly unknown[]) =>
        window.answer({ method, params, signal: ending.signal }, await frame.purses.addresses());
      return {
        said,
        async request(...permissions) {
          const answered = await ask('wallet_requestExecutionPermissions', permissions);
          return (answered as { result: readonly Granted[] }).result;
        },
        answer: (method, ...params) => ask(method, params),
        give: async () => window.give(await frame.purses.addresses()),
        close: () => ending.abort(),
      };
    },
    close: () => wallet.destroy(),
  };
}

/** A frame in the page of a site, whose storage is that of its partition. */
export async function openFrame(
  local: LocalService,
  origin: string = site,
  partition: Partition = createPartition(),
): Promise<SiteFrame> {
  const wallet = openWallet({
    networks: [{ chainId: local.chainId, url: local.url }],
    approver: () => ({ ask: async () => ({ approved: false }) }),
    pollingInterval: 20,
    origin,
    storage: partition.wallet,
  });
  const purses = await (await pursesOf(wallet)).inFrame({ origin, storage: partition.keys });
  const close = () => wallet.destroy();
  return {
    purses,
    async send(from, value, over = {}) {
      const params = [{ from, to: shop, value: quantity(value), ...over }];
      const { signal } = new AbortController();
      const hash = await purses.answer({ method: 'eth_sendTransaction', params, signal });
      if (hash === null) throw new Error('The frame has no such purse.');
      return hash;
    },
    async evicted() {
      close();
      return openFrame(local, origin);
    },
    close,
  };
}

/** The storage of the frames in the pages of one site. */
export interface Partition {
  readonly wallet: Storage;
  readonly keys: Storage;
}

export const createPartition = (): Partition => ({
  wallet: createIdbStorage({ name: crypto.randomUUID() }),
  keys: createIdbStorage({ name: crypto.randomUUID() }),
});

/** A permission to pay the shop. */
export const paymentsOf = (local: LocalService, account: Address, data: object = {}, over: object = {}) => ({
  chainId: quantity(BigInt(local.chainId)),
  to: account,
  permission: {
    type: 'native-token-allowance',
    isAdjustmentAllowed: true,
    data: { allowanceAmount: quantity(limit), ...data },
  },
  rules: [
    { type: 'expiry', data: { timestamp: Math.floor(Date.now() / 1_000) + 604_800 } },
    { type: 'payee', data: { addresses: [shop] } },
  ],
  ...over,
});

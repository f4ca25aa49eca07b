import { generatePrivateKey } from 'viem/accounts';
import type { LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type {
  Address,
  Answer,
  createWallet,
  Hash,
  Hex,
  Question,
  RecordedTransaction,
  Wallet,
} from '../../../src/index.js';
import type { SessionMemory } from '../../../src/session/session.js';
import type { Storage } from '../../../src/storage/storage.js';
import type { JournalEntry } from '../../../src/transactions/journal-entry.js';
import { openWallet } from '../../support/open-wallet.js';

/** A wallet whose site has permissions, on a real EVM, and what a test asks it. */

export const friend: Address = `0x${'5a'.repeat(20)}`;
export const stranger: Address = `0x${'5b'.repeat(20)}`;
export const password = 'correct horse';
/** wei: the amount of {@link PermittedSite.payments} */
export const limit = 10n ** 16n;

export interface PermittedSite {
  readonly wallet: Wallet;
  readonly from: Address;
  // biome-ignore lint/suspicious/noExplicitAny: each call names the result that it expects
  request(method: string, ...params: unknown[]): Promise<any>;
  /** Kinds of the questions since the last call. */
  asked(): readonly string[];
  /** The questions so far. */
  readonly questions: readonly Question[];
  /** Answers the questions from now on. */
  answer(how: (question: Question) => boolean | Answer): void;
  /** A permission to pay the friend. */
  payments(given?: object, over?: object): { readonly permission: object };
  pay(value: bigint, to?: Address): Promise<Hash>;
  entryOf(hash: Hash): Promise<RecordedTransaction | undefined>;
  left(): Promise<bigint | undefined>;
}

export async function openPermittedSite(
  local: LocalService,
  options: Partial<createWallet.Options> & { readonly urls?: readonly string[] } = {},
): Promise<PermittedSite> {
  const { urls = [local.url], ...given } = options;
  let answer: (question: Question) => boolean | Answer = () => true;
  const approver = headless({ password, answer: (question) => answer(question) });
  const wallet = openWallet({
    networks: [{ chainId: local.chainId, url: urls }],
    approver: () => approver,
    pollingInterval: 20,
    ...given,
  });
  const { address: from } = await wallet.importPrivateKey(generatePrivateKey(), { password });
  await local.controls.faucet(from, 10n ** 18n);
  await local.controls.mine();
  const request: PermittedSite['request'] = (method, ...params) =>
    wallet.provider.request({ method, params } as never);
  await request('eth_requestAccounts');
  let seen = approver.asked.length;
  return {
    ...{ wallet, from, request, questions: approver.asked },
    asked() {
      const kinds = approver.asked.slice(seen).map(({ kind }) => kind);
      seen = approver.asked.length;
      return kinds;
    },
    answer(how) {
      answer = how;
    },
    payments: (data = {}, over = {}) => ({
      chainId: quantity(BigInt(local.chainId)),
      to: from,
      permission: {
        type: 'native-token-allowance',
        isAdjustmentAllowed: true,
        data: { allowanceAmount: quantity(limit), ...data },
      },
      rules: [
        { type: 'expiry', data: { timestamp: Math.floor(Date.now() / 1_000) + 604_800 } },
        { type: 'payee', data: { addresses: [friend] } },
      ],
      ...over,
    }),
    pay: (value, to = friend) => request('eth_sendTransaction', { from, to, value: quantity(value) }),
    entryOf: async (hash) => (await wallet.transactions({ hash }))[0],
    async left() {
      const [permission] = await wallet.permissions();
      return permission && BigInt(permission.left);
    },
  };
}

export const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;

/** The session's storage, with a view for each tab. */
export function sharedMemory(): { readonly state: { text: string | null }; memoryOf(): SessionMemory } {
  const state: { text: string | null } = { text: null };
  const watchers = new Set<() => void>();
  return {
    state,
    memoryOf() {
      const own = new Set<() => void>();
      return {
        read: () => state.text,
        write(value) {
          state.text = value;
          for (const changed of watchers) if (!own.has(changed)) changed();
        },
        watch(changed) {
          own.add(changed);
          watchers.add(changed);
          return () => void watchers.delete(changed);
        },
      };
    },
  };
}

/** A script that keeps from being sent what is signed while `on` is set. */
export function withholding(base: Storage) {
  const state = { on: false };
  const storage: Storage = {
    ...base,
    async put(store, records) {
      await base.put(store, records);
      if (store !== 'journal' || !state.on) return;
      for (const [key, entry] of records)
        await base.put('journal', [[key, { ...(entry as JournalEntry), state: 'abandoned' }]]);
    },
  };
  return { storage, state };
}

/** The error code of a payment to the friend; `undefined` where it was sent. */
export const failure = (wallet: Wallet, from: Address, value: bigint): Promise<number | undefined> =>
  wallet.provider
    .request({
      method: 'eth_sendTransaction',
      params: [{ from, to: friend, value: quantity(value) }],
    } as never)
    .then(
      () => undefined,
      (error: { readonly code: number }) => error.code,
    );

/** wei that the friend has. */
export const received = async (site: PermittedSite): Promise<bigint> =>
  BigInt(await site.request('eth_getBalance', friend, 'latest'));

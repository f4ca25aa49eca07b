import type { Answer, Question } from '../../src/approvals/question.js';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  type Provider,
  type ProviderRpcError,
  type SessionMemory,
  type Wallet,
} from '../../src/index.js';
import { headless } from '../../src/testing.js';
import { mnemonic, origin, password, plantedSession } from './keys.js';

/** A dapp's page before real services: what it can do, what it hears, and what the person was asked. */
export interface Page {
  readonly wallet: Wallet;
  readonly provider: Provider;
  /** `provider.request` without the types, for params that are wrong on purpose. */
  request(method: string, params?: unknown): Promise<unknown>;
  /** What the request was refused with. @throws when it was not */
  refusal(method: string, params?: unknown): Promise<ProviderRpcError>;
  readonly asked: readonly Question[];
  /** What the person says from now on. */
  decide(answer: Decide): void;
  /** Events that reached the page, oldest first. */
  readonly heard: readonly { readonly name: string; readonly payload: unknown }[];
  /** Payloads of one event. */
  payloads(name: string): readonly unknown[];
  close(): void;
}

type Decide = (question: Question) => boolean | Answer | Promise<boolean | Answer>;

export declare namespace openPage {
  interface Options extends Partial<createWallet.Options> {
    readonly networks: createWallet.Options['networks'];
    /** What the wallet already has: nothing, accounts that the page was not given, or was given. */
    readonly session?: 'none' | 'accounts' | 'connected';
  }
}

const names = ['connect', 'disconnect', 'chainChanged', 'networkChanged', 'accountsChanged', 'message'];

export function openPage({ session = 'connected', ...options }: openPage.Options): Page {
  const site = options.origin ?? origin;
  const memory: SessionMemory = options.memory ?? createVolatileMemory();
  if (session !== 'none' && memory.read() === null)
    memory.write(plantedSession(session === 'connected' ? site : null));
  let answer: Decide = () => true;
  const approver = headless({ answer: (question) => answer(question), password });
  const wallet = createWallet({
    origin: site,
    storage: createMemoryStorage(),
    approver: () => approver,
    pollingInterval: 50,
    ...options,
    memory,
  });
  const { provider } = wallet;
  const heard: { name: string; payload: unknown }[] = [];
  for (const name of names) provider.on(name, (payload: unknown) => heard.push({ name, payload }));
  const request = (method: string, params?: unknown): Promise<unknown> =>
    provider.request({ method, ...(params !== undefined && { params: params as readonly unknown[] }) });

  return {
    wallet,
    provider,
    request,
    async refusal(method, params) {
      const answered = await request(method, params).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      if ('error' in answered) return answered.error as ProviderRpcError;
      throw new Error(`${method} was not refused: ${JSON.stringify(answered.result)}`);
    },
    asked: approver.asked,
    decide: (next) => {
      answer = next;
    },
    heard,
    payloads: (name) => heard.filter((each) => each.name === name).map(({ payload }) => payload),
    close: () => wallet.destroy(),
  };
}

/** A real vault with the accounts of `keys.ts`, the first of which the page was given. */
export async function withKeys(page: Page): Promise<Page> {
  const path = (index: number) => `m/44'/37310'/0'/0/${index}`;
  await page.wallet.importMnemonic(mnemonic, { password, path: path(0) });
  await page.wallet.deriveAccount(path(1));
  await page.request('eth_requestAccounts');
  return page;
}

/** An answer that the test gives later, and who waits for it. */
export function later(): { answer: (given: boolean) => void; readonly given: Promise<boolean> } {
  let answer: (given: boolean) => void = () => {};
  const given = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  return { given, answer: (value) => answer(value) };
}

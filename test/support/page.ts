import { headless } from '../../packages/kit/src/testing/index.js';
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
import { mnemonic, origin, password, plantedSession } from './keys.js';

/** A dapp's page with a wallet: its requests, its events and the questions to the person. */
export interface Page {
  readonly wallet: Wallet;
  readonly provider: Provider;
  /** `provider.request` without the types, for params that are wrong on purpose. */
  request(method: string, params?: unknown): Promise<unknown>;
  /** The error that the request rejects with. @throws if it resolves */
  refusal(method: string, params?: unknown): Promise<ProviderRpcError>;
  /** Every question so far, oldest first. */
  readonly questions: readonly Question[];
  /** Answers every later question by this function. */
  decide(answer: Decide): void;
  /** Events that reached the page, oldest first. */
  readonly events: readonly { readonly name: string; readonly payload: unknown }[];
  /** Payloads of the events of one name, oldest first. */
  payloads(name: string): readonly unknown[];
  close(): void;
}

type Decide = (question: Question) => boolean | Answer | Promise<boolean | Answer>;

export declare namespace openPage {
  interface Options extends Partial<createWallet.Options> {
    readonly networks: createWallet.Options['networks'];
    /** `accounts`: the wallet has accounts. `connected` (the default): and the page is connected to one. */
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
  const events: { name: string; payload: unknown }[] = [];
  for (const name of names) provider.on(name, (payload: unknown) => events.push({ name, payload }));
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
    questions: approver.asked,
    decide: (next) => {
      answer = next;
    },
    events,
    payloads: (name) => events.filter((each) => each.name === name).map(({ payload }) => payload),
    close: () => wallet.destroy(),
  };
}

/** Imports the accounts of `keys.ts` into a real vault and connects the page to the first. */
export async function withKeys(page: Page): Promise<Page> {
  const path = (index: number) => `m/44'/37310'/0'/0/${index}`;
  await page.wallet.importMnemonic(mnemonic, { password, path: path(0) });
  await page.wallet.deriveAccount(path(1));
  await page.request('eth_requestAccounts');
  return page;
}

/** A promise of an answer, and the function that resolves it. */
export function later(): { answer: (given: boolean) => void; readonly given: Promise<boolean> } {
  let answer: (given: boolean) => void = () => {};
  const given = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  return { given, answer: (value) => answer(value) };
}

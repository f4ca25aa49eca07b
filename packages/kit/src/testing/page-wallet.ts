import type { Answer, Approver } from '../../../../src/approvals/question.js';
import { createMutex } from '../../../../src/async/mutex.js';
import { errorCode } from '../../../../src/rpc/errors.js';
import { own } from '../../../../src/rpc/own.js';
import { dialog } from '../../../../src/ui/index.js';
import { createWallet, type Wallet } from '../../../../src/wallet/wallet.js';
import type { Granting } from './grant.js';
import type { PageHandle, PageSettings, SendMessage } from './page-protocol.js';

/** The published wallet in a document of a test. Reports its requests to the test. */
export function createPageWallet(
  { networks, pollingInterval }: PageSettings,
  options: createPageWallet.Options,
) {
  const { send, isFrame, ...rest } = options;
  const wallet = createWallet({ networks, pollingInterval, look: { language: 'en' }, ...rest });
  reportRequests(wallet, send, isFrame ? errorCode.unsupportedMethod : undefined);
  return wallet;
}

export declare namespace createPageWallet {
  interface Options extends Pick<createWallet.Options, 'approver'> {
    /** The dapp's, where the document is not its own. */
    readonly origin?: string | undefined;
    readonly send: SendMessage;
    /** Whether this is a frame of the wallet's site, which refuses requests that a window will answer. */
    readonly isFrame?: boolean | undefined;
  }
}

/** The requests of this document's wallets that are not answered yet. */
const unanswered = new Set<Promise<void>>();

/** Resolves when the requests that are under way have been answered; later ones may begin meanwhile. */
export const settled = (): Promise<unknown> => Promise.all(unanswered);

/** The handle of a document with one wallet. */
export function handleOf(wallet: Wallet, ready: Promise<void>, granting: Granting): PageHandle {
  return {
    wallet,
    ready,
    settled: () => ready.then(settled),
    grant: (request) => ready.then(() => granting.grant(wallet.provider, request)),
  };
}

/**
 * Reports each method that the page requests to the test, and again only when its error code changes: a page may poll.
 *
 * @param moved the error code of a request that another document answers
 */
function reportRequests(wallet: Wallet, send: SendMessage, moved: number | undefined): void {
  const reported = new Map<string, number | undefined>();
  const ends = new Map<number, () => void>();
  wallet.observe((event) => {
    if (event.kind !== 'asked' && event.kind !== 'answered') return;
    if (event.kind === 'asked') {
      const ended = new Promise<void>((resolve) => ends.set(event.id, resolve));
      unanswered.add(ended);
      void ended.then(() => unanswered.delete(ended));
    } else {
      ends.get(event.id)?.();
      ends.delete(event.id);
    }
    const { method } = event;
    const code = event.kind === 'answered' && event.code !== moved ? event.code : undefined;
    if (reported.has(method) && (event.kind === 'asked' || reported.get(method) === code)) return;
    reported.set(method, code);
    void send({ type: 'requested', method, ...(code !== undefined && { code }) });
  });
}

/**
 * Gives the wallet its accounts. Documents of an origin that are loaded at once do it one after the other. The test gets an
 * error.
 */
export function setUp(wallet: Wallet, settings: PageSettings, send: SendMessage): Promise<void> {
  const ready = createMutex('graft-test')(() => createVault(wallet, settings));
  ready.catch((error: Error) => send({ type: 'failed', message: error.message }));
  return ready;
}

/** Creates the vault in a new context; in a page that has one, it stays as it is. */
async function createVault(wallet: Wallet, { accounts, password }: PageSettings): Promise<void> {
  if ((await wallet.vaultState()) !== 'empty') return;
  if ('mnemonic' in accounts) {
    await wallet.importMnemonic(accounts.mnemonic, { password });
    for (let count = 1; count < accounts.count; count++) await wallet.addAccount();
    return;
  }
  const [first, ...rest] = accounts.privateKeys;
  await wallet.importPrivateKey(first as string, { password });
  for (const key of rest) await wallet.importPrivateKey(key);
}

/** Has the test answer questions. */
export function createApprover(
  settings: PageSettings,
  send: SendMessage,
  {
    ready,
    isReady,
    granting,
  }: { readonly ready: Promise<void>; readonly isReady: () => boolean; readonly granting: Granting },
): Approver {
  // Tells the questions of this document from those of other pages and of later loads.
  const load = Math.random();
  const shown = settings.dialog ? dialog({ language: 'en' }) : null;
  return {
    async ask(question, session) {
      // A page may connect while the vault is being made, when it is empty or not yet open.
      const isEarly = !isReady();
      await ready;
      const isOfSetUp = question.kind === 'onboarding' || (question.kind === 'unlock' && isEarly);
      if (isOfSetUp || granting.isOwn(question)) {
        if (question.locked) await session.unlock(settings.password);
        return { approved: true };
      }
      const id = `${load} ${question.id}`;
      session.signal.addEventListener('abort', () => void send({ type: 'withdraw', id }));
      const answered = send({ type: 'ask', id, question });
      if (shown) {
        // The test clicks; a dialog that closes otherwise leaves it nothing to answer.
        const answer = await shown.ask(question, session);
        void send({ type: 'withdraw', id });
        return answer;
      }
      const answer: Answer = (await answered) ?? { approved: false };
      if (answer.approved && question.locked) await session.unlock(settings.password);
      return answer;
    },
  };
}

/**
 * Opens the shadow roots of this document, so that locators see into the dialog and the panel.
 *
 * @param onOpened called once the script that makes a root has filled it
 */
export function openShadowRoots(onOpened: (host: Element) => void = () => {}): void {
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (this: Element, init) {
    queueMicrotask(() => onOpened(this));
    return attachShadow.call(this, own({ ...init, mode: 'open' }));
  };
}

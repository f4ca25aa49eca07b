import type { Answer, Approver } from '../approvals/question.js';
import { createMutex } from '../async/mutex.js';
import { strongKdf } from '../keyring/kdf/kdf.js';
import { own } from '../rpc/own.js';
import { dialog } from '../ui/index.js';
import { createWallet, type Wallet } from '../wallet.js';
import {
  channelName,
  handleName,
  type PageHandle,
  type PageMessage,
  type PageSettings,
  type SendMessage,
} from './page-protocol.js';

/**
 * Puts a wallet for tests into a page, before the scripts of the page: the published wallet, with questions that a test
 * answers. A bundle of its own, so that what is made cheap here is cheap in no other entry.
 *
 * Frames and documents without an origin get no wallet.
 */
export function install(settings: PageSettings): void {
  if (window.top !== window) return;
  if (location.href === 'about:blank') installLater(settings);
  // If the script ran in the empty document of this window before, reading the handle installs the wallet.
  else if (isPage() && !Reflect.get(window, handleName)) installNow(settings);
}

const isPage = () => /^https?:$/.test(location.protocol);

/**
 * A popup begins with an empty document, for which this script runs. A page of the same origin then takes over its window,
 * and the script does not run again: the wallet is installed when it is first looked for.
 */
function installLater(settings: PageSettings): void {
  const names = [handleName, ...(settings.announcement.window ? ['ethereum'] : [])];
  const installOnce = () => {
    if (!isPage()) return;
    removeEventListener('eip6963:requestProvider', installOnce);
    for (const name of names) Reflect.deleteProperty(window, name);
    installNow(settings);
  };
  addEventListener('eip6963:requestProvider', installOnce);
  for (const name of names)
    Object.defineProperty(
      window,
      name,
      own({
        configurable: true,
        get() {
          if (!isPage()) return undefined;
          installOnce();
          return Reflect.get(window, name);
        },
        set(value: unknown) {
          installOnce();
          Object.defineProperty(
            window,
            name,
            own({ value, configurable: true, enumerable: true, writable: true }),
          );
        },
      }),
    );
}

function installNow(settings: PageSettings): void {
  // Half a second for each wallet otherwise. These keys protect nothing.
  Object.assign(strongKdf, { N: 1_024 });
  if (settings.dialog) openShadowRoots();
  const send = (message: PageMessage) => (Reflect.get(window, channelName) as SendMessage)(message);
  void send({ type: 'loaded' });
  const { networks, announcement, pollingInterval } = settings;
  const wallet = createWallet({
    networks,
    pollingInterval,
    look: { language: 'en' },
    approver: () => createApprover(settings, send, { ready, isReady: () => isReady }),
  });
  tellRequests(wallet, send);
  const ready = setUp(wallet, settings);
  let isReady = false;
  ready.then(
    () => {
      isReady = true;
    },
    (error: Error) => send({ type: 'failed', message: error.message }),
  );
  if (announcement.isMetaMask)
    Object.assign(wallet.provider, {
      _metamask: { isUnlocked: () => ready.then(async () => (await wallet.vaultState()) === 'unlocked') },
    });
  const handle: PageHandle = { wallet, ready };
  Object.defineProperty(window, handleName, own({ value: handle }));
  wallet.announce(announcement);
}

/** Reports each method that the page requests to the test, and again only when its error code changes: a page may poll. */
function tellRequests(wallet: Wallet, send: SendMessage): void {
  const told = new Map<string, number | undefined>();
  wallet.observe((event) => {
    if (event.kind !== 'asked' && event.kind !== 'answered') return;
    const { method } = event;
    const code = event.kind === 'answered' ? event.code : undefined;
    if (told.has(method) && (event.kind === 'asked' || told.get(method) === code)) return;
    told.set(method, code);
    void send({ type: 'requested', method, ...(code !== undefined && { code }) });
  });
}

/** Pages of an origin that are loaded at once set the wallet up one after the other. */
const setUp = (wallet: Wallet, settings: PageSettings): Promise<void> =>
  createMutex('graft-test')(() => createVault(wallet, settings));

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

function createApprover(
  settings: PageSettings,
  send: SendMessage,
  { ready, isReady }: { readonly ready: Promise<void>; readonly isReady: () => boolean },
): Approver {
  // Tells the questions of this document from those of other pages and of later loads.
  const load = Math.random();
  const shown = settings.dialog ? dialog({ language: 'en' }) : null;
  return {
    async ask(question, session) {
      // A page may connect while the vault is being made, when it is empty or not yet open.
      const isEarly = !isReady();
      await ready;
      if (question.kind === 'onboarding' || (question.kind === 'unlock' && isEarly)) {
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

/** Opens the shadow roots of the page, so that locators see into the dialog and the panel. */
function openShadowRoots(): void {
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (this: Element, init) {
    return attachShadow.call(this, own({ ...init, mode: 'open' }));
  };
}

import { strongKdf } from '../../../../src/keyring/kdf/kdf.js';
import { own } from '../../../../src/rpc/own.js';
import { createGranting } from './grant.js';
import {
  channelName,
  type DocumentHandle,
  handleName,
  type PageMessage,
  type PageSettings,
  type SendMessage,
} from './page-protocol.js';
import { serveSite } from './page-site.js';
import { createApprover, createPageWallet, handleOf, openShadowRoots, setUp } from './page-wallet.js';

/**
 * Puts a wallet for tests into a page, before the scripts of the page: the published wallet, with questions that a test
 * answers. It is a separate bundle, so that its weak key derivation for tests reaches no other entry.
 *
 * Frames and documents without an origin get no wallet. With a bridge, only the documents of the wallet's site get one.
 */
export function install(settings: PageSettings): void {
  if (settings.bridge !== undefined) openShadowRoots(reportContinue);
  else if (window.top !== window) return;
  if (location.href === 'about:blank') installLater(settings);
  // If the script ran in the empty document of this window before, reading the handle installs the wallet.
  else if (isPlace(settings) && Reflect.get(window, handleName) === undefined) installNow(settings);
}

/** Whether this document gets a wallet. */
const isPlace = ({ bridge }: PageSettings): boolean =>
  bridge === undefined ? /^https?:$/.test(location.protocol) : location.origin === bridge;

const send: SendMessage = (message: PageMessage) =>
  (Reflect.get(window, channelName) as SendMessage)(message);

/** Reports the button that opens a window of the wallet. It approves nothing, so the test need not mention it. */
function reportContinue(host: Element): void {
  if (host.matches('[data-graft=continue]')) void send({ type: 'continue' });
}

/**
 * A popup begins with an empty document, for which this script runs. A page of the same origin then takes over its window,
 * and the script does not run again: the wallet is installed when it is first looked for.
 */
function installLater(settings: PageSettings): void {
  const isInPage = settings.bridge === undefined && settings.announcement.window;
  const names = [handleName, ...(isInPage ? ['ethereum'] : [])];
  const installOnce = () => {
    if (!isPlace(settings)) return;
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
          if (!isPlace(settings)) return undefined;
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
  void send({ type: 'loaded' });
  const keep = (handle: DocumentHandle) => Object.defineProperty(window, handleName, own({ value: handle }));
  if (settings.bridge !== undefined) {
    keep(serveSite(settings, send));
    return;
  }
  if (settings.dialog) openShadowRoots();
  const { announcement } = settings;
  const granting = createGranting();
  const wallet = createPageWallet(settings, {
    send,
    approver: () => createApprover(settings, send, { ready, isReady: () => isReady, granting }),
  });
  const ready = setUp(wallet, settings, send);
  let isReady = false;
  ready.then(
    () => {
      isReady = true;
    },
    () => {},
  );
  if (announcement.isMetaMask)
    Object.assign(wallet.provider, {
      _metamask: { isUnlocked: () => ready.then(async () => (await wallet.vaultState()) === 'unlocked') },
    });
  keep(handleOf(wallet, ready, granting));
  wallet.announce(announcement);
}

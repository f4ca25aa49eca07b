import { own } from '../rpc/own.js';
import { createElement } from '../ui/elements.js';
import { bodyOfPage } from '../ui/page.js';
import { handshake, type Opened } from './handshake.js';

/** The wallet's frame in the dapp's page: hidden while it only answers, over the whole page while it asks a person. */
export interface WalletFrame {
  /** Inserts a new frame and hands it a port. @throws ProviderRpcError as {@link handshake} */
  open(): Promise<Opened>;
  /** Whether the frame that was opened last is still in the document. */
  isThere(): boolean;
  /** Shows it over the page, above everything else of it. */
  show(): void;
  /** Hides it, and gives the focus back to the page. */
  hide(): void;
  remove(): void;
}

/** Without a box or out of view, the browser would slow its timers down. */
const hidden =
  'all:initial;display:block;position:fixed;inset:0;width:0;height:0;overflow:hidden;visibility:hidden';
const shown =
  'all:initial;display:block;position:fixed;inset:0;width:100%;height:100%;max-width:none;max-height:none';
const inside = 'all:initial;display:block;width:100%;height:100%;border:0;color-scheme:light';
const features = ['publickey-credentials-get', 'publickey-credentials-create', 'clipboard-write'];

export function createWalletFrame(options: createWalletFrame.Options): WalletFrame {
  const { host, onLost, onDismissed } = options;
  let root: HTMLElement | undefined;
  let dialog: HTMLDialogElement | undefined;
  let frame: HTMLIFrameElement | undefined;
  let removal = new AbortController();
  let watch: MutationObserver | undefined;
  let isShown = false;

  function remove(): void {
    removal.abort();
    watch?.disconnect();
    isShown = false;
    dialog?.close();
    root?.remove();
    root = dialog = frame = undefined;
  }

  function hide(): void {
    isShown = false;
    if (!dialog) return;
    dialog.close();
    dialog.style.cssText = hidden;
  }

  function insert(): void {
    root = createElement('div');
    const around = createElement('dialog');
    const created = createElement('iframe');
    let loads = 0;
    created.title = 'Wallet';
    created.src = `${host}/frame.html`;
    created.referrerPolicy = 'strict-origin';
    created.allow = features.map((feature) => `${feature} ${host}`).join('; ');
    created.style.cssText = inside;
    // A second document has replaced the one that answered.
    created.addEventListener('load', () => {
      if (++loads > 1 && created === frame) onLost();
    });
    // A frame that is moved reloads: it stays in one dialog, which is opened and closed around it.
    around.style.cssText = hidden;
    around.addEventListener('cancel', (event) => event.preventDefault());
    // A browser may close it all the same, on a second Escape. The event comes after the closing: a dialog that was hidden
    // may by then be shown for the next question.
    around.addEventListener('close', () => {
      if (!isShown || around !== dialog || around.open) return;
      hide();
      onDismissed();
    });
    const shadow = root.attachShadow(own({ mode: 'closed' }));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('dialog::backdrop{background:transparent}');
    shadow.adoptedStyleSheets = [sheet];
    shadow.append(around);
    around.append(created);
    root.setAttribute('data-graft', 'bridge');
    dialog = around;
    frame = created;
    const parent = bodyOfPage() ?? document.documentElement;
    parent.append(root);
    // A page that re-renders its body removes the frame with it.
    watch = new MutationObserver(() => {
      if (!created.isConnected && created === frame) onLost();
    });
    watch.observe(parent, own({ childList: true }));
  }

  return {
    open() {
      remove();
      removal = new AbortController();
      const opened = handshake(host, () => frame?.contentWindow, removal.signal);
      insert();
      return opened;
    },
    isThere: () => frame?.isConnected === true,
    show() {
      if (!dialog?.isConnected || isShown) return;
      isShown = true;
      dialog.style.cssText = shown;
      dialog.showModal();
      frame?.focus();
    },
    hide,
    remove,
  };
}

export declare namespace createWalletFrame {
  interface Options {
    /** The wallet's origin. */
    readonly host: string;
    /** Called when the frame has loaded a second document, or was removed by the page. */
    readonly onLost: () => void;
    /** Called when the person has closed it from outside. */
    readonly onDismissed: () => void;
  }
}

import { lazy } from '../async/lazy.js';
import { type Announcement, announce } from '../provider/announce.js';
import { createProvider, type Provider } from '../provider/provider.js';
import { createShell } from '../provider/shell.js';
import { walletClosed } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import { permittedAccounts } from '../session/session.js';
import type { createRemote, Remote } from './remote.js';
import { createSessionMirror } from './session-mirror.js';

/** A wallet that lives on an origin of its own, as a dapp's page sees it. */
export interface Bridge {
  /** The provider, as `createWallet` gives one. */
  readonly provider: Provider;
  /**
   * Announces the provider to dapps (EIP-6963), and as `window.ethereum` on request. Returns its undo.
   *
   * @example
   * const stop = bridge.announce({ window: true });
   */
  announce(options?: Announcement): () => void;
  /**
   * Returns the current state of the wallet, as this page knows it.
   *
   * @example
   * const { status, accounts } = bridge.state();
   */
  state(): BridgeState;
  /**
   * Opens the wallet's own page in a window, at `/#view`, by default `/#home`. Call it in a click.
   *
   * @example
   * button.addEventListener('click', () => void bridge.open('settings'));
   *
   * @throws ProviderRpcError -32002 `popup-blocked`
   */
  open(view?: string): Promise<void>;
  /**
   * Removes the frame. Later requests are refused with 4900.
   *
   * @example
   * addEventListener('pagehide', () => bridge.destroy());
   */
  destroy(): void;
}

/** The state of the bridge, which a dapp can read at once and without a request. */
export interface BridgeState {
  /**
   * - `idle`: nothing is loaded; the next request loads the wallet.
   * - `loading`: its frame loads.
   * - `ready`: it answers.
   * - `lost`: it has stopped answering, or could not be reached; the next request tries again.
   * - `closed`: after {@link Bridge.destroy}.
   */
  readonly status: 'idle' | 'loading' | 'ready' | 'lost' | 'closed';
  /** The active chain; `null` before the wallet's first message. */
  readonly chainId: number | null;
  /** The accounts shared with this origin, the selected one first. */
  readonly accounts: readonly Address[];
}

/**
 * The provider over a {@link Remote}, which loads when the page is idle, or with the first request.
 *
 * @param origin the page's
 */
export function createBridge(
  origin: string,
  load: (page: Pick<createRemote.Options, 'mirror' | 'events'>) => Promise<Remote>,
): Bridge {
  const mirror = createSessionMirror(origin);

  const remote = lazy(async () => {
    const loaded = await load({ mirror, events: side });
    if (!remote.isClosed()) loaded.connect();
    return loaded;
  });

  const side = createProvider({
    requests: createShell({
      context: { origin, session: mirror },
      core: remote,
      isInstant: mirror.isKnown,
    }),
    session: mirror,
    origin,
  });
  const { provider } = side;
  const announced: (() => void)[] = [];

  if (globalThis.window) {
    const begin = () => void (remote.isClosed() || remote().catch(() => {}));
    // Safari 16.4 lacks `requestIdleCallback`.
    void (globalThis.requestIdleCallback?.(begin) ?? setTimeout(begin, 200));
  }

  return {
    provider,
    announce(announcement) {
      const undo = announce(provider, announcement);
      announced.push(undo);
      return undo;
    },
    state: () =>
      own({
        status: remote.isClosed() ? 'closed' : (remote.peek()?.status() ?? 'idle'),
        chainId: mirror.isKnown() ? mirror.state().chainId : null,
        accounts: permittedAccounts(mirror.state(), origin),
      }),
    open: async (view = 'home') => (await remote()).open(view),
    destroy() {
      remote.close((loaded) => loaded.close(walletClosed()));
      for (const undo of announced.splice(0)) undo();
      side.close();
    },
  };
}

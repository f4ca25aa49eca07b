import { lazy } from '../async/lazy.js';
import { sliceBytes } from '../keyring/builtins.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { createFramePurses, FramePurses } from './frame-purses.js';
import { purseKind } from './kind.js';
import type { OwnerPurses } from './owner-purses.js';
import type { PurseParts, PurseRecords, WalletParts } from './parts.js';
import { decodePurses, encodePurse } from './purse.js';
import type { createWindowPurses, WindowPurses } from './window-purses.js';

/**
 * Purses: accounts of their own whose keys sites have, where the wallet's frame has no wallet. The contents of one are the limit of
 * its site (docs/notes/permissions.md#the-purse).
 */
export interface Purses extends OwnerPurses {
  /** The purses of a site, in a window that the wallet's frame has opened. */
  inWindow(site: createWindowPurses.Site): Promise<WindowPurses>;
  /** The purses whose keys a frame has that has no wallet. */
  inFrame(site: createFramePurses.Site): Promise<FramePurses>;
}

export function createPurses(options: WalletParts): Purses {
  const { keyring } = options;
  const records: PurseRecords = {
    all: async () => decodePurses(await keyring.records(purseKind)),
    async change(change) {
      await keyring.changeRecords(purseKind, (bytes) => {
        const unreadable = bytes.filter((each) => decodePurses([each]).length === 0);
        return [...unreadable, ...change(decodePurses(bytes)).map(encodePurse)];
      });
    },
  };
  const parts: PurseParts = {
    ...options,
    records,
    lendKey: ({ account, path }) => keyring.lendPurseKey(account, path, (key) => sliceBytes(key)),
  };
  const owner = lazy(async () => {
    const { createOwnerPurses } = await import('./owner-purses.js').catch(throwNotLoaded);
    return createOwnerPurses(parts);
  });
  return {
    list: async (lost) => (await owner()).list(lost),
    takeBack: async (...args) => (await owner()).takeBack(...args),
    inWindow: async (site) =>
      (await import('./window-purses.js').catch(throwNotLoaded)).createWindowPurses(parts, site),
    inFrame: async (site) =>
      (await import('./frame-purses.js').catch(throwNotLoaded)).createFramePurses(parts, site),
  };
}

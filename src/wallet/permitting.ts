import type { PermittingWallet } from '../permissions/parts.js';
import { createPermissions, type Permissions } from '../permissions/permissions.js';
import { asPerson } from '../service/service.js';
import type { Storage } from '../storage/storage.js';
import { createCheckpoints } from '../transactions/checkpoints.js';
import type { ChainRuntime } from './chain-runtime.js';

/** The permissions of this wallet, with what they use of it. A chunk of its own, for wallets that have some. */
export const createPermitting = ({
  storage,
  chain,
  isServed,
  ...rest
}: createPermitting.Options): Permissions =>
  createPermissions({
    ...rest,
    checkpoints: createCheckpoints(storage),
    serviceOf: (chainId) => chain(chainId).sends,
    readsOf: (chainId) => asPerson(chain(chainId).reads.cached),
    hasLocks: () => storage.durable === false || globalThis.navigator?.locks !== undefined,
    isTop: () => globalThis.window === undefined || window.parent === (isServed ? window.top : window),
  });

export declare namespace createPermitting {
  interface Options
    extends Omit<PermittingWallet, 'checkpoints' | 'serviceOf' | 'readsOf' | 'hasLocks' | 'isTop'> {
    readonly storage: Storage;
    readonly chain: (chainId: number) => ChainRuntime;
    /** Whether a wallet's own site serves a dapp, whose page is around this document. */
    readonly isServed: boolean;
  }
}

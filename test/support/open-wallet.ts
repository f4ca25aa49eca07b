import { createMemoryStorage, createVolatileMemory, createWallet, type Wallet } from '../../src/index.js';

/** A wallet in the page of https://app.example, all of whose state is in memory. The caller destroys it. */
export const openWallet = (options: openWallet.Options): Wallet =>
  createWallet({
    storage: createMemoryStorage(),
    memory: createVolatileMemory(),
    origin: 'https://app.example',
    ...options,
  });

export declare namespace openWallet {
  type Options = createWallet.Options;
}

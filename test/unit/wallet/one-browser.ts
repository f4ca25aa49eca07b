import { createBook } from '../../../src/contacts/book.js';
import { createKeyring } from '../../../src/keyring/keyring.js';
import type { Address } from '../../../src/rpc/schema.js';
import type { Network } from '../../../src/service/networks.js';
import type { Service } from '../../../src/service/service.js';
import { createSession } from '../../../src/session/session.js';
import { createVolatileMemory } from '../../../src/session/volatile-memory.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import { createAccounts } from '../../../src/wallet/accounts.js';
import { createVaultFunctions } from '../../../src/wallet/vault-functions.js';
import { createFakeAuthenticator, type FakeAuthenticator } from '../../support/fake-authenticator.js';
import { createTestClock } from '../keyring/clock.js';
import { quickKdf } from '../keyring/profile.js';
import { createMemoryTraces } from '../keyring/traces.js';

const opened: (() => void)[] = [];

/** Closes the pages of all browsers. */
export function closeAll(): void {
  for (const close of opened.splice(0)) close();
}

let databases = 0;

/**
 * What a browser keeps for a wallet; `open` is a page of it. Another one with the same authenticator is the same person's after
 * all data was lost.
 */
export function createBrowser({
  authenticator = createFakeAuthenticator(),
  ownSite = true,
}: {
  readonly authenticator?: FakeAuthenticator;
  readonly ownSite?: boolean;
} = {}) {
  const name = `accounts-${++databases}`;
  const storage = createIdbStorage({ name });
  const traces = createMemoryTraces();
  const memory = createVolatileMemory();
  /** Addresses that the chain knows; `null` while the network is out of reach. */
  const chain: { used: Set<Address> | null } = { used: new Set<Address>() };
  const requests: string[] = [];
  const service = {
    network: { chainId: 31 },
    async request(method: string, [address]: [Address]) {
      requests.push(`${method} ${address}`);
      if (!chain.used) throw new Error('The network is out of reach.');
      return method === 'eth_getBalance' && chain.used.has(address) ? '0x1' : '0x0';
    },
  } as unknown as Service;
  return {
    storage,
    traces,
    memory,
    authenticator,
    chain,
    used: chain.used as Set<Address>,
    requests,
    open() {
      const session = createSession({
        memory,
        origin: 'https://app.example',
        initialChainId: 31,
        chainIds: [30, 31],
      });
      const keyring = createKeyring({
        name,
        storage,
        traces,
        authenticator,
        clock: createTestClock(),
        kdf: quickKdf,
        eraseRest: async () => session.reset(),
      });
      const network = () =>
        ({
          chainId: session.state().chainId,
          coinType: session.state().chainId === 30 ? 137 : 37310,
        }) as Network;
      opened.push(() => {
        keyring.close();
        session.close();
      });
      let changes = 0;
      const accounts = createAccounts({
        keyring,
        session,
        book: async () => createBook({ keyring, session }),
        network,
        service: () => service,
        ownSite,
        changed: () => void changes++,
      });
      return Object.assign(accounts, createVaultFunctions(keyring), {
        session,
        keyring,
        state: () => keyring.state(),
        changes: () => changes,
      });
    },
  };
}

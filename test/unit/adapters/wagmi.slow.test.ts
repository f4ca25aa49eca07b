// @vitest-environment happy-dom
import * as core from '@wagmi/core';
import { erc20Abi, type Hex, multicall3Abi, verifyMessage } from 'viem';
import { parseSiweMessage } from 'viem/siwe';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as react from 'wagmi';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { graftTransport, rootstockRegtest, rootstockTestnet } from '../../../src/adapters/viem.js';
import {
  type ConnectedAccount,
  getGrantedExecutionPermissions,
  getSupportedExecutionPermissions,
  graft,
  requestExecutionPermissions,
  revokeExecutionPermission,
} from '../../../src/adapters/wagmi.js';
import {
  createMemoryStorage,
  createVolatileMemory,
  type SessionMemory,
  type Storage,
} from '../../../src/index.js';
import { bridgeTo } from '../../support/bridged.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { owners } from '../../support/keys.js';
import { clientOf, nobody } from '../../support/local-client.js';
import { openPage, type Page, withKeys } from '../../support/page.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

const owner = owners[0] as (typeof owners)[number];

let service: LocalService;
let testnet: LocalService;
beforeAll(async () => {
  [service, testnet] = await Promise.all([
    createLocalService({ chainId: 33 }),
    createLocalService({ chainId: 31 }),
  ]);
  await service.controls.faucet(owner.address);
});
afterAll(() => Promise.all([service?.close(), testnet?.close()]));

test('wagmi 2 and wagmi 3 take the connector without a cast', () => {
  const { wallet } = openPage({ session: 'none', networks: [{ chainId: 33, url: service.url }] });
  const connectors: readonly [core.CreateConnectorFn, react.CreateConnectorFn] = [
    graft({ wallet }),
    graft({ wallet }),
  ];
  expect([core.version, react.version].map((version) => version[0])).toEqual(['3', '2']);
  expect(connectors).toHaveLength(2);
  wallet.destroy();
});

// The actions of `@wagmi/core` 3, and those that wagmi 2 passes on.
describe.each([
  ['@wagmi/core 3', core],
  ['wagmi 2', { ...react, ...(await import('wagmi/actions')) } as unknown as typeof core],
])('%s', (_, wagmi) => {
  let page: Page;
  let memory: SessionMemory;
  let storage: Storage;
  afterEach(() => {
    page?.close();
    localStorage.clear();
  });

  const networks = () => [
    { chainId: 33, url: service.url },
    { chainId: 31, url: testnet.url },
  ];

  function createConfig() {
    return wagmi.createConfig({
      chains: [rootstockRegtest, rootstockTestnet],
      connectors: [graft({ wallet: page.wallet })],
      transports: {
        [rootstockRegtest.id]: graftTransport(page.wallet),
        [rootstockTestnet.id]: graftTransport(page.wallet),
      },
    });
  }
  type Config = ReturnType<typeof createConfig>;

  /** A wallet with accounts; the page is not connected. */
  async function open(): Promise<Config> {
    memory = createVolatileMemory();
    storage = createMemoryStorage();
    page = await withKeys(
      openPage({ session: 'none', networks: networks(), memory, storage: { ...storage, close() {} } }),
    );
    page.wallet.disconnect();
    return createConfig();
  }

  /** The page is left and opened again: another wallet and another config over the same stores. */
  function reload(): Config {
    page.close();
    page = openPage({ session: 'none', networks: networks(), memory, storage: { ...storage, close() {} } });
    return createConfig();
  }

  const connect = (config: Config, chainId?: 31 | 33) =>
    wagmi.connect(config, {
      connector: config.connectors[0] as core.Connector,
      ...(chainId !== undefined && { chainId }),
    });
  const kinds = () => page.questions.map(({ kind }) => kind);
  const asked = async (act: () => Promise<unknown>) => {
    const before = kinds().length;
    await act();
    return kinds().slice(before);
  };

  test('connects after one question, and disconnecting takes the permission back', async () => {
    const config = await open();
    expect(await asked(() => connect(config))).toEqual(['connect']);
    expect(config.state.status).toBe('connected');
    const [connection] = wagmi.getConnections(config);
    expect(connection).toMatchObject({ accounts: [owner.address], chainId: 33 });

    await wagmi.disconnect(config);
    expect(config.state.status).toBe('disconnected');
    expect(await page.request('eth_accounts')).toEqual([]);
    expect(await asked(() => connect(config))).toEqual(['connect']);
  });

  test('connects and signs in by one question, over the message that the wallet wrote for this site', async () => {
    const config = await open();
    const connector = config.connectors[0] as core.Connector;
    const signIn = { nonce: 'a1b2c3d4e5', statement: 'Play', expirationTime: new Date('2099-01-01') };
    let accounts: readonly unknown[] = [];
    expect(
      await asked(async () => {
        ({ accounts } = await wagmi.connect(config, {
          connector,
          withCapabilities: true,
          ...{ capabilities: { signInWithEthereum: signIn } },
        }));
      }),
    ).toEqual(['connect']);
    const [{ address, capabilities }] = accounts as readonly [ConnectedAccount];
    const { message, signature } = capabilities.signInWithEthereum as { message: string; signature: Hex };
    expect(parseSiweMessage(message)).toMatchObject({
      ...signIn,
      address: owner.address,
      chainId: 33,
      domain: 'app.example',
    });
    expect(await verifyMessage({ address, message, signature })).toBe(true);
    expect(wagmi.getConnections(config)).toMatchObject([{ accounts: [owner.address], chainId: 33 }]);
  });

  test('a sign-in without withCapabilities is refused without a question', async () => {
    const config = await open();
    const connector = config.connectors[0] as core.Connector;
    const capabilities = { signInWithEthereum: { nonce: 'a1b2c3d4e5' } };
    expect(
      await asked(() =>
        expect(wagmi.connect(config, { connector, ...{ capabilities } })).rejects.toMatchObject({
          code: -32602,
        }),
      ),
    ).toEqual([]);
    expect(config.state.status).toBe('disconnected');
  });

  test('a sign-in is not lost when the person then refuses to switch the chain', async () => {
    const config = await open();
    const connector = config.connectors[0] as core.Connector;
    const before = kinds().length;
    page.decide(({ kind }) => kind === 'connect');
    const outcome = await wagmi
      .connect(config, {
        connector,
        chainId: 31,
        withCapabilities: true,
        ...{ capabilities: { signInWithEthereum: { nonce: 'a1b2c3d4e5' } } },
      })
      .then(
        ({ accounts }) => (accounts as unknown as ConnectedAccount[])[0]?.capabilities.signInWithEthereum,
        (error: Error) => error.name,
      );
    // Either the signature arrives, or nothing was signed.
    if (kinds().slice(before).includes('connect'))
      expect(outcome).toMatchObject({ signature: expect.any(String) });
  });

  test('an invalid date is an error of viem', async () => {
    const config = await open();
    const connector = config.connectors[0] as core.Connector;
    const issuedAt = new Date(Number.NaN);
    await expect(
      wagmi.connect(config, {
        connector,
        withCapabilities: true,
        ...{ capabilities: { signInWithEthereum: { nonce: 'a1b2c3d4e5', issuedAt } } },
      }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  test('a refusal is UserRejectedRequestError, and connects nothing', async () => {
    const config = await open();
    page.decide(() => false);
    await expect(connect(config)).rejects.toMatchObject({ name: 'UserRejectedRequestError', code: 4001 });
    expect(config.state.status).toBe('disconnected');
  });

  test('a reload reconnects without a question, but not after disconnecting', async () => {
    await connect(await open());
    const config = reload();
    expect(await asked(() => wagmi.reconnect(config))).toEqual([]);
    expect(wagmi.getConnections(config)).toMatchObject([{ accounts: [owner.address] }]);

    await wagmi.disconnect(config);
    const later = reload();
    await wagmi.reconnect(later);
    expect(later.state.status).toBe('disconnected');
  });

  test('connecting and reconnecting several times adds each listener once', async () => {
    const config = await open();
    const counts = () =>
      ['accountsChanged', 'chainChanged'].map((event) => page.provider.listenerCount(event));
    const before = counts();
    for (let count = 0; count < 3; count++) {
      await connect(config);
      await Promise.all([wagmi.reconnect(config), wagmi.reconnect(config)]);
      await wagmi.disconnect(config);
    }
    expect(counts()).toEqual(before);
  });

  test('switches the chain after one question, and reads through the new chain', async () => {
    const config = await open();
    await connect(config);
    expect(await asked(() => wagmi.switchChain(config, { chainId: 31 }))).toEqual(['switch-chain']);
    expect(wagmi.getConnections(config)).toMatchObject([{ chainId: 31 }]);
    expect(await wagmi.getTransactionCount(config, { address: owner.address, chainId: 31 })).toBe(0);
    // The wallet serves one chain at a time: nothing is read from the wrong one.
    await expect(wagmi.getTransactionCount(config, { address: owner.address, chainId: 33 })).rejects.toThrow(
      'The wallet is on chain 31, the client on chain 33.',
    );
  });

  test('connecting to a chain switches to it; where that is refused, so is the connection', async () => {
    const config = await open();
    expect(await asked(() => connect(config, 31))).toEqual(['connect', 'switch-chain']);
    expect(wagmi.getConnections(config)).toMatchObject([{ chainId: 31 }]);
    await wagmi.disconnect(config);
    page.decide(({ kind }) => kind !== 'switch-chain');
    await expect(connect(config, 33)).rejects.toMatchObject({ code: 4001 });
  });

  test('the config follows the owner: another chain, no account, an account again', async () => {
    const config = await open();
    await connect(config);
    page.wallet.switchChain(31);
    await until(() => wagmi.getConnections(config)[0]?.chainId === 31);
    page.wallet.disconnect();
    await until(() => config.state.status === 'disconnected');
    await page.request('eth_requestAccounts');
    await until(() => config.state.status === 'connected');
    expect(wagmi.getConnections(config)).toMatchObject([{ accounts: [owner.address], chainId: 31 }]);
  });

  test('sends after one question, and signs, through the wallet', async () => {
    const config = await open();
    await connect(config);
    let hash: Hex = '0x';
    expect(
      await asked(async () => {
        hash = await wagmi.sendTransaction(config, { to: nobody, value: 7n });
      }),
    ).toEqual(['transaction']);
    expect(await wagmi.waitForTransactionReceipt(config, { hash })).toMatchObject({ status: 'success' });
    expect(await asked(() => wagmi.signMessage(config, { message: 'Hello' }))).toEqual(['message']);
  });

  test('asks for a permission once, sends within it without a question, and revokes it', async () => {
    const config = await open();
    await expect(getGrantedExecutionPermissions(config)).rejects.toMatchObject({
      name: 'ConnectorNotConnectedError',
    });
    await connect(config);
    const expiry = Math.floor(Date.now() / 1_000) + 3_600;
    const permissions = [
      { type: 'native-token-allowance', payees: [nobody], allowanceAmount: 10n ** 15n, expiry },
    ] as const;
    expect(await asked(() => requestExecutionPermissions(config, { permissions }))).toEqual(['permission']);
    expect(await asked(() => wagmi.sendTransaction(config, { to: nobody, value: 7n }))).toEqual([]);
    const granted = await getGrantedExecutionPermissions(config);
    expect(granted).toMatchObject([{ ...permissions[0], account: owner.address.toLowerCase(), chainId: 33 }]);
    expect(await getSupportedExecutionPermissions(config)).toMatchObject({
      'native-token-allowance': { chainIds: [33, 31] },
    });

    const context = granted[0]?.context ?? '0x';
    await revokeExecutionPermission(config, { context, connector: config.connectors[0] });
    expect(await getGrantedExecutionPermissions(config)).toEqual([]);
    expect(await asked(() => wagmi.sendTransaction(config, { to: nobody, value: 7n }))).toEqual([
      'transaction',
    ]);
  });

  test('asks for a permission on another chain than the connection’s, and for another account of it', async () => {
    const config = await open();
    await connect(config);
    const expiry = Math.floor(Date.now() / 1_000) + 3_600;
    const permissions = [
      { type: 'native-token-allowance', payees: [nobody], allowanceAmount: 1n, expiry },
    ] as const;
    const [permission] = await requestExecutionPermissions(config, { chainId: 31, permissions });
    expect(permission).toMatchObject({ chainId: 31 });
    const account = nobody;
    await expect(requestExecutionPermissions(config, { account, permissions })).rejects.toMatchObject({
      name: 'InvalidParamsRpcError',
    });
    page.decide(() => false);
    await expect(requestExecutionPermissions(config, { permissions })).rejects.toMatchObject({
      name: 'UserRejectedRequestError',
    });
  });

  test.each([
    [33, () => service],
    [31, () => testnet],
  ] as const)('reads of several contracts are one call of Multicall3 on chain %i', async (chainId, of) => {
    const config = await open();
    page.wallet.switchChain(chainId);
    const { requests, controls } = of();
    await controls.mine();
    const before = requests.count('eth_call');
    const balanceOf = (address: Hex) =>
      ({
        abi: multicall3Abi,
        address: '0xcA11bde05977b3631167028862bE2a173976CA11',
        functionName: 'getEthBalance',
        args: [address],
        chainId,
      }) as const;
    const contracts = [balanceOf(owner.address), balanceOf(nobody)] as const;
    const balances = await wagmi.readContracts(config, { allowFailure: false, contracts });
    const node = clientOf(of());
    expect(balances).toEqual([
      BigInt(await node.call('eth_getBalance', owner.address, 'latest')),
      BigInt(await node.call('eth_getBalance', nobody, 'latest')),
    ]);
    expect(requests.count('eth_call') - before).toBe(1);
  });

  test('a failing read is one request', async () => {
    const config = await open();
    const before = service.requests.count('eth_call');
    const read = wagmi.readContract(config, { abi: erc20Abi, address: nobody, functionName: 'decimals' });
    await expect(read).rejects.toThrow('returned no data');
    expect(service.requests.count('eth_call') - before).toBe(1);
  });

  test('connects, sends and reconnects with the provider of a bridge', async () => {
    await open();
    const { origin } = page.wallet;
    const bridged = bridgeTo({ origin, make: () => page.wallet });
    const configOf = () =>
      wagmi.createConfig({
        chains: [rootstockRegtest],
        connectors: [graft({ wallet: bridged.bridge })],
        transports: { [rootstockRegtest.id]: graftTransport(bridged.bridge) },
      });
    const config = configOf();
    const connector = config.connectors[0] as core.Connector;
    expect(await asked(() => wagmi.connect(config, { connector }))).toEqual(['connect']);
    const hash = await wagmi.sendTransaction(config, { to: nobody, value: 1n });
    expect(await wagmi.waitForTransactionReceipt(config, { hash })).toMatchObject({ status: 'success' });
    const again = configOf();
    expect(await asked(() => wagmi.reconnect(again))).toEqual([]);
    expect(wagmi.getConnections(again)).toMatchObject([{ accounts: [owner.address] }]);
    bridged.stop();
  });

  test('a wallet that is announced too is listed once', async () => {
    page = openPage({ session: 'none', networks: networks() });
    const stop = [page.wallet.announce(), page.wallet.announce()];
    const config = createConfig();
    page.wallet.announce();
    expect(config.connectors.map(({ id }) => id)).toEqual(['graft']);
    for (const undo of stop) undo();
  });

  test('an announced wallet without the connector is listed once, however often it is announced', async () => {
    page = openPage({ session: 'none', networks: networks() });
    // As an effect of React runs in StrictMode.
    page.wallet.announce()();
    page.wallet.announce();
    const config = wagmi.createConfig({
      chains: [rootstockRegtest],
      transports: { [rootstockRegtest.id]: graftTransport(page.wallet) },
    });
    page.wallet.announce();
    expect(config.connectors.map(({ id }) => id)).toEqual(['io.github.graft-wallet']);
  });
});

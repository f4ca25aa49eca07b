import { createWalletClient, parseEther } from 'viem';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import {
  type ExecutionPermission,
  graftTransport,
  permissionActions,
  rootstockTestnet,
} from '../../../src/adapters/viem.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { friend, openPermittedSite, type PermittedSite, quantity, stranger } from '../permissions/support.js';

hastenKdfOfFile();

const day = 86_400;
const rif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';

let local: LocalService;
let site: PermittedSite;
beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  site = await openPermittedSite(local);
});
afterEach(async () => {
  site.wallet.destroy();
  await local.close();
});

const clientFor = (account: PermittedSite['from'] | undefined = site.from) =>
  createWalletClient({
    account,
    chain: rootstockTestnet,
    transport: graftTransport(site.wallet),
  }).extend(permissionActions);

const now = () => Math.floor(Date.now() / 1_000);

const payments = (over: Partial<ExecutionPermission> = {}) =>
  ({
    type: 'native-token-allowance',
    payees: [friend],
    allowanceAmount: parseEther('0.01'),
    expiry: now() + day,
    ...over,
  }) as ExecutionPermission;

describe('a permission over viem', () => {
  test('is one question, then payments without any, until the dapp revokes it', async () => {
    const client = clientFor();
    site.asked();
    const [permission] = await client.requestExecutionPermissions({
      permissions: [payments({ justification: 'Moves' })],
    });
    expect(site.asked()).toEqual(['permission']);
    expect(site.questions.at(-1)).toMatchObject({ permissions: [{ justification: 'Moves' }] });
    expect(permission).toEqual({
      type: 'native-token-allowance',
      context: expect.stringMatching(/^0x[\da-f]{64}$/),
      account: site.from,
      chainId: 31,
      payees: [friend],
      allowanceAmount: parseEther('0.01'),
      isAdjustmentAllowed: true,
      justification: 'Moves',
      startTime: expect.any(Number),
      expiry: expect.any(Number),
    });
    await client.sendTransaction({ to: friend, value: 1n });
    expect(site.asked()).toEqual([]);
    expect(await client.getGrantedExecutionPermissions()).toEqual([permission]);

    await client.revokeExecutionPermission({ context: permission?.context ?? '0x' });
    expect(await client.getGrantedExecutionPermissions()).toEqual([]);
    await client.sendTransaction({ to: friend, value: 1n });
    expect(site.asked()).toEqual(['transaction']);
  });

  test.each([
    ['coins in all', payments()],
    [
      'coins in each period',
      { type: 'native-token-periodic', payees: [friend], periodAmount: 7n, periodDuration: 3_600 },
    ],
    [
      'a token in all',
      { type: 'erc20-token-allowance', tokenAddress: rif, allowanceAmount: 9n, payees: [friend] },
    ],
    [
      'a token in each period, for anyone',
      {
        type: 'erc20-token-periodic',
        tokenAddress: rif,
        periodAmount: 9n,
        periodDuration: 3_600,
        feeAmount: 5n,
      },
    ],
    [
      'calls in all',
      {
        type: 'graft-contract-calls',
        contracts: [{ address: stranger, selectors: ['0x3fb5c1cb'] }],
        allowanceAmount: 11n,
      },
    ],
    [
      'calls in each period',
      {
        type: 'graft-contract-calls',
        contracts: [{ address: stranger, selectors: ['0x3fb5c1cb'] }],
        periodAmount: 11n,
        periodDuration: 7_200,
      },
    ],
  ] as const)('for %s comes back as it was requested, with account, chain and start', async (_, terms) => {
    const startTime = now() + 60;
    const permission = { ...terms, startTime, expiry: startTime + day } as ExecutionPermission;
    const [granted] = await clientFor().requestExecutionPermissions({ permissions: [permission] });
    expect(granted).toMatchObject({ ...permission, account: site.from, chainId: 31 });
  });

  test('comes back lowered, where the person has lowered it', async () => {
    site.answer(() => ({ approved: true, permissions: [{ amount: quantity(100n) }] }));
    const [granted] = await clientFor().requestExecutionPermissions({ permissions: [payments()] });
    expect(granted).toMatchObject({ allowanceAmount: 100n });
  });

  test('is read with the other name of an amount too', async () => {
    await site.request('wallet_requestExecutionPermissions', {
      ...site.payments(),
      permission: {
        type: 'native-token-allowance',
        isAdjustmentAllowed: false,
        data: { allowance: quantity(100n) },
      },
    });
    const [granted] = await clientFor().getGrantedExecutionPermissions();
    expect(granted).toMatchObject({ allowanceAmount: 100n, isAdjustmentAllowed: false });
    expect(granted).not.toHaveProperty('allowance');
  });

  test('is for the client’s chain, whatever the wallet is on, and for that of the wallet without one', async () => {
    const chainless = createWalletClient({ transport: graftTransport(site.wallet) }).extend(
      permissionActions,
    );
    const permissions = [payments()];
    const [granted] = await chainless.requestExecutionPermissions({ account: site.from, permissions });
    expect(granted).toMatchObject({ chainId: 31 });
    const elsewhere = createWalletClient({
      account: site.from,
      chain: { ...rootstockTestnet, id: 30 },
      transport: graftTransport(site.wallet),
    }).extend(permissionActions);
    await expect(elsewhere.requestExecutionPermissions({ permissions })).rejects.toMatchObject({
      name: 'InvalidParamsRpcError',
      details: expect.stringContaining('params[0].chainId'),
    });
  });

  test('is refused in viem’s own errors', async () => {
    const request = (over?: Partial<ExecutionPermission>, account?: PermittedSite['from']) =>
      clientFor(account).requestExecutionPermissions({ permissions: [payments(over)] });
    site.asked();
    await expect(request({ expiry: 1 })).rejects.toMatchObject({
      name: 'InvalidParamsRpcError',
      code: -32602,
    });
    await expect(request({}, stranger)).rejects.toMatchObject({ code: -32602 });
    expect(site.asked()).toEqual([]);
    site.answer(() => false);
    await expect(request()).rejects.toMatchObject({ name: 'UserRejectedRequestError', code: 4001 });
    await expect(
      clientFor().revokeExecutionPermission({ context: `0x${'00'.repeat(32)}` }),
    ).rejects.toMatchObject({
      name: 'InvalidParamsRpcError',
    });
    const nameless = createWalletClient({ chain: rootstockTestnet, transport: graftTransport(site.wallet) });
    await expect(
      nameless.extend(permissionActions).requestExecutionPermissions({ permissions: [payments()] }),
    ).rejects.toThrow('Name the account that pays');
  });

  test('leaves the requests of accounts that viem has under a similar name', async () => {
    const [accounts] = await clientFor().requestPermissions({ eth_accounts: {} });
    expect(accounts).toMatchObject({ parentCapability: 'eth_accounts' });
  });

  test('is of a type that the wallet lists with chains and rules', async () => {
    const supported = await clientFor().getSupportedExecutionPermissions();
    expect(supported['native-token-periodic']).toEqual({ chainIds: [31], ruleTypes: ['expiry', 'payee'] });
    expect(supported['graft-contract-calls']).toEqual({ chainIds: [31], ruleTypes: ['expiry'] });
  });
});

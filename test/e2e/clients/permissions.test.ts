import { createWalletClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { erc7715Actions } from 'viem/experimental';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { graftTransport, rootstockTestnet } from '../../../src/adapters/viem.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { friend, limit, openPermittedSite, type PermittedSite } from '../../unit/permissions/support.js';

/**
 * Dapps written for permissions that a contract redeems (ERC-7715 with ERC-7710), with the libraries that they use: each learns why
 * that does not work here before anything is signed.
 */

hastenKdfOfFile();

// Read when the kit loads, which reports its use to its makers otherwise.
process.env.DO_NOT_TRACK = '1';
const { erc7710WalletActions, erc7715ProviderActions } = await import('@metamask/smart-accounts-kit/actions');
const { getSmartAccountsEnvironment, PREFERRED_VERSION } = await import('@metamask/smart-accounts-kit');
const { overrideDeployedEnvironment } = await import('@metamask/smart-accounts-kit/utils');

let local: LocalService;
let site: PermittedSite;
beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  site = await openPermittedSite(local);
  site.asked();
});
afterEach(async () => {
  site.wallet.destroy();
  await local.close();
});

/** Bytes that the service got to send: whatever was signed, by the wallet or by the dapp's own key. */
const sent = () => local.requests.count('eth_sendRawTransaction');

const client = () =>
  createWalletClient({ account: site.from, chain: rootstockTestnet, transport: graftTransport(site.wallet) });

describe('the smart accounts kit of MetaMask', () => {
  const kit = () => client().extend(erc7715ProviderActions());

  const payments = (to: PermittedSite['from']) => ({
    chainId: 31,
    to,
    expiry: Math.floor(Date.now() / 1_000) + 604_800,
    payee: [friend],
    permission: {
      type: 'native-token-allowance' as const,
      isAdjustmentAllowed: true,
      data: { allowanceAmount: limit, justification: 'Moves' },
    },
  });

  test('a session key as `to` is refused with the reason, before anything is asked or signed', async () => {
    const { address } = privateKeyToAccount(generatePrivateKey());
    await expect(kit().requestExecutionPermissions([payments(address)])).rejects.toMatchObject({
      name: 'InvalidParamsRpcError',
      code: -32602,
      details: expect.stringMatching(/^params\[0\]\.to: .*No contract here redeems permissions/),
    });
    expect(site.asked()).toEqual([]);
    expect(sent()).toBe(0);
    expect(await kit().getGrantedExecutionPermissions()).toEqual([]);
  });

  test('a redeemer is refused with the reason', async () => {
    await expect(
      kit().requestExecutionPermissions([{ ...payments(site.from), redeemer: [friend] }]),
    ).rejects.toMatchObject({
      code: -32602,
      details: expect.stringMatching(/^params\[0\]\.rules\[1\]\.type: .*redeemer/),
    });
    expect(site.asked()).toEqual([]);
  });

  test('the account as `to` gets a permission without a manager, which covers what the account itself sends', async () => {
    const supported = await kit().getSupportedExecutionPermissions();
    expect(supported['native-token-allowance']).toEqual({ chainIds: [31], ruleTypes: ['expiry', 'payee'] });
    const [permission] = await kit().requestExecutionPermissions([payments(site.from)]);
    expect(site.asked()).toEqual(['permission']);
    expect(permission).toMatchObject({
      chainId: 31,
      from: site.from,
      to: site.from,
      dependencies: [],
      permission: { data: { allowanceAmount: limit, justification: 'Moves' } },
    });
    expect(permission).not.toHaveProperty('delegationManager');
    expect(await kit().getGrantedExecutionPermissions()).toEqual([permission]);

    await kit().sendTransaction({ to: friend, value: 1n });
    expect(site.asked()).toEqual([]);
  });

  test('redeeming fails in the kit, with its contracts or without, before anything is signed', async () => {
    const [permission] = await kit().requestExecutionPermissions([payments(site.from)]);
    site.asked();
    const session = createWalletClient({
      account: privateKeyToAccount(generatePrivateKey()),
      chain: rootstockTestnet,
      transport: http(local.url),
    }).extend(erc7710WalletActions());
    const redeem = () =>
      session.sendTransactionWithDelegation({
        account: session.account,
        chain: rootstockTestnet,
        to: friend,
        value: 1n,
        permissionContext: permission?.context ?? '0x',
        delegationManager: permission?.delegationManager as never,
      });
    await expect(redeem()).rejects.toThrow(`No contracts found for version ${PREFERRED_VERSION} chain 31`);
    // A dapp may name contracts that it has deployed itself.
    overrideDeployedEnvironment(31, PREFERRED_VERSION, getSmartAccountsEnvironment(1));
    await expect(redeem()).rejects.toThrow('Address "undefined" is invalid');
    expect(site.asked()).toEqual([]);
    expect(sent()).toBe(0);
  });
});

test('the earlier form that viem sends is refused, and its error names the present one', async () => {
  await expect(
    client()
      .extend(erc7715Actions())
      .grantPermissions({
        expiry: Math.floor(Date.now() / 1_000) + 604_800,
        permissions: [
          {
            type: 'native-token-transfer',
            data: { ticker: 'RBTC' },
            policies: [{ type: 'token-allowance', data: { allowance: limit } }],
            required: true,
          },
        ],
      }),
  ).rejects.toMatchObject({
    name: 'UnsupportedProviderMethodError',
    code: 4200,
    details: expect.stringContaining('wallet_requestExecutionPermissions'),
  });
  expect(site.asked()).toEqual([]);
  expect(sent()).toBe(0);
});

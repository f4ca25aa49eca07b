import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Address, Hex, Wallet } from '../../../../src/index.js';
import { hastenKdfOfFile } from '../../../../test/support/hasty-kdf-of-file.js';
import { password } from '../../../../test/support/keys.js';
import { openWallet } from '../../../../test/support/open-wallet.js';
import { createLocalService, type LocalService } from '../../src/local/index.js';
import type { TestPermission } from '../../src/testing/grant.js';
import { type ScriptedApprover, scripted } from '../../src/testing/scripted.js';

hastenKdfOfFile();

const shop: Address = `0x${'5a'.repeat(20)}`;
const rif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
const payments: TestPermission = { amount: 10n ** 16n, payees: [shop] };

let local: LocalService;
let wallet: Wallet;
let person: ScriptedApprover;
let from: Address;
beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  person = scripted({ password });
  wallet = openWallet({ networks: [{ chainId: 31, url: local.url }], approver: () => person });
  ({
    account: { address: from },
  } = await wallet.create(password));
  await local.controls.faucet(from);
});
afterEach(async () => {
  wallet.destroy();
  await local.close();
});

const pay = (value: Hex = '0x1') =>
  wallet.provider.request({ method: 'eth_sendTransaction', params: [{ from, to: shop, value }] });

describe('a permission that the test grants', () => {
  test('connects the site, asks the test nothing, and covers its payments', async () => {
    const context = await person.expectNoQuestion(() => person.grant(wallet, payments));
    expect(person.asked).toEqual([]);
    expect(await wallet.permissions()).toMatchObject([
      { context, account: from, type: 'native-token-allowance', payees: [shop] },
    ]);
    expect(await person.expectNoQuestion(() => pay())).toMatch(/^0x[\da-f]{64}$/);

    await wallet.endPermission(context);
    await expect(person.expectNoQuestion(() => pay())).rejects.toThrow(
      'Expected no question, but was asked { kind: "transaction"',
    );
    await person.reject({ kind: 'transaction' });
  });

  test('unlocks the wallet for it', async () => {
    await person.grant(wallet, payments);
    await wallet.lock();
    await person.grant(wallet, payments);
    await person.expectNoQuestion(() => pay());
  });

  test.each<[string, Partial<TestPermission>, object]>([
    ['each period', { payees: [shop], period: 3_600 }, { type: 'native-token-periodic', period: 3_600 }],
    [
      'a token',
      { token: rif, fees: '5', duration: 7_200 },
      { type: 'erc20-token-allowance', token: rif, fees: '0x5' },
    ],
    [
      'a token in each period',
      { token: rif, period: 3_600 },
      { type: 'erc20-token-periodic', period: 3_600 },
    ],
    [
      'calls',
      { contracts: [{ address: shop, selectors: ['0x3fb5c1cb'] }] },
      { type: 'graft-contract-calls', contracts: [{ address: shop, selectors: ['0x3fb5c1cb'] }] },
    ],
  ])('is for %s', async (_, over, expected) => {
    await person.grant(wallet, { amount: '0x10', ...over });
    const [granted] = await wallet.permissions();
    expect(granted).toMatchObject({ amount: '0x10', ...expected });
    expect((granted?.end ?? 0) - (granted?.start ?? 0)).toBeCloseTo(over.duration ?? 86_400, -2);
  });

  test('leaves the dapp’s own requests to the test', async () => {
    await person.grant(wallet, payments);
    const granted = person.grant(wallet, payments);
    const signed = wallet.provider
      .request({ method: 'personal_sign', params: ['0x00', from] })
      .catch((error) => error.code);
    await person.reject({ kind: 'message' });
    expect(await signed).toBe(4001);
    await granted;
  });

  test.each<[string, object, string]>([
    [
      'a member',
      { amount: 1n, payee: [shop] },
      'permission: there is no member "payee"; its members are amount, ',
    ],
    ['no amount', { payees: [shop] }, 'permission.amount: expected a bigint, or a whole number'],
    [
      'token and contracts',
      { amount: 1n, token: rif, contracts: [] },
      'permission: it is for a token or for contracts',
    ],
    ['no payee', { amount: 1n }, 'a payee rule is required'],
  ])('is an error that names it, where it is wrong: %s', async (_, permission, message) => {
    await expect(person.grant(wallet, permission as TestPermission)).rejects.toThrow(message);
    expect(await wallet.permissions()).toEqual([]);
  });
});

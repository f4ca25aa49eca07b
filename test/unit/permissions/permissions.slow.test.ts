import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Hash, Hex } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { friend, openPermittedSite, type PermittedSite, stranger } from './support.js';

/** Permissions of a wallet in a page, on a real EVM. */

hastenKdfOfFile();

const week = 604_800;

let local: LocalService;
let site: PermittedSite;
let { wallet, from, request, asked, payments, pay, answer, entryOf } = {} as PermittedSite;

beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  site = await openPermittedSite(local);
  ({ wallet, from, request, asked, payments, pay, answer, entryOf } = site);
});
afterEach(async () => {
  wallet.destroy();
  await local.close();
});

const now = () => Math.floor(Date.now() / 1_000);

interface Reply {
  readonly context: Hash;
}

const grant = async (...permissions: object[]): Promise<Reply[]> =>
  request('wallet_requestExecutionPermissions', ...permissions);

describe('a permission to pay', () => {
  test('is one question, then payments without any until it is used up', async () => {
    asked();
    const [reply] = await grant(payments());
    expect(asked()).toEqual(['permission']);
    expect(reply).toMatchObject({
      to: from,
      context: expect.stringMatching(/^0x[\da-f]{64}$/),
      dependencies: [],
    });
    expect(reply).not.toHaveProperty('delegationManager');
    const third = 10n ** 16n / 3n;
    for (let i = 0; i < 2; i++) {
      const hash = await pay(third);
      await expect.poll(async () => (await entryOf(hash))?.state).toBe('mined');
    }
    expect(asked()).toEqual([]);
    const [running] = await wallet.permissions();
    expect(BigInt(running?.left as Hex)).toBeLessThan(10n ** 16n - 2n * third);
    expect(BigInt(running?.left as Hex)).toBeGreaterThan(10n ** 16n - 2n * third - 10n ** 14n);
    await pay(third);
    // The third one would take more with its fee.
    expect(asked()).toEqual(['transaction']);
  });

  test('covers no other recipient, no call, and no field of the page', async () => {
    await grant(payments());
    asked();
    await pay(1n, stranger);
    expect(asked()).toEqual(['transaction']);
    for (const over of [
      { nonce: await request('eth_getTransactionCount', from, 'pending') },
      { gasPrice: '0x3938700' },
      { data: '0x12345678' },
      { gas: '0x30000' },
    ]) {
      await request('eth_sendTransaction', { from, to: friend, value: '0x1', ...over });
      expect([over, asked()]).toEqual([over, ['transaction']]);
    }
    await request('eth_signTransaction', { from, to: friend, value: '0x1' });
    expect(asked()).toEqual(['transaction']);
    // It would take the nonce of what the site has signed.
    await pay(1n);
    expect(asked()).toEqual(['transaction']);
    await pay(1n);
    expect(asked()).toEqual([]);
  });

  test('ends by the person, locked or not, by the site, by disconnecting, and by erasing', async () => {
    const ends: [string, (context: Hash) => unknown][] = [
      ['person', (context) => wallet.endPermission(context)],
      [
        'person, locked',
        async (context) => {
          await wallet.lock();
          await wallet.endPermission(context);
        },
      ],
      ['site', (context) => request('wallet_revokeExecutionPermission', { permissionContext: context })],
      ['disconnected', () => wallet.disconnect('https://app.example')],
      ['disconnected by the page', () => request('wallet_revokePermissions', { eth_accounts: {} })],
    ];
    for (const [name, end] of ends) {
      await request('eth_requestAccounts');
      const [reply] = (await grant(payments())) as [Reply];
      await pay(1n);
      asked();
      await end(reply.context);
      await request('eth_requestAccounts');
      asked();
      expect([name, await wallet.permissions()]).toEqual([name, []]);
      expect(await request('wallet_getGrantedExecutionPermissions')).toEqual([]);
      await pay(1n);
      expect([name, asked()]).toEqual([name, ['transaction']]);
    }
  });

  test('asks to unlock, and for nothing else, while the keys are locked', async () => {
    await grant(payments());
    await wallet.lock();
    asked();
    await pay(1n);
    expect(asked()).toEqual(['unlock']);
    await pay(1n);
    expect(asked()).toEqual([]);
    await wallet.lock();
    answer(() => false);
    await expect(pay(1n)).rejects.toMatchObject({ code: 4001 });
    expect(asked()).toEqual(['unlock']);
  });

  test('asks one thing for what it cannot cover, also while the keys are locked', async () => {
    await grant(payments());
    await wallet.lock();
    asked();
    await pay(1n, stranger);
    expect(asked()).toEqual(['transaction']);
    await wallet.lock();
    wallet.disconnect('https://app.example');
    await request('eth_requestAccounts');
    asked();
    await pay(1n);
    expect(asked()).toEqual(['transaction']);
  });

  test('is one of its kind, also where two are requested at once', async () => {
    await Promise.all([grant(payments()), grant(payments())]);
    expect(await wallet.permissions()).toHaveLength(1);
    await pay(6n * 10n ** 15n);
    asked();
    await pay(6n * 10n ** 15n);
    expect(asked()).toEqual(['transaction']);
  });

  test('is lowered by the person, and never raised', async () => {
    answer(({ kind }) =>
      kind === 'permission' ? { approved: true, permissions: [{ amount: '0x5af3107a4000' }] } : true,
    );
    const [reply] = (await grant(payments())) as [Reply & { permission: { data: object } }];
    expect(reply.permission.data).toMatchObject({ allowanceAmount: '0x5af3107a4000' });
    asked();
    await pay(10n ** 14n);
    expect(asked()).toEqual(['transaction']);
    for (const permissions of [
      [{ amount: '0x2386f26fc10001' }],
      [{ end: now() + 2 * week }],
      [{ amount: '0x0' }],
      [],
      [{}, {}],
    ]) {
      answer(() => ({ approved: true, permissions: permissions as never }));
      await expect(grant(payments())).rejects.toMatchObject({ code: 4001 });
    }
    answer(() => ({ approved: true, permissions: [{ amount: '0x1' }] }));
    const fixed = payments();
    await expect(
      grant({ ...fixed, permission: { ...fixed.permission, isAdjustmentAllowed: false } }),
    ).rejects.toMatchObject({ code: 4001 });
  });

  test('takes the place of one of the same kind, and counts what that has spent', async () => {
    await grant(payments());
    await pay(6n * 10n ** 15n);
    await grant(payments());
    expect(site.questions.at(-1)).toMatchObject({
      kind: 'permission',
      permissions: [{ spent: expect.any(String) }],
    });
    expect(await wallet.permissions()).toHaveLength(1);
    asked();
    await pay(6n * 10n ** 15n);
    expect(asked()).toEqual(['transaction']);
    await pay(3n * 10n ** 15n);
    expect(asked()).toEqual([]);
  });
});

describe('a batch', () => {
  const send = (...calls: object[]) =>
    request('wallet_sendCalls', { version: '2.0.0', chainId: '0x1f', from, atomicRequired: false, calls });

  test('is covered as a whole, or asked about', async () => {
    await grant(payments());
    asked();
    await send({ to: friend, value: '0x1' }, { to: friend, value: '0x2' });
    expect(asked()).toEqual([]);
    await send({ to: friend, value: '0x1' }, { to: stranger, value: '0x2' });
    expect(asked()).toEqual(['calls']);
    await send({ to: friend, value: '0x11c37937e08000' }, { to: friend, value: '0x11c37937e08000' });
    expect(asked()).toEqual(['calls']);
  });
});

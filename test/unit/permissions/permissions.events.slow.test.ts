import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Hash, WalletEvent } from '../../../src/index.js';
import { type Inspection, inspect } from '../../../src/inspect/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { friend, limit, openPermittedSite, type PermittedSite, stranger } from './support.js';

/** Events of permissions, as the owner of a wallet observes them. */

hastenKdfOfFile();

let local: LocalService;
let site: PermittedSite;
let inspection: Inspection;
let seen: WalletEvent.Permission[];
beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  site = await openPermittedSite(local);
  seen = [];
  site.wallet.observe((event) => event.kind === 'permission' && seen.push(event));
  inspection = inspect(site.wallet);
  await site.request('eth_gasPrice');
});
afterEach(async () => {
  inspection.stop();
  site.wallet.destroy();
  await local.close();
});

const grant = async (): Promise<Hash> =>
  (await site.request('wallet_requestExecutionPermissions', site.payments()))[0].context;
const origin = 'https://app.example';
const event = (what: WalletEvent.Permission['what'], context: Hash) => ({
  ...{ kind: 'permission', what, chainId: 31, origin, context },
  at: expect.any(Number),
});

describe('events of a permission', () => {
  test('say that it was granted, used, too short and ended, and hold nothing else', async () => {
    const context = await grant();
    await site.pay(1n);
    await site.pay(limit);
    await site.pay(1n, stranger);
    await site.wallet.endPermission(context);
    await site.pay(1n);
    const whats = ['granted', 'used', 'short', 'ended'] as const;
    expect(seen).toEqual(whats.map((what) => event(what, context)));
    expect(inspection.snapshot().permissions).toEqual([{ origin, granted: 1, used: 1, short: 1, ended: 1 }]);
    expect(inspection.print()).toContain(`permissions of ${origin}: 1 granted, 1 used, 1 short, 1 ended`);
    inspection.clear();
    expect(inspection.snapshot().permissions).toEqual([]);
  });

  test('count a batch as one use', async () => {
    const context = await grant();
    const call = { to: friend, value: '0x1' };
    await site.request('wallet_sendCalls', {
      ...{ version: '2.0.0', chainId: '0x1f', from: site.from, atomicRequired: false },
      calls: [call, call],
    });
    expect(seen).toEqual([event('granted', context), event('used', context)]);
  });

  test('say that it ended where another takes its place, the site is disconnected, or the wallet erased', async () => {
    const first = await grant();
    const second = await grant();
    expect(seen).toEqual([event('granted', first), event('ended', first), event('granted', second)]);
    site.wallet.disconnect(origin);
    expect(seen.slice(3)).toEqual([event('ended', second)]);
    await site.request('eth_requestAccounts');
    const third = await grant();
    await site.wallet.erase();
    expect(seen.slice(4)).toEqual([event('granted', third), event('ended', third)]);
  });
});

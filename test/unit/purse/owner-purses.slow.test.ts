import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address } from '../../../src/index.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { until } from '../../support/until.js';
import {
  limit,
  openFrame,
  openWorld,
  paymentsOf,
  type SiteFrame,
  shop,
  site,
  type World,
} from './support.js';

/** Purses as the owner lists, takes back and finds them. */

hastenKdfOfFile();

let local: LocalService;
let world: World;
let frame: SiteFrame;
beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  [world, frame] = await Promise.all([openWorld(local), openFrame(local)]);
});
afterEach(async () => {
  world.close();
  frame.close();
  await local.close();
});

const grant = async (data?: object): Promise<Address> => {
  const window = await world.window(site, frame);
  const [granted] = await window.request(paymentsOf(local, world.account, data));
  return granted?.from as Address;
};
const balance = (address: Address) => world.wallet.balance(address);
const isEmpty = (address: Address) => until(async () => (await balance(address)) === 0n);

test('purses are listed with what they hold, while the wallet is unlocked', async () => {
  const address = await grant();
  expect(await world.wallet.purses()).toEqual([
    {
      ...{ address, origin: site, account: world.account, chainId: 31 },
      ...{ balance: `0x${limit.toString(16)}`, tokens: [] },
    },
  ]);
  await world.wallet.lock();
  await expect(world.wallet.purses()).rejects.toMatchObject({ code: 4100 });
});

describe('taking a purse back', () => {
  test('sends everything to its account, and the frame forgets its key with the next window', async () => {
    const address = await grant();
    const before = await balance(world.account);
    const hashes = await world.wallet.takeBack(address);
    expect(hashes).toHaveLength(1);
    await isEmpty(address);
    expect(await balance(world.account)).toBeGreaterThan(before + (limit * 99n) / 100n);
    expect(await world.wallet.purses()).toMatchObject([{ address, endedAt: expect.any(Number) }]);
    // Until then it has the key of nothing.
    await expect(frame.send(address, 1n)).rejects.toMatchObject({ code: -32003 });
    const window = await world.window(site, frame);
    await window.give();
    expect(window.said).toEqual([{ t: 'purse-ended', address }]);
    expect(await frame.purses.addresses()).toEqual([]);
  });

  test('sends what arrives later too, and the site’s next purse is another one', async () => {
    const address = await grant();
    await world.wallet.takeBack(address);
    await isEmpty(address);
    await local.controls.faucet(address, limit);
    await world.wallet.takeBack(address);
    await isEmpty(address);
    expect(await grant()).not.toBe(address);
    expect(await world.wallet.purses()).toHaveLength(2);
  });

  test('takes the nonces of what the frame has still in the mempool', async () => {
    const address = await grant();
    local.controls.setMining('manual');
    await frame.send(address, limit / 2n);
    const hashes = await world.wallet.takeBack(address);
    const [swept] = await world.wallet.transactions({ hash: hashes[0] });
    expect(swept?.nonce).toBe('0x0');
    // It is on its way: nothing is signed twice.
    expect(await world.wallet.takeBack(address)).toEqual(hashes);
    await local.controls.mine();
    await isEmpty(address);
    expect(await balance(shop)).toBe(0n);
  });

  test('asks to unlock, and does nothing if that is refused', async () => {
    const address = await grant();
    await world.wallet.lock();
    world.answer(({ kind }) => kind !== 'unlock');
    await expect(world.wallet.takeBack(address)).rejects.toMatchObject({ code: 4001 });
    world.answer(() => true);
    await world.wallet.takeBack(address);
    await isEmpty(address);
  });

  test('leaves an empty purse and an unknown address alone', async () => {
    const address = await grant();
    await world.wallet.takeBack(address);
    await isEmpty(address);
    expect(await world.wallet.takeBack(address)).toEqual([]);
    await expect(world.wallet.takeBack(shop)).rejects.toMatchObject({ code: -32602 });
  });
});

describe('a wallet whose records of purses were lost', () => {
  test('finds them again by the sites, and takes them back', async () => {
    const address = await grant();
    world.close();
    world = await openWorld(local, { storage: createIdbStorage({ name: crypto.randomUUID() }) });
    expect(await world.wallet.purses()).toEqual([]);
    expect(await world.wallet.purses(['https://other.example'])).toEqual([]);
    const found = { address, origin: site, account: world.account, balance: `0x${limit.toString(16)}` };
    for (let i = 0; i < 2; i++) expect(await world.wallet.purses([site])).toMatchObject([found]);
    await world.wallet.takeBack(address);
    await isEmpty(address);
  });

  test('gives a site another purse than the one that it has', async () => {
    const address = await grant();
    world.close();
    world = await openWorld(local, { storage: createIdbStorage({ name: crypto.randomUUID() }) });
    expect(await grant()).not.toBe(address);
    expect((await world.wallet.purses()).map((each) => [each.address, each.endedAt !== undefined])).toEqual([
      [address, true],
      [expect.any(String), false],
    ]);
  });
});

test('a purse is filled up to the amount of the next permission, and no further', async () => {
  const address = await grant();
  await frame.send(address, limit / 2n);
  await until(async () => (await balance(shop)) === limit / 2n);
  expect(await grant({ justification: 'More' })).toBe(address);
  expect(await balance(address)).toBe(limit);
});

import 'fake-indexeddb/auto';
import { bytesToHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address, RecordedTransaction } from '../../../src/index.js';
import { pursePath } from '../../../src/purse/path.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { until } from '../../support/until.js';
import {
  limit,
  openFrame,
  openWorld,
  paymentsOf,
  phrase,
  type SiteFrame,
  shop,
  site,
  type World,
} from './support.js';

/** Purses that are asked for, filled and handed over. */

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

const kinds = () => world.questions.slice(1).map(({ kind }) => kind);
const payments = (data?: object, over?: object) => paymentsOf(local, world.account, data, over);
const balance = (address: Address) => world.wallet.balance(address);
const sent = async (to: Address) =>
  (await world.wallet.transactions()).filter((each) => each.to === to && each.from === world.account);

describe('a permission in a window that the frame has opened', () => {
  test('is one question that fills a purse, which the frame then spends without any', async () => {
    const window = await world.window(site, frame);
    const [granted] = await window.request(payments());
    expect(kinds()).toEqual(['permission']);
    expect(world.questions.at(-1)).toMatchObject({
      kind: 'permission',
      origin: site,
      purse: { address: granted?.from, moved: [{ units: `0x${limit.toString(16)}` }] },
      permissions: [{ isAdjustable: false }],
      warnings: [],
    });
    expect(granted).toMatchObject({ to: world.account, context: expect.stringMatching(/^0x[\da-f]{64}$/) });
    const purse = granted?.from as Address;
    expect(purse).not.toBe(world.account);
    expect(await balance(purse)).toBe(limit);
    expect(await frame.purses.addresses()).toEqual([purse]);
    for (let i = 0; i < 3; i++) await frame.send(purse, 10n ** 15n);
    await until(async () => (await balance(shop)) === 3n * 10n ** 15n);
    expect(kinds()).toEqual(['permission']);
    expect(window.said).toEqual([{ t: 'purse', address: purse }]);
  });

  test('moves the amount of all periods, and the fees of tokens', async () => {
    world.answer(({ kind }) => kind !== 'permission');
    const week = 604_800;
    const end = Math.floor(Date.now() / 1_000) + week;
    const periodic = {
      type: 'native-token-periodic',
      isAdjustmentAllowed: false,
      data: { periodAmount: '0x64', periodDuration: 86_400 },
    };
    const rules = [
      { type: 'expiry', data: { timestamp: end } },
      { type: 'payee', data: { addresses: [shop] } },
    ];
    const window = await world.window(site, frame);
    await expect(window.request(payments({}, { permission: periodic, rules }))).rejects.toMatchObject({
      code: 4001,
    });
    expect(world.questions.at(-1)).toMatchObject({ purse: { moved: [{ units: '0x2bc' }] } });
    expect(await world.wallet.purses()).toEqual([]);
    expect(await world.wallet.transactions()).toEqual([]);
  });

  test('asks to unlock first, since the purse comes from the recovery phrase', async () => {
    await world.wallet.lock();
    const window = await world.window(site, frame);
    await window.request(payments());
    expect(kinds()).toEqual(['unlock', 'permission']);
  });

  test('is a danger for a payee that looks like a contact', async () => {
    const alike = `${shop.slice(0, 6)}${'7'.repeat(32)}${shop.slice(-4)}` as Address;
    await world.wallet.saveContact(alike, 'The shop');
    const window = await world.window(site, frame);
    await window.request(payments());
    expect(world.questions.at(-1)).toMatchObject({
      kind: 'permission',
      warnings: [{ code: 'resembles-known', severity: 'danger', detail: alike }],
    });
  });

  test('is refused for more than the account has, with nothing moved', async () => {
    const window = await world.window(site, frame);
    const tooMuch = payments({ allowanceAmount: `0x${(2n * 10n ** 18n).toString(16)}` });
    await expect(window.request(tooMuch)).rejects.toMatchObject({
      code: -32003,
      data: { shortfall: expect.any(String) },
    });
    expect(world.questions.at(-1)).toMatchObject({ kind: 'transaction', shortfall: expect.any(String) });
    expect(await world.wallet.purses()).toEqual([]);
  });
});

test('an account whose key was imported has no purse', async () => {
  const other = await openWorld(local, { secret: `0x${'17'.repeat(32)}` });
  const window = await other.window(site, frame);
  await expect(window.request(paymentsOf(local, other.account))).rejects.toMatchObject({
    code: 4200,
    message: expect.stringContaining('imported key'),
  });
  other.close();
});

describe('a window that is closed', () => {
  test('while it asks moves nothing', async () => {
    const window = await world.window(site, frame);
    world.answer((question) => {
      if (question.kind === 'permission') window.close();
      return question.kind !== 'permission';
    });
    await expect(window.request(payments())).rejects.toMatchObject({ code: 4001 });
    expect(await world.wallet.transactions()).toEqual([]);
    expect(await world.wallet.purses()).toEqual([]);
  });

  test('before the deposit is mined leaves the key to the next one, which asks and moves nothing more', async () => {
    local.controls.setMining('manual');
    const request = payments();
    const first = await world.window(site, frame);
    const closed = first.request(request).catch(({ code }) => code);
    await until(async () => (await world.wallet.transactions()).some(({ state }) => state === 'sent'));
    first.close();
    expect(await closed).toBe(4001);
    expect(await frame.purses.addresses()).toEqual([]);

    // Not before it is mined.
    const second = await world.window(site, frame);
    await second.give();
    expect(await frame.purses.addresses()).toEqual([]);
    const asked = kinds();
    const again = second.request(request);
    await local.controls.mine();
    const [granted] = await again;
    const purse = granted?.from as Address;
    expect(kinds()).toEqual(asked);
    expect(await frame.purses.addresses()).toEqual([purse]);
    expect(await sent(purse)).toHaveLength(1);
    expect(await balance(purse)).toBe(limit);
  });

  test('before the deposit is mined counts it in the next question too', async () => {
    local.controls.setMining('manual');
    const first = await world.window(site, frame);
    const closed = first.request(payments()).catch(() => {});
    await until(async () => (await world.wallet.transactions()).some(({ state }) => state === 'sent'));
    first.close();
    await closed;
    const second = await world.window(site, frame);
    const again = second.request(payments({ justification: 'Another one' }));
    await until(() => kinds().length === 2);
    expect(world.questions.at(-1)).toMatchObject({ kind: 'permission', purse: { moved: [] } });
    await local.controls.mine();
    const [granted] = await again;
    expect(await sent(granted?.from as Address)).toHaveLength(1);
  });

  test('after the deposit is mined leaves the key to any next one', async () => {
    const window = await world.window(site, frame);
    const lost = await openFrame(local);
    await (await world.window(site, lost)).request(payments());
    lost.close();
    await window.give();
    expect(await frame.purses.addresses()).toHaveLength(1);
    expect(kinds()).toEqual(['permission']);
  });
});

test('a wallet that is locked while the block is waited for is unlocked again for the key', async () => {
  local.controls.setMining('manual');
  const granting = (await world.window(site, frame)).request(payments());
  await until(async () => (await world.wallet.transactions()).some(({ state }) => state === 'sent'));
  await world.wallet.lock();
  await local.controls.mine();
  const [granted] = await granting;
  expect(kinds()).toEqual(['permission', 'unlock']);
  expect(await frame.purses.addresses()).toEqual([granted?.from]);
});

test('a deposit that the person speeds up fills the purse, and one that is cancelled fails the request', async () => {
  local.controls.setMining('manual');
  const deposit = ({ state, from }: RecordedTransaction) => state === 'sent' && from === world.account;
  const sent = () => until(async () => (await world.wallet.transactions()).find(deposit)?.hash);
  const granting = (await world.window(site, frame)).request(payments());
  await world.wallet.speedUp(await sent());
  await local.controls.mine();
  const [granted] = await granting;
  expect(await balance(granted?.from as Address)).toBe(limit);

  await world.wallet.takeBack(granted?.from as Address);
  await local.controls.mine();
  await until(async () => (await balance(granted?.from as Address)) === 0n);
  const refused = (await world.window(site, frame)).request(payments({ justification: 'Again' }));
  const outcome = expect(refused).rejects.toMatchObject({ code: -32003 });
  await world.wallet.cancel(await sent());
  await local.controls.mine();
  await outcome;
});

test.each<[string, (purse: Address) => unknown]>([
  ['the person takes the purse back', (purse) => world.wallet.takeBack(purse)],
  ['the site is disconnected', () => world.wallet.disconnect(site)],
])('no key is given if %s while its deposit is on the way', async (_, end) => {
  local.controls.setMining('manual');
  const window = await world.window(site, frame);
  const asked = expect(window.request(payments())).rejects.toMatchObject({ code: 4100 });
  await until(async () => (await world.wallet.transactions()).some(({ state }) => state === 'sent'));
  const [purse] = await world.wallet.purses();
  await end(purse?.address as Address);
  await local.controls.mine();
  await asked;
  expect(window.said).toEqual([]);
  expect(await frame.purses.addresses()).toEqual([]);
});

describe('two windows at once', () => {
  test('fill one purse once, and the second one gets an error', async () => {
    local.controls.setMining('manual');
    const [one, other] = [await world.window(site, frame), await world.window(site, frame)];
    const outcomes = [one.request(payments()), other.request(payments({ justification: 'Another one' }))].map(
      (each) =>
        each.then(
          () => 'granted',
          ({ code }) => code,
        ),
    );
    await until(async () => (await world.wallet.transactions()).some(({ state }) => state === 'sent'));
    await until(() => kinds().length === 2);
    await local.controls.mine();
    // Either may be the first.
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['granted', -32002]));
    const [purse] = await world.wallet.purses();
    expect(await sent(purse?.address as Address)).toHaveLength(1);
  });
});

describe('the key of a purse', () => {
  test('goes to no other site, and to none that was disconnected', async () => {
    await (await world.window(site, frame)).request(payments());
    const thief = await openFrame(local, 'https://thief.example');
    const window = await world.window('https://thief.example', thief);
    await window.give();
    const [purse] = await frame.purses.addresses();
    expect(await window.answer('eth_sendTransaction', { from: purse, to: shop, value: '0x1' })).toBe(null);
    expect(window.said).toEqual([]);
    expect(await thief.purses.addresses()).toEqual([]);
    thief.close();

    world.wallet.disconnect(site);
    const empty = await openFrame(local);
    const after = await world.window(site, empty);
    await after.give();
    expect(await after.answer('eth_sendTransaction', { from: purse, to: shop, value: '0x1' })).toBe(null);
    expect(after.said).toEqual([]);
    empty.close();
  });

  test('comes from the recovery phrase, and is in no question, session, list or file', async () => {
    await (await world.window(site, frame)).request(payments());
    const path = pursePath(37310, site, 0) as `m/44'/60'/${string}`;
    const derived = mnemonicToAccount(phrase, { path });
    const [purse] = await world.wallet.purses();
    expect(purse?.address).toBe(derived.address.toLowerCase());
    const text = JSON.stringify([
      world.questions,
      world.wallet.state(),
      await world.wallet.purses(),
      await world.wallet.transactions(),
      await world.wallet.exportTransactions('json'),
    ]);
    const key = bytesToHex(derived.getHdKey().privateKey as Uint8Array).slice(2);
    expect(text).toContain(purse?.address);
    expect(text).not.toContain(key);
  });

  test('is given again after the frame was evicted, with no deposit', async () => {
    await (await world.window(site, frame)).request(payments());
    const [purse] = (await frame.purses.addresses()) as [Address];
    await frame.send(purse, 1n);
    await until(async () => (await balance(shop)) === 1n);
    frame = await frame.evicted();
    await expect(frame.send(purse, 1n)).rejects.toThrow('no such purse');
    await world.wallet.lock();
    const window = await world.window(site, frame);
    expect(await window.answer('eth_sendTransaction', { from: purse, to: shop, value: '0x1' })).toEqual({
      isForFrame: true,
    });
    expect(kinds()).toEqual(['permission', 'unlock']);
    await frame.send(purse, 1n);
    await until(async () => (await balance(shop)) === 2n);
    expect(await sent(purse)).toHaveLength(1);
  });
});

test('a deposit that leaves the chain again is mined again, and the purse spends then', async () => {
  await (await world.window(site, frame)).request(payments());
  const [purse] = (await frame.purses.addresses()) as [Address];
  local.controls.setMining('manual');
  await local.controls.reorg(1, { transactions: 'dropped' });
  expect(await balance(purse)).toBe(0n);
  await expect(frame.send(purse, 1n)).rejects.toMatchObject({ code: -32003 });
  local.controls.setMining('auto');
  await until(async () => {
    await local.controls.mine();
    return (await balance(purse)) === limit;
  });
  await frame.send(purse, 1n);
});

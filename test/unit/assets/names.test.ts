import { namehash as viemNamehash } from 'viem';
import { describe, expect, test } from 'vitest';
import { createNames, namehash, normalizeName } from '../../../src/assets/names.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import type { Service } from '../../../src/service/service.js';
import { answerNames, type NameRecords } from '../../support/name-service.js';

const alice = `0x${'a1'.repeat(20)}` as const;
const bob = `0x${'b0'.repeat(20)}` as const;

/** A service with these records, which counts its calls. */
function serviceWith(records: NameRecords, chainId = 31) {
  const answer = answerNames(records);
  let calls = 0;
  let failure: unknown;
  const service = {
    network: { chainId },
    async request(_method: string, [call]: readonly unknown[]) {
      calls++;
      if (failure) throw failure;
      return answer(call as never) ?? '0x';
    },
  } as unknown as Service;
  return {
    service,
    calls: () => calls,
    failWith(error: unknown) {
      failure = error;
    },
  };
}
const names = (now = () => 0) => createNames(now);

test.each(['rsk', 'alice.rsk', 'a.b.c.rsk', `${'a1'.repeat(20)}.addr.reverse`])('namehash of %s', (name) => {
  expect(namehash(name)).toBe(viemNamehash(name));
});

test.each([
  ['alice.rsk', 'alice.rsk'],
  [' Alice.RSK ', 'alice.rsk'],
  ['sub.alice-1.rsk', 'sub.alice-1.rsk'],
  ['rsk', null],
  ['alice..rsk', null],
  ['.rsk', null],
  ['alice.rsk.', null],
  ['älice.rsk', null],
  ['аlice.rsk', null],
  ['al ice.rsk', null],
  [`${'a'.repeat(64)}.rsk`, null],
  ['', null],
])('"%s" is the name %s', (given, name) => {
  expect(normalizeName(given)).toBe(name);
});

describe('resolve', () => {
  test('the address of a name, however it is written', async () => {
    const { service } = serviceWith({ names: { 'alice.rsk': alice } });
    expect(await names().resolve(service, 'alice.rsk')).toBe(alice);
    expect(await names().resolve(service, 'ALICE.rsk')).toBe(alice);
  });

  test('a name without a resolver, a zero address and an invalid name resolve to null', async () => {
    const { service, calls } = serviceWith({ names: { 'zero.rsk': `0x${'00'.repeat(20)}` } });
    expect(await names().resolve(service, 'nobody.rsk')).toBeNull();
    expect(await names().resolve(service, 'zero.rsk')).toBeNull();
    const before = calls();
    expect(await names().resolve(service, 'not a name')).toBeNull();
    expect(calls()).toBe(before);
  });

  test('a network without the name service is not asked', async () => {
    const { service, calls } = serviceWith({ names: { 'alice.rsk': alice } }, 33);
    expect(await names().resolve(service, 'alice.rsk')).toBeNull();
    expect(await names().nameOf(service, alice)).toBeNull();
    expect(calls()).toBe(0);
  });

  test('a resolver that reverts has no address; another failure is the caller’s, and is not remembered', async () => {
    const { service, failWith } = serviceWith({ names: { 'alice.rsk': alice } });
    const looked = names();
    failWith(new ProviderRpcError(-32002, 'unreachable'));
    await expect(looked.resolve(service, 'alice.rsk')).rejects.toMatchObject({ code: -32002 });
    failWith(undefined);
    expect(await looked.resolve(service, 'alice.rsk')).toBe(alice);
    failWith(new ProviderRpcError(3, 'execution reverted'));
    expect(await names().resolve(service, 'alice.rsk')).toBeNull();
  });

  test('an answer is remembered for five minutes, also none', async () => {
    let now = 0;
    const { service, calls } = serviceWith({ names: { 'alice.rsk': alice } });
    const looked = names(() => now);
    for (const name of ['alice.rsk', 'nobody.rsk', 'alice.rsk', 'nobody.rsk'])
      await looked.resolve(service, name);
    expect(calls()).toBe(3);
    now = 300_000;
    await looked.resolve(service, 'alice.rsk');
    expect(calls()).toBe(5);
  });

  test('lookups of one name at the same time are one', async () => {
    const { service, calls } = serviceWith({ names: { 'alice.rsk': alice } });
    const looked = names();
    await Promise.all([looked.resolve(service, 'alice.rsk'), looked.resolve(service, 'Alice.rsk')]);
    expect(calls()).toBe(2);
  });
});

describe('nameOf', () => {
  test('the name that an address claims, if it resolves to that address', async () => {
    const { service } = serviceWith({
      names: { 'alice.rsk': alice },
      claims: { [alice]: 'alice.rsk', [bob]: 'alice.rsk' },
    });
    expect(await names().nameOf(service, alice)).toBe('alice.rsk');
    expect(await names().nameOf(service, bob)).toBeNull();
  });

  test.each([
    '',
    'alice',
    'Alice.rsk',
    'alice.rsk ',
    'аlice.rsk',
    'alice.rsk\u202e',
    `${'a'.repeat(300)}.rsk`,
  ])('a claim of "%s" is no name', async (claim) => {
    const { service } = serviceWith({ names: { 'alice.rsk': alice }, claims: { [alice]: claim } });
    expect(await names().nameOf(service, alice)).toBeNull();
  });

  test('an address without a claim costs one call', async () => {
    const { service, calls } = serviceWith({});
    const looked = names();
    expect(await looked.nameOf(service, alice)).toBeNull();
    expect(await looked.nameOf(service, alice)).toBeNull();
    expect(calls()).toBe(1);
  });
});

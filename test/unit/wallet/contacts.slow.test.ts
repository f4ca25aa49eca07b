import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/index.js';
import {
  type Address,
  type Contact,
  createMemoryStorage,
  createVolatileMemory,
  type Hex,
  type Question,
  type SessionMemory,
  type Storage,
  type Wallet,
} from '../../../src/index.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { methodTable } from '../../support/methods.js';
import { openWallet } from '../../support/open-wallet.js';
import { fc } from '../../support/property.js';

hastenKdfOfFile();

/** The address book of a wallet, and the accounts without a key that it lists. */

const password = 'correct horse';
const addressOf = (digits: string) => `0x${digits.repeat(20)}` as Address;
const [alice, bob, carol] = ['a1', 'b0', 'c4'].map(addressOf) as [Address, Address, Address];
/** Differs from the address in the middle only. */
const lookAlikeOf = (address: Address) =>
  `${address.slice(0, 6)}${'5'.repeat(32)}${address.slice(-4)}` as Address;

let node: FakeNode;
let storage: Storage;
let memory: SessionMemory;
let wallet: Wallet;
let own: Address;
let asked: Question[];
let answer: (question: Question) => ReturnType<headless.Options['answer'] & object>;

const open = () =>
  openWallet({
    networks: [{ chainId: 31, url: node.url }],
    approver: () =>
      headless({
        password,
        answer(question) {
          asked.push(structuredClone(question));
          return answer(question);
        },
      }),
    ...{ storage, memory },
  });
const send = (to: Address, from = own) =>
  wallet.provider.request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }] });
/** Opens the same wallet in a new page, locked. */
const reload = () => {
  wallet.destroy();
  wallet = open();
};

beforeEach(async () => {
  node = await createFakeNode(31);
  storage = createMemoryStorage();
  memory = createVolatileMemory();
  asked = [];
  answer = () => true;
  wallet = open();
  const key: Hex = `0x${'07'.repeat(32)}`;
  ({ address: own } = await wallet.importPrivateKey(key, { password }));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
});
afterEach(async () => {
  wallet.destroy();
  await node.stop();
});

describe('contacts', () => {
  test('are kept, renamed and removed, and need the unlocked wallet', async () => {
    expect(await wallet.contacts()).toEqual([]);
    expect(await wallet.saveContact(alice.toUpperCase().replace('0X', '0x') as Address, ' Alice ')).toEqual({
      address: alice,
      name: 'Alice',
    });
    await wallet.saveContact(bob, 'Bob');
    await wallet.saveContact(alice, 'Alice Liddell');
    await wallet.removeContact(bob);
    expect(await wallet.contacts()).toEqual([{ address: alice, name: 'Alice Liddell' }]);
    reload();
    await expect(wallet.contacts()).rejects.toMatchObject({ code: 4100 });
    await expect(wallet.saveContact(bob, 'Bob')).rejects.toMatchObject({ code: 4100 });
    await wallet.unlock(password);
    expect(await wallet.contacts()).toEqual([{ address: alice, name: 'Alice Liddell' }]);
  });

  test.each<[string, () => Promise<unknown>, object]>([
    ['no address', () => wallet.saveContact('alice.rsk' as Address, 'Alice'), { code: -32602 }],
    ['a wrong checksum', () => wallet.saveContact(`0x${'aB'.repeat(20)}`, 'Alice'), { code: -32602 }],
    ['an empty name', () => wallet.saveContact(bob, '  '), { code: -32602 }],
    ['a name that is too long', () => wallet.saveContact(bob, 'b'.repeat(41)), { code: -32602 }],
    ['a name that changes the direction', () => wallet.saveContact(bob, 'Bob\u202e'), { code: -32602 }],
    ['a name like an address', () => wallet.saveContact(bob, '0xb0b0…b0b0'), reason('name-wrong')],
    ['a name like a contact’s', () => wallet.saveContact(bob, 'A1ice'), reason('name-taken')],
    ['the name of an account', () => wallet.saveContact(bob, 'account 1'), reason('name-taken')],
    ['an own account', () => wallet.saveContact(own, 'Me'), reason('own-account')],
    [
      'an address like a contact’s',
      () => wallet.saveContact(lookAlikeOf(alice), 'Bob'),
      reason('look-alike', { resembles: alice }),
    ],
    [
      'an address like an own one',
      () => wallet.watchAccount(lookAlikeOf(own), 'Bob'),
      { code: -32602, data: { reason: 'look-alike', resembles: expect.stringMatching(/^0x/) } },
    ],
    [
      'an address like one that was paid',
      async () => {
        await send(bob);
        await wallet.saveContact(lookAlikeOf(bob), 'Bob');
      },
      reason('look-alike', { resembles: bob }),
    ],
    ['no contact to remove', () => wallet.removeContact(bob), reason('no-contact')],
    ['no contact to stop looking at', () => wallet.unwatchAccount(bob), reason('no-contact')],
    ['an address to look at without a name', () => wallet.watchAccount(bob), reason('no-name')],
  ])('%s is refused, and changes nothing', async (_name, run, error) => {
    await wallet.saveContact(alice, 'Alice');
    await expect(run()).rejects.toMatchObject(error);
    expect(await wallet.contacts()).toEqual([{ address: alice, name: 'Alice' }]);
    expect(wallet.state().watchOnly).toBeUndefined();
  });

  test('names without letters are compared as they are', async () => {
    await wallet.saveContact(alice, '🐱');
    await wallet.saveContact(bob, '🐶');
    await expect(wallet.saveContact(carol, '🐱')).rejects.toMatchObject(reason('name-taken'));
  });

  test('come with a backup file, and go when the wallet is erased', async () => {
    await wallet.saveContact(alice, 'Alice');
    await wallet.watchAccount(bob, 'Bob');
    const before = await wallet.contacts();
    const file = await wallet.backup(password, 'the file’s password');
    await wallet.erase();
    expect(wallet.state()).toMatchObject({ accounts: [] });
    expect(wallet.state().watchOnly).toBeUndefined();
    expect(wallet.state().contacts).toBeUndefined();
    await wallet.restore(file, 'the file’s password', { password });
    expect(wallet.state().watchOnly).toEqual([{ address: bob, label: 'Bob' }]);
    expect(await wallet.contacts()).toEqual(before);
  });

  test('in a backup file join those of an open wallet, whose names stay', async () => {
    await wallet.saveContact(alice, 'Alice');
    await wallet.saveContact(bob, 'Bob');
    const file = await wallet.backup(password, 'the file’s password');
    await wallet.saveContact(alice, 'My sister');
    await wallet.removeContact(bob);
    await wallet.saveContact(carol, 'Carol');
    await wallet.restore(file, 'the file’s password');
    expect(new Set((await wallet.contacts()).map(({ name }) => name))).toEqual(
      new Set(['My sister', 'Carol', 'Bob']),
    );
  });
});

describe('a question', () => {
  const recipient = () => (asked.at(-1) as Extract<Question, { kind: 'transaction' }>).recipient;
  const codes = () => asked.at(-1)?.warnings.map(({ code }) => code);

  test('names the contact', async () => {
    await wallet.saveContact(alice, 'Alice');
    await send(alice);
    expect(recipient()).toEqual({ address: alice, contact: 'Alice', firstTime: true });
    expect(codes()).not.toContain('resembles-known');
  });

  test('warns of an address that looks like a contact’s, which was never paid', async () => {
    await wallet.saveContact(alice, 'Alice');
    answer = () => false;
    await expect(send(lookAlikeOf(alice))).rejects.toMatchObject({ code: 4001 });
    expect(recipient()).toMatchObject({ resembles: alice, resembledContact: 'Alice' });
    expect(codes()).toContain('resembles-known');
  });

  test('is asked again, with the danger, where the locked wallet did not know it', async () => {
    await wallet.saveContact(alice, 'Alice');
    reload();
    const sent = node.count('eth_sendRawTransaction');
    answer = () => asked.length === 1;
    asked.length = 0;
    await expect(send(lookAlikeOf(alice))).rejects.toMatchObject({ code: 4001 });
    expect(asked.map(({ locked }) => locked)).toEqual([true, false]);
    expect(codes()).toContain('resembles-known');
    expect(node.count('eth_sendRawTransaction')).toBe(sent);
  });

  test('is asked once, without a name, where the wallet is locked and nothing is wrong', async () => {
    await wallet.saveContact(alice, 'Alice');
    reload();
    asked.length = 0;
    await send(alice);
    expect(asked).toHaveLength(1);
    expect(recipient()).toEqual({ address: alice, firstTime: true });
  });

  test('says nothing that a script of the page has written', async () => {
    await wallet.saveContact(alice, 'Alice');
    const state = JSON.parse(memory.read() as string) as object;
    memory.write(JSON.stringify({ ...state, watchOnly: [{ address: bob, label: 'Alice' }] }));
    reload();
    await wallet.unlock(password);
    expect(wallet.state().watchOnly).toBeUndefined();
    await send(bob);
    expect(recipient()).toEqual({ address: bob, firstTime: true });
  });
});

describe('an account without a key', () => {
  beforeEach(async () => {
    await wallet.watchAccount(alice, 'Cold wallet');
  });
  const share = async (...accounts: readonly Address[]) => {
    answer = (question) => (question.kind === 'connect' ? { approved: true, accounts } : true);
    return wallet.provider.request({ method: 'eth_selectAccounts' });
  };

  test('is listed apart, and no site sees it', async () => {
    expect(wallet.state().watchOnly).toEqual([{ address: alice, label: 'Cold wallet' }]);
    expect(wallet.state().accounts.map(({ address }) => address)).toEqual([own]);
    expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([own]);
  });

  test('is offered to a site last and marked, and shared only where the person says so', async () => {
    answer = () => true;
    await wallet.provider.request({ method: 'eth_selectAccounts' });
    expect(asked.at(-1)).toMatchObject({
      accounts: [
        { address: own, label: 'Account 1' },
        { address: alice, label: 'Cold wallet', watchOnly: true },
      ],
      selected: [own],
    });
    expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([own]);
    expect(await share(own, alice)).toEqual([own, alice]);
    expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([own, alice]);
  });

  test('pays nothing: the person is shown a code for another wallet, and the site gets 4100', async () => {
    await share(alice);
    asked.length = 0;
    await expect(send(bob, alice)).rejects.toMatchObject({ code: 4100, data: { reason: 'watch-only' } });
    expect(asked).toMatchObject([
      { kind: 'pay-elsewhere', to: bob, units: '0x1', uri: `ethereum:${bob}@31?value=1` },
    ]);
    expect(node.count('eth_sendRawTransaction')).toBe(0);
  });

  test('pays nothing over the owner’s functions either', async () => {
    await expect(wallet.send({ from: alice, to: bob, value: '0x1' })).rejects.toMatchObject({ code: 4100 });
    await expect(wallet.exportPrivateKey(alice, password)).rejects.toMatchObject({ code: -32602 });
    await expect(wallet.exportWif(alice, password)).rejects.toMatchObject({ code: expect.any(Number) });
    await expect(wallet.hide(alice, true)).rejects.toMatchObject({ code: -32602 });
    await expect(wallet.allowances(alice)).rejects.toMatchObject({ code: -32602 });
  });

  test('signs nothing, whatever method of the table a site calls with it', async () => {
    await share(alice);
    asked.length = 0;
    const typed = JSON.stringify({
      types: { EIP712Domain: [], A: [{ name: 'a', type: 'string' }] },
      primaryType: 'A',
      domain: {},
      message: { a: 'a' },
    });
    const transaction = { from: alice, to: bob, value: '0x1' };
    const params: Readonly<Record<string, readonly unknown[]>> = {
      eth_sendTransaction: [transaction],
      eth_signTransaction: [transaction],
      eth_sign: [alice, '0x00'],
      personal_sign: ['0x00', alice],
      eth_signTypedData: [[{ type: 'string', name: 'a', value: 'a' }], alice],
      eth_signTypedData_v1: [[{ type: 'string', name: 'a', value: 'a' }], alice],
      eth_signTypedData_v3: [alice, typed],
      eth_signTypedData_v4: [alice, typed],
      wallet_sendCalls: [
        {
          version: '2.0.0',
          from: alice,
          chainId: '0x1f',
          atomicRequired: false,
          calls: [{ to: bob, value: '0x1' }],
        },
      ],
      wallet_requestExecutionPermissions: [
        {
          chainId: '0x1f',
          to: alice,
          permission: {
            type: 'native-token-allowance',
            isAdjustmentAllowed: true,
            data: { allowanceAmount: '0x1' },
          },
          rules: [{ type: 'expiry', data: { timestamp: 4_000_000_000 } }],
        },
      ],
    };
    const signing = [...methodTable.keys()].filter(
      (name) =>
        /^(personal_sign|eth_sign|eth_sendTransaction|wallet_sendCalls|wallet_request.*Permissions)/.test(
          name,
        ) && name !== 'wallet_requestPermissions',
    );
    expect(new Set(Object.keys(params))).toEqual(new Set(signing));
    for (const name of signing)
      await expect(
        wallet.provider.request({ method: name, params: params[name] } as never),
        name,
      ).rejects.toMatchObject({ code: expect.toSatisfy((code) => code === 4100 || code === -32602) });
    expect(asked.filter(({ kind }) => kind !== 'pay-elsewhere')).toEqual([]);
    expect(node.count('eth_sendRawTransaction')).toBe(0);
  });

  test('keeps its name when its key is imported, and signs then', async () => {
    const key: Hex = `0x${'09'.repeat(32)}`;
    const other = openWallet({ networks: [{ chainId: 31, url: node.url }] });
    const { address: cold } = await other.importPrivateKey(key, { password });
    other.destroy();
    await wallet.watchAccount(cold, 'From the safe');
    await wallet.importPrivateKey(key);
    expect(wallet.state().accounts.map(({ label }) => label)).toEqual(['Account 1', 'From the safe']);
    expect(wallet.state().watchOnly?.map(({ address }) => address)).toEqual([alice]);
    reload();
    await wallet.unlock(password);
    expect(wallet.state().watchOnly?.map(({ address }) => address)).toEqual([alice]);
    await share(cold);
    await send(bob, cold);
    expect(node.count('eth_sendRawTransaction')).toBe(1);
  });

  test('is gone from sites when the person stops looking at it, and stays a contact', async () => {
    await share(own, alice);
    const changes: unknown[] = [];
    wallet.provider.on('accountsChanged', (accounts) => changes.push(accounts));
    await wallet.unwatchAccount(alice);
    expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([own]);
    expect(changes).toEqual([[own]]);
    expect(await wallet.contacts()).toEqual([{ address: alice, name: 'Cold wallet' }]);
    await wallet.watchAccount(alice);
    expect(wallet.state().watchOnly).toEqual([{ address: alice, label: 'Cold wallet' }]);
    await wallet.removeContact(alice);
    expect(wallet.state().watchOnly).toBeUndefined();
  });
});

test('any sequence of changes leaves what a list in memory would have, in this page, another and a new one', async () => {
  const people = Array.from({ length: 6 }, (_, i) => addressOf(`${i + 1}d`));
  const person = fc.constantFrom(...people);
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('save' as const),
      person,
      name: fc.constantFrom('Ann', 'Ben', 'Cho', 'Dan', 'Eva'),
    }),
    fc.record({
      kind: fc.constant('watch' as const),
      person,
      name: fc.constantFrom('Ann', 'Fay', 'Gil', undefined),
    }),
    fc.record({ kind: fc.constantFrom('remove' as const, 'unwatch' as const, 'reload' as const), person }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      for (const { address } of await wallet.contacts()) await wallet.removeContact(address);
      let model: Contact[] = [];
      for (const each of steps) {
        const { kind, person } = each;
        const before = model.find(({ address }) => address === person);
        const isFree = (name: string) => model.every((other) => other === before || other.name !== name);
        const put = (next: Contact) => {
          model = before ? model.map((other) => (other === before ? next : other)) : [...model, next];
        };
        const refused = { code: -32602 };
        switch (kind) {
          case 'save':
            if (!isFree(each.name)) {
              await expect(wallet.saveContact(person, each.name)).rejects.toMatchObject(refused);
              break;
            }
            await wallet.saveContact(person, each.name);
            put({ ...before, address: person, name: each.name });
            break;
          case 'watch': {
            const name = each.name ?? before?.name;
            if (name === undefined || !isFree(name)) {
              await expect(wallet.watchAccount(person, each.name)).rejects.toMatchObject(refused);
              break;
            }
            await wallet.watchAccount(person, each.name);
            put({ address: person, name, watchOnly: true });
            break;
          }
          case 'remove':
            if (before) await wallet.removeContact(person);
            else await expect(wallet.removeContact(person)).rejects.toMatchObject(refused);
            model = model.filter((other) => other !== before);
            break;
          case 'unwatch':
            if (!before) {
              await expect(wallet.unwatchAccount(person)).rejects.toMatchObject(refused);
              break;
            }
            await wallet.unwatchAccount(person);
            put({ address: person, name: before.name });
            break;
          case 'reload':
            reload();
            await wallet.unlock(password);
        }
        expect(await wallet.contacts()).toEqual(model);
        const watched = model.filter(({ watchOnly }) => watchOnly);
        expect(wallet.state().watchOnly ?? []).toEqual(
          watched.map(({ address, name }) => ({ address, label: name })),
        );
        expect(wallet.state().contacts === undefined).toBe(model.length === 0);
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 6) },
  );
});

function reason(name: string, data: object = {}) {
  return { code: -32602, data: { reason: name, ...data } };
}

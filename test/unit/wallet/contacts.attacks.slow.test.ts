import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/index.js';
import {
  type Address,
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
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** Attacks on the address book and on accounts without a key: by the page's storage and prototypes, files, names and timing. */

const password = 'correct horse';
const addressOf = (digits: string) => `0x${digits.repeat(20)}` as Address;
const [alice, bob] = ['a1', 'b0'].map(addressOf) as [Address, Address];
const lookAlikeOf = (address: Address) =>
  `${address.slice(0, 6)}${'5'.repeat(32)}${address.slice(-4)}` as Address;

let node: FakeNode;
let storage: Storage;
let memory: SessionMemory;
let wallet: Wallet;
let own: Address;
let asked: Question[];
let answer: (question: Question) => ReturnType<headless.Options['answer'] & object>;

const open = (parts: { storage: Storage; memory: SessionMemory } = { storage, memory }) =>
  openWallet({
    networks: [
      { chainId: 31, url: node.url },
      { chainId: 30, url: node.url },
    ],
    initialChainId: 31,
    approver: () =>
      headless({
        password,
        answer(question) {
          asked.push(structuredClone(question));
          return answer(question);
        },
      }),
    ...parts,
  } as never);
const send = (to: Address, from = own, more: object = {}) =>
  wallet.provider.request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x1', ...more }] });
const reload = () => {
  wallet.destroy();
  wallet = open();
};
const tamper = (change: (state: Record<string, unknown>) => object) =>
  memory.write(JSON.stringify(change(JSON.parse(memory.read() as string))));
const share = async (...accounts: readonly Address[]) => {
  answer = (question) => (question.kind === 'connect' ? { approved: true, accounts } : true);
  await wallet.provider.request({ method: 'eth_selectAccounts' });
  asked.length = 0;
};
const codes = () => asked.at(-1)?.warnings.map(({ code }) => code);
const recipient = () => (asked.at(-1) as Extract<Question, { kind: 'transaction' }>).recipient;

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
  vi.useRealTimers();
  wallet.destroy();
  await node.stop();
});

describe('the mark in the session that there are contacts', () => {
  const strip = ({ contacts: _c, watchOnly: _w, ...rest }: Record<string, unknown>) => rest;

  test('is no condition of the danger, while the wallet is locked', async () => {
    await wallet.saveContact(alice, 'Alice');
    tamper(strip);
    reload();
    answer = () => asked.length === 1;
    asked.length = 0;
    await send(lookAlikeOf(alice)).catch(() => {});
    expect(node.count('eth_sendRawTransaction')).toBe(0);
    expect(codes()).toContain('resembles-known');
  });

  test('does not matter after the unlock', async () => {
    await wallet.saveContact(alice, 'Alice');
    tamper(strip);
    reload();
    await wallet.unlock(password);
    asked.length = 0;
    answer = () => false;
    await send(lookAlikeOf(alice)).catch(() => {});
    expect(codes()).toContain('resembles-known');
  });

  test('comes back with each unlock, as do the accounts to look at', async () => {
    await wallet.watchAccount(alice, 'Cold wallet');
    memory.write('');
    reload();
    await wallet.unlock(password);
    expect(wallet.state().accounts.map(({ address }) => address)).toEqual([own]);
    expect(wallet.state().watchOnly).toEqual([{ address: alice, label: 'Cold wallet' }]);
  });

  test('does not matter while it is unlocked', async () => {
    await wallet.saveContact(alice, 'Alice');
    tamper(strip);
    asked.length = 0;
    answer = () => false;
    await wallet.rename(own, 'Mine'); // any update reads the stored session
    await send(lookAlikeOf(alice)).catch(() => {});
    expect(codes()).toContain('resembles-known');
  });
});

describe('a payment that another wallet makes', () => {
  beforeEach(async () => {
    await wallet.watchAccount(alice, 'Cold wallet');
    await share(own, alice);
  });

  test('is not shown with a code of this chain for a transaction of another one', async () => {
    await expect(send(bob, alice, { chainId: '0x1e' })).rejects.toMatchObject({ code: 4901 });
    expect(asked).toEqual([]);
  });

  test('is for the chain that was active when the request came', async () => {
    const sending = send(bob, alice).catch(() => {});
    wallet.switchChain?.(30);
    await sending;
    expect((asked.at(-1) as { uri?: string }).uri).toBe(`ethereum:${bob}@31?value=1`);
  });

  test('is a danger, without a code, if its recipient looks like a contact', async () => {
    await wallet.saveContact(bob, 'Bob');
    await send(lookAlikeOf(bob), alice).catch(() => {});
    expect(asked.at(-1)?.kind).toBe('pay-elsewhere');
    expect(codes()).toContain('resembles-known');
  });

  test('is an ordinary one for an account with a key that a script lists without', async () => {
    tamper((state) => ({ ...state, watchOnly: [{ address: own, label: 'Account 1' }] }));
    reload();
    asked.length = 0;
    answer = () => true;
    await send(bob, own).catch(() => {});
    expect(asked.map(({ kind }) => kind)).toEqual(['transaction']);
  });
});

describe('contacts of a backup file', () => {
  const fileOf = async (address: Address, name: string) => {
    const other = open({ storage: createMemoryStorage(), memory: createVolatileMemory() });
    await other.importPrivateKey(`0x${'08'.repeat(32)}`, { password });
    await other.saveContact(address, name);
    const file = await other.backup(password, 'the file’s password');
    other.destroy();
    return file;
  };

  test('do not give two addresses one name', async () => {
    const file = await fileOf(bob, 'Alice');
    await wallet.saveContact(alice, 'Alice');
    await wallet.restore(file, 'the file’s password');
    const names = (await wallet.contacts()).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('do not take the danger from an address that looks like a contact', async () => {
    const file = await fileOf(lookAlikeOf(alice), 'Alice');
    await wallet.saveContact(alice, 'Alice');
    await wallet.restore(file, 'the file’s password');
    answer = () => false;
    await send(lookAlikeOf(alice)).catch(() => {});
    expect(codes()).toContain('resembles-known');
  });
});

describe('a name that lies', () => {
  test.each([
    'alice.rsk',
    'PowPeg bridge',
    'Рowpeg Βridge',
    '0хa1a1…a1a1',
    '０xa1a1…a1a1',
    'Оxa1a1…a1a1',
    '\u200b0xa1',
    'Alice (alice.rsk)',
  ])('%s is refused', async (name) => {
    await expect(wallet.saveContact(bob, name)).rejects.toMatchObject({ code: -32602 });
  });
  test('an account is not renamed to a contact', async () => {
    await wallet.saveContact(alice, 'Alice');
    await expect(wallet.rename(own, 'Alice')).rejects.toMatchObject({ code: -32602 });
  });
});

test('a contact can be renamed after a look-alike was paid', async () => {
  await wallet.saveContact(alice, 'Alice');
  await send(lookAlikeOf(alice));
  await wallet.saveContact(alice, 'Alice Liddell');
  expect(await wallet.contacts()).toEqual([{ address: alice, name: 'Alice Liddell' }]);
});

test('a permit for a spender that looks like a contact is a danger', async () => {
  await wallet.saveContact(alice, 'Alice');
  answer = () => false;
  asked.length = 0;
  const field = (type: string) => (name: string) => ({ name, type });
  await wallet.provider
    .request({
      method: 'eth_signTypedData_v4',
      params: [
        own,
        JSON.stringify({
          types: {
            EIP712Domain: [
              { name: 'name', type: 'string' },
              { name: 'chainId', type: 'uint256' },
              { name: 'verifyingContract', type: 'address' },
            ],
            Permit: [
              ...['owner', 'spender'].map(field('address')),
              ...['value', 'nonce', 'deadline'].map(field('uint256')),
            ],
          },
          primaryType: 'Permit',
          domain: { name: 'T', chainId: 31, verifyingContract: bob },
          message: {
            owner: own,
            spender: lookAlikeOf(alice),
            value: '1',
            nonce: '0',
            deadline: '4000000000',
          },
        }),
      ],
    })
    .catch((error) => expect(error).toMatchObject({ code: 4001 }));
  expect(asked).toHaveLength(1);
  expect(codes()).toContain('resembles-known');
});

test('contacts cannot be read while the wallet is locked, though a permission keeps the keys', async () => {
  await wallet.saveContact(alice, 'Alice');
  tamper((state) => ({
    ...state,
    granted: [
      {
        context: `0x${'1'.repeat(64)}`,
        origin: 'https://x.example',
        account: own,
        chainId: 31,
        end: 4e9,
        connectedAt: 1,
        recipients: [],
      },
    ],
  }));
  await wallet.rename(own, 'Mine');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20 * 60_000 });
  expect(await wallet.vaultState()).toBe('locked');
  await expect(wallet.contacts()).rejects.toMatchObject({ code: 4100 });
});

test('a wrong entry of the session is dropped, and the rest stays', async () => {
  tamper((state) => ({ ...state, watchOnly: [null] }));
  reload();
  expect(wallet.state().accounts.map(({ address }) => address)).toEqual([own]);
});

describe('a name that cannot be seen', () => {
  test.each(['\u200b', '\u3164', '\u2800', `a${'\u0301'.repeat(39)}`])('%j is refused', async (name) => {
    await expect(wallet.saveContact(bob, name)).rejects.toMatchObject({ code: -32602 });
  });
  test('two signs that look the same are not two names', async () => {
    await wallet.saveContact(alice, '❤');
    await expect(wallet.saveContact(bob, '❤\ufe0f')).rejects.toMatchObject({ code: -32602 });
  });
});

test('the locked wallet asks a second time only to show a danger', async () => {
  const other = open({ storage: createMemoryStorage(), memory: createVolatileMemory() });
  await other.importPrivateKey(`0x${'08'.repeat(32)}`, { password });
  await other.saveContact(lookAlikeOf(alice), 'Bob');
  const file = await other.backup(password, 'the file’s password');
  other.destroy();
  await wallet.saveContact(alice, 'Alice');
  await wallet.restore(file, 'the file’s password');
  reload();
  asked.length = 0;
  await send(lookAlikeOf(alice));
  for (const { warnings } of asked.slice(1))
    expect(warnings.map(({ code }) => code)).toContain('resembles-known');
});

test('a first contact whose session could not be written is known all the same', async () => {
  const write = memory.write;
  const mutable = memory as { write: SessionMemory['write'] };
  mutable.write = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  await wallet.saveContact(alice, 'Alice').catch(() => {});
  mutable.write = write;
  reload();
  await wallet.unlock(password);
  asked.length = 0;
  answer = () => false;
  await send(lookAlikeOf(alice)).catch(() => {});
  expect(codes()).toContain('resembles-known');
});

test('a payment to the bridge by another wallet has the warnings of an ordinary one', async () => {
  await wallet.watchAccount(alice, 'Cold wallet');
  await share(own, alice);
  const bridge = '0x0000000000000000000000000000000001000006' as Address;
  await send(bridge, own).catch(() => {});
  const usual = codes();
  await send(bridge, alice).catch(() => {});
  expect(codes()).toEqual(
    expect.arrayContaining(usual?.filter((code) => code !== 'first-time-recipient') ?? []),
  );
});

describe('the code for another wallet', () => {
  const uri = () => (asked.at(-1) as { uri?: string }).uri;
  beforeEach(async () => {
    await wallet.watchAccount(alice, 'Cold wallet');
    await share(own, alice);
  });

  test('is that of the coins, whatever the page adds to Object.prototype', async () => {
    Object.defineProperty(Object.prototype, 'token', {
      value: `0x${'ee'.repeat(20)}`,
      configurable: true,
      writable: true,
    });
    try {
      await send(bob, alice).catch(() => {});
    } finally {
      delete (Object.prototype as { token?: unknown }).token;
    }
    expect(uri()).toBe(`ethereum:${bob}@31?value=1`);
  });

  const transfer = `0xa9059cbb${bob.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`;
  const token = `0x${'cc'.repeat(20)}` as Address;
  test.each([
    ['trailing bytes', { data: `${transfer}00`, value: '0x0' }],
    ['a value beside', { data: transfer, value: '0x1' }],
    ['a dirty address', { data: transfer.replace('a9059cbb0', 'a9059cbb1'), value: '0x0' }],
    ['a creation', { to: undefined, data: '0x6000', value: '0x1' }],
  ])('is absent for %s', async (_name, more) => {
    await send(token, alice, more).catch(() => {});
    expect(asked.at(-1)?.kind).toBe('pay-elsewhere');
    expect(uri()).toBeUndefined();
  });
  test('is exact for 2^256 - 1', async () => {
    await send(bob, alice, { value: `0x${'f'.repeat(64)}` }).catch(() => {});
    expect(uri()).toBe(`ethereum:${bob}@31?value=${2n ** 256n - 1n}`);
  });
});

test('an account that is not shared gives no dialog', async () => {
  await wallet.watchAccount(alice, 'Cold wallet');
  asked.length = 0;
  await expect(send(bob, alice)).rejects.toMatchObject({ code: 4100 });
  await expect(send(bob, alice)).rejects.not.toMatchObject({ data: { reason: 'watch-only' } });
  expect(asked).toEqual([]);
});

test('an account whose key was imported and removed again is shared with no site', async () => {
  await wallet.importPrivateKey(`0x${'09'.repeat(32)}`);
  const cold = wallet.state().accounts[1]?.address as Address;
  await wallet.remove(cold);
  await wallet.watchAccount(cold, 'Cold');
  await wallet.importPrivateKey(`0x${'09'.repeat(32)}`);
  await share(own, cold);
  await wallet.remove(cold);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(wallet.state().watchOnly?.map(({ address }) => address)).toEqual([cold]);
  expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([own]);
});

test('members of Object.prototype are neither contacts nor accounts', async () => {
  const proto = Object.prototype as unknown as Record<string, unknown>;
  proto.watchOnly = [{ address: bob, label: 'x' }];
  proto.contacts = 'x';
  proto.contact = 'Evil';
  try {
    await wallet.saveContact(alice, 'Alice');
    asked.length = 0;
    await send(bob);
    expect(Object.hasOwn(recipient() ?? {}, 'contact')).toBe(false);
    expect(Object.hasOwn(wallet.state(), 'watchOnly')).toBe(false);
  } finally {
    for (const key of ['watchOnly', 'contacts', 'contact']) delete proto[key];
  }
  reload();
  asked.length = 0;
  answer = () => asked.length === 1;
  await send(lookAlikeOf(alice)).catch(() => {});
  expect(codes()).toContain('resembles-known');
});

test('a batch is asked about again too, where the locked wallet did not know a contact', async () => {
  await wallet.saveContact(alice, 'Alice');
  reload();
  asked.length = 0;
  answer = () => asked.length === 1;
  await wallet.provider
    .request({
      method: 'wallet_sendCalls',
      params: [
        {
          version: '2.0.0',
          from: own,
          chainId: '0x1f',
          atomicRequired: false,
          calls: [
            { to: bob, value: '0x1' },
            { to: lookAlikeOf(alice), value: '0x1' },
          ],
        },
      ],
    } as never)
    .catch(() => {});
  expect(asked).toHaveLength(2);
  expect(codes()).toContain('resembles-known');
});

test('a permission for a payee that looks like a contact is a danger', async () => {
  await wallet.saveContact(alice, 'Alice');
  asked.length = 0;
  answer = () => false;
  await wallet.provider
    .request({
      method: 'wallet_requestExecutionPermissions',
      params: [
        {
          chainId: '0x1f',
          to: own,
          permission: {
            type: 'native-token-allowance',
            isAdjustmentAllowed: true,
            data: { allowanceAmount: '0x1' },
          },
          rules: [
            { type: 'expiry', data: { timestamp: Math.floor(Date.now() / 1000) + 86_400 } },
            { type: 'payee', data: { addresses: [lookAlikeOf(alice)] } },
          ],
        },
      ],
    } as never)
    .catch(() => {});
  expect(asked.at(-1)?.kind).toBe('permission');
  expect(codes()).toContain('resembles-known');
});

import { afterEach, describe, expect, test } from 'vitest';
import { type HeadlessApprover, headless } from '../../../packages/kit/src/testing/index.js';
import { createMemoryStorage, createWallet, type SessionMemory, type Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { origin, password } from '../../support/keys.js';

hastenKdfOfFile();

/** The list of accounts that the session remembers, which anything in the page's origin can write, and the vault. */

const privateKeys = ['11', '22', '33'].map((byte) => `0x${byte.repeat(32)}`) as [string, string, string];
const planted = '0x00000000000000000000000000000000000e5151';
const site = 'https://other.example';

interface Opened {
  readonly wallet: Wallet;
  readonly approver: HeadlessApprover;
  readonly addresses: readonly [string, string];
  /** `accountsChanged`, as the page heard it. */
  readonly heard: unknown[];
  /** Writes to the session as another tab, or a script of the page, can. */
  write(change: (state: Record<string, unknown>) => Record<string, unknown>): void;
}

const wallets: Wallet[] = [];
afterEach(() => {
  for (const wallet of wallets.splice(0)) wallet.destroy();
});

/** A locked wallet with two accounts, of which the page was given the second. */
async function open(): Promise<Opened> {
  let text: string | null = null;
  let changed = () => {};
  const memory: SessionMemory = {
    read: () => text,
    write: (value) => {
      text = value;
    },
    watch: (listener) => {
      changed = listener;
      return () => {};
    },
  };
  const approver = headless({ password });
  const wallet = createWallet({
    networks: [{ chainId: 31, url: 'http://127.0.0.1:1/key' }],
    origin,
    memory,
    storage: createMemoryStorage(),
    approver: () => approver,
  });
  wallets.push(wallet);
  const heard: unknown[] = [];
  wallet.provider.on('accountsChanged', (accounts) => heard.push(accounts));
  const first = await wallet.importPrivateKey(privateKeys[0], { password });
  const second = await wallet.importPrivateKey(privateKeys[1]);
  await wallet.lock();
  const write: Opened['write'] = (change) => {
    text = JSON.stringify(change(JSON.parse(text ?? '{}')));
    changed();
  };
  write((state) => ({ ...state, permissions: { [origin]: { accounts: [second.address], date: 1 } } }));
  heard.splice(0);
  return { wallet, approver, addresses: [first.address, second.address], heard, write };
}

const plant = (state: Record<string, unknown>) => ({
  ...state,
  accounts: [
    { address: planted, label: 'Savings', path: null },
    ...(state.accounts as { address: string }[]),
  ],
  permissions: {
    ...(state.permissions as object),
    [origin]: { accounts: [planted, ...addressesOf(state)], date: 1 },
    [site]: { accounts: [planted], date: 1 },
  },
});
const addressesOf = ({ accounts }: Record<string, unknown>) =>
  (accounts as { address: string }[]).map(({ address }) => address).slice(1);
const listed = ({ wallet }: Opened) => wallet.state().accounts.map(({ address }) => address);
const shared = ({ wallet }: Opened) => wallet.provider.request({ method: 'eth_accounts' });

describe('at unlock', () => {
  test('an address that the vault does not have disappears from the list and from every origin', async () => {
    const opened = await open();
    opened.write(plant);
    expect(listed(opened)).toEqual([planted, ...opened.addresses]);
    expect(await shared(opened)).toEqual([planted, opened.addresses[1]]);
    await opened.wallet.unlock(password);
    expect(listed(opened)).toEqual(opened.addresses);
    expect(await shared(opened)).toEqual([opened.addresses[1]]);
    expect(Object.keys(opened.wallet.state().permissions)).toEqual([origin]);
    expect(opened.heard).toEqual([[planted, opened.addresses[1]], [opened.addresses[1]]]);
  });

  test('accounts that the session lost are restored in the order of the vault, with the remaining labels', async () => {
    const opened = await open();
    opened.write((state) => ({
      ...state,
      accounts: [{ address: opened.addresses[1], label: 'Savings', path: "m/44'/0'/0'/0/9" }],
    }));
    await opened.wallet.unlock(password);
    expect(opened.wallet.state().accounts).toEqual([
      { address: opened.addresses[0], label: 'Account 1', path: null },
      { address: opened.addresses[1], label: 'Savings', path: null },
    ]);
    expect(opened.heard).toEqual([]);
  });

  test('unlocking in the dialog: a request for a planted address is refused, and the address is removed', async () => {
    const opened = await open();
    opened.write(plant);
    const signed = opened.wallet.provider.request({
      method: 'personal_sign',
      params: ['0x68656c6c6f', planted],
    });
    await expect(signed).rejects.toMatchObject({ code: 4100 });
    expect(opened.approver.asked).toHaveLength(1);
    expect(listed(opened)).toEqual(opened.addresses);
    expect(await shared(opened)).toEqual([opened.addresses[1]]);
  });
});

test('while the wallet is unlocked, a planted address does not stay', async () => {
  const opened = await open();
  await opened.wallet.unlock(password);
  opened.write(plant);
  await expect.poll(() => listed(opened)).toEqual(opened.addresses);
  await opened.wallet.provider.request({
    method: 'wallet_requestPermissions',
    params: [{ eth_accounts: {} }],
  });
  expect(opened.approver.asked.at(-1)).toMatchObject({
    kind: 'connect',
    accounts: opened.addresses.map((address) => ({ address })),
  });
});

test('an account that is added while another is planted stays', async () => {
  const opened = await open();
  await opened.wallet.unlock(password);
  opened.write(plant);
  const { address } = await opened.wallet.importPrivateKey(privateKeys[2]);
  await expect.poll(() => listed(opened)).toEqual([...opened.addresses, address]);
});

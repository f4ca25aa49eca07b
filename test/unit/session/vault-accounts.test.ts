import { describe, expect, test } from 'vitest';
import type { SessionAccount, SessionState } from '../../../src/session/session.js';
import { labelled, withAccountsOf } from '../../../src/session/vault-accounts.js';

const a = '0x00000000000000000000000000000000000000aa';
const b = '0x00000000000000000000000000000000000000bb';
const c = '0x00000000000000000000000000000000000000cc';
const derived = (address: `0x${string}`) => ({ address, path: "m/44'/137'/0'/0/0" });
const account = (address: `0x${string}`, label: string, more: object = {}): SessionAccount => ({
  ...derived(address),
  label,
  ...more,
});
const state: SessionState = {
  chainId: 31,
  chains: {},
  accounts: [account(a, 'Savings'), account(b, 'Old', { hidden: true })],
  permissions: { 'https://app.example': { accounts: [a, b, c], date: 1 } },
  assets: {},
  backup: 'done',
  networks: [],
};

describe('withAccountsOf', () => {
  test('keeps labels and hidden accounts, and removes addresses that the vault does not have', () => {
    expect(withAccountsOf([derived(b), derived(c)])(state)).toEqual({
      ...state,
      accounts: [account(b, 'Old', { hidden: true }), account(c, 'Account 2')],
      permissions: { 'https://app.example': { accounts: [b, c], date: 1 } },
    });
  });

  test('a session that was lost asks for a backup of what was derived, not of imported keys', () => {
    const lost = { ...state, accounts: [] };
    expect(withAccountsOf([derived(a)])(lost).backup).toBe('needed');
    expect(withAccountsOf([{ address: a, path: null }])(lost).backup).toBe('done');
    expect(withAccountsOf([derived(a)])(state).backup).toBe('done');
  });
});

test('a new account gets the first number that no other has', () => {
  const known = [account(a, 'Account 3'), account(b, 'Account 1')];
  expect(labelled([derived(b), derived(a), derived(c)], known).map(({ label }) => label)).toEqual([
    'Account 1',
    'Account 3',
    'Account 4',
  ]);
  expect(labelled([derived(a), derived(b)], []).map(({ label }) => label)).toEqual([
    'Account 1',
    'Account 2',
  ]);
});

import { describe, expect, test } from 'vitest';
import { exportSession, withExported } from '../../../src/session/portable.js';
import type { SessionState } from '../../../src/session/session.js';

const a = '0x00000000000000000000000000000000000000aa';
const b = '0x00000000000000000000000000000000000000bb';
const token = '0x00000000000000000000000000000000000000cc';
const saved: SessionState = {
  chainId: 30,
  chains: {},
  accounts: [
    { address: a, label: 'Ahorros', path: null },
    { address: b, label: 'Old', path: "m/44'/137'/0'/0/0", hidden: true },
  ],
  permissions: { 'https://app.example': { accounts: [a], date: 1 } },
  assets: { 30: [{ address: token, symbol: 'RIF', decimals: 18 }] },
  backup: 'needed',
  networks: [],
};
const empty: SessionState = {
  chainId: 31,
  chains: {},
  accounts: [],
  permissions: {},
  assets: {},
  backup: 'done',
  networks: [],
};
const restored = saved.accounts.map(({ address, path }) => ({ address, path }));

describe('withExported', () => {
  test('labels, hidden accounts and tokens come along; permissions, the chain and the backup do not', () => {
    expect(withExported(restored, exportSession(saved))(empty)).toEqual({
      ...empty,
      accounts: saved.accounts,
      assets: saved.assets,
    });
  });

  test('members that the session has already stay', () => {
    const present: SessionState = {
      ...empty,
      accounts: [{ address: a, label: 'Mine', path: null }],
      permissions: saved.permissions,
      assets: {
        30: [{ address: token, symbol: 'OWN', decimals: 2 }],
        31: [{ address: a, symbol: 'T', decimals: 1 }],
      },
    };
    expect(withExported(restored, exportSession(saved))(present)).toEqual({
      ...present,
      accounts: [present.accounts[0], saved.accounts[1]],
    });
  });

  test('only accounts that were restored are added, and a note that cannot be read adds no labels', () => {
    const [first] = restored as [(typeof restored)[0]];
    expect(withExported([first], exportSession(saved))(empty).accounts).toEqual([saved.accounts[0]]);
    for (const note of ['', '{', '5', '{"accounts":5}'])
      expect(withExported([first], note)(empty)).toEqual({
        ...empty,
        accounts: [{ address: a, label: 'Account 1', path: null }],
      });
  });
});

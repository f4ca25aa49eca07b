import { keccak256, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

/** The accounts of the page under test. The mnemonic is public, so that signatures can be compared with viem's. */
export const mnemonic = 'test test test test test test test test test test test junk';
export const password = 'correct horse 31 battery';
export const origin = 'https://app.example';

const paths = ["m/44'/37310'/0'/0/0", "m/44'/37310'/0'/0/1"] as const;
export const owners = paths.map((path) =>
  mnemonicToAccount(mnemonic, { path: path as `m/44'/60'/${string}` }),
);

const lower = (index: number) => (owners[index]?.address ?? '').toLowerCase() as `0x${string}`;

export const values = {
  /** The account that the page is connected to. */
  $A0: lower(0),
  /** An account of the wallet that the page is not connected to. */
  $A1: lower(1),
  $X: '0x9a3b7c1d2e4f506172839405a6b7c8d9e0f10213',
  /** keccak256 of "bad inputs": not UTF-8, as hashes seldom are. */
  $H32: keccak256(toHex('bad inputs')),
  $HASH: `0x${'c4'.repeat(32)}`,
  $OTHER: '0x00000000000000000000000000000000000000ee',
  $OTHER_HASH: `0x${'d7'.repeat(32)}`,
  $PRIVKEY: `0x${'7e57ab1e'.repeat(8)}`,
  $SIG_V99: `0x${'11'.repeat(64)}63`,
} as const;

/** A stored session with these accounts: enough for tests that sign nothing. */
export const plantedSession = (connected: string | null): string =>
  JSON.stringify({
    chainId: 31,
    accounts: [
      { address: values.$A0, label: 'Account 1', path: paths[0] },
      { address: values.$A1, label: 'Account 2', path: paths[1] },
    ],
    permissions: connected ? { [connected]: { accounts: [values.$A0], date: 1 } } : {},
    assets: {},
  });

import {
  type Abi,
  encodeAbiParameters,
  encodeEventTopics,
  getContractAddress,
  pad,
  parseAbi,
  toHex,
} from 'viem';
import { expect, test } from 'vitest';
import type { Address, Hash, Log, Receipt } from '../../../src/rpc/schema.js';
import { createdAddress, effectsOf } from '../../../src/transactions/effects.js';

/** Effects of a transaction on its account, from logs that viem has encoded. */

const account: Address = `0x${'a1'.repeat(20)}`;
const friend: Address = `0x${'b2'.repeat(20)}`;
const [rif, wrbtc] = [
  '0x2acc95758f8b5f583470ba265eb685a8f45fc9d5',
  '0x542fda317318ebf1d3deaf76e0b632741a7e677d',
] as const;
const other: Address = `0x${'d4'.repeat(20)}`;

const tokens = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'event Deposit(address indexed owner, uint256 value)',
  'event Withdrawal(address indexed owner, uint256 value)',
]);

function log(
  address: Address,
  eventName: string,
  args: Record<string, unknown>,
  value: bigint | boolean,
): Log {
  const topics = encodeEventTopics({ abi: tokens as Abi, eventName, args }) as Hash[];
  const data = encodeAbiParameters([{ type: typeof value === 'bigint' ? 'uint256' : 'bool' }], [value]);
  const place = {
    blockNumber: '0x1',
    blockHash: hash,
    transactionHash: hash,
    transactionIndex: '0x0',
  } as const;
  return { address, topics, data, ...place, logIndex: toHex(count++) };
}
let count = 0;
const hash: Hash = `0x${'11'.repeat(32)}`;
const transfer = (token: Address, from: Address, to: Address, value: bigint) =>
  log(token, 'Transfer', { from, to }, value);
const collectible = (token: Address, from: Address, to: Address, id: bigint): Log => {
  const { topics, ...rest } = transfer(token, from, to, 0n);
  return { ...rest, topics: [...topics, pad(toHex(id))], data: '0x' };
};
const effects = (...logs: readonly unknown[]) => effectsOf({ logs } as unknown as Receipt, account, 30);

test('tokens that left and came are summed up, each token once', () => {
  expect(
    effects(
      transfer(rif, account, friend, 12n),
      transfer(rif, friend, account, 2n),
      transfer(other, friend, account, 5n),
      transfer(other, friend, friend, 100n),
    ),
  ).toEqual([
    { kind: 'paid', token: rif, amount: '0xa' },
    { kind: 'received', token: other, amount: '0x5' },
  ]);
});

test('a token that left and came back is no effect, and neither is a transfer to itself or of nothing', () => {
  expect(
    effects(
      transfer(rif, account, friend, 3n),
      transfer(rif, friend, account, 3n),
      transfer(other, account, account, 3n),
      transfer(other, friend, account, 0n),
    ),
  ).toEqual([]);
});

test('a collectible, and several of one collection', () => {
  expect(effects(collectible(other, friend, account, 77n), collectible(other, friend, account, 78n))).toEqual(
    [{ kind: 'received', token: other, amount: '0x2', isCollectible: true }],
  );
});

test('coins that are wrapped and unwrapped, of the listed contract only', () => {
  expect(effects(log(wrbtc, 'Deposit', { owner: account }, 5n))).toEqual([
    { kind: 'received', token: wrbtc, amount: '0x5' },
  ]);
  expect(effects(log(wrbtc, 'Withdrawal', { owner: account }, 5n))).toEqual([
    { kind: 'paid', token: wrbtc, amount: '0x5' },
    { kind: 'received', token: null, amount: '0x5' },
  ]);
  expect(effects(log(other, 'Withdrawal', { owner: account }, 5n))).toEqual([]);
  expect(effects(log(wrbtc, 'Withdrawal', { owner: friend }, 5n))).toEqual([]);
});

test('rights that the account gave, as the last log has them', () => {
  expect(
    effects(
      log(rif, 'Approval', { owner: account, spender: friend }, 5n),
      log(rif, 'Approval', { owner: account, spender: friend }, 0n),
      log(other, 'ApprovalForAll', { owner: account, operator: friend }, true),
      log(rif, 'Approval', { owner: friend, spender: account }, 9n),
    ),
  ).toEqual([
    { kind: 'allowed', token: rif, spender: friend, amount: '0x0' },
    { kind: 'allowed', token: other, spender: friend, amount: 'all', isCollectible: true },
  ]);
});

test('the right over one item, given and taken away', () => {
  const approval = (spender: Address): Log => {
    const { topics, ...rest } = log(other, 'Approval', { owner: account, spender }, 0n);
    return { ...rest, topics: [...topics, pad(toHex(3n))], data: '0x' };
  };
  expect(effects(approval(friend))).toEqual([
    { kind: 'allowed', token: other, spender: friend, amount: '0x1', isCollectible: true },
  ]);
  const none: Address = `0x${'00'.repeat(20)}`;
  expect(effects(approval(none))).toEqual([
    { kind: 'allowed', token: other, spender: none, amount: '0x0', isCollectible: true },
  ]);
});

test('junk does not hide what was paid and allowed', () => {
  const junk = Array.from({ length: 20 }, (_, i) =>
    transfer(`0x${(i + 1).toString(16).padStart(40, '0')}`, friend, account, 1n),
  );
  const approval = log(rif, 'Approval', { owner: account, spender: friend }, 2n ** 256n - 1n);
  expect(effects(...junk, transfer(rif, account, friend, 7n), approval).slice(0, 2)).toMatchObject([
    { kind: 'paid', token: rif, amount: '0x7' },
    { kind: 'allowed', token: rif, spender: friend },
  ]);
});

test('the right over every item stays beside that over one of them', () => {
  const { topics, ...rest } = log(other, 'Approval', { owner: account, spender: friend }, 0n);
  const one: Log = { ...rest, topics: [...topics, pad(toHex(3n))], data: '0x' };
  const every = log(other, 'ApprovalForAll', { owner: account, operator: friend }, true);
  expect(effects(every, one)).toMatchObject([{ amount: 'all' }, { amount: '0x1' }]);
});

test('a log that is there twice, or removed, counts once, or not', () => {
  const one = transfer(rif, friend, account, 7n);
  expect(effects(one, one, { ...transfer(rif, friend, account, 7n), removed: true })).toEqual([
    { kind: 'received', token: rif, amount: '0x7' },
  ]);
});

test.each(['0x0', '0x1', '0x7f', '0x80', '0x100', '0x123456789'] as const)(
  'the contract that an account creates with nonce %s is that of viem',
  (nonce) => {
    expect(createdAddress(account, nonce)).toBe(
      getContractAddress({ from: account, nonce: BigInt(nonce) }).toLowerCase(),
    );
  },
);

test('a thousand logs leave sixteen effects', () => {
  const logs = Array.from({ length: 1_000 }, (_, i) =>
    transfer(`0x${(i + 1).toString(16).padStart(40, '0')}`, friend, account, 1n),
  );
  expect(effects(...logs)).toHaveLength(16);
});

test.each([
  ['no logs', undefined],
  ['a log without an address', [{ topics: transfer(rif, friend, account, 1n).topics, data: '0x' }]],
  ['a log without topics', [{ address: rif, data: '0x' }]],
  ['data of another length', [{ ...transfer(rif, friend, account, 1n), data: '0x01' }]],
  [
    'a topic that is no address',
    [
      {
        ...transfer(rif, friend, account, 1n),
        topics: [transfer(rif, friend, account, 1n).topics[0], hash, hash],
      },
    ],
  ],
])('%s has no effect', (_, logs) => {
  expect(effectsOf({ logs } as unknown as Receipt, account, 30)).toEqual([]);
});

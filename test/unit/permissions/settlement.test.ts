import { beforeAll, describe, expect, test } from 'vitest';
import type { Grant } from '../../../src/permissions/grant.js';
import { createLedger, type Ledger } from '../../../src/permissions/ledger.js';
import { settle } from '../../../src/permissions/settlement.js';
import { listedTokens } from '../../../src/rpc/known-contracts.js';
import type { Address, Hash, Hex } from '../../../src/rpc/schema.js';
import { tokenCall } from '../../../src/rpc/token-calls.js';
import { createNetworks, type Network } from '../../../src/service/networks.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createJournal } from '../../../src/transactions/journal.js';
import type { JournalEntry } from '../../../src/transactions/journal-entry.js';
import { account, chainId, createChain, signWithKey } from './random-chain.js';

/** The cost that takes the place of the most that a mined transaction could cost. */

const [network] = createNetworks([{ chainId, url: 'https://one.example/key' }]) as [Network];
const friend: Address = `0x${'5a'.repeat(20)}`;
const token = listedTokens(chainId)[0]?.address as Address;
const context: Hash = `0x${'aa'.repeat(32)}`;
const coins = { context, replaced: [], type: 'native-token-allowance', payees: [friend] } as unknown as Grant;
const tokens = { ...coins, type: 'erc20-token-allowance', token } as Grant;

let ledger: Ledger;
beforeAll(async () => {
  ledger = await createLedger(new Uint8Array(32));
});

/** Settles a payment that is mined with half of its gas and has some blocks on top, after its entry was altered. */
async function settledAs(
  change: Partial<JournalEntry>,
  { grant = coins, fields = {}, blocks = 12, hosts = 2, isOne = true } = {},
) {
  const signed = signWithKey({
    ...{ chainId, nonce: '0x0', to: friend, value: '0x64', data: '0x', gas: '0xa410', gasPrice: '0x2' },
    ...fields,
  });
  const chain = createChain(
    (max) => (max === 99 ? 50 : Math.floor(max / 2)),
    () => 1_000,
  );
  chain.submit(signed, 0, true);
  for (let mined = 0; mined <= blocks; mined++) chain.mine();
  const { signature: _signature, ...rest } = signed;
  const entry = {
    ...rest,
    from: account,
    origin: 'https://a.example',
    createdAt: 1,
    state: 'mined',
  } as const;
  const terms = { permission: context, period: 0, amount: 10_000_000n, fees: 10_000_000n };
  const mark = await ledger.mark(entry, terms);
  const altered = { ...entry, blockNumber: '0x1', ledger: mark, ...change } as JournalEntry;
  const storage = createMemoryStorage();
  const journal = createJournal(storage);
  await journal.record(altered);
  const [one, other] = [chain.service(network, () => 0), chain.service(network, () => 1)];
  if (!isOne) chain.nodes[1].lag = 1;
  await settle({
    ...{ entries: [altered], grants: [grant], ledger, journal, headHeight: chain.tip().height, service: one },
    hosts: () => [one, other].slice(0, hosts),
  });
  const [after] = await journal.entriesOf(chainId, account);
  const read = after && (await ledger.read(after));
  return read && read.at !== null ? [Number(read.amount), Number(read.fees)] : null;
}
/** The fee for half of the gas that is above that of a payment. */
const fee = 2 * 31_500;

describe('a settled payment', () => {
  test('costs its value and the gas that it used', async () => {
    expect(await settledAs({})).toEqual([100 + fee, 0]);
  });

  test.each<[string, Partial<JournalEntry>]>([
    ['value', { value: '0x0' }],
    ['price', { gasPrice: '0x0' }],
    ['gas', { gas: '0x0' }],
    ['recipient', { to: account, value: '0x0' }],
  ])('costs what was signed, whatever its entry says of the %s', async (_name, change) => {
    expect(await settledAs(change)).toEqual([100 + fee, 0]);
  });

  test('has the bytes of its mark', async () => {
    const other = signWithKey({
      ...{ chainId, nonce: '0x0', to: friend, value: '0x0', data: '0x', gas: '0x5208', gasPrice: '0x1' },
    });
    for (const raw of [other.raw, '0x', '0x00', 'no bytes'] as Hex[])
      expect(await settledAs({ raw })).toBe(null);
  });

  test('has twelve blocks on top of it, and two hosts that agree', async () => {
    expect(await settledAs({}, { blocks: 11 })).toBe(null);
    expect(await settledAs({}, { hosts: 1 })).toBe(null);
    expect(await settledAs({}, { isOne: false })).toBe(null);
  });

  test('costs nothing where it was cancelled', async () => {
    expect(await settledAs({}, { fields: { to: account, value: '0x0' } })).toEqual([0, 0]);
    expect(await settledAs({}, { fields: { to: account, value: '0x0' }, grant: tokens })).toEqual([0, 0]);
  });

  test('in tokens costs them, and the fee by itself', async () => {
    const data = tokenCall('transfer', friend, 7n);
    const fields = { to: token, value: '0x0', data };
    expect(await settledAs({}, { fields, grant: tokens })).toEqual([7, fee]);
  });

  test('in tokens costs them too where a permission with other payees has replaced its own', async () => {
    const data = tokenCall('transfer', account, 7n);
    const grant = { ...tokens, context: `0x${'bb'.repeat(32)}` as Hash, replaced: [context] };
    expect(await settledAs({}, { fields: { to: token, value: '0x0', data }, grant })).toEqual([7, fee]);
  });
});

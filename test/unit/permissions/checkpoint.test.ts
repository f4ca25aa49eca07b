import { expect, test } from 'vitest';
import { type LedgerCheckpoint, readCheckpoint } from '../../../src/permissions/checkpoint.js';
import { writeCheckpoint } from '../../../src/permissions/folding.js';
import { createLedger } from '../../../src/permissions/ledger.js';
import type { Address, Hash } from '../../../src/rpc/schema.js';

const account: Address = `0x${'11'.repeat(20)}`;
const other: Address = `0x${'22'.repeat(20)}`;
const permission: Hash = `0x${'aa'.repeat(32)}`;
const ledger = await createLedger(new Uint8Array(32).fill(7));
const foreign = await createLedger(new Uint8Array(32).fill(8));
const checkpoint: LedgerCheckpoint = {
  first: 3n,
  next: 300n,
  folded: [
    { permission, uses: 200, period: 4, at: 1_700_000_000, amount: 10n ** 30n, fees: 5n },
    { permission, uses: 1, period: 0, at: null, amount: 0n, fees: 0n },
  ],
};
const stored = await writeCheckpoint(checkpoint, 31, account, ledger);
const read = (value: unknown, chainId = 31, from = account, by = ledger) =>
  readCheckpoint(value, chainId, from, by);

test('a checkpoint is read as it was written, also after JSON', async () => {
  expect(await read(stored)).toEqual(checkpoint);
  expect(await read(JSON.parse(JSON.stringify(stored)))).toEqual(checkpoint);
});

test('another account, chain or vault does not take it', async () => {
  expect(await read(stored, 31, other)).toBeNull();
  expect(await read(stored, 30)).toBeNull();
  expect(await read(stored, 31, account, foreign)).toBeNull();
});

test('an altered text or code is refused', async () => {
  const { text, mac } = stored;
  const altered = [
    { text: text.replace('0x12c', '0x12d'), mac },
    { text: text.replace('200', '100'), mac },
    { text: `${text} `, mac },
    { text, mac: `0x${'00'.repeat(32)}` },
    { text, mac: undefined },
    { text: [text], mac },
    { mac },
  ];
  for (const each of [...altered, undefined, null, 5, 'a text', []]) expect(await read(each)).toBeNull();
});

test('the checkpoint of an earlier build is not read', async () => {
  const rows = [[permission, 1, 0, null, '0x0', '0x0']];
  const before = JSON.stringify(['graft/checkpoint/1', 31, account, '0x3', '0x12c', rows]);
  expect(await read({ text: before, mac: await ledger.seal(before) })).toBeNull();
  const { text } = stored;
  const named = (kind: string) => ledger.seal(JSON.stringify([kind, 31, account, text]));
  expect(await read({ text, mac: await named('graft/checkpoint/1') })).toBeNull();
  expect(await read({ text, mac: await named('graft/checkpoint/2') })).toEqual(checkpoint);
});

test('a mark of an entry seals no checkpoint, and a seal marks no entry', async () => {
  const entry = { chainId: 31, from: account, nonce: '0x3', hash: permission } as const;
  const mark = await ledger.mark(entry, { permission, period: 0, amount: 1n, fees: 0n });
  const { text } = stored;
  expect(await read({ text, mac: mark.mac })).toBeNull();
  expect(await ledger.read({ ...entry, ledger: { ...mark, mac: stored.mac } })).toBeNull();
});

test('while nothing is checked, whatever is stored makes no error', async () => {
  const trusting = { isSealed: async () => true };
  const texts = ['', '{', '[]', 'null', '["graft/checkpoint/1",31]', stored.text.replace('0x3', 'x')];
  for (const text of texts)
    expect(await readCheckpoint({ text, mac: '0x' }, 31, account, trusting)).toBeNull();
  expect(await readCheckpoint(stored, 31, account, trusting)).toEqual(checkpoint);
});

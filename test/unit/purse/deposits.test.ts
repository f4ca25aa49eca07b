import { describe, expect, test } from 'vitest';
import type { Hash } from '../../../src/index.js';
import { depositState, untilDeposited } from '../../../src/purse/deposits.js';
import type { Purse } from '../../../src/purse/purse.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createJournal, type Journal } from '../../../src/transactions/journal.js';
import type { JournalEntry } from '../../../src/transactions/journal-entry.js';

const now = () => 1_800_000_000_000;
const hash = (digit: string): Hash => `0x${digit.repeat(64)}`;
const entry = (digit: string, over: Partial<JournalEntry>): JournalEntry => ({
  ...{
    hash: hash(digit),
    raw: '0x00',
    chainId: 31,
    from: `0x${'11'.repeat(20)}`,
    to: `0x${'22'.repeat(20)}`,
  },
  ...{
    nonce: '0x0',
    value: '0x64',
    data: '0x',
    gas: '0x5208',
    gasPrice: '0x1',
    origin: 'https://game.example',
  },
  ...{ createdAt: now(), state: 'sent' },
  ...over,
});

async function journalOf(...entries: readonly JournalEntry[]): Promise<Journal> {
  const journal = createJournal(createMemoryStorage());
  await journal.record(...entries);
  return journal;
}
const stateOf = async (entries: readonly JournalEntry[], ...deposits: readonly Hash[]) =>
  depositState({ journal: await journalOf(...entries), now }, { deposits });

describe('the deposits of a purse', () => {
  test.each<[string, string, readonly JournalEntry[]]>([
    ['open', 'sent', [entry('a', {})]],
    ['open', 'signed', [entry('a', { state: 'signed' })]],
    ['held', 'signed long ago', [entry('a', { state: 'signed', createdAt: now() - 700_000 })]],
    ['mined', 'mined', [entry('a', { state: 'mined' })]],
    ['failed', 'reverted', [entry('a', { state: 'reverted' })]],
    ['failed', 'refused', [entry('a', { state: 'refused' })]],
    ['unknown', 'never journaled', [entry('b', {})]],
    [
      'mined',
      'sped up, and mined',
      [
        entry('a', { state: 'replaced', replacedBy: hash('b') }),
        entry('b', { state: 'mined', gasPrice: '0x2' }),
      ],
    ],
    [
      'failed',
      'cancelled',
      [
        entry('a', { state: 'replaced', replacedBy: hash('b') }),
        entry('b', { state: 'mined', value: '0x0' }),
      ],
    ],
  ])('are %s once they were %s', async (state, _, entries) => {
    expect(await stateOf(entries, hash('a'))).toBe(state);
  });

  test('are as far as the last of them', async () => {
    const entries = [entry('a', { state: 'mined' }), entry('b', { nonce: '0x1' })];
    expect(await stateOf(entries, hash('a'), hash('b'))).toBe('open');
    expect(await stateOf(entries)).toBe('mined');
  });
});

describe('waiting for them', () => {
  const purse = { deposits: [hash('a')] } as unknown as Purse;
  test('ends when the journal says that they are mined, or not carried out', async () => {
    const journal = await journalOf(entry('a', {}));
    const waiting = untilDeposited({ journal, now }, purse, new AbortController().signal);
    await journal.change(entry('a', {}), (current) => ({ ...current, state: 'mined' }));
    await waiting;
    await journal.change(entry('a', {}), (current) => ({ ...current, state: 'reverted' }));
    await expect(untilDeposited({ journal, now }, purse, new AbortController().signal)).rejects.toMatchObject(
      { code: -32003 },
    );
  });

  test('ends at once for one that waits for the person, and with its window', async () => {
    const old = await journalOf(entry('a', { state: 'signed', createdAt: now() - 700_000 }));
    const { signal } = new AbortController();
    await expect(untilDeposited({ journal: old, now }, purse, signal)).rejects.toMatchObject({
      code: -32002,
    });
    const closing = new AbortController();
    const waiting = untilDeposited({ journal: await journalOf(entry('a', {})), now }, purse, closing.signal);
    closing.abort();
    await expect(waiting).rejects.toMatchObject({ code: 4001 });
    await expect(untilDeposited({ journal: old, now }, purse, closing.signal)).rejects.toMatchObject({
      code: 4001,
    });
  });
});

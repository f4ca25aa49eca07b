import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../../src/index.js';
import type { PrivateFile } from '../../../src/storage/private-file.js';
import { wholeObjects } from '../../../src/storage/whole-objects.js';
import {
  abandoned,
  accepted,
  createJournal,
  held,
  included,
  type Journal,
  refused,
  released,
  renewed,
  reopened,
  replaced,
  uncertain,
} from '../../../src/transactions/journal.js';
import { archiveKeys, holdOf, type JournalEntry, keyOf } from '../../../src/transactions/journal-entry.js';
import { exportJournal } from '../../../src/transactions/journal-export.js';

const day = 86_400_000;
const entry = (nonce: number, change: Partial<JournalEntry> = {}): JournalEntry => ({
  hash: `0x${nonce.toString(16).padStart(64, '0')}`,
  raw: '0x01',
  chainId: 31,
  from: `0x${'11'.repeat(20)}`,
  to: `0x${'22'.repeat(20)}`,
  nonce: `0x${nonce.toString(16)}`,
  value: '0xde0b6b3a7640000',
  data: '0x',
  gas: '0x5208',
  gasPrice: '0x3938700',
  origin: 'https://app.example',
  createdAt: 1_700_000_000_000 + nonce,
  state: 'signed',
  ...change,
});

/** A file that holds what was written as JSON, like a real one. */
function createFile(): PrivateFile & { text: string | null } {
  return {
    text: null,
    async read() {
      return this.text === null ? null : wholeObjects(this.text);
    },
    async write(value) {
      this.text = JSON.stringify(value);
    },
    async remove() {
      this.text = null;
    },
  };
}

let file: ReturnType<typeof createFile>;
let storage: ReturnType<typeof createMemoryStorage>;
let journal: Journal;
beforeEach(() => {
  file = createFile();
  storage = createMemoryStorage();
  journal = createJournal(storage, { copy: file });
});

describe('the second copy', () => {
  test('restores entries that the browser has lost, and keeps the present ones', async () => {
    await journal.record(entry(1), entry(2));
    await journal.change(entry(1), accepted);
    await expect.poll(() => file.text).toContain('"sent"');
    const emptied = createMemoryStorage();
    const again = createJournal(emptied, { copy: file });
    expect(await again.restore()).toBe(2);
    expect((await again.entries()).map(({ state }) => state)).toEqual(['sent', 'signed']);
    await again.change(entry(2), accepted);
    expect(await again.restore()).toBe(0);
    expect((await again.entries()).map(({ state }) => state)).toEqual(['sent', 'sent']);
  });

  test('a record waits for it, so that a crash after sending finds it there', async () => {
    await journal.record(entry(1));
    expect(file.text).toContain(entry(1).hash);
  });

  test('it has what is open, and what is younger than a day', async () => {
    const now = 1_700_000_000_000;
    const later = createJournal(storage, { copy: file, now: () => now });
    const settled = { state: 'mined', createdAt: now - 2 * day } as const;
    await later.record(
      ...[entry(1, settled), entry(2, { ...settled, state: 'sent' })],
      ...[entry(3, { ...settled, createdAt: now - day / 2 }), entry(4)],
    );
    const copied = JSON.parse(file.text ?? '') as JournalEntry[];
    expect(copied.map(({ nonce }) => nonce)).toEqual(['0x2', '0x3', '0x4']);
  });

  test('cut at any byte, it is read up to its last whole entry', async () => {
    const accessList = [{ address: `0x${'33'.repeat(20)}` as const, storageKeys: [entry(9).hash] }];
    const held = [
      entry(1, { accessList, reason: 'a "quote", a } and a ] \\' }),
      entry(2, { anchor: { number: '0x1', hash: entry(9).hash } }),
      entry(3),
    ];
    await journal.record(...held);
    const whole = file.text as string;
    for (let end = 0; end <= whole.length; end++) {
      file.text = whole.slice(0, end);
      const again = createJournal(createMemoryStorage(), { copy: file });
      const count = await again.restore();
      const ends = held.map((_, i) => JSON.stringify(held.slice(0, i + 1)).length - 1);
      expect([end, count]).toEqual([end, ends.filter((each) => each <= end).length]);
      expect(await again.entries()).toEqual(held.slice(0, count));
    }
  });

  test('an entry that it has twice, or that it has damaged, or of a later version, does no harm', async () => {
    const [twice, later] = [entry(1, { state: 'sent' }), { ...entry(2), state: 'queued', version: 9 }];
    const damaged = JSON.stringify(entry(3)).replace('"nonce":"', '"nonce":"\u0000');
    file.text = `[${JSON.stringify(entry(1))},${JSON.stringify(twice)},${damaged},${JSON.stringify(later)}]`;
    expect(await journal.restore()).toBe(3);
    expect((await journal.entries()).map(({ hash, state }) => [hash, state])).toEqual([
      [entry(1).hash, 'sent'],
      [entry(2).hash, 'queued'],
    ]);
  });

  test('an entry whose numbers are no numbers is not restored', async () => {
    const bad = ['nonce', 'gas', 'gasPrice', 'value'].flatMap((field) =>
      ['0x1g', '0x', '1', null, 7].map((value) => ({ ...entry(1), [field]: value })),
    );
    file.text = JSON.stringify([...bad, entry(2)]);
    expect(await journal.restore()).toBe(1);
    expect(await journal.entries()).toEqual([entry(2)]);
  });

  test('a copy that another tab writes meanwhile does not outlive an erasure', async () => {
    await journal.record(entry(1));
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { write } = file;
    let isWriting = false;
    file.write = async (value) => {
      isWriting = true;
      await gate;
      await write.call(file, value);
    };
    await journal.change(entry(1), accepted);
    await expect.poll(() => isWriting).toBe(true);
    const erased = journal.erase();
    go();
    await erased;
    expect(await journal.restore()).toBe(0);
    expect(await journal.newest()).toEqual([]);
  });

  test('10,000 open entries are restored', async () => {
    const open = Array.from({ length: 10_000 }, (_, nonce) => entry(nonce, { state: 'sent' }));
    await journal.record(...open);
    const again = createJournal(createMemoryStorage(), { copy: file });
    expect(await again.restore()).toBe(10_000);
    expect(await again.entries()).toEqual(open);
  });

  test('a second copy that cannot be written or read, or that holds nonsense, does no harm', async () => {
    const broken = {
      read: async () => null,
      write: () => new Promise<void>(() => {}),
      remove: async () => {},
    };
    const other = createJournal(createMemoryStorage(), { copy: broken });
    await other.record(entry(1));
    expect(await other.entries()).toHaveLength(1);
    for (const text of ['{}', '[1, null, {}]', '[{"hash":"0x"}]']) {
      file.text = text;
      expect(await journal.restore()).toBe(0);
    }
  });
});

describe('transitions', () => {
  const by = { hash: `0x${'aa'.repeat(32)}`, blockNumber: '0x5', blockHash: `0x${'bb'.repeat(32)}` } as const;
  const mined = { state: 'mined', blockNumber: '0x5', blockHash: by.blockHash } as const;

  test('a receipt corrects every state', () => {
    for (const state of ['signed', 'sent', 'refused', 'replaced', 'abandoned', 'mined', 'reverted'] as const)
      expect(included(mined, 7)(entry(1, { state, reason: 'x', replacedBy: by.hash }))).toEqual(
        entry(1, { ...mined, ...(/refused|replaced|abandoned/.test(state) && { correctedAt: 7 }) }),
      );
  });

  test('a transition that comes too late changes nothing', () => {
    const done = entry(1, mined);
    for (const transition of [
      accepted,
      uncertain,
      abandoned,
      refused('x'),
      refused('x', true),
      replaced(by),
      held('damaged'),
      renewed(1),
    ])
      expect(transition(done)).toBeNull();
  });

  test('a refusal is final only while no node may hold the bytes, or when it is proven', () => {
    expect(refused('x')(entry(1))).toMatchObject({ state: 'refused', reason: 'x' });
    expect(refused('x')(entry(1, { maybeSent: true }))).toBeNull();
    expect(refused('x')(entry(1, { state: 'sent' }))).toBeNull();
    expect(refused('x', true)(entry(1, { state: 'sent' }))).toMatchObject({ state: 'refused' });
  });

  test('a block that leaves the chain reopens what it had settled', () => {
    expect(reopened(by.blockHash)(entry(1, { ...mined, fee: '0x1' }))).toEqual(entry(1, { state: 'sent' }));
    const gone = replaced(by)(entry(1)) as JournalEntry;
    expect(reopened(by.blockHash)(gone)).toEqual(entry(1, { maybeSent: true }));
    expect(reopened(`0x${'cc'.repeat(32)}`)(gone)).toBeNull();
  });

  test('a rival proves that a refused transaction was not carried out, and leaves it refused', () => {
    expect(replaced(by)(entry(1, { state: 'refused', reason: 'x' }))).toMatchObject({
      state: 'refused',
      reason: 'x',
      replacedBy: by.hash,
    });
    expect(replaced()(entry(1, { state: 'refused' }))).toBeNull();
  });

  test('only one that no node has accepted for ten minutes is held back', () => {
    const { createdAt } = entry(1);
    expect(holdOf(entry(1), createdAt + 600_000)).toBeNull();
    expect(holdOf(entry(1), createdAt + 600_001)).toBe('old');
    expect(holdOf(entry(1, { deferredAt: createdAt + 5 }), createdAt + 600_001)).toBeNull();
    expect(holdOf(entry(1, { state: 'sent' }), createdAt + day)).toBeNull();
    expect(holdOf(entry(1, { state: 'sent', held: 'other-chain' }), createdAt)).toBe('other-chain');
    expect(holdOf(entry(1, { state: 'refused', held: 'damaged' }), createdAt)).toBeNull();
  });
});

describe('export', () => {
  test('JSON has every field but the signed bytes', () => {
    const { raw: _raw, ...fields } = entry(1, { state: 'mined', fee: '0x5' });
    expect(JSON.parse(exportJournal([entry(1, { state: 'mined', fee: '0x5' })], 'json'))).toEqual([fields]);
  });

  test('CSV has a line for each transaction, amounts in wei, and no text that a spreadsheet takes for a formula', () => {
    const lines = exportJournal(
      [
        entry(1, { state: 'mined', fee: '0x5208', blockNumber: '0x10' }),
        entry(2, { state: 'reverted', reason: '=HYPERLINK("http://evil.example","click"), now' }),
      ],
      'csv',
    ).split('\r\n');
    expect(lines[0]).toBe(
      'time,chain id,state,hash,from,to,value (wei),fee (wei),nonce,block,replaced by,reason,site,data',
    );
    expect(lines[1]).toBe(
      `2023-11-14T22:13:20.001Z,31,mined,${entry(1).hash},${entry(1).from},${entry(1).to},1000000000000000000,21000,1,16,,,https://app.example,0x`,
    );
    expect(lines[2]).toContain(`"'=HYPERLINK(""http://evil.example"",""click""), now"`);
    expect(lines).toHaveLength(4);
  });
});

test('an entry that says it was mined is not released: a script may have written that', () => {
  expect(released(entry(1, { held: 'other-chain' }))).toMatchObject({ state: 'signed' });
  expect(released(entry(1, { held: 'other-chain', state: 'mined' }))).toBeNull();
});

test('entries of another account or chain are not those of this one, under whatever key', async () => {
  const storage = createMemoryStorage();
  const one = entry(1);
  const other = entry(1, { hash: `0x${'33'.repeat(32)}`, from: `0x${'44'.repeat(20)}` });
  const elsewhere = entry(1, { hash: `0x${'55'.repeat(32)}`, chainId: 30 });
  const keyAs = ({ hash }: JournalEntry) => `${keyOf(one).slice(0, -66)}${hash}`;
  await storage.put(
    'journal',
    [one, other, elsewhere].map((each) => [keyAs(each), each]),
  );
  const found = await createJournal(storage).entriesOf(one.chainId, one.from);
  expect(found.map(({ hash }) => hash)).toEqual([one.hash]);
});

describe('an entry under the key of another one', () => {
  test('is not changed, and the other one counts as not stored', async () => {
    const decoy = entry(2, { chainId: 30 });
    await storage.put('journal', [[keyOf(entry(1)), decoy]]);
    expect(await journal.change(entry(1), (current) => ({ ...current, state: 'mined' }))).toBeUndefined();
    expect(await storage.get('journal', keyOf(entry(1)))).toEqual(decoy);
  });

  test('is not one of those with that nonce', async () => {
    await storage.put('journal', [[`${keyOf(entry(1))}+`, entry(2)]]);
    expect(await journal.entriesOf(31, entry(1).from, '0x1')).toEqual([]);
  });

  test('is not found in the archive by that one’s hash', async () => {
    await storage.put('archive', [
      [archiveKeys.hash(entry(1).hash), 'entry:31:1'],
      ['entry:31:1', entry(2, { chainId: 30 })],
    ]);
    expect(await journal.find(entry(1).hash)).toBeUndefined();
  });
});

test('bytes that a node has taken are there for two minutes, for the chain of that node', async () => {
  let at = 1_000_000;
  const noting = createJournal(createMemoryStorage(), { now: () => at });
  expect(noting.hasTaken(31, '0x01')).toBe(false);
  noting.noteTaken(31, '0x01');
  expect(noting.hasTaken(31, '0x01')).toBe(true);
  expect([noting.hasTaken(30, '0x01'), noting.hasTaken(31, '0x02')]).toEqual([false, false]);
  at += 119_999;
  expect(noting.hasTaken(31, '0x01')).toBe(true);
  at += 1;
  expect(noting.hasTaken(31, '0x01')).toBe(false);
  // A clock that is set back shows no age.
  at -= 600_000;
  expect(noting.hasTaken(31, '0x01')).toBe(false);
});

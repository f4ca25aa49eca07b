import { expect, test } from 'vitest';
import { createBook } from '../../../src/contacts/book.js';
import { createSession } from '../../../src/session/session.js';
import { createVolatileMemory } from '../../../src/session/volatile-memory.js';

const encode = (value: object) => new TextEncoder().encode(JSON.stringify(value));
const a = `0x${'a1'.repeat(20)}`;
const b = `0x${'b0'.repeat(20)}`;

function bookOf(stored: Uint8Array[]) {
  const session = createSession({
    memory: createVolatileMemory(),
    origin: 'https://a.example',
    initialChainId: 30,
    chainIds: [30],
  });
  const keyring = {
    locked: () => false,
    records: async () => stored,
    changeRecords: async (_kind: number, change: (r: readonly Uint8Array[]) => readonly Uint8Array[]) => {
      stored = [...change(stored)];
      return stored;
    },
  };
  return {
    book: createBook({ keyring, session } as never),
    stored: () => stored.map((each) => JSON.parse(new TextDecoder().decode(each))),
  };
}

test('a change of one contact keeps what a later build has written in another', async () => {
  const { book, stored } = bookOf([encode({ address: a, name: 'Alice', note: 'met in Lima', chainId: 30 })]);
  await book.change((contacts) => [...contacts, { address: b as never, name: 'Bob' }]);
  expect(stored()[0]).toEqual({ address: a, name: 'Alice', note: 'met in Lima', chainId: 30 });
});

test('a name in the vault is checked as one that is given', async () => {
  const { book } = bookOf([encode({ address: a, name: `${'x'.repeat(10_000)}\u202e` })]);
  expect((await book.all()).every(({ name }) => name.length <= 160)).toBe(true);
});

import { expect, test } from 'vitest';
import { withSettledJournal, withUnsettledJournal } from '../../../src/session/changes.js';
import { createSession } from '../../../src/session/session.js';
import { createVolatileMemory } from '../../../src/session/volatile-memory.js';

const sessionOn = (memory: ReturnType<typeof createVolatileMemory>) =>
  createSession({ memory, origin: 'https://app.example', initialChainId: 31, chainIds: [31] });

/** All orders of the steps of two actors, each in its own order. */
function* interleavings<T>(first: readonly T[], second: readonly T[]): Generator<readonly T[]> {
  if (first.length === 0 || second.length === 0) {
    yield [...first, ...second];
    return;
  }
  for (const rest of interleavings(first.slice(1), second)) yield [first[0] as T, ...rest];
  for (const rest of interleavings(first, second.slice(1))) yield [second[0] as T, ...rest];
}

test('in whatever order one page reads the journal and another adds to it, it is not called settled with an open entry', () => {
  const orders = [...interleavings([0, 1, 2], [3, 4])];
  expect(orders).toHaveLength(10);
  for (const order of orders) {
    const memory = createVolatileMemory();
    const [reader, writer] = [sessionOn(memory), sessionOn(memory)];
    let hasAdded = false;
    let isOpen = false;
    let [found, seen] = [false, reader.state().journal];
    writer.watch(({ journal }) => {
      if (hasAdded && journal === 'settled') writer.update(withUnsettledJournal);
    });
    const steps = [
      () => {
        seen = reader.state().journal;
      },
      () => {
        found = isOpen;
      },
      () => {
        if (!found) reader.update(withSettledJournal(seen));
      },
      () => {
        hasAdded = true;
        writer.update(withUnsettledJournal);
      },
      () => {
        isOpen = true;
      },
    ];
    for (const at of order) steps[at]?.();
    expect([order, sessionOn(memory).state().journal]).not.toEqual([order, 'settled']);
  }
});

test('a journal without open entries is called settled, also by a page loaded later, until it changes', () => {
  const memory = createVolatileMemory();
  const session = sessionOn(memory);
  session.update(withSettledJournal(session.state().journal));
  expect(sessionOn(memory).state().journal).toBe('settled');
  session.update(withUnsettledJournal);
  expect(sessionOn(memory).state().journal).not.toBe('settled');
});

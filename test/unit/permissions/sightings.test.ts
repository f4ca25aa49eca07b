import { describe, expect, test } from 'vitest';
import { isFinal, isInChain, noSightings, noteHead, readBlocks } from '../../../src/permissions/sightings.js';
import { toQuantity } from '../../../src/rpc/hex.js';
import type { Block, Hash } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import type { JournalEntry } from '../../../src/transactions/journal-entry.js';
import { createRandom } from '../../support/random.js';

const runs = Number(process.env.SIGHTINGS ?? 300);
const hashOf = (of: string): Hash => `0x${Buffer.from(of).toString('hex').padStart(64, '0')}`;
const [one, other] = [hashOf('one'), hashOf('other')];

let made = 0;
const childOf = (parent: Block | null, transactions: readonly Hash[] = []): Block =>
  ({
    number: toQuantity(parent ? Number(parent.number) + 1 : 0),
    hash: hashOf(`block ${++made}`),
    parentHash: parent?.hash ?? hashOf('none'),
    // Blocks have equal times: a sibling may have its sibling's.
    timestamp: '0x1',
    transactions,
  }) as unknown as Block;
const above = (block: Block, count: number): Block =>
  Array.from({ length: count }).reduce<Block>((top) => childOf(top), block);

describe('a payment counts', () => {
  const genesis = childOf(null);

  test('in the newest block, which is read anyway', () => {
    const [seen, head] = [noSightings(), childOf(genesis, [one])];
    noteHead(seen, head, [one, other], [], 1);
    expect([one, other].map((hash) => isInChain(seen, hash, head.hash))).toEqual([true, false]);
  });

  test('under each child of the head that it was seen with, and not under its sibling', () => {
    const [seen, head] = [noSightings(), childOf(genesis, [one])];
    noteHead(seen, head, [one], [], 1);
    const [child, sibling] = [childOf(head), childOf(genesis)];
    const grandchild = childOf(child);
    for (const each of [child, grandchild, sibling]) noteHead(seen, each, [one], [], 2);
    expect([child, grandchild, sibling].map(({ hash }) => isInChain(seen, one, hash))).toEqual([
      ...[true, true],
      false,
    ]);
  });

  test('under a head two blocks above only once its block is shown again', () => {
    const [seen, head] = [noSightings(), childOf(genesis, [one])];
    noteHead(seen, head, [one], [], 1);
    const later = above(head, 2);
    noteHead(seen, later, [one], [], 2);
    expect(isInChain(seen, one, later.hash)).toBe(false);
    noteHead(seen, later, [one], [head], 2);
    expect(isInChain(seen, one, later.hash)).toBe(true);
  });

  test('in no block of another branch, where two nodes have answered', () => {
    const parent = childOf(genesis);
    const head = childOf(parent);
    for (const stale of [childOf(parent, [one]), childOf(genesis, [one])]) {
      const seen = noSightings();
      noteHead(seen, head, [one], [stale], 1);
      expect(isInChain(seen, one, head.hash)).toBe(false);
    }
  });

  test('under each head with twelve blocks on top, and with eleven under those that it was seen with', () => {
    const mined = childOf(genesis, [one]);
    for (const [count, isDeep] of [
      [11, false],
      [12, true],
    ] as const) {
      const [seen, head] = [noSightings(), above(mined, count)];
      noteHead(seen, head, [one], [mined], 1);
      expect(isInChain(seen, one, head.hash)).toBe(true);
      expect([isFinal(seen, one), isInChain(seen, one, null)]).toEqual([isDeep, isDeep]);
      expect(isInChain(seen, one, hashOf('unknown'))).toBe(isDeep);
    }
  });

  test('under none that has no hash', () => {
    const seen = noSightings();
    noteHead(seen, { ...childOf(genesis, [one]), hash: null }, [one], [], 1);
    expect(isInChain(seen, one, null)).toBe(false);
    expect(seen).toEqual(noSightings());
  });
});

test(`${runs} random chains: what counts under a head is in its chain, and is found again if just seen`, () => {
  for (let seed = 1; seed <= runs; seed++) {
    const random = createRandom(seed);
    const upTo = (max: number) => Math.floor(random() * (max + 1));
    const seen = noSightings();
    const byHash = new Map<Hash, Block>();
    const add = (block: Block) => {
      byHash.set(block.hash as Hash, block);
      return block;
    };
    const chainOf = (head: Block): Block[] => {
      const chain: Block[] = [];
      for (let at: Block | undefined = head; at; at = byHash.get(at.parentHash)) chain.push(at);
      return chain;
    };
    const payments = Array.from({ length: 5 }, (_, at) => hashOf(`payment ${at}`));
    let tip = add(childOf(null));
    const asked: Hash[] = [];
    for (let step = 0; step < 30; step++) {
      for (let back = upTo(9) < 2 ? upTo(3) : 0; back > 0; back--) tip = byHash.get(tip.parentHash) ?? tip;
      for (let blocks = upTo(2); blocks > 0; blocks--) {
        const before = new Set(chainOf(tip).flatMap(({ transactions }) => transactions as unknown as Hash[]));
        const next = payments.filter((each) => !before.has(each) && upTo(9) < 3);
        tip = add(childOf(tip, next));
      }
      const chain = chainOf(tip);
      // A node shows random blocks of its chain.
      noteHead(
        seen,
        tip,
        payments,
        chain.filter(() => upTo(9) < 3),
        step,
      );
      asked.push(tip.hash as Hash);
      for (const head of asked.slice(-3)) {
        const inChain = chainOf(byHash.get(head) as Block).flatMap(
          ({ transactions }) => transactions as unknown as Hash[],
        );
        for (const each of payments)
          if (isInChain(seen, each, head) && !isFinal(seen, each))
            expect(inChain, `seed ${seed}`).toContain(each);
        expect(
          (byHash.get(head) as Block).transactions.every((each) => isInChain(seen, each as never, head)),
          `seed ${seed}`,
        ).toBe(true);
      }
    }
    expect(seen.chains.size).toBeLessThanOrEqual(8);
  }
});

describe('reading blocks', () => {
  const read = async (heights: readonly unknown[]) => {
    const asked: unknown[] = [];
    const service = {
      async request(_method: string, [height]: readonly unknown[]) {
        asked.push(height);
        return Number(height) === 4 ? null : { number: height };
      },
    } as unknown as Service;
    const entries = heights.map((blockNumber) => ({ blockNumber }) as unknown as JournalEntry);
    const blocks = await readBlocks(service, entries);
    return { asked, shown: blocks.map(({ number }) => Number(number)) };
  };

  test('asks once for each block that entries name', async () => {
    expect(await read(['0x3', '0x3', '0x5', undefined, '0x4', 'somewhere'])).toEqual({
      asked: ['0x3', '0x5', '0x4'],
      shown: [3, 5],
    });
  });

  test('asks for at most 64, whatever a script has written', async () => {
    const { asked } = await read(Array.from({ length: 1_000 }, (_, at) => toQuantity(at + 10)));
    expect(asked).toHaveLength(64);
  });
});

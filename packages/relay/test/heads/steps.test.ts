import { expect, test } from 'vitest';
import { createSteps } from '../../../../test/support/engine-contract.js';
import type { RelayStep } from '../../src/engines/engine.js';
import { createStepMemory, linksOf, toPath, toRelayStep } from '../../src/heads/steps.js';

const hashes = (blocks: readonly { readonly hash: string }[]) => blocks.map(({ hash }) => hash);

test('the links after some steps are the chain that they end in', () => {
  const { grow, fork, canonical } = createSteps();
  const steps = [grow(2), grow(), fork(), grow(2)];
  expect(hashes(linksOf(steps))).toEqual(hashes(canonical().slice(1)));
  expect(hashes(createStepMemory(steps).links())).toEqual(hashes(canonical().slice(1)));
});

test('below a gap no link is kept, nor one that does not join', () => {
  const { grow } = createSteps();
  const [first, , third, fourth] = [grow(2), grow(3), grow(), grow()];
  const gap: RelayStep = { ...third, missed: { from: '0x3', to: '0x5' } };
  expect(hashes(linksOf([first, gap, fourth]))).toEqual(hashes([...third.added, ...fourth.added]));
  expect(hashes(linksOf([first, fourth]))).toEqual(hashes(fourth.added));
});

test('a step is the next, known, or apart', () => {
  const { grow, fork } = createSteps();
  const [first, second] = [grow(), grow()];
  const memory = createStepMemory([first, second]);
  expect(memory.relation(second)).toBe('known');
  expect(memory.relation(first)).toBe('known');
  const replaced = fork();
  expect(memory.relation(replaced)).toBe('next');
  const lost = grow();
  expect(memory.relation(lost)).toBe('apart');
  memory.add(replaced);
  expect(memory.relation(lost)).toBe('next');
  expect(memory.relation({ removed: [], added: [second.added[0] as never], seen: 0 })).toBe('known');
  expect(createStepMemory().relation(first)).toBe('apart');
});

test('a step of a chain that was set back is apart', () => {
  const { grow } = createSteps();
  const memory = createStepMemory([grow(100)]);
  const { added } = createSteps().grow(5);
  const other = added.map((block) => ({ ...block, hash: `${block.hash.slice(0, -2)}ff` }) as typeof block);
  expect(memory.relation({ removed: [], added: other.slice(-1), seen: 0 })).toBe('apart');
});

test('a step that is apart replaces all that was kept', () => {
  const { grow } = createSteps();
  const [first, , third] = [grow(), grow(), grow()];
  const memory = createStepMemory([first]);
  memory.add(third);
  expect(memory.since(first.added[0]?.hash ?? '')).toBeUndefined();
  expect(hashes(memory.links())).toEqual(hashes(third.added));
  expect(memory.since(third.added[0]?.hash ?? '')).toEqual([]);
});

test('the steps after a block', () => {
  const { grow, fork } = createSteps();
  const [first, second, third] = [grow(), grow(3), grow()];
  const replaced = fork();
  const memory = createStepMemory([first, second, third, replaced]);
  const at = ({ added }: RelayStep, index: number) => added.at(index)?.hash ?? '';
  expect(memory.since(at(first, 0))).toEqual([second, third, replaced]);
  expect(memory.since(at(second, 0))).toEqual([
    { removed: [], added: second.added.slice(1), seen: second.seen },
    third,
    replaced,
  ]);
  expect(memory.since(at(second, -1))).toEqual([third, replaced]);
  // Removed since: the step that removes it is among them.
  expect(memory.since(at(third, 0))).toEqual([replaced]);
  expect(memory.since(at(replaced, -1))).toEqual([]);
  expect(memory.since(first.added[0]?.parentHash ?? '')).toEqual([first, second, third, replaced]);
  expect(memory.since('0x00')).toBeUndefined();
});

test('only the newest are kept', () => {
  const { grow } = createSteps();
  const steps = Array.from({ length: 10 }, () => grow());
  const memory = createStepMemory(steps, 4);
  expect(memory.since(steps[5]?.added[0]?.hash ?? '')).toEqual(steps.slice(6));
  expect(memory.since(steps[4]?.added[0]?.hash ?? '')).toBeUndefined();
});

test("a follower's step as JSON, and back", () => {
  const { grow, fork } = createSteps();
  grow();
  const { removed, added } = fork();
  const missed = { from: 1, to: 16 };
  const step = toRelayStep({ removed: removed as never, added, missed }, 7);
  expect(step).toEqual({ removed, added, missed: { from: '0x1', to: '0x10' }, seen: 7 });
  expect(JSON.parse(JSON.stringify(step))).toEqual(step);
  expect(toPath(step)).toEqual({ removed, added, missed });
  expect(Object.keys(toRelayStep({ removed: [], added }, 7))).toEqual(['removed', 'added', 'seen']);
});

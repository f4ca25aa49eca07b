import { expect, test } from 'vitest';
import { createLeaderElection, type LeaderElection } from '../../../../src/chain/tabs/leader-election.js';
import { createFakeClock, settled } from '../../../support/fake-clock.js';
import { createFakeOrigin, type FakeTab } from '../../../support/fake-origin.js';

function setUp(count: number) {
  const origin = createFakeOrigin(createFakeClock().clock);
  const changes: string[] = [];
  const members = Array.from({ length: count }, (_, index) => {
    const tab = origin.createTab();
    const leader = createLeaderElection({
      name: 'lead',
      locks: tab.locks,
      onChange: (leads) => changes.push(`${index} ${leads ? 'leads' : 'follows'}`),
      onRefused: () => changes.push(`${index} refused`),
    });
    return { tab, leader };
  }) as { tab: FakeTab; leader: LeaderElection }[];
  const member = (index: number) => members[index] as { tab: FakeTab; leader: LeaderElection };
  const leading = () => members.flatMap(({ leader }, index) => (leader.isLeader() ? [index] : []));
  return { origin, changes, member, leading, all: members };
}

test('one of those who joined leads, and the next one when it leaves', async () => {
  const { origin, all, member, leading, changes } = setUp(3);
  expect(leading()).toEqual([]);
  for (const { leader } of all) leader.join();
  await settled();
  expect(leading()).toEqual([0]);
  expect(origin.waiting()).toBe(2);
  member(0).leader.leave();
  await settled();
  expect(leading()).toEqual([1]);
  expect(changes).toEqual(['0 leads', '0 follows', '1 leads']);
});

test('after all have left no lock is held, and none is waited for', async () => {
  const { origin, all, leading } = setUp(3);
  for (const { leader } of all) {
    leader.join();
    leader.join();
  }
  // One leaves before the lock has come, one while it leads, one while it waits.
  all[0]?.leader.leave();
  await settled();
  expect(leading()).toEqual([1]);
  all[2]?.leader.leave();
  all[1]?.leader.leave();
  await settled();
  expect(origin.held()).toEqual([]);
  expect(origin.waiting()).toBe(0);
  expect(leading()).toEqual([]);
});

test('a tab that leaves while the lock is on its way to it does not keep it', async () => {
  for (let turns = 0; turns < 6; turns++) {
    const { origin, member, leading } = setUp(2);
    member(0).leader.join();
    for (let i = 0; i < turns; i++) await Promise.resolve();
    member(0).leader.leave();
    await settled();
    expect([leading(), origin.held()]).toEqual([[], []]);
    member(1).leader.join();
    await settled();
    expect(leading()).toEqual([1]);
  }
});

test('a tab that dies is replaced by the next in line', async () => {
  const { all, member, leading } = setUp(3);
  for (const { leader } of all) leader.join();
  await settled();
  member(1).tab.kill();
  member(0).tab.kill();
  await settled();
  expect(leading()).toEqual([0, 2]);
});

test('a frozen leader loses its lock, and queues for it again when it wakes', async () => {
  const { origin, all, member, leading, changes } = setUp(3);
  for (const { leader } of all) leader.join();
  await settled();
  member(0).tab.freeze();
  member(2).leader.steal();
  await settled();
  // It does not know yet.
  expect(leading()).toEqual([0, 2]);
  member(0).tab.thaw();
  await settled();
  expect(leading()).toEqual([2]);
  expect(changes).toEqual(['0 leads', '2 leads', '0 follows']);
  expect(origin.waiting()).toBe(2);
  member(2).leader.leave();
  await settled();
  member(1).leader.leave();
  await settled();
  expect(leading()).toEqual([0]);
});

test('one of two who steal at once leads in the end', async () => {
  const { all, member, leading } = setUp(3);
  for (const { leader } of all) leader.join();
  await settled();
  member(1).leader.steal();
  member(2).leader.steal();
  await settled();
  expect(leading()).toHaveLength(1);
  // A leader has nothing to steal.
  const [first] = leading();
  member(first as number).leader.steal();
  await settled();
  expect(leading()).toEqual([first]);
});

test('a tab that left is not drawn in again by the theft of its lock', async () => {
  const { origin, member, leading } = setUp(2);
  member(0).leader.join();
  await settled();
  member(0).tab.freeze();
  member(1).leader.steal();
  await settled();
  member(0).leader.leave();
  member(0).tab.thaw();
  await settled();
  expect(leading()).toEqual([1]);
  expect(origin.waiting()).toBe(0);
});

test('where locks are forbidden it says so, once for each try', async () => {
  const { origin, member, changes, leading } = setUp(1);
  origin.refuse('locks');
  member(0).leader.join();
  await settled();
  expect(changes).toEqual(['0 refused']);
  expect(leading()).toEqual([]);
});

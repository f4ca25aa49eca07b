import { expect, test } from 'vitest';
import { createCounting } from './counting.js';

const answer = () => Promise.resolve(new Response('{}'));

test('requests are sent and counted', async () => {
  const counting = createCounting(3, answer);
  await counting.fetch('https://service.example/');
  expect([counting.count(), counting.left(), counting.isSpent()]).toEqual([1, 2, false]);
});

test('a request above the limit is not sent', async () => {
  let sent = 0;
  const counting = createCounting(200, () => {
    sent++;
    return answer();
  });
  const all = await Promise.allSettled(
    Array.from({ length: 201 }, () => counting.fetch('https://service.example/key')),
  );
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(200);
  expect(all.at(-1)).toMatchObject({
    status: 'rejected',
    reason: { message: 'All 200 requests have been sent.' },
  });
  expect([sent, counting.count(), counting.left(), counting.isSpent()]).toEqual([200, 200, 0, true]);
});

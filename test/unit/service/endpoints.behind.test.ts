import { expect, test } from 'vitest';
import { createEndpoints, type Endpoint } from '../../../src/service/endpoints.js';
import type { Transport } from '../../../src/service/http/transport.js';

function setUp(count: number) {
  let time = 1_000;
  const transports = Array.from({ length: count }, () => ({}) as Transport);
  const endpoints = createEndpoints({
    ...{ chainId: 33, transports, coolDown: 30_000, backoff: 100, patience: 10_000 },
    now: () => time,
    random: () => 0.5,
  });
  const next = () => transports.indexOf(endpoints.next(new Map())?.endpoint.transport as Transport);
  return { endpoints, next, wait: (ms: number) => (time += ms) };
}

test('an endpoint that is behind is avoided for 3 s, also after it has answered', () => {
  const { endpoints, next, wait } = setUp(2);
  expect(next()).toBe(0);
  endpoints.behind();
  expect(next()).toBe(1);
  const tried = new Map([[endpoints.next(new Map())?.endpoint as Endpoint, { times: 1, from: 0 }]]);
  const other = endpoints.next(tried)?.endpoint as Endpoint;
  endpoints.answered(other, endpoints.sent(other));
  expect(next()).toBe(1);
  wait(2_999);
  expect(next()).toBe(1);
  wait(1);
  expect(next()).toBe(0);
});

test('where all are behind they are used in their order', () => {
  const { endpoints, next } = setUp(2);
  endpoints.behind();
  endpoints.behind();
  expect(next()).toBe(0);
});

test('a single endpoint is used whether it is behind or not', () => {
  const { endpoints, next } = setUp(1);
  endpoints.behind();
  expect(next()).toBe(0);
});

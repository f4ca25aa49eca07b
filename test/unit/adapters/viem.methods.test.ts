import { expect, test } from 'vitest';
import { graftTransport, rootstockRegtest } from '../../../src/adapters/viem.js';
import { methodFacts, methodNames } from '../../../src/rpc/method-facts/method-facts.js';

/** Which methods a client of another chain may call, against the table, which an adapter does not load. */
test('a client of another chain is answered what the chain has no part in, and nothing else', async () => {
  const answered: string[] = [];
  const provider = {
    request: async ({ method }: { method: string }) => {
      answered.push(method);
      return '0x1f';
    },
  };
  const { request } = graftTransport({ provider } as never)({ chain: rootstockRegtest });
  const permitted: string[] = [];
  for (const method of [...methodNames(), 'rsk_somethingNew']) {
    answered.length = 0;
    await request({ method } as never).catch(() => {});
    if (answered.includes(method) && (method !== 'eth_chainId' || answered.length === 1))
      permitted.push(method);
  }
  // Computed in the page; what is sent or signed for a chain is not.
  const computed = ['personal_ecRecover', 'web3_sha3'];
  const expected = methodNames().filter((name) => {
    const { isOfSession, asksPerson } = methodFacts(name);
    const isForChain = name === 'eth_sendTransaction' || name === 'eth_signTransaction';
    return computed.includes(name) || ((isOfSession || asksPerson) && !isForChain);
  });
  expect(permitted.sort()).toEqual(expected.sort());
});

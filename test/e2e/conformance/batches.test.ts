import { expect, onTestFinished, test } from 'vitest';
import { openWallet } from '../../support/open-wallet.js';
import { createScriptedService, respond } from '../../support/scripted-service.js';
import { entries } from './bad-inputs.js';
import { batched } from './batched.js';

/** The rows about replies to a batch, with a network whose owner has asked for batches. */

/** Two different reads: equal ones would be one. */
async function askTwo(body: string) {
  const service = await createScriptedService((response, asked) => {
    const calls = JSON.parse(asked.body) as object | readonly { readonly id: number }[];
    // A call that is sent again, alone, has no reply of its own either.
    if (!Array.isArray(calls)) return respond('{"jsonrpc":"2.0","id":0,"result":"0x3"}')(response, asked);
    const [first, second] = calls;
    const reply = body.replaceAll('$ID1', String(first?.id)).replaceAll('$ID2', String(second?.id));
    return respond(reply)(response, asked);
  });
  onTestFinished(() => service.stop());
  const wallet = openWallet({
    networks: [{ chainId: 31, url: service.url, batch: 10 }],
  });
  onTestFinished(() => wallet.destroy());
  // With the core loaded both are asked in one turn.
  await wallet.provider.request({ method: 'web3_sha3', params: ['0x'] });
  const outcomes = await Promise.allSettled([
    wallet.provider.request({ method: 'eth_blockNumber' }),
    wallet.provider.request({ method: 'eth_gasPrice' }),
  ]);
  return { outcomes, posts: service.requests.length };
}

const sentAgain = ['reply-034', 'reply-035'];
const rows = entries.filter(({ id }) => batched.includes(id));

test('these are all the rows about replies to a batch', () => {
  expect(rows.map(({ id }) => id)).toEqual(
    entries.filter(({ pre }) => /^batch/.test(pre ?? '')).map(({ id }) => id),
  );
});

test.each(rows.map((row) => [`${row.id}: ${row.why}`, row] as const))('%s', async (_title, row) => {
  const { outcomes, posts } = await askTwo(row.response?.body as string);
  const refused = {
    reason: { code: row.expect.code, message: expect.stringContaining(row.expect.messageIncludes ?? '') },
  };
  if (row.expect.ok)
    expect(outcomes).toMatchObject((row.expect.result as string[]).map((value) => ({ value })));
  else if (row.expect.behaviour === 'only the unanswered call fails')
    expect(outcomes).toMatchObject([{ value: '0x1' }, refused]);
  else {
    expect(row.expect.behaviour).toBe('neither value is used');
    expect(outcomes).toMatchObject([refused, refused]);
  }
  // A call without a reply of its own is sent again.
  expect(posts).toBe(sentAgain.includes(row.id) ? 2 : 1);
});

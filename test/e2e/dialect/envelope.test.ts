import { describe, expect, test } from 'vitest';
import { nobody, post } from '../../support/local-client.js';
import { openPage } from './page.js';
import { failsWith, inBothDialects, returns, testRows } from './rows.js';

/** The framing of a reply does not change its meaning (docs/notes/node.md#replies). */

const both = (said: object) => ({ seed: said, node: said });

testRows([
  {
    section: 'docs/notes/node.md#http-status',
    title: 'an error with HTTP 200 is an error',
    ask: ({ chain }) => ['eth_call', { to: chain.reverting.empty }, 'latest'],
    ...both(failsWith(-32015, undefined, { status: 200 })),
    page: failsWith(3),
  },
]);

/** Replies of the node that no well-formed request causes, byte for byte. */
// biome-ignore format: one row, one line
const replies: readonly [title: string, body: string, status: number, seen: object][] = [
  ['an error with HTTP 400 is read, not the status (docs/notes/node.md#http-status)', '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"method parameters invalid"}}', 400, failsWith(-32602, 'method parameters invalid')],
  ['a top-level error has neither jsonrpc nor id (docs/notes/node.md#errors-without-an-id)', '{"error":{"code":-32600,"message":"Invalid request"}}', 400, failsWith(-32600, 'Invalid request')],
  ['a failed parse has the string "null" for id (docs/notes/node.md#protocol-errors)', '{"jsonrpc":"2.0","id":"null","error":{"code":-32700,"message":"JSON parse error"}}', 400, failsWith(-32700, 'JSON parse error')],
  ['a wrong type of a param (docs/notes/node.md#protocol-errors)', '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"Internal server error, probably due to invalid parameter type"}}', 200, failsWith(-32603, /parameter type/)],
  ['a slip of the node (docs/notes/node.md#errors-without-an-id)', '{"error":{"code":-32099,"message":"Unexpected error"}}', 200, failsWith(-32603, /Unexpected error/)],
  ['too many at once (docs/notes/node.md#limits-of-one-request)', '{"error":{"code":-32600,"message":"Cannot dispatch batch requests. 50 is the max number of supported batch requests"}}', 400, failsWith(-32600, /50 is the max/)],
  ['the time limit (docs/notes/node.md#limits-of-one-request)', '{"error":{"code":-32011,"message":"Execution has got timeout out."}}', 200, failsWith(-32005, /time/)],
  ['the size limit (docs/notes/node.md#limits-of-one-request)', '{"error":{"code":-32011,"message":"Response size limit of 10485760 bytes exceeded"}}', 200, failsWith(-32005, /size limit/i)],
  ['a code of the node alone (docs/notes/node.md#protocol-errors)', '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32604,"message":"The local wallet feature is disabled"}}', 200, failsWith(4200, /wallet/)],
  ['not implemented (docs/notes/node.md#protocol-errors)', '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32201,"message":"The method don\'t support \'pending\' as a parameter yet"}}', 200, failsWith(-32601, /not available/)],
  ['unknown (docs/notes/node.md#protocol-errors)', '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32009,"message":"unknown"}}', 200, failsWith(-32603, /unknown/)],
  ['HTTP 400 with a page for people (docs/notes/node.md#http-status)', '<h1>Bad request</h1>', 400, failsWith(-32603, /HTTP 400/)],
  ['error: null beside a result (docs/notes/node.md#http-status)', '{"jsonrpc":"2.0","id":$ID,"result":"0x7","error":null}', 200, returns('0x7')],
];

inBothDialects({}, (page) => {
  test.each(replies)('%s', async (_, body, status, seen) => {
    const undo = page().replace('eth_hashrate', body, status);
    expect(await page().ask('eth_hashrate')).toEqual(seen);
    undo();
  });

  test.each(['html', 'truncated', 'garbage', 'empty'] as const)(
    'a reply that is %s is asked for again',
    async (how) => {
      const before = page().sent('net_listening').length;
      page().service.controls.garbleReplies(how);
      expect(await page().ask('net_listening')).toEqual(returns(true));
      expect(page().sent('net_listening').length).toBe(before + 2);
    },
  );
});

/** The same errors from a service that reaches its limits, which the seed does not describe. */
const limits = [
  ['the time limit', { timeout: -1 }, 'Execution has got timeout out.', /time/],
  ['the size limit', { responseLimit: 30 }, 'Response size limit of 30 bytes exceeded', /size limit/i],
] as const;

describe.each(['seed', 'node'] as const)('%s', (dialect) => {
  test.each(limits)(
    '%s replaces the whole reply (docs/notes/node.md#errors-without-an-id)',
    async (_, service, message, seen) => {
      const page = await openPage(dialect, { service, empty: true });
      const question = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [nobody, 'latest'] };
      const { status, json } = await post(page.service.url, JSON.stringify(question));
      expect([status, json]).toEqual([200, { error: { code: -32011, message } }]);
      expect(await page.ask('eth_getBalance', nobody, 'latest')).toEqual(failsWith(-32005, seen));
      await page.close();
    },
  );
});

import { describe, expect, test } from 'vitest';
import { nobody, post } from '../../support/local-client.js';
import { openPage } from './page.js';
import { gives, inBothDialects, refuses, rowsHold } from './rows.js';

/** docs/notes/node.md#replies: how a reply is framed says nothing of what it means. */

const both = (said: object) => ({ seed: said, node: said });

rowsHold([
  {
    section: 'docs/notes/node.md#http-status',
    what: 'any other error comes with HTTP 200',
    ask: ({ chain }) => ['eth_call', { to: chain.reverting.empty }, 'latest'],
    ...both(refuses(-32015, undefined, { status: 200 })),
    page: refuses(3),
  },
]);

/** Replies of the node that no well-formed request brings about, byte for byte. */
// biome-ignore format: one row, one line
const replies: readonly [what: string, body: string, status: number, seen: object][] = [
  ['docs/notes/node.md#http-status an error with HTTP 400 is read, not the status', '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"method parameters invalid"}}', 400, refuses(-32602, 'method parameters invalid')],
  ['docs/notes/node.md#errors-without-an-id a top-level error has neither jsonrpc nor id', '{"error":{"code":-32600,"message":"Invalid request"}}', 400, refuses(-32600, 'Invalid request')],
  ['docs/notes/node.md#protocol-errors a failed parse has the string "null" for id', '{"jsonrpc":"2.0","id":"null","error":{"code":-32700,"message":"JSON parse error"}}', 400, refuses(-32700, 'JSON parse error')],
  ['docs/notes/node.md#protocol-errors a wrong type of a param', '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"Internal server error, probably due to invalid parameter type"}}', 200, refuses(-32603, /parameter type/)],
  ['docs/notes/node.md#errors-without-an-id a slip of the node', '{"error":{"code":-32099,"message":"Unexpected error"}}', 200, refuses(-32603, /Unexpected error/)],
  ['docs/notes/node.md#limits-of-one-request too many at once', '{"error":{"code":-32600,"message":"Cannot dispatch batch requests. 50 is the max number of supported batch requests"}}', 400, refuses(-32600, /50 is the max/)],
  ['docs/notes/node.md#limits-of-one-request the time limit', '{"error":{"code":-32011,"message":"Execution has got timeout out."}}', 200, refuses(-32005, /time/)],
  ['docs/notes/node.md#limits-of-one-request the size limit', '{"error":{"code":-32011,"message":"Response size limit of 10485760 bytes exceeded"}}', 200, refuses(-32005, /size limit/i)],
  ['docs/notes/node.md#protocol-errors a code of the node alone', '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32604,"message":"The local wallet feature is disabled"}}', 200, refuses(4200, /wallet/)],
  ['docs/notes/node.md#protocol-errors not implemented', '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32201,"message":"The method don\'t support \'pending\' as a parameter yet"}}', 200, refuses(-32601, /not available/)],
  ['docs/notes/node.md#protocol-errors unknown', '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32009,"message":"unknown"}}', 200, refuses(-32603, /unknown/)],
  ['docs/notes/node.md#http-status HTTP 400 with a page for people', '<h1>Bad request</h1>', 400, refuses(-32603, /HTTP 400/)],
  ['docs/notes/node.md#http-status error: null beside a result', '{"jsonrpc":"2.0","id":$ID,"result":"0x7","error":null}', 200, gives('0x7')],
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
      expect(await page().ask('net_listening')).toEqual(gives(true));
      expect(page().sent('net_listening').length).toBe(before + 2);
    },
  );
});

/** The same errors, from a service that meets its limits (the seed names none of them). */
const limits = [
  ['the time limit', { timeout: -1 }, 'Execution has got timeout out.', /time/],
  ['the size limit', { responseLimit: 30 }, 'Response size limit of 30 bytes exceeded', /size limit/i],
] as const;

describe.each(['seed', 'node'] as const)('%s', (dialect) => {
  test.each(limits)(
    'docs/notes/node.md#errors-without-an-id %s replaces the whole reply',
    async (_, service, message, seen) => {
      const page = await openPage(dialect, { service, empty: true });
      const question = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [nobody, 'latest'] };
      const { status, json } = await post(page.service.url, JSON.stringify(question));
      expect([status, json]).toEqual([200, { error: { code: -32011, message } }]);
      expect(await page.ask('eth_getBalance', nobody, 'latest')).toEqual(refuses(-32005, seen));
      await page.close();
    },
  );
});

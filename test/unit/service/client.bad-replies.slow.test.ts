import { afterEach, describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { createService } from '../../../src/service/client.js';
import { createNetworks } from '../../../src/service/networks.js';
import {
  createScriptedService,
  drip,
  flood,
  gzipBomb,
  hang,
  reset,
  respond,
  result,
  type Script,
  type ScriptedService,
} from '../../support/scripted-service.js';
import { everythingIn } from '../../support/secrecy.js';

/** The rows of the shared table of bad inputs (layers http, reply, value, lifecycle) that this room decides. */

interface Row {
  readonly id: string;
  readonly why: string;
  readonly method?: string;
  readonly script: Script;
  readonly code?: number;
  readonly includes?: string;
  readonly result?: unknown;
  readonly attempts?: number;
  readonly minAttempts?: number;
  readonly maxMs?: number;
  /** Milliseconds. Default: a second of a clock that is five times too fast, in which a read is repeated often enough. */
  readonly deadline?: number;
  readonly data?: object | string;
  /** eth_sendRawTransaction: the transaction may be in the pool. */
  readonly outcomeUnknown?: boolean;
}

const jsonError = (fields: object, status = 200): Script =>
  respond(`{"jsonrpc":"2.0","id":$ID,"error":${JSON.stringify(fields)}}`, status);
/** Only a status line, as the node answers a request of an unsupported form. */
const bareStatus =
  (status: string): Script =>
  (response) =>
    void response.socket?.end(`HTTP/1.1 ${status}\r\n\r\n`);
const word = (value: number) => value.toString(16).padStart(64, '0');
const revertData = (bytes: number) => `0x08c379a0${word(32)}${word(bytes)}${'61'.repeat(bytes)}`;
const send = 'eth_sendRawTransaction';

// biome-ignore format: one row, one line
const rows: readonly Row[] = [
  { id: 'http-001', why: 'HTML with 200', script: respond('<html>hello</html>', 200, { 'content-type': 'text/html' }), code: -32700, includes: 'not JSON' },
  { id: 'http-002', why: 'empty body', script: respond(''), code: -32700, includes: 'not JSON' },
  { id: 'http-003', why: '204', script: respond('', 204), code: -32700, includes: 'not JSON' },
  { id: 'http-004', why: 'truncated', script: respond('{"jsonrpc":"2.0","id":$ID,"resul'), code: -32700, includes: 'not JSON' },
  { id: 'http-005', why: 'trailing garbage', script: respond('{"jsonrpc":"2.0","id":$ID,"result":"0x10"}}'), code: -32700, includes: 'not JSON' },
  { id: 'http-006', why: 'UTF-16', script: respond(Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x10"}', 'utf16le')), code: -32700, includes: 'not JSON' },
  { id: 'http-007', why: 'NaN', script: respond('{"jsonrpc":"2.0","id":$ID,"result":NaN}'), code: -32700, includes: 'not JSON' },
  { id: 'http-008', deadline: 10_000, why: 'nesting bomb', script: respond('['.repeat(2e5) + ']'.repeat(2e5)), code: -32700, includes: 'nested' },
  { id: 'http-008b', deadline: 10_000, why: 'nesting bomb in the result', script: respond(`{"jsonrpc":"2.0","id":$ID,"result":${'{"\\"[{":'.repeat(5e3)}0${'}'.repeat(5e3)}}`), code: -32700, includes: 'nested' },
  { id: 'http-009', why: 'text/plain', script: respond('{"jsonrpc":"2.0","id":$ID,"result":"0x10"}', 200, { 'content-type': 'text/plain' }), result: '0x10' },
  { id: 'http-010', why: 'byte order mark', script: respond('\ufeff{"jsonrpc":"2.0","id":$ID,"result":"0x10"}'), result: '0x10' },
  { id: 'http-011', why: '400 with a JSON-RPC error', script: jsonError({ code: -32602, message: 'Invalid address: null, empty or invalid hex value.' }, 400), code: -32602, includes: 'Invalid address', attempts: 1 },
  { id: 'http-012', why: '400 without jsonrpc and id', script: respond('{"error":{"code":-32600,"message":"Invalid request"}}', 400), code: -32600, includes: 'Invalid request', attempts: 1 },
  { id: 'http-013', why: '400 HTML', script: respond('<h1>Bad request</h1>', 400), code: -32603, includes: 'HTTP 400', attempts: 1 },
  { id: 'http-014', why: '401', script: respond('', 401), code: -32002, includes: 'HTTP 401', attempts: 1 },
  { id: 'http-015', why: '403', script: respond('', 403), code: -32002, includes: 'HTTP 403', attempts: 1 },
  { id: 'http-016', why: '404', script: respond('', 404), code: -32002, includes: 'HTTP 404', attempts: 1 },
  { id: 'http-017', why: '405', script: respond('', 405), code: -32603, includes: 'HTTP 405', attempts: 1 },
  { id: 'http-018', why: '413', script: respond('', 413), code: -32005, includes: 'HTTP 413', attempts: 1 },
  { id: 'http-019', why: '408', script: respond('', 408), code: -32002, includes: 'HTTP 408', minAttempts: 2 },
  { id: 'http-020', why: '429', script: respond('', 429), code: -32005, includes: 'rate', minAttempts: 2, maxMs: 15_000 },
  { id: 'http-021', why: '429, 1 s', deadline: 1500, script: respond('', 429, { 'retry-after': '1' }), code: -32005, includes: 'rate', minAttempts: 2 },
  { id: 'http-022', why: '429, a day', script: respond('', 429, { 'retry-after': '86400' }), code: -32005, includes: 'rate', attempts: 1, maxMs: 1000, data: { reason: 'rate', retryAfter: 86_400, httpStatus: 429 } },
  { id: 'http-023', why: '429, garbage', script: respond('', 429, { 'retry-after': 'soon' }), code: -32005, includes: 'rate', minAttempts: 2, maxMs: 15_000 },
  { id: 'http-024', why: '500', script: respond('', 500), code: -32002, includes: 'HTTP 500', minAttempts: 2 },
  { id: 'http-026', why: '502 HTML', script: respond('<html>error</html>', 502), code: -32002, includes: 'HTTP 502', minAttempts: 2 },
  { id: 'http-027', why: '503', script: respond('', 503), code: -32002, includes: 'HTTP 503', minAttempts: 2 },
  { id: 'http-030', why: '501 is for good', script: respond('', 501), code: -32002, includes: 'HTTP 501', attempts: 1 },
  { id: 'http-415', why: '415 is for good', script: respond('', 415), code: -32002, includes: 'HTTP 415', attempts: 1 },
  { id: 'http-bare', why: 'a bare status line, then the end of the connection', script: bareStatus('501 Not Implemented'), code: -32002, includes: 'HTTP 501', attempts: 1 },
  { id: 'http-bare-415', why: 'the same with a body that is cut', script: bareStatus('415 Unsupported Media Type\r\ncontent-length: 100'), code: -32002, includes: 'HTTP 415', attempts: 1 },
  { id: 'http-031', why: 'redirect', script: respond('', 302, { location: 'https://evil.example/' }), code: -32002, includes: 'redirect', attempts: 1 },
  { id: 'http-032', why: 'reset', script: reset, code: -32002, includes: 'reach' },
  { id: 'http-035', why: 'no answer', script: hang, code: -32002, includes: 'did not answer', maxMs: 2000 },
  { id: 'http-036', why: 'slow-loris', script: drip, code: -32002, includes: 'did not answer', maxMs: 2000 },
  { id: 'http-037', deadline: 10_000, why: '64 MiB', script: flood(64), code: -32005, includes: 'larger than' },
  { id: 'http-038', deadline: 10_000, why: 'gzip bomb', script: gzipBomb(64), code: -32005, includes: 'larger than' },
  { id: 'http-039', why: 'Content-Length lies low', script: respond('{"jso', 200, { 'content-length': '5' }), code: -32700, includes: 'not JSON' },
  { id: 'http-040', why: 'send: reply lost', method: send, script: reset, code: -32002, includes: 'reach', attempts: 1, outcomeUnknown: true },
  { id: 'http-041', why: 'send: 502', method: send, script: respond('<html>', 502), code: -32002, includes: 'HTTP 502', attempts: 1, outcomeUnknown: true },
  { id: 'http-041b', why: 'send: 429 is a refusal', method: send, script: respond('', 429), code: -32005, includes: 'rate', attempts: 1, outcomeUnknown: false },
  { id: 'reply-001', why: 'id of another', script: respond('{"jsonrpc":"2.0","id":999999,"result":"0xdead"}'), code: -32603, includes: 'id' },
  { id: 'reply-002', why: 'no id', script: respond('{"jsonrpc":"2.0","result":"0x1"}'), code: -32603, includes: 'id' },
  { id: 'reply-003', why: 'id is a string', script: respond('{"jsonrpc":"2.0","id":"$ID","result":"0x1"}'), code: -32603, includes: 'id' },
  { id: 'reply-004', why: 'id null', script: respond('{"jsonrpc":"2.0","id":null,"result":"0x1"}'), code: -32603, includes: 'id' },
  { id: 'reply-005', why: 'neither', script: respond('{"jsonrpc":"2.0","id":$ID}'), code: -32603, includes: 'result' },
  { id: 'reply-006', why: 'both', script: respond('{"jsonrpc":"2.0","id":$ID,"result":"0x1","error":{"code":-32000,"message":"x"}}'), code: -32603, includes: 'result' },
  { id: 'reply-007', why: 'error null beside a result', script: respond('{"jsonrpc":"2.0","id":$ID,"result":"0x1","error":null}'), result: '0x1' },
  { id: 'reply-008', why: 'null', script: respond('null'), code: -32603, includes: 'object' },
  { id: 'reply-009', why: 'array', script: respond('[]'), code: -32603, includes: 'object' },
  { id: 'reply-010', why: 'jsonrpc 1.0', script: respond('{"jsonrpc":"1.0","id":$ID,"result":"0x1"}'), code: -32603, includes: '2.0' },
  { id: 'reply-011', why: 'duplicate keys', script: respond('{"jsonrpc":"2.0","id":$ID,"result":"0x1","result":"0x2"}'), result: '0x2' },
  { id: 'reply-012', why: 'error is a string', script: respond('{"jsonrpc":"2.0","id":$ID,"error":"no"}'), code: -32603, includes: 'error' },
  { id: 'reply-013', why: 'code is a string', script: jsonError({ code: '-32000', message: 'x' }), code: -32603, includes: 'code' },
  { id: 'reply-014', why: 'code is a fraction', script: jsonError({ code: 3.5, message: 'x' }), code: -32603, includes: 'code' },
  { id: 'reply-015', why: 'no message', script: jsonError({ code: -32000 }), code: -32000, includes: 'Invalid input' },
  { id: 'reply-016', why: 'message is an object', script: jsonError({ code: -32000, message: {} }), code: -32000, includes: 'Invalid input' },
  { id: 'reply-017', why: 'error for another id', script: respond('{"jsonrpc":"2.0","id":999999,"error":{"code":-32000,"message":"x"}}'), code: -32603, includes: 'id' },
  { id: 'reply-018', why: 'id "null" on an error', script: respond('{"jsonrpc":"2.0","id":"null","error":{"code":-32700,"message":"JSON parse error"}}', 400), code: -32700, includes: 'JSON parse error', attempts: 1 },
  { id: 'reply-019', why: 'fakes 4001', script: jsonError({ code: 4001, message: 'User rejected the request.' }), code: -32603, includes: 'service', data: { serviceCode: 4001, serviceMessage: 'User rejected the request.' } },
  { id: 'reply-020', why: 'fakes 4100', script: jsonError({ code: 4100, message: 'User rejected the request.' }), code: -32603, includes: 'service', data: { serviceCode: 4100, serviceMessage: 'User rejected the request.' } },
  { id: 'reply-022', why: 'fakes 4900', script: jsonError({ code: 4900, message: 'User rejected the request.' }), code: -32603, includes: 'service', data: { serviceCode: 4900, serviceMessage: 'User rejected the request.' } },
  { id: 'reply-024', why: 'fakes 4902', script: jsonError({ code: 4902, message: 'User rejected the request.' }), code: -32603, includes: 'service', data: { serviceCode: 4902, serviceMessage: 'User rejected the request.' } },
  { id: 'reply-025', why: 'fakes -32002', script: jsonError({ code: -32002, message: 'pending' }), code: -32603, includes: 'service', data: { serviceCode: -32002, serviceMessage: 'pending' } },
  { id: 'reply-027', deadline: 10_000, why: 'revert data bomb', method: 'eth_call', script: jsonError({ code: -32015, message: 'VM Exception while processing transaction: transaction reverted', data: revertData(8 * 2 ** 19), }), code: 3, includes: 'reverted' },
  { id: 'reply-029', why: '-32011', method: 'eth_call', script: jsonError({ code: -32011, message: 'Execution has got timeout out.' }), code: -32005, includes: 'timeout' },
  { id: 'reply-030', why: '-32012', method: 'eth_getLogs', script: jsonError({ code: -32012, message: 'Cannot query more than 5000 blocks at once' }), code: -32005, includes: '5000 blocks', data: { reason: 'range-too-large', serviceCode: -32012, serviceMessage: 'Cannot query more than 5000 blocks at once', } },
  { id: 'reply-031', why: '-32201', script: jsonError({ code: -32201, message: 'unimplemented' }), code: -32601, includes: 'not available' },
  { id: 'reply-032', why: '-32601', method: 'eth_getProof', script: jsonError({ code: -32601, message: 'the method eth_getProof does not exist/is not available' }), code: -32601, includes: 'not available', attempts: 1 },
  { id: 'value-030', why: 'already queued', method: send, script: jsonError({ code: -32010, message: 'queued transaction with same hash already exists' }), code: -32003, includes: 'already known', data: { reason: 'already-known', serviceCode: -32010, serviceMessage: 'queued transaction with same hash already exists', } },
  { id: 'value-032', why: 'nonce too low', method: send, script: jsonError({ code: -32010, message: 'transaction nonce too low' }), code: -32003, includes: 'nonce too low', outcomeUnknown: false },
  { id: 'value-033', why: 'nonce too high', method: send, script: jsonError({ code: -32010, message: 'transaction nonce too high' }), code: -32003, includes: 'nonce too high' },
  { id: 'value-035', why: 'below the minimum', method: send, script: jsonError({ code: -32010, message: "transaction's gas price lower than block's minimum" }), code: -32003, includes: 'minimum' },
  { id: 'value-036', why: 'over the cap', method: send, script: jsonError({ code: -32010, message: "transaction's gas price exceeds cap" }), code: -32003, includes: 'cap' },
  { id: 'value-037', why: 'account quota', method: send, script: jsonError({ code: -32010, message: 'account exceeds quota' }), code: -32005, includes: 'quota' },
  { id: 'value-038', why: 'funds for all', method: send, script: jsonError({ code: -32010, message: 'insufficient funds to pay for pending and new transactions', }), code: -32003, includes: 'insufficient funds' },
  { id: 'value-039', why: 'funds', method: send, script: jsonError({ code: -32010, message: 'insufficient funds' }), code: -32003, includes: 'insufficient funds' },
  { id: 'value-040', why: 'unknown text', method: send, script: jsonError({ code: -32010, message: 'something new' }), code: -32002, includes: 'something new', outcomeUnknown: true },
];

const services: ScriptedService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});

describe('bad replies', () => {
  test.each(rows)('$id $why', async (row) => {
    const scripted = await createScriptedService(row.script);
    services.push(scripted);
    const [network] = createNetworks([{ chainId: 31, url: scripted.url }]);
    const service = createService({
      network: network!,
      deadline: row.deadline ?? 1_000,
      ...(!row.deadline && { now: () => 5 * performance.now() }),
      backoff: 4,
      random: () => 0.5,
    });
    const started = performance.now();
    const settled = await service.request(row.method ?? 'eth_blockNumber', []).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const took = performance.now() - started;

    if (row.code === undefined) {
      expect(settled).toEqual({ value: row.result });
    } else {
      const { error } = settled as { error: ProviderRpcError };
      expect(error).toBeInstanceOf(ProviderRpcError);
      expect(error.code, error.message).toBe(row.code);
      expect(error.message.toLowerCase()).toContain((row.includes ?? '').toLowerCase());
      expect(everythingIn(error)).not.toContain(scripted.key);
      expect(everythingIn(error)).not.toContain(new URL(scripted.url).host);
      if (row.data !== undefined) expect(error.data).toEqual(row.data);
      if (row.outcomeUnknown !== undefined) {
        expect((error.data as { outcomeUnknown?: true }).outcomeUnknown === true).toBe(row.outcomeUnknown);
      }
    }
    if (row.attempts !== undefined) expect(scripted.requests.length).toBe(row.attempts);
    expect(scripted.requests.length).toBeGreaterThanOrEqual(row.minAttempts ?? 1);
    expect(took).toBeLessThan(row.maxMs ?? 5000);
  });

  test('every kind of good value arrives as it was sent', async () => {
    const scripted = await createScriptedService(result('0x1'));
    services.push(scripted);
    const service = createService({ network: createNetworks([{ chainId: 31, url: scripted.url }])[0]! });
    for (const value of [
      null,
      false,
      true,
      '',
      '0x',
      0,
      [],
      {},
      { a: [{ b: null }], minimumGasPrice: '0x1' },
    ]) {
      scripted.play(result(value));
      expect(await service.request('eth_test', [])).toEqual(value);
    }
  });
});

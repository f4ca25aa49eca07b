import { describe, expect, test } from 'vitest';
import { diagnose, rowOf } from '../../../../src/service/errors/diagnose.js';
import { reasonOf, requestAborted, type Symptom, tooNested } from '../../../../src/service/errors/errors.js';
import { type FaultRow, faultTable, type Trouble } from '../../../../src/service/errors/fault-table.js';
import { readReply } from '../../../../src/service/http/reply.js';
import { fc } from '../../../support/property.js';

/** Every row of the table, as the node frames it (docs/notes/node.md#replies), as the seed does, and as gateways do. */

const send = 'eth_sendRawTransaction';
const vm = 'VM Exception while processing transaction: ';

interface Case {
  readonly method?: string;
  /** HTTP status and body of the node or a gateway. `$ID` stands for the request's id. */
  readonly status?: number;
  readonly code?: number;
  readonly text?: string;
  readonly data?: unknown;
  /** `unread`: id `"null"`; `bare`: neither `jsonrpc` nor `id`. */
  readonly form?: 'unread' | 'bare';
  readonly trouble?: Symptom['trouble'];
  readonly becomes: number;
  readonly reason?: string;
}

// biome-ignore format: one case, one line
const cases: readonly Case[] = [
  // What the node says, with the HTTP status it says it with.
  { method: 'eth_call', code: -32015, text: `${vm}revert Not enough`, data: '0x08c379a0', becomes: 3 },
  { method: 'eth_call', code: -32015, text: `${vm}transaction reverted`, data: '0x', becomes: 3 },
  { method: 'eth_estimateGas', code: -32015, text: `${vm}transaction reverted`, data: '0x12345678', becomes: 3 },
  { method: send, code: -32010, text: 'pending transaction with same hash already exists', becomes: -32003, reason: 'already-known' },
  { method: send, code: -32010, text: 'queued transaction with same hash already exists', becomes: -32003, reason: 'already-known' },
  { method: send, code: -32010, text: "the sender account doesn't exist", becomes: -32003, reason: 'insufficient-funds' },
  { method: send, code: -32010, text: "transaction's init code size is invalid", becomes: -32003 },
  { method: send, code: -32010, text: "transaction's size is higher than defined maximum: 131073 > 131072", becomes: -32003 },
  { method: send, code: -32010, text: "transaction's gas limit of 7000000 is higher than the block's gas limit of 6800000", becomes: -32003, reason: 'gas-too-high' },
  { method: send, code: -32010, text: 'the sender account is deleted', becomes: -32003 },
  { method: send, code: -32010, text: 'transaction nonce has non-canonical encoding', becomes: -32003 },
  { method: send, code: -32010, text: 'transaction nonce too low', becomes: -32003, reason: 'nonce-too-low' },
  { method: send, code: -32010, text: 'transaction nonce too high', becomes: -32003, reason: 'nonce-too-high' },
  { method: send, code: -32010, text: 'insufficient funds', becomes: -32003, reason: 'insufficient-funds' },
  { method: send, code: -32010, text: 'insufficient funds to pay for pending and new transactions', becomes: -32003, reason: 'insufficient-funds' },
  { method: send, code: -32010, text: "transaction's gas price lower than block's minimum", becomes: -32003, reason: 'underpriced' },
  { method: send, code: -32010, text: "transaction's basic cost is above the gas limit", becomes: -32003, reason: 'gas-too-low' },
  { method: send, code: -32010, text: "transaction's gas price exceeds cap", becomes: -32003, reason: 'overpriced' },
  { method: send, code: -32010, text: 'gas price not enough to bump transaction', becomes: -32003, reason: 'replacement-underpriced' },
  { method: send, code: -32010, text: 'account exceeds quota', becomes: -32005, reason: 'account-quota' },
  { method: send, status: 400, code: -32602, text: 'Invalid chainId: 30', becomes: -32002, reason: 'unclear' },
  { method: send, status: 400, code: -32602, text: 'Invalid data format: invalid hex value.', becomes: -32002, reason: 'unclear' },
  { method: send, code: -32603, text: 'Internal server error', becomes: -32002, reason: 'unclear' },
  { method: send, code: -32601, text: 'method not found', becomes: -32002, reason: 'unclear' },
  { method: send, code: -32015, text: `${vm}revert Not enough`, becomes: -32002, reason: 'unclear' },
  { method: send, code: -32011, text: 'Execution has got timeout out.', form: 'bare', becomes: -32005, reason: 'timeout' },
  { method: 'eth_getLogs', code: -32012, text: 'Cannot query more than 5000 blocks at once', becomes: -32005, reason: 'range-too-large' },
  { method: 'trace_filter', code: -32000, text: 'block range is too large', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getFilterChanges', code: -32000, text: 'query returned more than 10000 results', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getFilterLogs', code: -32000, text: 'block range is too large', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_newFilter', code: -32000, text: 'block range is too large', becomes: -32005, reason: 'range-too-large' },
  { method: 'trace_block', code: -32000, text: 'block range is too large', becomes: -32000 },
  { method: 'eth_getLogs', code: -32012, text: 'Filter returned more than 20000 logs.', becomes: -32005, reason: 'range-too-large' },
  { code: -32011, text: 'Execution has got timeout out.', form: 'bare', becomes: -32005, reason: 'timeout' },
  { code: -32011, text: 'Response size limit of 10485760 bytes exceeded', form: 'bare', becomes: -32005, reason: 'too-large' },
  { method: 'eth_getFilterChanges', code: -32000, text: 'filter not found', becomes: -32000, reason: 'filter-not-found' },
  { method: 'eth_getBalance', status: 400, code: -32600, text: 'Block 0x1234 not found', becomes: -32001 },
  { method: 'eth_getBalance', status: 400, code: -32600, text: 'Block with hash 0xabc not found', becomes: -32001 },
  { method: 'eth_call', status: 400, code: -32600, text: 'Block with hash 0xabc is not canonical and it is required', becomes: -32001 },
  { method: 'eth_call', status: 400, code: -32602, text: 'Invalid block number 99', becomes: -32001 },
  { method: 'eth_getCode', status: 400, code: -32602, text: 'Invalid block input', becomes: -32001 },
  { method: 'eth_call', status: 400, code: -32602, text: 'Invalid block input', becomes: -32602 },
  { method: 'eth_getBlockByNumber', status: 400, code: -32602, text: 'invalid blocknumber safe', becomes: -32602 },
  { status: 400, code: -32602, text: 'method parameters invalid', becomes: -32602 },
  { status: 400, code: -32602, text: 'Invalid address: null, empty or invalid hex value.', becomes: -32602 },
  { status: 400, code: -32600, text: 'invalid request', form: 'unread', becomes: -32600 },
  { status: 400, code: -32600, text: 'Invalid request', form: 'bare', becomes: -32600 },
  { status: 400, code: -32700, text: 'JSON parse error', form: 'unread', becomes: -32700 },
  { code: -32099, text: 'Unexpected error', form: 'bare', becomes: -32603 },
  { code: -32603, text: 'Internal server error, probably due to invalid parameter type', becomes: -32603 },
  { method: 'eth_getProof', code: -32601, text: 'method not found', becomes: -32601, reason: 'method-not-found' },
  { method: 'trace_block', code: -32601, text: 'the method trace_block does not exist/is not available', becomes: -32601, reason: 'method-not-found' },
  { code: -32201, text: "The method don't support 'pending' as a parameter yet", becomes: -32601 },
  { method: 'personal_listAccounts', code: -32604, text: 'The local wallet feature is disabled', becomes: 4200 },
  { method: 'eth_sign', status: 400, code: -32602, text: 'Local wallet is disabled in this node', becomes: 4200 },
  { code: -32009, text: 'unknown', becomes: -32603 },
  { code: -33000, text: 'block rejected', becomes: -32603 },
  { status: 501, trouble: 'status', becomes: -32002, reason: 'status' },
  { status: 415, trouble: 'status', becomes: -32002, reason: 'status' },
  { status: 400, trouble: 'status', becomes: -32603 },
  { status: 413, trouble: 'status', becomes: -32005, reason: 'too-large' },
  { method: send, status: 400, trouble: 'status', becomes: -32002, reason: 'status' },

  // What a gateway says about itself, or a development node of a transaction that it has taken: no refusal.
  { method: send, status: 408, code: 30, text: 'Request timeout on the free tier, please upgrade your tier to the paid one', becomes: -32002, reason: 'unclear' },
  { method: send, status: 402, code: 30, text: 'Request timeout on the free tier, please upgrade your tier to the paid one', becomes: -32002 },
  { method: send, status: 500, code: 19, text: 'Temporary internal error. Please retry, trace-id: 1', becomes: -32002, reason: 'unclear' },
  { method: send, code: 19, text: 'Temporary internal error. Please retry, trace-id: 1', becomes: -32002, reason: 'unclear' },
  { method: send, code: -32009, text: "Unknown error when sending transaction: transaction wasn't mined", becomes: -32002, reason: 'unclear' },
  { method: send, code: -32000, text: 'insufficient funds on your account, please top up', becomes: -32002, reason: 'unclear' },
  { method: send, code: -32000, text: 'your plan has insufficient balance', becomes: -32002, reason: 'unclear' },
  { method: send, status: 402, code: -32000, text: 'insufficient funds', becomes: -32002 },
  { method: send, status: 503, code: -32010, text: 'transaction nonce too low', becomes: -32002, reason: 'unclear' },
  { method: send, status: 400, code: -32010, text: 'insufficient funds', becomes: -32003, reason: 'insufficient-funds' },

  // The seed's two, and what geth, its kin and anvil say for the same.
  { method: 'eth_call', code: -32015, text: `${vm}revert`, data: '0x08c379a0', becomes: 3 },
  { method: 'eth_estimateGas', code: -32000, text: 'insufficient funds for transfer', becomes: -32003, reason: 'insufficient-funds' },
  { method: 'eth_call', code: 3, text: 'execution reverted: Not enough', data: '0x08c379a0', becomes: 3 },
  { method: 'eth_call', code: -32000, text: 'execution reverted', becomes: 3 },
  { method: 'eth_call', code: -32603, text: `Error: ${vm}reverted with reason string 'Not enough'`, becomes: 3 },
  { method: send, code: -32000, text: 'already known', becomes: -32003, reason: 'already-known' },
  { method: send, code: -32010, text: 'Transaction with the same hash was already imported.', becomes: -32003, reason: 'already-known' },
  { method: send, code: -32000, text: 'nonce too low: next nonce 5, tx nonce 4', becomes: -32003, reason: 'nonce-too-low' },
  { method: send, code: -32000, text: 'insufficient funds: your prepaid balance is exhausted, upgrade your plan', becomes: -32002, reason: 'unclear' },
  { method: send, code: -32000, text: 'insufficient funds for transfer: request timed out upstream', becomes: -32002, reason: 'unclear' },
  { method: send, code: -32000, text: 'InsufficientFunds: credits of this key are spent', becomes: -32002, reason: 'unclear' },
  { method: send, code: -32000, text: 'intrinsic gas too low: upstream connection reset', becomes: -32002, reason: 'unclear' },
  { method: send, code: -32000, text: 'FeeTooLow upstream timeout', becomes: -32002, reason: 'unclear' },
  { method: send, code: -32000, text: `nonce too low: address 0x${'ab'.repeat(20)}, tx: 1 state: 2`, becomes: -32003, reason: 'nonce-too-low' },
  { method: send, code: -32000, text: 'insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1', becomes: -32003, reason: 'insufficient-funds' },
  { method: send, code: -32010, text: 'OldNonce, Current nonce: 5, nonce of rejected tx: 4', becomes: -32003, reason: 'nonce-too-low' },
  { method: send, code: -32000, text: 'nonce too high: address 0x0, tx: 9 state: 4', becomes: -32003, reason: 'nonce-too-high' },
  { method: send, code: -32000, text: 'insufficient funds for gas * price + value: balance 0, tx cost 1', becomes: -32003, reason: 'insufficient-funds' },
  { method: send, code: -32000, text: 'Upfront cost exceeds account balance', becomes: -32003, reason: 'insufficient-funds' },
  { method: send, code: -32000, text: 'replacement transaction underpriced', becomes: -32003, reason: 'replacement-underpriced' },
  { method: send, code: -32010, text: 'Transaction gas price is too low. There is another transaction with same nonce in the queue.', becomes: -32003, reason: 'replacement-underpriced' },
  { method: send, code: -32000, text: 'transaction underpriced: tip needed 1, tip permitted 0', becomes: -32003, reason: 'underpriced' },
  { method: send, code: -32000, text: 'max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: 2', becomes: -32003, reason: 'underpriced' },
  { method: send, code: -32000, text: 'FeeTooLow, EffectivePriorityFeePerGas too low', becomes: -32003, reason: 'underpriced' },
  { method: send, code: -32000, text: 'tx fee (2.10 ether) exceeds the configured cap (1.00 ether)', becomes: -32003, reason: 'overpriced' },
  { method: send, code: -32000, text: 'intrinsic gas too low: gas 20000, minimum needed 21000', becomes: -32003, reason: 'gas-too-low' },
  { method: send, code: -32000, text: 'exceeds block gas limit', becomes: -32003, reason: 'gas-too-high' },
  { method: 'eth_call', code: -32000, text: 'header not found', becomes: -32001 },
  { method: 'eth_call', code: -32000, text: 'missing trie node 1234 (path )', becomes: -32001 },
  { code: -32001, text: 'Resource not found', becomes: -32001 },
  { code: -32004, text: 'Method not supported', becomes: -32601, reason: 'method-not-found' },
  { code: -32601, text: 'the tag "pending" is not supported by eth_getCode', becomes: -32601 },
  { code: -32003, text: 'rejected', becomes: -32003 },
  { code: -32000, text: 'something else', becomes: -32000 },
  { code: -32005, text: 'slow down', becomes: -32005 },

  // Gateways of other providers, at whatever HTTP status.
  ...[200, 402, 408, 500].flatMap((status): Case[] => [
    { status, code: 19, text: 'Temporary internal error. Please retry, trace-id: 5f', becomes: -32002, reason: 'status' },
    { status, code: 30, text: 'Request timeout on the free tier, please upgrade your tier to paid plans', becomes: -32005, reason: 'timeout' },
  ]),
  { status: 500, code: -32000, text: 'Temporary failure of the upstream', becomes: -32002, reason: 'status' },
  { method: 'eth_call', code: -32000, text: 'execution timeout', becomes: -32005, reason: 'timeout' },
  { method: 'eth_getLogs', code: -32005, text: 'query timeout exceeded', becomes: -32005, reason: 'timeout' },
  { method: 'eth_getLogs', status: 400, code: 35, text: 'ranges over 10000 blocks are not supported on freetier', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', code: -32000, text: 'Requested range is over limit of 100', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', status: 400, code: -32600, text: 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1, 0xa]', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', status: 413, code: -32614, text: 'eth_getLogs is limited to a 10,000 range', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', code: -32005, text: 'query returned more than 10000 results', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', code: -32602, text: 'range 1000000 exceeds limit of 10000', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', code: -32062, text: 'Block range is too large', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', code: -32600, text: 'block range is too wide', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', code: -32701, text: 'exceed maximum block range: 50000', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', status: 403, code: -32000, text: 'requested too many blocks from 1 to 200000, maximum is set to 2048', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', code: -32000, text: 'Log response size exceeded. Please reduce query block range.', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', code: -32000, text: 'block range extends beyond current head block', becomes: -32001 },
  { method: 'eth_getLogs', code: -32000, text: 'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found.', becomes: -32001 },
  { method: 'eth_getLogs', code: -32602, text: 'block range is in the future', becomes: -32001 },
  { method: 'eth_getLogs', status: 429, code: -32005, text: 'query returned more than 10000 results', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', status: 429, code: 429, text: 'block range too large', becomes: -32005, reason: 'range-too-large' },
  { method: 'eth_getLogs', status: 429, code: 429, text: 'Too many requests', becomes: -32005, reason: 'rate' },
  { method: 'eth_getLogs', status: 400, code: -32601, text: 'the method eth_getLogs does not exist/is not available', becomes: -32601, reason: 'method-not-found' },
  { method: 'eth_getLogs', code: -32601, text: 'method not found', becomes: -32601, reason: 'method-not-found' },
  { method: 'eth_getLogs', code: -32601, text: 'not here', becomes: -32601, reason: 'method-not-found' },
  { method: 'eth_getLogs', status: 403, code: -32000, text: 'method not available on this plan', becomes: -32601, reason: 'method-not-found' },
  { method: 'eth_getLogs', code: -32000, text: 'eth_getLogs is not available on your current plan', becomes: -32601, reason: 'method-not-found' },
  { method: 'eth_getLogs', code: -32012, text: 'no', becomes: -32005, reason: 'range-too-large' },
  { method: 'trace_block', code: -32601, text: 'no', becomes: -32601, reason: 'method-not-found' },
  { method: 'trace_block', code: -32000, text: 'method not supported', becomes: -32601, reason: 'method-not-found' },
  { method: 'trace_block', status: 402, code: -32000, text: 'Method trace_block is disabled', becomes: -32601, reason: 'method-not-found' },

  // The hosted provider in front, and others of its kind.
  { status: 401, code: -32600, text: 'Must be authenticated!', form: 'bare', becomes: -32002, reason: 'refused' },
  { status: 401, code: -32600, text: 'Invalid access key', form: 'bare', becomes: -32002, reason: 'refused' },
  { status: 403, code: -32600, text: 'App is inactive.', becomes: -32002, reason: 'refused' },
  { status: 403, code: -32600, text: 'Origin not on whitelist.', becomes: -32002, reason: 'refused' },
  { status: 403, code: -32600, text: 'Monthly capacity limit exceeded.', becomes: -32005, reason: 'quota' },
  { status: 429, code: 429, text: 'Your app has exceeded its daily request limit.', becomes: -32005, reason: 'quota' },
  { status: 429, code: 429, text: 'Your app has exceeded its compute units per second capacity.', becomes: -32005, reason: 'rate' },
  { code: 429, text: 'Your app has exceeded its compute units per second capacity.', becomes: -32005, reason: 'rate' },
  { status: 429, trouble: 'status', becomes: -32005, reason: 'rate' },
  { code: -32007, text: '50/second request limit reached - reduce calls per second or upgrade', becomes: -32005, reason: 'rate' },
  { code: -32005, text: 'Too many requests, please try again later', becomes: -32005, reason: 'rate' },
  { method: send, code: 429, text: 'Your app has exceeded its compute units per second capacity.', becomes: -32005, reason: 'rate' },
  { code: -32600, text: 'Must be authenticated!', becomes: -32002, reason: 'refused' },
  { status: 400, code: -32600, text: 'Unsupported method', becomes: -32601, reason: 'method-not-found' },
  { code: -32601, text: 'Unsupported method: eth_getProof.', becomes: -32601, reason: 'method-not-found' },
  { status: 500, code: -32000, text: 'Unable to complete request at this time.', becomes: -32002, reason: 'status' },
  { status: 503, code: -32603, text: 'oops', becomes: -32002, reason: 'status' },
  { code: -32603, text: 'Unable to complete request at this time.', becomes: -32002, reason: 'status' },
  { method: 'eth_getLogs', status: 400, code: -32600, text: 'You can make eth_getLogs requests with up to a 10 block range.', becomes: -32005, reason: 'range-too-large' },
  { status: 403, trouble: 'status', becomes: -32002, reason: 'refused' },
  { status: 404, trouble: 'status', becomes: -32002, reason: 'refused' },
  { status: 502, trouble: 'status', becomes: -32002, reason: 'status' },
  { code: 4001, text: 'User rejected the request.', becomes: -32603 },

  // No reply, or none that can be read.
  { trouble: 'unreachable', becomes: -32002 },
  { trouble: 'late', text: '10000', becomes: -32002 },
  { trouble: 'aborted', becomes: -32603 },
  { trouble: 'redirect', becomes: -32002 },
  { trouble: 'too-large', text: '10551296', becomes: -32005 },
  { trouble: 'nested', becomes: -32700 },
  { trouble: 'not-json', becomes: -32700 },
  { trouble: 'broken', text: 'not an object', becomes: -32603 },
  { trouble: 'broken', text: 'jsonrpc is not "2.0"', becomes: -32603 },
  { trouble: 'uncoded', text: 'no', becomes: -32603, reason: 'broken' },
  { code: -32000, text: 'api key expired', becomes: -32002, reason: 'refused' },
  { code: 403, text: 'Forbidden', becomes: -32002, reason: 'refused' },
  { code: 403, text: 'this method is not available on your plan', becomes: -32601, reason: 'method-not-found' },
  { method: send, trouble: 'broken', text: 'not an object', becomes: -32002 },
];

/** As the transport sees it: the body is written out and read again. */
function symptomOf({ method = 'eth_gasPrice', status = 200, form, trouble, ...error }: Case): Symptom {
  const { code, text, data } = error;
  if (trouble) return { method, trouble, text, ...(trouble === 'status' && { status }) };
  const frame = form === 'bare' ? {} : { jsonrpc: '2.0', id: form === 'unread' ? 'null' : 7 };
  const body = JSON.stringify({ ...frame, error: { code, message: text, data } });
  const reply = readReply(body, 7);
  if ('result' in reply) throw new Error('a result');
  return { method, status, ...reply };
}

describe('rows', () => {
  test.each(cases)('$method $status $code $trouble "$text" becomes $becomes', (each) => {
    const { error } = diagnose(symptomOf(each), String);
    expect(error.code).toBe(each.becomes);
    expect(error.message).toMatch(/\S/);
    if (each.reason) expect(reasonOf(error)).toBe(each.reason);
    const said = (error.code === 3 ? error.service : error.data) as Record<string, unknown>;
    if (each.code !== undefined)
      expect(said).toMatchObject({ serviceCode: each.code, serviceMessage: each.text });
    if (each.code === -32015 && each.data) expect(error.data).toBe(each.data);
  });

  test('each decides at least one case', () => {
    const decided = new Set<FaultRow>(cases.map((each) => rowOf(symptomOf(each), each.text)));
    expect(faultTable.filter((row) => !decided.has(row))).toEqual([]);
  });

  test('a missing method has the message that ethers recognises', () => {
    const { error } = diagnose({ method: 'eth_getProof', code: -32601, text: 'method not found' }, String);
    expect(error.message).toMatch(/the method .* does not exist/i);
  });
});

describe('whatever the service replies', () => {
  const known = cases.flatMap(({ text }) => text ?? []);
  const code = fc.oneof(
    fc.integer({ min: -40_000, max: 10_000 }),
    fc.constantFrom(3, 429, 4001, 4100, 4200, 4900, 4901, 4902, 5000, 5720, -32002, -32015, -32601, -32604),
    fc.constantFrom<unknown>(3.5, '-32000', null, Number.MAX_SAFE_INTEGER, 1e300, -0, {}, true),
  );
  const message = fc.oneof(fc.constantFrom(...known), fc.string(), fc.constant(undefined), fc.jsonValue());
  const reply = fc.record({
    method: fc.constantFrom(
      'eth_call',
      'eth_getLogs',
      'eth_getFilterChanges',
      'eth_estimateGas',
      'eth_sign',
      send,
    ),
    status: fc.oneof(
      fc.constantFrom(200, 400, 401, 403, 404, 413, 429, 500, 503),
      fc.integer({ min: 200, max: 599 }),
    ),
    error: fc.record({ code, message, data: fc.oneof(fc.jsonValue(), fc.constantFrom('0x', '0x08c379a0')) }),
  });
  const tell = ({ method, status, error }: { method: string; status: number; error: object }) => {
    const read = readReply(JSON.stringify({ jsonrpc: '2.0', id: 1, error }), 1);
    if ('result' in read) throw new Error('a result');
    return diagnose({ method, status, ...read }, String).error;
  };

  test('the code is an integer, and none that is the provider’s own to say', () => {
    fc.assert(
      fc.property(reply, (each) => {
        const told = tell(each);
        expect(Number.isSafeInteger(told.code)).toBe(true);
        // 4200: the node has its wallet switched off (docs/notes/node.md#protocol-errors).
        if (told.code >= 4000) expect(told.code).toBe(4200);
        if (told.code === 4200)
          expect(told.data).toMatchObject({
            serviceCode: expect.toSatisfy((it) => [-32604, -32602].includes(it)),
          });
        expect(told.message.length).toBeGreaterThan(0);
        expect(told.message.length).toBeLessThan(700);
      }),
      { numRuns: 3000 },
    );
  });

  test('a send never ends in a code after which a library sends again', () => {
    fc.assert(
      fc.property(reply, (each) => {
        expect([-32000, -32601, -32602, -32603, 3]).not.toContain(tell({ ...each, method: send }).code);
      }),
      { numRuns: 3000 },
    );
  });
});

test.each(['eth_call', 'eth_sendRawTransaction'])(
  'errors of %s that need no table are those of the table',
  (method) => {
    const plain = (error: ReturnType<typeof requestAborted>) => ({ ...error, message: error.message });
    const told = (trouble: Trouble) => plain(diagnose({ method, trouble }, String).error);
    expect(plain(requestAborted(method))).toEqual(told('aborted'));
    expect(plain(tooNested(method))).toEqual(told('nested'));
  },
);

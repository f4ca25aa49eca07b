import { describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { diagnose } from '../../../../src/service/errors/diagnose.js';
import { copyOf, type FaultData, reasonOf, type Symptom } from '../../../../src/service/errors/errors.js';
import { createRedactor } from '../../../../src/service/redact.js';
import { plantedKey } from '../../../support/scripted-service.js';
import { everythingIn } from '../../../support/secrecy.js';

const url = `https://rpc.testnet.rootstock.io/v2/${plantedKey}`;
const redact = createRedactor([url]);
const told = (symptom: Partial<Symptom>) => diagnose({ method: 'eth_call', ...symptom }, redact).error;
const word = (value: number) => value.toString(16).padStart(64, '0');
const errorString = (text: string) => {
  const hex = Buffer.from(text).toString('hex');
  return `0x08c379a0${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')}`;
};
const prefix = 'VM Exception while processing transaction: ';

describe('reverts', () => {
  const payload = errorString('Not enough');
  test.each([
    [-32015, `${prefix}revert Not enough`, payload, 'execution reverted: Not enough', payload],
    [-32015, `${prefix}revert Not enough`, undefined, 'execution reverted: Not enough', undefined],
    [
      -32015,
      `${prefix}revert reverted by owner`,
      undefined,
      'execution reverted: reverted by owner',
      undefined,
    ],
    [-32015, `${prefix}transaction reverted`, payload, 'execution reverted: Not enough', payload],
    [-32015, `${prefix}transaction reverted`, '0x', 'execution reverted', '0x'],
    [-32015, `${prefix}transaction reverted`, '0x12345678', 'execution reverted', '0x12345678'],
    [
      -32015,
      `${prefix}transaction reverted`,
      errorString('Señal ⚡'),
      'execution reverted: Señal ⚡',
      errorString('Señal ⚡'),
    ],
    [3, 'execution reverted: Not enough', payload, 'execution reverted: Not enough', payload],
    [3, 'execution reverted', { data: payload }, 'execution reverted: Not enough', payload],
    [3, '', null, 'execution reverted', undefined],
    [-32000, 'execution reverted', payload, 'execution reverted: Not enough', payload],
    [-32603, `${prefix}revert`, '0x', 'execution reverted', '0x'],
    [3, 'execution reverted', 'Reverted 0x08c379a0', 'execution reverted', undefined],
  ])('%i "%s"', (code, text, data, message, kept) => {
    const error = told({ code, text, data });
    expect(error).toMatchObject({ code: 3, message });
    expect(error.data).toBe(kept);
  });

  test.each([
    [0x01, 'assertion failed'],
    [0x11, 'overflow'],
    [0x12, 'division by zero'],
    [0x32, 'out of bounds'],
    [0xff, 'unknown'],
  ])('panic 0x%x', (code, words) => {
    const { message } = told({
      code: -32015,
      text: `${prefix}transaction reverted`,
      data: `0x4e487b71${word(code)}`,
    });
    expect(message).toMatch(/^execution reverted: panic: /);
    expect(message).toContain(words);
    expect(message).toContain(`(0x${code.toString(16)})`);
  });

  test('data is cut at 16 KiB in whole bytes, and the message says so', () => {
    const data = errorString('a'.repeat(2 ** 20));
    const error = told({ code: -32015, text: `${prefix}transaction reverted`, data });
    expect(error.data).toBe(data.slice(0, 16 * 1024));
    expect(error.message).toMatch(/^execution reverted: a{256} \(revert data cut at 16 KiB\)$/);
  });

  test('words of any length and letters are short, and take little', () => {
    const words = '\ufdfa'.repeat(73_000);
    const hex = Buffer.from(words).toString('hex');
    const seen: string[] = [];
    const data = `0x08c379a0${word(32)}${word(hex.length / 2)}${hex}`;
    const { error } = diagnose(
      { method: 'eth_call', code: -32015, text: `${prefix}revert ${words}`, data },
      (text) => {
        seen.push(text);
        return redact(text);
      },
    );
    expect(error.message).toMatch(/^execution reverted: \ufdfa+ \(revert data cut at 16 KiB\)$/);
    expect(seen.reduce((sum, text) => sum + text.length, 0)).toBeLessThan(20_000);
  });

  test('the service’s reply is in `service`, redacted, since `data` is the payload', () => {
    const text = `${prefix}transaction reverted`;
    const error = told({ code: -32015, text, data: payload, status: 500 });
    expect(error.data).toBe(payload);
    expect(error.service).toEqual({ httpStatus: 500, serviceCode: -32015, serviceMessage: text });
    expect(Object.keys(told({ code: -32000, text: 'x' }))).not.toContain('service');
    expect(everythingIn(told({ code: 3, text: `reverted at ${plantedKey}` }))).not.toContain(plantedKey);
  });

  test('in the reply to a send it leaves open whether the transaction was mined', () => {
    const { code, message, data } = told({
      method: 'eth_sendRawTransaction',
      code: 3,
      text: 'x',
      data: payload,
    });
    expect({ code, message }).toEqual({
      code: -32002,
      message: 'The service gave no clear answer to eth_sendRawTransaction: x',
    });
    expect(data).toMatchObject({ serviceCode: 3, outcomeUnknown: true });
  });

  test.each([
    '0x08c379a0',
    '0x4e487b71',
    `0x08c379a0${'f'.repeat(128)}`,
    `0x08c379a0${word(32)}${word(2 ** 40)}6161`,
    `0x08c379a0${word(32)}${word(2)}c328`,
    `0x08c379a0${word(32)}${word(3)}616`,
  ])('hostile payload %s keeps the text', (data) => {
    expect(told({ code: 3, text: 'execution reverted', data }).message).toMatch(
      /^execution reverted(: aa)?$/,
    );
  });

  test('control and bidirectional characters do not reach the person', () => {
    const { message } = told({ code: 3, text: '', data: errorString('a\n\u202eb\u0000c') });
    expect(message).toBe('execution reverted: a b c');
  });
});

describe('codes', () => {
  test.each([
    [-32600, 'Block with hash 0xabc not found', -32001],
    [-32600, 'Block 0x1234 not found', -32001],
    [-32000, 'header not found', -32001],
    [-32000, 'filter not found', -32000],
    [-32601, 'method not found', -32601],
    [-32600, 'Unsupported method', -32601],
    [-32602, 'Unsupported method: eth_x.', -32601],
    [-32604, 'The local wallet feature is disabled', 4200],
    [-32602, 'Local wallet is disabled in this node', 4200],
    [-32011, 'Response size limit of 10485760 bytes exceeded', -32005],
    [-32012, 'Filter returned more than 20000 logs.', -32005],
    [-32005, 'slow down', -32005],
    [-32009, 'unknown', -32603],
    [-32099, 'Unexpected error', -32603],
    [-33000, 'block rejected', -32603],
    [-32603, 'Internal server error', -32603],
    [-32006, 'version', -32603],
    [429, 'Your app has exceeded its compute units per second capacity', -32005],
    [4001, 'User rejected', -32603],
    [4999, 'x', -32603],
    [5000, 'x', -32603],
    [-32002, 'x', -32603],
    [-32010, 'x', -32003],
  ])('%i "%s" becomes %i', (code, text, becomes) => {
    const error = told({ code, text, method: 'eth_getBalance' });
    expect(error.code).toBe(becomes);
    expect(error.data).toMatchObject({ serviceCode: code, serviceMessage: text });
  });

  test.each([
    [401, -32600, 'Must be authenticated!', -32002],
    [200, -32600, 'Must be authenticated!', -32002],
    [401, -32600, 'Invalid access key', -32002],
    [403, -32600, 'Monthly capacity limit exceeded.', -32005],
    [403, -32600, 'App is inactive.', -32002],
    [403, -32600, 'Origin not on whitelist.', -32002],
    [429, 429, 'Your app has exceeded its compute units per second capacity', -32005],
    [500, -32000, 'Unable to complete request at this time.', -32002],
    [200, -32603, 'Unable to complete request at this time.', -32002],
    [500, -32603, 'oops', -32002],
    [400, -32700, 'Parse error', -32700],
    [404, -32601, 'method not found', -32601],
    [500, -32015, `${prefix}transaction reverted`, 3],
  ])('HTTP %i with %i "%s" becomes %i', (status, code, text, becomes) => {
    expect(told({ status, code, text }).code).toBe(becomes);
  });

  test.each([
    ['eth_getLogs', -32602, 'query returned more than 10000 results'],
    ['eth_getLogs', -32005, 'query exceeds max block range 10000'],
    ['eth_getLogs', -32600, 'You can make eth_getLogs requests with up to a 10 block range.'],
    ['eth_getLogs', -32000, 'block range is too large'],
    ['eth_newFilter', -32012, 'Cannot query more than 5000 blocks at once'],
  ])('%s %i "%s" is a range that can be split', (method, code, text) => {
    const error = told({ method, code, text });
    expect(error.code).toBe(-32005);
    expect(reasonOf(error)).toBe('range-too-large');
  });

  test.each([
    ["the sender account doesn't exist", 'insufficient funds for gas * price + value'],
    ['insufficient funds', 'insufficient funds for gas * price + value'],
    ['transaction nonce too low', 'nonce too low'],
    ['transaction nonce too high', 'nonce too high'],
    ['gas price not enough to bump transaction', 'replacement transaction underpriced'],
    ["transaction's basic cost is above the gas limit", 'intrinsic gas too low'],
    [
      "transaction's gas limit of 7000000 is higher than the block's gas limit of 6800000",
      'exceeds block gas limit',
    ],
    ['the sender account is deleted', 'the sender account is deleted'],
  ])('a send refused with "%s"', (text, message) => {
    const error = told({ method: 'eth_sendRawTransaction', code: -32010, text });
    expect(error).toMatchObject({
      code: -32003,
      message,
      data: { serviceCode: -32010, serviceMessage: text },
    });
  });

  test('whatever code a service gives an unknown text, a send is neither refused nor sent again by a library', () => {
    const ranges = [-33_001, -32_800, -32_000, 0, 400, 4000].flatMap((first) =>
      Array.from({ length: 1000 }, (_, at) => first + at),
    );
    for (const code of ranges) {
      const error = told({ method: 'eth_sendRawTransaction', code, text: 'whatever' });
      expect([-32002, -32005]).toContain(error.code);
    }
  });
});

describe('secrecy', () => {
  const echoes = [plantedKey, url, `/v2/${plantedKey}`, url.toUpperCase()];
  const symptoms: Partial<Symptom>[] = echoes.flatMap((echo) => [
    { code: -32000, text: `bad ${echo}` },
    { code: -32601, text: echo, data: { path: [{ [echo]: echo }] } },
    { code: 4001, text: echo, data: echo },
    { code: -32015, text: `${prefix}revert ${echo}`, data: echo },
    { code: 3, text: '', data: errorString(`at ${echo}!`) },
    { status: 401, code: -32600, text: `key ${echo}` },
    { status: 500, code: -32000, text: echo },
    { method: 'eth_sendRawTransaction', code: -32010, text: echo },
    { trouble: 'broken', text: `result ${echo}` },
  ]);

  test.each(symptoms)('the key that the server echoes is gone: %j', (symptom) => {
    expect(everythingIn(told(symptom)).toLowerCase()).not.toContain(plantedKey.toLowerCase());
  });

  test('a key of hexadecimal digits is not handed on as revert data', () => {
    const hexKey = 'abcdef0123456789';
    const hide = createRedactor([`https://rpc.example/${hexKey}`]);
    const { error } = diagnose({ method: 'eth_call', code: 3, text: '', data: `0x12345678${hexKey}` }, hide);
    expect(error.data).toBeUndefined();
  });

  test('a key of decimal digits in numbers', () => {
    const hide = createRedactor(['https://rpc.example/1234567890']);
    const { error } = diagnose({ method: 'eth_call', code: -32000, text: 'x', data: [1234567890] }, hide);
    expect(everythingIn(error)).not.toContain('1234567890');
  });

  test('a flood in message and data is cut', () => {
    const error = told({ code: -32000, text: 'a'.repeat(2 ** 20), data: 'b'.repeat(2 ** 20) });
    expect(error.message.length).toBe(256);
    expect((error.data as FaultData).serviceData).toBe('[too long]');
  });
});

describe('copyOf', () => {
  test('a copy of an error is equal, and shares nothing with it', () => {
    const error = new ProviderRpcError(3, 'x', '0x', { serviceCode: 3 });
    const copy = copyOf(error);
    expect(copy).toEqual(error);
    expect(copy).not.toBe(error);
    expect(copy.service).not.toBe(error.service);
    expect(Object.keys(copyOf(new ProviderRpcError(1, 'x')))).not.toContain('service');
  });

  test('data as deep as a reply may be', () => {
    let data: unknown = 0;
    for (let depth = 0; depth < 2000; depth++) data = [data];
    expect(copyOf(new ProviderRpcError(1, 'x', { serviceData: data })).data).toBeDefined();
  });
});

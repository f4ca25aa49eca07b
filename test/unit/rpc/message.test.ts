import { describe, expect, test } from 'vitest';
import { readRequest, toJson } from '../../../src/rpc/message.js';

describe('readRequest', () => {
  test('a request keeps its method and params', () => {
    expect(readRequest({ method: 'eth_call', params: [{ to: '0x' }, 'latest'] })).toEqual({
      method: 'eth_call',
      params: [{ to: '0x' }, 'latest'],
    });
  });

  test('ignores the keys that web3.js adds, and accepts missing or null params', () => {
    expect(readRequest({ jsonrpc: '2.0', id: 'x', method: 'eth_chainId' })).toEqual({
      method: 'eth_chainId',
      params: [],
    });
    expect(readRequest({ method: 'eth_chainId', params: null })).toEqual({
      method: 'eth_chainId',
      params: [],
    });
  });

  test('returns a frozen copy of the params', () => {
    const call = { to: '0x1' };
    const { params } = readRequest({ method: 'eth_call', params: [call] }) as unknown as {
      params: [{ to: string }];
    };
    call.to = '0x2';
    expect(params[0].to).toBe('0x1');
    expect(Object.isFrozen(params[0])).toBe(true);
  });
});

describe('toJson', () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const deep = (levels: number): unknown => {
    let value: unknown = 1;
    for (let i = 0; i < levels; i++) value = { a: value };
    return value;
  };

  test('drops undefined members, turns holes into null, and keeps an own __proto__ key', () => {
    expect(toJson({ a: undefined, b: 1 })).toEqual({ b: 1 });
    expect(toJson([undefined, 1])).toEqual([null, 1]);
    const copied = toJson(JSON.parse('{"__proto__":{"a":1}}')) as object;
    expect(Object.keys(copied)).toEqual(['__proto__']);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  test('accepts the same object twice', () => {
    const shared = { a: 1 };
    expect(toJson([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);
  });

  test.each([
    ['a BigInt', [1n], 'params[0]'],
    ['NaN', [Number.NaN], 'JSON'],
    ['Infinity', { a: Number.POSITIVE_INFINITY }, 'params.a'],
    ['a function', [() => 1], 'JSON'],
    ['a symbol', [Symbol('x')], 'JSON'],
    ['a cycle', cyclic, 'cyclic'],
    ['a map', [new Map()], 'Map'],
    ['bytes', [new Uint8Array(1)], 'Uint8Array'],
    ['20,000 levels', [deep(20_000)], 'nested'],
    ['too many values', Array.from({ length: 200_001 }, () => []), 'too large'],
  ])('%s', (_name, value, says) => {
    expect(() => toJson(value)).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining(says) }),
    );
  });
});

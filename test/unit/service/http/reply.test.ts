import { expect, test } from 'vitest';
import { diagnose } from '../../../../src/service/errors/diagnose.js';
import { readReply } from '../../../../src/service/http/reply.js';
import { fc } from '../../../support/property.js';

const good = '{"jsonrpc":"2.0","id":7,"result":{"number":"0x1","logs":[{"data":"0x","removed":false}]}}';
const bad = '{"jsonrpc":"2.0","id":7,"error":{"code":-32015,"message":"VM Exception","data":"0x08c379a0"}}';

test('a result, an error, an error without id', () => {
  expect(readReply(good, 7)).toEqual({ result: JSON.parse(good).result });
  expect(readReply(bad, 7)).toEqual({ code: -32015, text: 'VM Exception', data: '0x08c379a0' });
  expect(readReply('{"error":{"code":-32011,"message":"x"}}', 7)).toMatchObject({ code: -32011, text: 'x' });
});

test.each([4000, 4096])('%i levels are read', (levels) => {
  const text = '['.repeat(levels - 1) + ']'.repeat(levels - 1);
  expect(readReply(`{"jsonrpc":"2.0","id":7,"result":${text}}`, 7)).toHaveProperty('result');
});

test('brackets in strings do not nest', () => {
  const text = `${'['.repeat(5000)}\\"${'{'.repeat(5000)}\\\\`;
  expect(readReply(`{"jsonrpc":"2.0","id":7,"result":"${text}"}`, 7)).toHaveProperty('result');
});

test('a string that never ends is not JSON', () => {
  expect(readReply(`{"jsonrpc":"${'\\"'.repeat(5000)}`, 7)).toEqual({ trouble: 'not-json' });
});

test('names of prototypes are only names', () => {
  const text = '{"jsonrpc":"2.0","id":7,"__proto__":{"result":"0x1"},"constructor":{"prototype":{"a":1}}}';
  expect(readReply(text, 7)).toMatchObject({ trouble: 'broken' });
  expect(({} as { a?: unknown }).a).toBeUndefined();
});

test('no mutated reply crashes, hangs, or passes with another id', () => {
  const edit = fc.record({ at: fc.nat(good.length), drop: fc.nat(6), put: fc.string({ maxLength: 6 }) });
  fc.assert(
    fc.property(fc.constantFrom(good, bad), fc.array(edit, { maxLength: 4 }), (start, edits) => {
      const text = edits.reduce<string>(
        (each, { at, drop, put }) => each.slice(0, at) + put + each.slice(at + drop),
        start,
      );
      const reply = readReply(text, 7);
      if ('result' in reply) {
        expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: 7 });
      } else {
        const { error } = diagnose({ method: 'eth_call', ...reply }, (each) => each);
        expect(Number.isInteger(error.code)).toBe(true);
        expect(error.message.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 20_000 },
  );
});

test('any JSON at all becomes an integer code and a message', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (code, message, data) => {
      const text = JSON.stringify({ id: null, error: { code, message, data } });
      const reply = readReply(text, 7);
      const { error } = diagnose({ method: 'eth_getLogs', ...(reply as object) }, (each) => each);
      expect(Number.isInteger(error.code)).toBe(true);
      expect(error.message.length).toBeGreaterThan(0);
      expect(error.message.length).toBeLessThan(400);
    }),
    { numRuns: 5000 },
  );
});

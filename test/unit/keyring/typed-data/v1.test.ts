import { describe, expect, test } from 'vitest';
import { readTypedData } from '../../../../src/keyring/typed-data/typed-data.js';
import { typedDataV1 } from '../../../support/vectors.js';

const read = (value: unknown) => readTypedData(value, 'params[0]', { version: 'V1', chainId: 31 });

describe('readTypedData, V1', () => {
  test.each(typedDataV1)('$digest', ({ typedData, digest }) => {
    expect(read(typedData).digest).toBe(digest);
    expect(read(JSON.stringify(typedData)).digest).toBe(digest);
  });

  test('every entry is shown; there is no domain', () => {
    const data = [
      { type: 'string', name: 'A text', value: 'hi' },
      { type: 'uint32', name: 'A number', value: '1337' },
      { type: 'int8[]', name: 'list', value: [-1, 2] },
      { type: 'address', name: 'to', value: `0x${'AB'.repeat(20)}` },
    ];
    expect(read(data)).toMatchObject({
      version: 'V1',
      domain: {},
      primaryType: '',
      fields: [
        { path: 'A text', type: 'string', value: 'hi' },
        { path: 'A number', type: 'uint32', value: '1337' },
        { path: 'list', type: 'int8[]', value: '[-1, 2]' },
        { path: 'to', type: 'address', value: `0x${'ab'.repeat(20)}` },
      ],
    });
  });

  test('a member that the digest does not cover is left out', () => {
    const entry = { type: 'bool', name: 'a', value: true };
    expect(read([{ ...entry, extra: 1 }])).toMatchObject({
      digest: read([entry]).digest,
      fields: [{ path: 'a', type: 'bool', value: 'true' }],
    });
  });

  test('type, name, value and order all count', () => {
    const base = [
      { type: 'uint8', name: 'a', value: 1 },
      { type: 'bool', name: 'b', value: true },
    ];
    const digests = [
      base,
      [...base].reverse(),
      [{ ...base[0], name: 'c' }, base[1]],
      [{ ...base[0], type: 'uint16' }, base[1]],
      [{ ...base[0], value: 2 }, base[1]],
      [base[0]],
    ].map((data) => read(data).digest);
    expect(new Set(digests).size).toBe(digests.length);
  });

  test.each([
    ['an object', {}, 'list'],
    ['an empty list', [], 'list'],
    ['an entry that is no object', ['x'], 'params[0][0]'],
    ['a struct', [{ type: 'Person', name: 'a', value: {} }], 'unknown type'],
    ['a number out of range', [{ type: 'uint8', name: 'a', value: 256 }], 'value'],
    ['a number for a string', [{ type: 'string', name: 'a', value: 5 }], 'value'],
    ['strings in a list', [{ type: 'string[]', name: 'a', value: ['x'] }], 'string[]'],
    ['no name', [{ type: 'bool', value: true }], 'name'],
    ['no value', [{ type: 'bool', name: 'a' }], 'value'],
  ])('%s', (_name, value, includes) => {
    expect(() => read(value)).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining(includes) }),
    );
  });
});

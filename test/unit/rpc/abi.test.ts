import {
  type AbiParameter,
  decodeErrorResult,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  type Hex,
  parseAbiItem,
  toFunctionSelector,
} from 'viem';
import { describe, expect, test } from 'vitest';
import { createCallDecoder, createErrorDecoder } from '../../../src/rpc/abi.js';
import { readSignatures } from '../../../src/rpc/abi-signatures.js';
import { fc } from '../../support/property.js';

/** Against viem's encoder and decoder: what they make of a payload is what we must say of it. */

type Input = AbiParameter & { readonly components?: readonly Input[] };
interface AbiError {
  readonly type: 'error';
  readonly name: string;
  readonly inputs: readonly Input[];
}

const decoderOf = (...errors: readonly (string | AbiError)[]) =>
  createErrorDecoder(readSignatures(errors, 'error'));
const word = (value: bigint | number) => BigInt(value).toString(16).padStart(64, '0');

/** viem's values in our words. */
function spell({ type, components }: Input, value: unknown): string {
  const brackets = /^(.*)\[\d*\]$/.exec(type);
  if (brackets) {
    const element = { ...(components && { components }), type: brackets[1] as string } as Input;
    return `[${(value as unknown[]).map((each) => spell(element, each)).join(', ')}]`;
  }
  if (components) return `(${spellAll(components, value as object)})`;
  if (type === 'string') return JSON.stringify(value);
  return type === 'address' ? String(value).toLowerCase() : String(value);
}
const spellAll = (inputs: readonly Input[], values: object): string =>
  inputs
    .map((each, at) => {
      const value = Array.isArray(values)
        ? values[at]
        : (values as Record<string, unknown>)[each.name as string];
      return `${each.name ? `${each.name}: ` : ''}${spell(each, value)}`;
    })
    .join(', ');
const described = (error: AbiError, args: readonly unknown[]) =>
  `${error.name}(${spellAll(error.inputs, args)})`;

/** As far as it goes, when it was cut. */
const agrees = (ours: string | undefined, whole: string) =>
  ours?.endsWith('…') ? whole.startsWith(ours.slice(0, -1)) : ours === whole;

const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
interface Typed {
  readonly input: Input;
  readonly value: fc.Arbitrary<unknown>;
}
const sizes = Array.from({ length: 32 }, (_, at) => at + 1);
const bigint = (min: bigint, max: bigint, small: boolean) =>
  // viem gives numbers for what they hold, and takes no other.
  fc.bigInt({ min, max }).map((value) => (small ? Number(value) : value));
const elementary = fc.oneof(
  fc.constantFrom(...sizes).map(
    (size): Typed => ({
      input: { type: `uint${size * 8}` },
      value: bigint(0n, 2n ** BigInt(size * 8) - 1n, size <= 6),
    }),
  ),
  fc.constantFrom(...sizes).map(
    (size): Typed => ({
      input: { type: `int${size * 8}` },
      value: bigint(-(2n ** BigInt(size * 8 - 1)), 2n ** BigInt(size * 8 - 1) - 1n, size <= 6),
    }),
  ),
  fc.constantFrom(...sizes).map(
    (size): Typed => ({
      input: { type: `bytes${size}` },
      value: fc.uint8Array({ minLength: size, maxLength: size }).map(hexOf),
    }),
  ),
  fc.constant<Typed>({ input: { type: 'bytes' }, value: fc.uint8Array({ maxLength: 70 }).map(hexOf) }),
  fc.constant<Typed>({ input: { type: 'string' }, value: fc.string({ unit: 'grapheme', maxLength: 40 }) }),
  fc.constant<Typed>({ input: { type: 'bool' }, value: fc.boolean() }),
  fc.constant<Typed>({
    input: { type: 'address' },
    value: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hexOf),
  }),
);
const named = (types: readonly Typed[]) =>
  types.map((each, at) => ({ ...each, input: { ...each.input, name: `a${at}` } }));
const { type: anyType } = fc.letrec<{ type: Typed }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    elementary,
    fc.tuple(tie('type'), fc.option(fc.integer({ min: 1, max: 3 }))).map(
      ([{ input, value }, length]): Typed => ({
        input: { ...input, type: `${input.type}[${length ?? ''}]` } as Input,
        value: fc.array(value, length === null ? { maxLength: 4 } : { minLength: length, maxLength: length }),
      }),
    ),
    fc.array(tie('type'), { minLength: 1, maxLength: 3 }).map((types): Typed => {
      const fields = named(types);
      return {
        input: { type: 'tuple', components: fields.map(({ input }) => input) } as Input,
        value: fc.record(Object.fromEntries(fields.map(({ input, value }) => [input.name, value]))),
      };
    }),
  ),
}));
const anyError = fc.array(anyType, { maxLength: 4 }).chain((types) => {
  const fields = named(types);
  const error: AbiError = { type: 'error', name: 'Failed', inputs: fields.map(({ input }) => input) };
  return fc.tuple(fc.constant(error), fc.tuple(...fields.map(({ value }) => value)));
});

const encode = (error: AbiError, args: readonly unknown[]): Hex =>
  encodeErrorResult({ abi: [error] as never, errorName: error.name, args } as never);

describe('createErrorDecoder', () => {
  test.each([
    ['error TooLow(uint256 available, uint256 required)', [1n, 2n], 'TooLow(available: 1, required: 2)'],
    ['TooLow(uint256,uint256)', [1n, 2n], 'TooLow(1, 2)'],
    ['error Closed()', [], 'Closed()'],
    ['error Off(int8 by)', [-3], 'Off(by: -3)'],
    ['error No(string why)', ['a "b"\n'], 'No(why: "a \\"b\\"\\n")'],
    [
      'error Denied(address who, bool[] flags, (bytes4 id, bytes rest) call)',
      [`0x${'Ab'.repeat(20)}`.toLowerCase(), [true, false], { id: '0x12345678', rest: '0x00ff' }],
      `Denied(who: 0x${'ab'.repeat(20)}, flags: [true, false], call: (id: 0x12345678, rest: 0x00ff))`,
    ],
  ])('%s', (signature, args, text) => {
    const abi = parseAbiItem(
      (signature.startsWith('error') ? signature : `error ${signature}`) as 'error A()',
    );
    expect(decoderOf(signature)(encode(abi as AbiError, args))).toBe(text);
  });

  test('the selector of an alias, a tuple and an array is that of their long form', () => {
    const decode = decoderOf('error Far(uint a, (int b, bool[3][] c) d)');
    const selector = toFunctionSelector('Far(uint256,(int256,bool[3][]))');
    expect(decode(selector.toUpperCase().replace('0X', '0x'))).toBeUndefined();
    expect(decode(`${selector}${word(1)}${word(64)}${word(5)}${word(64)}${word(0)}`)).toBe(
      'Far(a: 1, d: (b: 5, c: []))',
    );
  });

  test('a payload that viem encodes is described as viem decodes it', () => {
    fc.assert(
      fc.property(anyError, ([error, args]) => {
        const data = encode(error, args);
        const decoded = decodeErrorResult({ abi: [error] as never, data }) as { args?: readonly unknown[] };
        const whole = described(error, decoded.args ?? []);
        const ours = decoderOf(error)(data);
        if (!agrees(ours, whole)) expect(ours).toBe(whole);
      }),
      { numRuns: 1500 },
    );
  }, 30_000);

  test('a description is cut, and says so', () => {
    const decode = decoderOf('error Long(string text)');
    const data = `${toFunctionSelector('Long(string)')}${encodeAbiParameters([{ type: 'string' }], ['a'.repeat(10_000)]).slice(2)}`;
    expect(decode(data)).toBe(`Long(text: ${'"'.padEnd(229, 'a')}…`);
  });
});

describe('hostile payloads', () => {
  test('any bytes are described as by viem, or not at all', () => {
    const nibble = fc.integer({ min: 0, max: 15 }).map((value) => value.toString(16));
    const change = fc.record({ at: fc.nat(), to: nibble, cut: fc.boolean() });
    fc.assert(
      fc.property(anyError, fc.array(change, { maxLength: 4 }), ([error, args], changes) => {
        let data = encode(error, args);
        for (const { at, to, cut } of changes) {
          const place = 10 + (at % Math.max(1, data.length - 10));
          // Whole bytes: what is no DATA comes no further than the table.
          data = (
            cut ? data.slice(0, place - (place % 2)) : `${data.slice(0, place)}${to}${data.slice(place + 1)}`
          ) as Hex;
        }
        const ours = decoderOf(error)(data);
        if (ours === undefined || ours.endsWith('…')) return;
        const decoded = decodeErrorResult({ abi: [error] as never, data }) as { args?: readonly unknown[] };
        expect(ours).toBe(described(error, decoded.args ?? []));
      }),
      { numRuns: 1500 },
    );
  }, 30_000);

  const most = `${'f'.repeat(64)}`;
  test.each([
    ['an offset beyond everything', 'error A(bytes a)', most],
    ['a length beyond everything', 'error A(bytes a)', `${word(32)}${most}`],
    ['an array of 2^255 words', 'error A(uint[] a)', `${word(32)}8${'0'.repeat(63)}`],
    ['a fixed array larger than memory', 'error A(uint[999999999999999999999] a)', word(1)],
    ['a flag of 2', 'error A(bool a)', word(2)],
    ['an address of 21 bytes', 'error A(address a)', word(1n << 160n)],
    ['a uint8 of 256', 'error A(uint8 a)', word(256)],
    ['an int8 of 128', 'error A(int8 a)', word(128)],
    ['bytes4 with a tail', 'error A(bytes4 a)', word(1)],
    ['half a word', 'error A(uint a)', '00'.repeat(16)],
    ['nothing', 'error A(uint a)', ''],
  ])('%s', (_name, signature, payload) => {
    const canonical = readSignatures([signature], 'error')[0]
      ?.replace(/ \w+\)$/, ')')
      .replace('uint[', 'uint256[');
    const selector = toFunctionSelector(canonical?.replace('uint)', 'uint256)') as string);
    expect(decoderOf(signature)(`${selector}${payload}`)).toBeUndefined();
  });

  test('arrays that point into themselves cost no more than the description holds', () => {
    // Each level's elements all lie at one place, which is read again for each: 64^8 values, if all were looked at.
    const depth = 8;
    const signature = `error A(uint256${'[]'.repeat(depth)} a)`;
    const selector = toFunctionSelector(`A(uint256${'[]'.repeat(depth)})`);
    const level = `${word(64)}${word(0).repeat(0)}${Array.from({ length: 64 }, () => word(64 * 32)).join('')}`;
    const data = `${selector}${word(32)}${level.repeat(depth)}${word(0)}`;
    const started = performance.now();
    expect(decoderOf(signature)(data)).toMatch(/^A\(a: \[\[\[\[.*…$/);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('createCallDecoder', () => {
  const decode = (signature: string) => createCallDecoder(readSignatures([signature], 'function'));

  test('each argument is text beside its name and type', () => {
    const text: string = 'function pay((address to, uint256 amount)[] calls, string note, bool done)';
    const data = encodeFunctionData({
      abi: [parseAbiItem(text) as never],
      args: [[{ to: `0x${'ab'.repeat(20)}`, amount: 5n }], 'hi', true],
    } as never);
    expect(decode(text)(data)).toEqual({
      name: 'pay',
      arguments: [
        { name: 'calls', type: '(address,uint256)[]', value: `[(to: 0x${'ab'.repeat(20)}, amount: 5)]` },
        { name: 'note', type: 'string', value: '"hi"' },
        { name: 'done', type: 'bool', value: 'true' },
      ],
    });
  });

  test('without arguments, and with an unknown selector', () => {
    expect(decode('claim()')(toFunctionSelector('claim()'))).toEqual({ name: 'claim', arguments: [] });
    expect(decode('claim()')('0x12345678')).toBeUndefined();
  });

  test('a long argument is cut, and the ones after it are still decoded', () => {
    const signature: string = 'function f(bytes a, uint256 b)';
    const data = encodeFunctionData({
      abi: [parseAbiItem(signature) as never],
      args: [`0x${'ee'.repeat(5_000)}`, 7n],
    } as never);
    const [a, b] = decode(signature)(data)?.arguments ?? [];
    expect(a?.value).toMatch(/^0x(ee)+…$/);
    expect(a?.value.length).toBe(1_001);
    expect(b?.value).toBe('7');
  });

  test.each([
    ['too little data', 'f(uint256)', ''],
    ['a flag of 2', 'f(bool)', word(2)],
    ['an offset beyond the data', 'f(uint256,bytes)', `${word(1)}${'f'.repeat(64)}`],
  ])('%s is not decoded', (_name, signature, payload) => {
    expect(decode(signature)(`${toFunctionSelector(signature)}${payload}`)).toBeUndefined();
  });
});

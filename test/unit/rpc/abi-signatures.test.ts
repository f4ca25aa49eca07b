import { erc20Abi, parseAbiItem } from 'viem';
import { describe, expect, test } from 'vitest';
import { type AbiItem, type AbiSource, readSignatures } from '../../../src/rpc/abi-signatures.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { fc } from '../../support/property.js';

const readErrorSignatures = (sources: readonly AbiSource[]) => readSignatures(sources, 'error');

const refusal = (...sources: unknown[]): ProviderRpcError => {
  try {
    readErrorSignatures(sources as AbiSource[]);
  } catch (error) {
    if (error instanceof ProviderRpcError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('readSignatures of errors', () => {
  test.each([
    ['error TooLow(uint256 available, uint256 required)', 'TooLow(uint256 available,uint256 required)'],
    ['TooLow(uint256 available, uint256 required)', 'TooLow(uint256 available,uint256 required)'],
    ['  error  Closed ( ) ; ', 'Closed()'],
    ['error A(uint, int[ ] b,bytes32[2][] $c)', 'A(uint,int[] b,bytes32[2][] $c)'],
    [
      'error A((address to, bool)[] calls, tuple(string x) y)',
      'A((address to,bool)[] calls,tuple(string x) y)',
    ],
    ['errorA(bool)', 'errorA(bool)'],
    ['error error(bool)', 'error(bool)'],
  ])('%s', (source, text) => {
    expect(readErrorSignatures([source])).toEqual([text]);
  });

  test('an item of an ABI, with tuples', () => {
    const text: string = 'error A(uint256 a, (address to, (bool x)[2] y)[] calls, bytes)';
    const item = parseAbiItem(text) as AbiItem;
    expect(readErrorSignatures([item])).toEqual(['A(uint256 a,(address to,(bool x)[2] y)[] calls,bytes)']);
  });

  test('errors are taken from whole ABIs, also in text', () => {
    const abi = [...erc20Abi, parseAbiItem('error Closed()')] as const;
    const texts = [
      'function f(uint256)',
      'event E(uint256 indexed a)',
      'constructor()',
      'receive() external payable',
    ];
    expect(readErrorSignatures([abi, ...abi, texts, 'error Open()'])).toEqual([
      'Closed()',
      'Closed()',
      'Open()',
    ]);
    expect(readErrorSignatures([])).toEqual([]);
  });

  test.each([
    '',
    'TooLow',
    'error',
    'error (uint256)',
    'error 1A(uint256)',
    'error A(uint256',
    'error A(uint256))',
    'error A(uint256)(bool)',
    'error A(uint256,)',
    'error A(,)',
    'error A(uint257)',
    'error A(uint4)',
    'error A(uint0)',
    'error A(uint08)',
    'error A(bytes33)',
    'error A(bytes0)',
    'error A(UINT256)',
    'error A(uint256[0])',
    'error A(uint256[-1])',
    'error A(uint256 a b)',
    'error A(string memory a)',
    'error A(IERC20 token)',
    'error A(function f)',
    'error A(#)',
    'error #',
    'error A(uint256) B(uint256)',
    `error A(${'('.repeat(5000)}${')'.repeat(5000)})`,
  ])('"%s" is -32602', (source) => {
    const { code, message } = refusal('error Fine()', source);
    expect(code).toBe(-32602);
    expect(message).toContain('errors[1]');
    expect(message.length).toBeLessThan(200);
  });

  test.each([
    ['null', null],
    ['a number', 7],
    ['an empty item', {}],
    ['an error without inputs', { type: 'error', name: 'A' }],
    ['an error without a name', { type: 'error', inputs: [] }],
    ['inputs that are none', { type: 'error', name: 'A', inputs: [null] }],
    ['a tuple without components', { type: 'error', name: 'A', inputs: [{ type: 'tuple' }] }],
    ['a type that is a number', { type: 'error', name: 'A', inputs: [{ type: 7 }] }],
    ['a name that closes the list', { type: 'error', name: 'A', inputs: [{ type: 'bool', name: 'a) b(' }] }],
  ])('%s is -32602', (_name, source) => {
    expect(refusal(source).code).toBe(-32602);
  });

  test('a list of errors that is no array is -32602', () => {
    expect(() => readErrorSignatures('error A()' as never)).toThrow(
      expect.objectContaining({ code: -32602 }),
    );
  });

  test('nothing but a coded error is thrown, and nothing takes long', () => {
    const part = fc.constantFrom(
      'error ',
      'A',
      '(',
      ')',
      ',',
      'uint256',
      'tuple',
      '[',
      ']',
      '3',
      ' ',
      'b',
      '\n',
      '$',
      ';',
    );
    const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          fc.jsonValue(),
          fc.record({ type: fc.constant('error'), name: text, inputs: fc.jsonValue() }),
        ),
        (source) => {
          try {
            for (const each of readErrorSignatures([source as string]))
              expect(each).toMatch(/^[A-Za-z_$][\w$]*\(.*\)$/);
          } catch (error) {
            expect(error).toMatchObject({ code: -32602 });
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('readSignatures of functions', () => {
  const read = (...sources: AbiSource[]) => readSignatures(sources, 'function');

  test.each([
    ['function stake(uint256 amount)', 'stake(uint256 amount)'],
    ['stake(uint256)', 'stake(uint256)'],
    [
      'function f(string memory a, bytes calldata b) external returns (uint256, (bool x) y);',
      'f(string a,bytes b)',
    ],
    ['function f((address to, bool)[] calls) external payable', 'f((address to,bool)[] calls)'],
    ['function pay(address payable to) public virtual', 'pay(address to)'],
    ['function total() view returns (uint256)', 'total()'],
  ])('%s', (source, text) => {
    expect(read(source)).toEqual([text]);
  });

  test('functions are taken from a whole ABI', () => {
    expect(read(erc20Abi)).toContain('transfer(address recipient,uint256 amount)');
    expect(read(erc20Abi, ['error Closed()', 'event E(bool)', 'receive() external payable'])).toHaveLength(9);
  });

  test.each(['function', 'function f(uint256) moonlight', 'function f(IERC20 token)', 'f(uint7)'])(
    '"%s" is -32602',
    (source) => {
      expect(() => read(source)).toThrow(expect.objectContaining({ code: -32602 }));
    },
  );
});

import type { Random } from './random.js';

/** Values that mean something to somebody, and objects that bite who reads them. */

const bite = (): never => {
  throw new Error('the page bites');
};

/** Each made anew: some remember that they were read. */
const makers: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => true,
  () => 0,
  () => -0,
  () => -1,
  () => 1.5,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => Number.MAX_SAFE_INTEGER + 2,
  () => 10n,
  () => Symbol('s'),
  () => Symbol.iterator,
  () => () => ({ method: 'eth_accounts' }),
  () => [],
  () => ({}),
  () => [[]],
  () => [null],
  () => new Array(3),
  () => new Array(2 ** 32 - 1),
  () => Object.assign([1, 2], { extra: 3, length: 1 }),
  () => new Date(0),
  () => new Date(Number.NaN),
  () => /x/g,
  () => new Map([['a', 1]]),
  () => new Set([1]),
  () => new WeakMap(),
  () => new Uint8Array(4),
  () => new ArrayBuffer(8),
  () => new DataView(new ArrayBuffer(8)),
  () => new Error('an error'),
  () => Promise.resolve('0x1'),
  // biome-ignore lint/suspicious/noThenProperty: a page may hand one over
  () => ({ then: (resolve: (value: unknown) => void) => resolve('0x1') }),
  () => new URL('https://example.org/'),
  () =>
    new (class Odd {
      get method() {
        return 'eth_accounts';
      }
      toJSON = () => ({ a: 1 });
    })(),
  () => ({ toJSON: () => ({ a: 1 }) }),
  () => ({ toJSON: bite }),
  () => ({ toString: () => '0x1', valueOf: () => 1 }),
  () => ({ toString: bite, valueOf: bite, [Symbol.toPrimitive]: bite }),
  () => Object.create(null),
  () => Object.create({ method: 'eth_accounts', params: [] }),
  () => Object.freeze({ a: Object.freeze([1]) }),
  () => JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}'),
  () => JSON.parse('["__proto__","constructor","toString"]'),
  () => ({ ['__proto__']: null, hasOwnProperty: 1 }),
  () => ({ length: 2, 0: 'a', 1: 'b' }),
  () => new Proxy({}, { ownKeys: bite }),
  () => new Proxy({}, { get: bite }),
  () => new Proxy([], { get: bite }),
  () => new Proxy([], { get: (target, name) => (name === 'length' ? 1e9 : Reflect.get(target, name)) }),
  () => new Proxy({}, { getPrototypeOf: bite, getOwnPropertyDescriptor: bite, has: bite }),
  () => new Proxy(() => {}, {}),
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    return proxy;
  },
  () => Object.defineProperty({}, 'boom', { enumerable: true, get: bite }),
  () => Object.defineProperty([], '0', { enumerable: true, get: bite }),
  () => {
    let reads = 0;
    return Object.defineProperty({}, 'to', {
      enumerable: true,
      get: () => (++reads % 2 ? `0x${'11'.repeat(20)}` : `0x${'ee'.repeat(20)}`),
    });
  },
  () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    return cyclic;
  },
  () => {
    const cyclic: unknown[] = [];
    cyclic.push([cyclic]);
    return cyclic;
  },
  () => nested(100),
  () => nested(64),
];

/** As dear as they are dangerous: taken seldom. */
const heavy: readonly (() => unknown)[] = [
  () => nested(20_000),
  () => `0x${'ab'.repeat(300_000)}`,
  () => 'a'.repeat(2 ** 20),
  () => Array.from({ length: 50_000 }, () => '0x1'),
  () => Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i])),
  () => Array.from({ length: 1_000 }, () => nested(60)),
];

function nested(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

const ab = (bytes: number) => `0x${'ab'.repeat(bytes)}`;

/** Texts that readers of JSON-RPC meet or dread. */
const texts: readonly string[] = [
  '',
  ' ',
  '0x',
  '0X1',
  '0x0',
  '0x00',
  '0x01',
  '0x0001',
  '0x1',
  '0x1f',
  '0x21',
  '0xA',
  '0xg',
  '0x1\n',
  '-0x1',
  '0x-1',
  '1',
  '01',
  '1e3',
  'null',
  'true',
  `0x${'f'.repeat(64)}`,
  `0x${'f'.repeat(65)}`,
  `0x1${'0'.repeat(64)}`,
  ab(1),
  ab(8),
  ab(19),
  ab(20),
  ab(21),
  ab(31),
  ab(32),
  ab(33),
  ab(256),
  ab(20).toUpperCase(),
  `0x${'aB'.repeat(20)}`,
  `0x${'00'.repeat(32)}`,
  'latest',
  'earliest',
  'pending',
  'safe',
  'finalized',
  'LATEST',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\u0000',
  '\ud800',
  '\udfff\ud800',
  '\u202e0x1',
  'ﬀ',
  '🦫',
  '0x１',
  '<script>alert(1)</script>',
  '{"a":1}',
  '[]',
  "'; --",
  '%s%n',
  '../../etc',
  'javascript:1',
];

export function poison(random: Random): unknown {
  if (random.chance(0.002)) return random.pick(heavy)();
  return random.chance(0.5) ? random.pick(texts) : random.pick(makers)();
}

/** What JSON can carry. */
export function jsonPoison(random: Random): unknown {
  if (random.chance(0.6)) return random.pick(texts);
  return random.pick([
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    1e21,
    2 ** 53,
    [],
    {},
    [[]],
    [null],
    ['0x1'],
    { hash: ab(32) },
    { a: { b: [1] } },
    [{}],
    { code: 4001, message: 'x' },
  ] as const);
}

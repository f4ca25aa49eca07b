import { expect, test } from 'vitest';
import { diagnose } from '../../../src/service/errors/diagnose.js';
import { createKeyDetector } from '../../../src/service/key-detector.js';
import { createRedactor } from '../../../src/service/redact.js';
import { fc } from '../../support/property.js';
import { everythingIn } from '../../support/secrecy.js';

const hex = (text: string) => Buffer.from(text).toString('hex');
const between = (text: string, mark: string) => [...text].join(mark);
const escaped = (text: string, of: (code: number) => string) =>
  [...text].map((each) => of(each.charCodeAt(0))).join('');
const pad = (code: number, radix: number, width: number) => code.toString(radix).padStart(width, '0');

/** How a server may write its key, by name. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64 after one byte': (text) => Buffer.from(`:${text}`).toString('base64'),
  'in base64 after two bytes': (text) => Buffer.from(`//${text}?`).toString('base64'),
  'in base64url': (text) => Buffer.from(`-${text}`).toString('base64url'),
  'in hexadecimal': hex,
  'in hexadecimal with prefix': (text) => `0x${hex(text).toUpperCase()}`,
  'in hexadecimal with colons': (text) => hex(text).replace(/..(?=.)/g, '$&:'),
  'as bytes': (text) => [...Buffer.from(text)].map((code) => `0x${pad(code, 16, 2)}, `).join(''),
  'percent-encoded': (text) => hex(text).replace(/../g, '%$&'),
  'percent-encoded in part': (text) =>
    [...text].map((each, i) => (i % 3 === 0 ? hex(each).replace(/../g, '%$&').toUpperCase() : each)).join(''),
  'with escapes of JSON': (text) => escaped(text, (code) => `\\u${pad(code, 16, 4)}`),
  'with escapes of strings': (text) => hex(text).replace(/../g, '\\x$&'),
  'with octal escapes': (text) => [...Buffer.from(text)].map((code) => `\\${pad(code, 8, 3)}`).join(''),
  'with entities': (text) => escaped(text, (code) => `&#${code};`),
  'with hexadecimal entities': (text) => escaped(text, (code) => `&#x${pad(code, 16, 2)};`),
  'as character codes': (text) => JSON.stringify([...Buffer.from(text)]),
  reversed: (text) => [...text].reverse().join(''),
  'in upper case': (text) => text.toUpperCase(),
  'in lower case': (text) => text.toLowerCase(),
  'in wide letters': (text) =>
    escaped(text, (code) => String.fromCharCode(code > 32 && code < 127 ? code + 0xfee0 : code)),
  ...Object.fromEntries(
    [
      ...['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u0301', '\ufe0f', '\u202e', '\n', '\r\n', '\t'],
      ...[' ', '\u00a0', '\u3000', '\0', '.', ',', ';', '", "', '\\n'],
    ].map((mark) => [
      `split by ${escaped(mark, (code) => `U+${pad(code, 16, 4)}`)}`,
      (text: string) => between(text, mark),
    ]),
  ),
};

const alphabets = [
  '0123456789abcdef',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  '0123456789',
];
const random = (alphabet: string, lengths: { minLength: number; maxLength: number }) =>
  fc.array(fc.constantFrom(...alphabet), lengths).map((letters) => letters.join(''));
const keys = fc.oneof(
  ...alphabets.map((alphabet) => random(alphabet, { minLength: 16, maxLength: 64 })),
  random(`${alphabets[1]}-_`, { minLength: 24, maxLength: 64 }).map((text) => `K${text}4`),
  fc.uuid(),
);
const surroundings = fc.oneof(
  fc.constant(''),
  fc.string({ maxLength: 40 }),
  fc.constantFrom('Invalid API key: ', 'execution reverted ', '{"key":"', 'ffff', 'QUJD', '%', '\\u'),
);
const names = fc.constantFrom(...Object.keys(encodings));
/** Encodings of what is encoded already: punctuation in it would be a cipher of its own. */
const outerNames = names.filter((name) => !/U\+00(2e|2c|3b|22|5c)/.test(name));

/** Whether 8 consecutive characters of the key are in the text, as it is, or decoded. */
function shows(text: string, key: string): boolean {
  const forms = [text, [...text].reverse().join(''), text.normalize('NFKD')];
  for (const run of text.match(/[A-Za-z0-9+/_-]{8,}/g) ?? [])
    for (const start of [0, 1, 2, 3]) forms.push(Buffer.from(run.slice(start), 'base64').toString('latin1'));
  for (const run of text.match(/[0-9a-fA-F]{16,}/g) ?? [])
    for (const start of [0, 1]) forms.push(Buffer.from(run.slice(start), 'hex').toString('latin1'));
  const letters = (each: string) => each.toLowerCase().replace(/[^a-z0-9]/g, '');
  const wanted = letters(key);
  return forms.map(letters).some((form) => {
    for (let at = 0; at + 8 <= wanted.length; at++) if (form.includes(wanted.slice(at, at + 8))) return true;
    return false;
  });
}

test('a key, or eight characters of it, leaves in no encoding, nor in two of them, in any text', () => {
  const runs = Number(process.env.REDACT_RUNS ?? 1_500);
  fc.assert(
    fc.property(
      keys,
      fc.oneof(
        names.map((name) => [name]),
        fc.tuple(names, outerNames),
      ),
      surroundings,
      surroundings,
      fc.nat(1_000),
      (key, layers, before, after, cut) => {
        // A whole key, or a piece of at least eight letters.
        const letters = key.replace(/[^A-Za-z0-9]/g, '');
        const piece = cut % 2 === 0 ? key : letters.slice(cut % (letters.length - 7)).slice(0, 8 + (cut % 9));
        const encoded = layers.reduce(
          (text, name) => (encodings[name] as (text: string) => string)(text),
          piece,
        );
        const redact = createRedactor([`https://rpc.example/v1/${key}`]);
        const left = redact(`${before}${encoded}${after}`);
        expect(left).toContain('[redacted]');
        expect(shows(left, key)).toBe(false);
      },
    ),
    { seed: 1, numRuns: runs },
  );
});

test('an error of the service shows its key in no member: not in the message, the data, the code or the stack', () => {
  const places: ((encoded: string, key: string) => Partial<Parameters<typeof diagnose>[0]>)[] = [
    (encoded) => ({ code: -32000, text: `no: ${encoded}` }),
    (encoded) => ({ code: -32602, text: 'no', data: encoded }),
    (encoded) => ({ code: -32000, text: 'no', data: { deep: [{ deeper: encoded }] } }),
    (encoded) => ({ code: -32000, text: 'no', data: [...encoded] }),
    (encoded) => ({ code: -32000, text: 'no', data: JSON.stringify(JSON.stringify({ encoded })) }),
    (encoded) => ({ code: -32000, text: 'no', data: { [encoded]: 1 } }),
    (_, key) => ({ code: Number(key.replace(/\D/g, '').slice(0, 12)), text: 'no' }),
    (_, key) => ({ code: -32000, text: 'no', data: (key.match(/\d{1,6}/g) ?? []).map(Number) }),
    (encoded) => ({ code: 3, text: 'execution reverted', data: `0x${hex(encoded)}` }),
    (encoded) => ({ code: 3, text: `execution reverted: ${encoded}`, data: '0x' }),
    (_, key) => ({ trouble: 'status', status: 429, retryAfter: Number(key.replace(/\D/g, '').slice(0, 12)) }),
  ];
  fc.assert(
    fc.property(keys, names, fc.constantFrom(...places), (key, name, place) => {
      const redact = createRedactor([`https://rpc.example/v1/${key}`]);
      const encoded = (encodings[name] as (text: string) => string)(key);
      const { error } = diagnose({ method: 'eth_call', ...place(encoded, key) }, redact);
      const { message, stack = '', data, service } = error;
      for (const each of [
        message,
        stack.split('\n')[0] ?? '',
        JSON.stringify(data ?? null),
        JSON.stringify(service ?? null),
      ])
        expect(shows(each, key)).toBe(false);
      expect(everythingIn(error)).not.toContain(key);
    }),
    { seed: 2, numRuns: 600 },
  );
});

test('texts without a key stay, whatever they say', () => {
  const redact = createRedactor([
    'https://rpc.testnet.rootstock.io/2a1bC0d3e4F5061728394a5b6c7d8e9f',
    'https://node.example/mainnet-archive/rootstock-execution-2?network=rootstock-mainnet',
  ]);
  for (const text of [
    'execution reverted: ERC20: transfer amount exceeds balance',
    'Rootstock execution failed on an archive node of the main net',
    'Error: VM Exception while processing transaction: revert 0x08c379a0',
    `0x${'a1b2c3d4'.repeat(200)}`,
    'nonce too low: next nonce 12345678, tx nonce 87654321',
    JSON.stringify({ blockHash: `0x${'9f'.repeat(32)}`, transactions: Array(50).fill('0x1234') }),
  ])
    expect(redact(text)).toBe(text);
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      expect(redact(text)).toBe(text);
    }),
    { seed: 3, numRuns: 500 },
  );
});

test('random hexadecimal and base64 of a mebibyte hide no key of another, and a key in them is found', () => {
  const key = 'f00dBabe0123456789abcdefCafeD00d';
  const detect = createKeyDetector([key]);
  let state = 7;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state;
  };
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const long = Array.from({ length: 2 ** 20 }, () => letters[(next() >>> 8) % 64]).join('');
  expect(detect(long)).toBe(false);
  expect(detect(`${long}${encodings['in base64']?.(key)}`)).toBe(true);
  const filler = long.slice(0, 2 ** 17);
  for (const name of ['in base64', 'in hexadecimal', 'in upper case', 'split by U+200b', 'reversed'])
    for (const at of [0, 3, 50_000, filler.length])
      expect([name, detect(filler.slice(0, at) + encodings[name]?.(key) + filler.slice(at))]).toEqual([
        name,
        true,
      ]);
});

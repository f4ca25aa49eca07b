import { owners, values } from '../../support/keys.js';
import type { Entry } from './bad-inputs.js';
import { vectors, wikipage } from './keystores.js';
import { rawOk, rawTransactions } from './raw-transactions.js';
import { typedData, write } from './typed-data.js';

/** What a table says in `$…` becomes the value it means. Nothing is evaluated: every expression has its row. */
const expressions: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  NaN: () => Number.NaN,
  '1n': () => 1n,
  '()=>1': () => () => 1,
  "()=>({method:'eth_chainId'})": () => () => ({ method: 'eth_chainId' }),
  "{method:{toString(){return 'eth_accounts'}}}": () => ({ method: { toString: () => 'eth_accounts' } }),
  "Symbol('x')": () => Symbol('x'),
  cyclicArray: () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    return cyclic;
  },
  "[,'latest']": () => {
    const sparse = new Array(2);
    sparse[1] = 'latest';
    return sparse;
  },
  'deepObject(20000)': () => nested(20_000),
  'recursive(20000)': () => nested(20_000),
  'manyTypes(1001)': () =>
    Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`T${i}`, [{ name: 'x', type: 'uint256' }]])),
  'Array(10001).fill(X)': () => new Array(10_001).fill(values.$X),
  "'0x'+'00'.repeat(131073)": () => `0x${'00'.repeat(131_073)}`,
  "'0x'+'60'.repeat(49153)": () => `0x${'60'.repeat(49_153)}`,
  "'a'.repeat(2**20)": () => 'a'.repeat(2 ** 20),
  'JSON.parse(\'{"__proto__":[]}\')': () => JSON.parse('{"__proto__":[]}'),
  'JSON.parse(\'{"amount":"1","__proto__":{"a":1}}\')': () =>
    JSON.parse('{"amount":"1","__proto__":{"a":1}}'),
  mutateAfterCall: () => [{ from: values.$A0, to: values.$X, value: '0x1', data: '0x' }],
};

function nested(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

/** A well-formed sign-in message of https://app.example, with what the table changes in it. */
function signInMessage(changes: Readonly<Record<string, string>> = {}): string {
  const { domain = 'app.example', chainId = '31', expirationTime, notBefore } = changes;
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    owners[0]?.address,
    '',
    'Sign in.',
    '',
    'URI: https://app.example/login',
    'Version: 1',
    `Chain ID: ${chainId}`,
    'Nonce: 32891756ab',
    'Issued At: 2026-01-02T03:04:05Z',
    ...(expirationTime ? [`Expiration Time: ${expirationTime}`] : []),
    ...(notBefore ? [`Not Before: ${notBefore}`] : []),
  ].join('\n');
}

function text(value: string, extra: Readonly<Record<string, unknown>>): unknown {
  if (Object.hasOwn(extra, value)) return extra[value];
  if (Object.hasOwn(values, value)) return values[value as keyof typeof values];
  if (value === '$TD_OK') return write(typedData());
  if (value === '$SIWE_MALFORMED')
    return 'app.example wants you to sign in with your Ethereum account:\nnobody in particular';
  if (value.startsWith('$SIWE from a cross-origin iframe')) return signInMessage();
  if (value.startsWith('$SIWE ')) {
    const [name, ...rest] = value.slice(6).split('=');
    return signInMessage({ [name as string]: rest.join('=') });
  }
  if (value.startsWith('$')) throw new Error(`The fixture has no ${value}`);
  return value;
}

/** The value that a table's value means. `extra`: what the situation knows. */
export function build(value: unknown, extra: Readonly<Record<string, unknown>> = {}): unknown {
  if (typeof value === 'string') return text(value, extra);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => build(item, extra));
  const { $js, $td, $keystore } = value as Record<string, unknown>;
  if (typeof $js === 'string') {
    const expression = expressions[$js];
    if (!expression) throw new Error(`The fixture has no ${$js}`);
    return expression();
  }
  if ($td !== undefined) return typedData(build($td, extra) as Record<string, unknown>);
  if ($keystore !== undefined) return patched(wikipage.json, $keystore as Record<string, unknown>);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, build(member, extra)]));
}

function patched(json: Readonly<Record<string, unknown>>, patch: Readonly<Record<string, unknown>>): string {
  const file = structuredClone(json) as Record<string, unknown>;
  for (const [path, value] of Object.entries(patch)) {
    const names = path.split('.');
    const last = names.pop() as string;
    let target = file;
    for (const name of names) target = target[name] as Record<string, unknown>;
    target[last] = value;
  }
  return JSON.stringify(file);
}

/** Params that a row leaves out because they do not matter to it. */
const usual: Readonly<Record<string, readonly unknown[]>> = {
  eth_getBalance: ['$A0', 'latest'],
  eth_getTransactionCount: ['$A0', 'latest'],
  eth_getTransactionReceipt: ['$HASH'],
  eth_getLogs: [{}],
  eth_call: [{ to: '$X' }, 'latest'],
  eth_getProof: ['$A0', ['$H32'], 'latest'],
  eth_sendRawTransaction: [rawOk],
  web3_sha3: ['0x68'],
};

/** One way to ask what a row asks. */
export interface Variant {
  readonly label: string;
  /** The argument of `request()`. */
  readonly request: unknown;
  readonly params: unknown;
}

/** Every way: typed data as text and as an object, a raw transaction in each spelling, each keystore file. */
export function variantsOf(entry: Entry, extra: Readonly<Record<string, unknown>> = {}): readonly Variant[] {
  if (entry.request !== undefined) {
    const request = build(entry.request, extra);
    return [{ label: 'as it stands', request, params: [] }];
  }
  const params = entry.params ?? usual[entry.method ?? ''] ?? [];
  return paramsOf(params, extra).map(([label, built]) => ({
    label,
    params: built,
    request: { method: entry.method, params: built },
  }));
}

function paramsOf(
  params: unknown,
  extra: Readonly<Record<string, unknown>>,
): readonly (readonly [label: string, params: unknown])[] {
  const [first, second] = Array.isArray(params) ? params : [];
  const raws = rawTransactions[first as string];
  if (raws) return raws.map((raw, i) => [`spelling ${i + 1}`, [raw]]);
  const vector = vectors[(first as { $keystore?: { $vector?: string } })?.$keystore?.$vector ?? ''];
  if (vector)
    return vector.map(({ json, password }, i) => [`file ${i + 1}`, [JSON.stringify(json), password]]);
  if ((second as { $td?: unknown })?.$td !== undefined) {
    const [from, data] = build(params, extra) as [unknown, unknown];
    return [
      ['as an object', [from, data]],
      ['as text', [from, write(data)]],
    ];
  }
  return [['as it stands', build(params, extra)]];
}

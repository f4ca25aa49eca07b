import { readFileSync } from 'node:fs';
import { keccak256 } from 'viem';
import { readSources } from '../../../support/modules.js';

/** What `pollution.test.ts` pollutes `Object.prototype` with, and the node that its page speaks to. */

const head = {
  number: '0x64',
  hash: `0x${'64'.repeat(32)}`,
  parentHash: `0x${'63'.repeat(32)}`,
  logsBloom: `0x${'00'.repeat(256)}`,
  transactions: [],
  minimumGasPrice: '0x387ee40',
  gasLimit: '0x67c280',
  gasUsed: '0x0',
  difficulty: '0x1',
  timestamp: '0x65000000',
  uncles: [],
};

const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

/** What the token of the page says of itself. */
const token: Record<string, string> = {
  '0x95d89b41': `0x${Buffer.from('TKN').toString('hex').padEnd(64, '0')}`,
  '0x313ce567': word(6n),
  '0x18160ddd': word(10n ** 15n),
  '0x70a08231': word(10n ** 9n),
};

interface Call {
  readonly to?: string;
  readonly data?: string;
}

/** A node that never moves; a contract at 0x…bad reverts. */
export function answer(chainId: number, method: string, params: readonly unknown[]): object {
  const { to, data = '' } = Object(params[0]) as Call;
  if (to?.endsWith('bad'))
    return {
      error: {
        code: -32015,
        message: 'VM Exception while processing transaction: transaction reverted',
        data: '0x',
      },
    };
  const answers: Record<string, unknown> = {
    eth_chainId: `0x${chainId.toString(16)}`,
    net_version: String(chainId),
    eth_blockNumber: '0x64',
    eth_gasPrice: '0x387ee40',
    eth_getBalance: '0x56bc75e2d63100000',
    eth_getTransactionCount: '0x3',
    eth_estimateGas: '0x5208',
    eth_call: token[data.slice(0, 10)] ?? '0x',
    eth_getCode: '0x',
    eth_getLogs: [],
    eth_getBlockByNumber: head,
    eth_getBlockByHash: head,
    eth_sendRawTransaction: method === 'eth_sendRawTransaction' && keccak256(params[0] as `0x${string}`),
  };
  return { result: answers[method] ?? null };
}

/** Every name of a property of ours that may be missing, some that may not, and those of the platform's dictionaries. */
const optional = readSources()
  .filter(({ path }) => !path.startsWith('local/'))
  .flatMap(({ source }) =>
    [...readFileSync(source, 'utf8').matchAll(/\b(\w+)(?:\?:|: [^;:{}]*\| undefined;)|'(\w+)' in /g)].map(
      ([, option, member]) => option ?? (member as string),
    ),
  );
const required =
  'accounts address approved chainId code data from gas gasPrice kind locked method name networks nonce origin params permissions raw subject to type url urls value warnings'.split(
    ' ',
  );
const platform =
  'additionalData ascending assignedSlot attributeFilter autofocus body bubbles cache calendar cancelable capture characterData composed configurable credentials dateStyle delegatesFocus detail durability endings enumerable extractable fatal hash headers hour12 ifAvailable ignoreBOM integrity iterations iv keepalive length method mode numberingSystem once passive priority redirect referrer referrerPolicy root rootMargin salt serializable signal slotAssignment steal subtree tagLength timeZone transfer type usages window writable'.split(
    ' ',
  );
export const names = [...new Set([...optional, ...required, ...platform])].sort();

/** What a name is polluted with that would be an option of ours of the right type. */
const special: Record<string, string> = {
  chainId: '1',
  origin: '"https://bank.example"',
  approver: '() => ({ ask: async () => ({ approved: true }) })',
  storage:
    '({ get: async () => undefined, all: async () => [], update: async () => undefined, put: async () => {}, close() {} })',
  memory: '({ read: () => null, write() {}, watch: () => () => {} })',
  signal: 'AbortSignal.abort()',
  url: '"https://evil.example/key"',
  to: '"0x000000000000000000000000000000000000dead"',
  from: '"0x000000000000000000000000000000000000dead"',
  data: '"0xdeadbeef"',
  value: '"0xffff"',
  nonce: '"0x5"',
  gas: '"0x5209"',
  gasPrice: '"0x387ee41"',
  refuse: '["personal_sign", "eth_sendTransaction"]',
  signIn: '"warn"',
  lockAfter: '1',
  idleTimeout: '1',
  absoluteTimeout: '1',
  fetch: '() => Promise.reject(new Error("taken"))',
  random: '(length) => new Uint8Array(length)',
  randomBytes: '(length) => new Uint8Array(length)',
  kdf: '({ name: "pbkdf2-sha256", c: 1 })',
  describeRevert: '() => "taken"',
  once: 'true',
  tagLength: '32',
  length: '8',
  redirect: '"follow"',
  push: '"wss://evil.example/key"',
  poll: '"filter"',
  live: 'true',
  // The second account of the page, which is offered and not chosen.
  accounts: '["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"]',
};

/** A name and the source of its value. */
export type Entry = readonly [name: string, value: string];

/** Names with a value each: three times plain data, as a hole in a merging function writes it; then {@link special}. */
export const rounds: Readonly<Record<string, readonly Entry[]>> = {
  'a word': names.map((name) => [name, '"polluted"']),
  'a number': names.map((name) => [name, '7']),
  'an object': names.map((name) => [name, '({})']),
  'values of the right type': Object.entries(special),
};

/** Runs in the page: what it does is what a hole in the page does. */
export const pollute = (entries: readonly Entry[]) =>
  `for (const [name, value] of [${entries.map(([name, value]) => `[${JSON.stringify(name)}, ${value}]`).join()}])
     Object.defineProperty(Object.prototype, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });`;

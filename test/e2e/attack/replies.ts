import { spoilJson, spoilText } from './mutations.js';
import { jsonPoison } from './poison.js';
import type { Random } from './random.js';

/** One spoilt reply. `$ID` in its body is the id of the request. */
export interface Spoilt {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What happens instead of a reply, or in its middle. */
  readonly accident?: 'refused' | 'silent' | 'throws' | 'breaks' | 'slow';
}

const statuses = [
  200, 201, 204, 206, 301, 302, 304, 400, 401, 403, 404, 408, 413, 418, 429, 500, 502, 503, 504,
];
const codes = [
  -32700, -32600, -32601, -32602, -32603, -32000, -32001, -32002, -32003, -32005, -32010, -32011,
];
const otherCodes = [
  -32012, -32015, -32016, -32201, -32604, -33000, 3, 0, 1, -1, 429, 4001, 4100, 4200, 4900, 4902,
];

/** Of docs/notes/node.md#replies, geth and providers; each may come with any code. */
const messages = (key: string): readonly string[] => [
  'VM Exception while processing transaction: revert no',
  'VM Exception while processing transaction: transaction reverted',
  'execution reverted: no',
  'Execution has got timeout out.',
  'Cannot query more than 5000 blocks at once',
  'Filter returned more than 20000 logs.',
  'Response size limit of 10485760 bytes exceeded',
  'filter not found',
  'pending transaction with same hash already exists',
  'transaction nonce too low',
  'insufficient funds',
  'Internal server error',
  'Monthly capacity limit exceeded.',
  'Must be authenticated!',
  'header not found',
  '',
  `no such key: ${key}`,
  `POST https://${key}.example/v2/${key} failed`,
  'x'.repeat(3_000),
  '\u202e\u0000\ud800',
];

export function spoilReply(body: string, random: Random, key: string): Spoilt {
  const plain = { body, status: 200, headers: {} };
  const ways: readonly [weight: number, () => Spoilt][] = [
    [10, () => ({ ...plain, body: inResult(body, random) })],
    [4, () => ({ ...plain, body: inEnvelope(body, random) })],
    [
      4,
      () => ({
        ...plain,
        body: asError(random, key),
        status: random.chance(0.5) ? 200 : random.pick(statuses),
      }),
    ],
    [3, () => ({ ...plain, body: spoilText(body, random) })],
    [2, () => ({ ...plain, status: random.pick(statuses), headers: headersOf(random) })],
    [1, () => ({ ...plain, headers: headersOf(random) })],
    [
      1,
      () => ({ ...plain, accident: random.pick(['refused', 'silent', 'throws', 'breaks', 'slow'] as const) }),
    ],
  ];
  const total = ways.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.below(total);
  for (const [weight, way] of ways) {
    left -= weight;
    if (left < 0) return way();
  }
  return plain;
}

/** `$ID` is no JSON: it stands for itself while the reply is taken apart. */
const open = (body: string) => JSON.parse(body.replace('$ID', '"$ID"')) as Record<string, unknown>;
const close = (reply: unknown) => (JSON.stringify(reply) ?? '').replace('"$ID"', '$ID');

function inResult(body: string, random: Random): string {
  const reply = open(body);
  return close({ ...reply, result: spoilJson(reply.result ?? null, random) });
}

function inEnvelope(body: string, random: Random): string {
  const { jsonrpc, id, ...rest } = open(body);
  const ids = ['$ID', '$ID', 0, -1, 2, null, '$id', '1', 1e21, true, {}, []];
  return close({
    ...(random.chance(0.8) && { jsonrpc: random.chance(0.6) ? jsonrpc : jsonPoison(random) }),
    ...(random.chance(0.8) && { id: random.chance(0.4) ? id : random.pick(ids) }),
    ...(random.chance(0.8) && rest),
    ...(random.chance(0.3) && { error: jsonPoison(random) }),
    ...(random.chance(0.2) && { method: 'eth_subscription', params: {} }),
  });
}

function asError(random: Random, key: string): string {
  const error = {
    code: random.chance(0.85) ? random.pick([...codes, ...otherCodes]) : jsonPoison(random),
    message: random.chance(0.85) ? random.pick(messages(key)) : jsonPoison(random),
    ...(random.chance(0.5) && { data: random.chance(0.5) ? jsonPoison(random) : dataOf(random, key) }),
  };
  const id = random.chance(0.7) ? '$ID' : random.pick([null, 'null', 7]);
  return close(random.chance(0.2) ? { error } : { jsonrpc: '2.0', id, error });
}

const word = (value: number) => value.toString(16).padStart(64, '0');

const dataOf = (random: Random, key: string): unknown =>
  random.pick([
    '0x',
    `0x08c379a0${word(32)}${word(2)}${'6e6f'.padEnd(64, '0')}`,
    `0x08c379a0${word(32)}${word(2 ** 30)}`,
    `0x08c379a0${'f'.repeat(128)}`,
    `0x4e487b71${word(0x11)}`,
    `0x4e487b71`,
    `0x08c379a0${word(32)}${word(key.length)}${Buffer.from(key).toString('hex').padEnd(64, '0')}`,
    { url: `https://x/${key}`, deep: [{ [key]: encodeURIComponent(key) }] },
    `Reverted 0x08c379a0${word(1)}`,
    'x'.repeat(10_000),
  ]);

const headersOf = (random: Random): Record<string, string> => ({
  'content-type': random.pick(['application/json', 'text/html', 'text/plain; charset=utf-16', 'x', '']),
  ...(random.chance(0.6) && {
    'retry-after': random.pick([
      '0',
      '1',
      '-1',
      '99999999999',
      'soon',
      'Wed, 21 Oct 2065 07:28:00 GMT',
      '1e9',
      '',
    ]),
  }),
  ...(random.chance(0.2) && { location: 'https://elsewhere.example/' }),
  ...(random.chance(0.2) && { 'content-length': random.pick(['0', '5', '-1', '99999999']) }),
  ...(random.chance(0.2) && { 'content-encoding': random.pick(['gzip', 'br', 'x']) }),
});

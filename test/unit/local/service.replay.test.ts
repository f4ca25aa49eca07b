import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, rawExchange } from './replay/client.js';
import { byForm, compare } from './replay/compare.js';
import { type Recorded, readRecording, recordingNames } from './replay/recordings.js';
import { autoMineScene, firstScene, type Scene, secondScene } from './replay/scenes.js';

/**
 * Sends every request that was recorded on a running node to the local service in its node dialect, over HTTP. Each reply
 * must equal the node's in status, error code and message, and every field and value. Hashes that differ between the
 * chains are mapped (`names.ts`), and some values are compared by form (`byForm`).
 */

/** Replies of the local service that differ from the node's. The list is exact: everything on it differs, nothing else does. */
const differing: readonly { readonly reason: string; readonly where: readonly string[] }[] = [
  {
    reason:
      'The EVM keeps its receipts in a trie of Ethereum’s; the nodes of the node’s own trie cannot be had of it.',
    where: ['methods#62 rsk_getTransactionReceiptNodesByHash'],
  },
];

const scenes: readonly [name: string, start: () => Promise<Scene>][] = [
  ['a chain of 255 blocks', firstScene],
  ['a chain of 5,628 blocks', secondScene],
  ['a node that mines each transaction', autoMineScene],
];

const found = new Map<string, string[]>();
const waived = new Set<string>();
const replayed = new Set<string>();

/** Bodies that the recordings only describe. */
const described: Readonly<Record<string, () => string>> = {
  '(51 × eth_chainId)': () => batchOf(51, 'eth_chainId', []),
  '(50 × eth_chainId)': () => batchOf(50, 'eth_chainId', []),
  '(50 × eth_call fLoop)': () =>
    batchOf(50, 'eth_call', [
      { to: readRecording('limits').about.context.contract, data: '0x6db18f79' },
      'latest',
    ]),
  '(eth_call with 2,700,000 bytes of data)': () =>
    callOf('eth_call', [{ data: `0x${'00'.repeat(2_700_000)}` }, 'latest']),
};

const callOf = (method: string, params: readonly unknown[], id = 7) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const batchOf = (count: number, method: string, params: readonly unknown[]) =>
  `[${Array.from({ length: count }, (_, id) => callOf(method, params, id)).join()}]`;

function bodyOf({ request, body, reply }: Recorded, at: string, { names, params }: Scene): string {
  if (request) {
    const { method, params: given } = names.translate(request);
    return callOf(method, params[at]?.() ?? given, reply.id);
  }
  if (typeof body !== 'string') return JSON.stringify(names.translate(body));
  return described[body]?.() ?? body;
}

/** The reply to a batch in the recorder's form: the number of replies, or the beginning of the text. */
function noted(reply: unknown, like: unknown): unknown {
  if (!Array.isArray(reply)) return reply;
  if (typeof like === 'number') return reply.length;
  return typeof like === 'string' ? JSON.stringify(reply).slice(0, like.length) : reply;
}

/** Maps the ids of filters and the block hashes that they report. */
function learnFrom({ request, reply }: Recorded, own: unknown, names: Scene['names']): void {
  names.learn(reply, own);
  const [here, there] = [reply?.result, (own as Reply | null)?.result];
  const method = request?.method ?? '';
  if (/^eth_new.*Filter$/.test(method) && typeof here === 'string' && typeof there === 'string')
    names.pair(here, there);
  if (method !== 'eth_getFilterChanges' || !Array.isArray(here) || !Array.isArray(there)) return;
  for (const [index, hash] of here.entries())
    if (typeof hash === 'string' && typeof there[index] === 'string') names.pair(hash, there[index]);
}

interface Reply {
  readonly result?: unknown;
}

async function replayOne(recorded: Recorded, at: string, scene: Scene): Promise<string[]> {
  const { service, names } = scene;
  const { status, headers } = recorded;
  const summary = scene.summaries[at];
  if (summary) return compare(recorded, recorded.reply, await summary(), (rule) => waived.add(rule));
  const body = bodyOf(recorded, at, scene);
  if (typeof status === 'string') {
    const bytes = await rawExchange(service.url, body, recorded);
    return compare(recorded, recorded.reply, bytes, (rule) => waived.add(rule));
  }
  const seen = await exchange(service.url, body, recorded);
  const reply = noted(seen.reply, recorded.reply);
  learnFrom(recorded, reply, names);
  const node = { status, reply: names.translate(recorded.reply), ...(headers && { headers }) };
  const local = { status: seen.status, reply, ...(headers && { headers: seen.headers }) };
  return compare(recorded, node, local, (rule) => waived.add(rule));
}

async function replay(part: string, scene: Scene): Promise<void> {
  const [file = '', range] = part.split(':');
  const { items } = readRecording(file);
  const [from = 0, to = items.length] = range?.split('-').map(Number) ?? [];
  for (const [index, recorded] of [...items.entries()].slice(from, to)) {
    const at = `${file}#${index}`;
    await scene.before[at]?.();
    const different = await replayOne(recorded, at, scene);
    replayed.add(at);
    if (different.length > 0) found.set(`${at} ${recorded.name ?? recorded.request?.method}`, different);
  }
}

describe.each(scenes)('%s', (_, start) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await start();
  }, 60_000);
  afterAll(() => scene?.service.close());

  test('every recorded request gets the node’s reply, or is on the list', async () => {
    found.clear();
    for (const part of scene.order) await replay(part, scene);
    const files = scene.order.map((part) => part.split(':')[0]);
    const listed = differing.flatMap(({ where }) => where).filter((at) => files.includes(at.split('#')[0]));
    const unlisted = [...found].filter(([at]) => !listed.includes(at));
    expect(Object.fromEntries(unlisted)).toEqual({});
    expect([...found.keys()]).toEqual(listed);
  }, 120_000);
});

test('every recording was replayed, and every rule of comparison was needed', () => {
  const all = recordingNames().flatMap((file) =>
    readRecording(file).items.map((_, index) => `${file}#${index}`),
  );
  expect([...replayed].sort()).toEqual(all.sort());
  expect(all.length).toBe(737);
  expect([...waived].sort()).toEqual([...Object.keys(byForm.fields), ...Object.keys(byForm.replies)].sort());
});

import { exchange, rawExchange } from './client.js';
import { compare, type Rules } from './compare.js';
import { type Recorded, readRecording } from './recordings.js';
import type { Scene } from './scene.js';

/** The outcome of replays. */
export interface Outcome {
  readonly rules: Rules;
  /** Differences by `file#index name`. */
  readonly found: Map<string, readonly string[]>;
  /** Rules of comparison that were needed. */
  readonly waived: Set<string>;
  /** Replayed items, by `file#index`. */
  readonly replayed: Set<string>;
}

export const newOutcome = (rules: Rules): Outcome => ({
  rules,
  found: new Map(),
  waived: new Set(),
  replayed: new Set(),
});

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

async function replayOne(
  recorded: Recorded,
  at: string,
  scene: Scene,
  { rules, waived }: Outcome,
): Promise<string[]> {
  const { service, names } = scene;
  const how = { rules, waived: (rule: string) => waived.add(rule) };
  const { status, headers } = recorded;
  const summary = scene.summaries[at];
  if (summary) return compare(recorded, recorded.reply, await summary(), how);
  const body = scene.bodies?.[at] ?? bodyOf(recorded, at, scene);
  if (typeof status === 'string') {
    const bytes = await rawExchange(service.url, body, recorded);
    return compare(recorded, recorded.reply, bytes, how);
  }
  const seen = await exchange(service.url, body, recorded);
  const reply = noted(seen.reply, recorded.reply);
  learnFrom(recorded, reply, names);
  const node = { status, reply: names.translate(recorded.reply), ...(headers && { headers }) };
  const local = { status: seen.status, reply, ...(headers && { headers: seen.headers }) };
  return compare(recorded, node, local, how);
}

/** Sends the requests of a part (`file` or `file:from-to`) and adds what differs to the outcome. */
async function replayPart(part: string, scene: Scene, outcome: Outcome): Promise<void> {
  const { found, replayed } = outcome;
  const [file = '', range] = part.split(':');
  const { items } = readRecording(file);
  const [from = 0, to = items.length] = range?.split('-').map(Number) ?? [];
  for (const [index, recorded] of [...items.entries()].slice(from, to)) {
    const at = `${file}#${index}`;
    if (scene.skipped?.includes(at)) continue;
    await scene.before[at]?.();
    const different = await replayOne(recorded, at, scene, outcome);
    replayed.add(at);
    if (different.length > 0) found.set(`${at} ${recorded.name ?? recorded.request?.method}`, different);
  }
}

/** Sends every recorded request of a scene and compares the replies. */
export async function replay(scene: Scene, outcome: Outcome): Promise<void> {
  for (const part of scene.order) await replayPart(part, scene, outcome);
}

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { isSend } from '../../../../src/rpc/method-facts/wallet-facts.js';
import { createRedactor } from '../../../../src/service/redact.js';
import { postCall } from './chain.js';

/**
 * A service of which a recording is made, or which is one.
 *
 * @example
 * const tape = await openTape('swap.json');
 * const wallet = await installWallet(page, { chain: { chainId: 31, url: tape.url } });
 * await page.goto('http://127.0.0.1:3000');
 * console.log(tape.missing);
 * await tape.close();
 */
export interface Tape {
  /** For the network of a wallet. Has no API key. */
  readonly url: string;
  /** The requests of a replay that are not on the tape, each as `method [params]`. The page got an error for each. */
  readonly missing: readonly string[];
  /**
   * Writes the file, when recording.
   * @throws Error when replaying, that names the requests which are not on the tape. Those that came after the end of the
   * tape, when everything after the last transaction had been requested again, are in `missing` only: a replay may run
   * longer than its recording
   */
  close(): Promise<void>;
}

/** The file: the answers to each request, between two transactions that were sent. */
interface Recording {
  /** The answers of a part follow the n-th transaction that was sent; the first part comes before all. */
  readonly parts: Record<string, Reply[]>[];
  /** Final receipts of the transactions whose receipt is in no part. */
  readonly receipts?: Record<string, Reply[]> | undefined;
}

/** `result` or `error` of a JSON-RPC reply. */
type Reply = { readonly result: unknown } | { readonly error: unknown };

interface Call {
  readonly id?: unknown | undefined;
  readonly method: string;
  readonly params?: unknown | undefined;
}

/**
 * Opens a tape of a service's answers: with `record` it passes requests on and notes the answers, without it answers from
 * the file, and no chain is needed. Both serve JSON-RPC on 127.0.0.1.
 *
 * Two requests are the same if their method and params are equal. Between two transactions a request gets the answers that
 * were recorded there, in order. After the last of them it gets that one again, so that a replay may poll more often than
 * the recording. When a recording is closed, it also reads the receipt of each transaction that the page has not requested,
 * because a slower replay may request it.
 *
 * Neither the URL of the service nor any part of it, such as an API key, is in the file, even where the service repeats
 * it.
 *
 * @example
 * const source = process.env.RECORD_FROM; // the URL of a service
 * const tape = await openTape('swap.json', source ? { record: source } : {});
 * const wallet = await installWallet(page, { chain: { chainId: 31, url: tape.url } });
 * // …
 * await tape.close();
 *
 * @throws Error if there is no such file to replay
 */
export async function openTape(file: string, options: openTape.Options = {}): Promise<Tape> {
  const { record } = options;
  const source = record === undefined ? await replay(file) : recorder(file, record);
  const answer = async (call: Call) => ({
    jsonrpc: '2.0',
    id: call.id ?? null,
    ...(await source.answer(call)),
  });
  const serve = async (body: Call | readonly Call[]) =>
    JSON.stringify(Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body as Call));
  const server = createServer(async (request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'content-type');
    if (request.method !== 'POST') return void response.writeHead(204).end();
    response.setHeader('content-type', 'application/json');
    await serve(JSON.parse(await text(request))).then(
      (reply) => response.end(reply),
      // The service that is recorded did not answer, or not with JSON.
      () => response.writeHead(502).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tape`,
    missing: source.missing,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await source.end();
    },
  };
}

export declare namespace openTape {
  /** The options of {@link openTape}. */
  interface Options {
    /** The URL of the service to record. Default: the file is replayed. */
    readonly record?: string | undefined;
  }
}

type Source = Awaited<ReturnType<typeof replay>>;

const keyOf = ({ method, params = [] }: Call): string => `${method} ${JSON.stringify(params)}`;

function recorder(file: string, url: string): Source {
  const parts: Record<string, Reply[]>[] = [{}];
  // Unlimited: the developer's own service is recorded, long results included.
  const redact = createRedactor([url], Number.POSITIVE_INFINITY);
  const request = async ({ method, params = [] }: Call): Promise<Reply> => {
    const response = await postCall(url, method, params);
    const { result = null, error } = JSON.parse(redact(await response.text()));
    return error === undefined ? { result } : { error };
  };
  const isRecorded = (key: string) => parts.some((part) => part[key]);
  /** Hashes of the transactions that were sent. */
  const hashes: unknown[] = [];
  /** Reads the receipts that the page has not requested. */
  const receipts = async () => {
    const added: Record<string, Reply[]> = {};
    for (const hash of hashes) {
      const call = { method: 'eth_getTransactionReceipt', params: [hash] };
      if (isRecorded(keyOf(call))) continue;
      // A service that was stopped before the tape was closed has no receipts to add.
      const reply = await request(call).catch(() => undefined);
      if (reply) added[keyOf(call)] = [reply];
    }
    return added;
  };
  return {
    missing: [],
    async answer(call) {
      const reply = await request(call);
      const key = keyOf(call);
      if (isSend(call.method)) {
        // The same transaction sent again begins no part: whether a wallet sends it again depends on time.
        if (!isRecorded(key)) parts.push({});
        if ('result' in reply) hashes.push(reply.result);
      }
      const part = parts[parts.length - 1] as Record<string, Reply[]>;
      part[key] = [...(part[key] ?? []), reply];
      return reply;
    },
    async end() {
      const recording: Recording = { parts, receipts: await receipts() };
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify(recording, null, 1)}\n`);
    },
  };
}

async function replay(file: string) {
  const recorded = await readFile(file, 'utf8').catch((cause: unknown) => {
    const message = `There is no tape ${file}. Record it: openTape(file, { record: 'the URL of a service' })`;
    throw new Error(message, { cause });
  });
  const { parts, receipts = {} }: Recording = JSON.parse(recorded);
  const missing: string[] = [];
  /** Those of `missing` that came before the end of the tape. */
  const faults = new Set<string>();
  const used = new Map<Reply[], number>();
  let sent = 0;
  const allParts = [...parts, receipts];
  /** The answers of this part; else the last one before, else the first one after. */
  const find = (key: string): Reply | undefined => {
    const here = parts[sent]?.[key];
    if (here) {
      const count = used.get(here) ?? 0;
      used.set(here, count + 1);
      return here[Math.min(count, here.length - 1)];
    }
    const before = parts.slice(0, sent).findLast((part) => part[key])?.[key];
    return before?.at(-1) ?? allParts.slice(sent + 1).find((part) => part[key])?.[key]?.[0];
  };
  /** Whether each request of the last part has been answered. */
  const isAtEnd = () => Object.values(parts.at(-1) ?? {}).every((replies) => used.has(replies));
  return {
    missing,
    async answer(call: Call): Promise<Reply> {
      if (isSend(call.method) && parts[sent + 1]?.[keyOf(call)]) sent++;
      const reply = find(keyOf(call));
      if (reply) return reply;
      missing.push(keyOf(call));
      if (!isAtEnd()) faults.add(keyOf(call));
      return { error: { code: -32000, message: `Not on the tape: ${keyOf(call)}` } };
    },
    async end(): Promise<void> {
      if (faults.size > 0)
        throw new Error(`Not on the tape ${file}, record it again:\n${[...faults].join('\n')}`);
    },
  };
}

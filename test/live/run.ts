import { headless } from '../../packages/kit/src/testing/index.js';
import type { Question } from '../../src/index.js';
import { openWallet } from '../support/open-wallet.js';
import { type Check, clientChecks, walletChecks } from './checks.js';
import { createCounting } from './counting.js';
import { proofChecks } from './proof.js';
import { takeSample } from './sample.js';
import { sendChecks } from './send.js';
import { type Topic, topics } from './topics.js';
import { createWire } from './wire.js';

/** Most HTTP requests of one run, whatever happens. */
export const limit = 200;

export interface Report {
  /** The printed lines, without the keys of the service and of the account. */
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
  /** Checks that the limit on requests has kept from running: neither passed nor failed. */
  readonly notRun: readonly string[];
  /** HTTP requests that were sent. */
  readonly requests: number;
}

export interface LiveOptions {
  /** The service, with its key as the last segment of the path. */
  readonly url: string;
  /** The private key of an account with coins; with it the run sends transactions. */
  readonly fundedKey?: `0x${string}`;
  /** Milliseconds for which blocks are watched. Default 3,000. */
  readonly watch?: number;
  /** Milliseconds between two polls of a receipt. Default 10,000. */
  readonly interval?: number;
  /** Most HTTP requests. Default {@link limit}. */
  readonly most?: number;
}

/**
 * Asks a real node what the seed and docs/notes/node.md#the-node say of it, then everything that a dapp reads through the wallet and
 * its libraries. Read-only without `fundedKey`.
 *
 * `globalThis.fetch` is replaced by one that counts during the run.
 */
export async function runLive(options: LiveOptions): Promise<Report> {
  const { url, fundedKey, watch = 3_000, interval = 10_000, most = limit } = options;
  const counting = createCounting(most);
  /** What the limit has kept from running. */
  const notRun: string[] = [];
  const platform = globalThis.fetch;
  globalThis.fetch = counting.fetch;
  const lines: string[] = [];
  let [passed, failed] = [0, 0];
  const judge = (holds: boolean) => (holds ? passed++ : failed++);

  try {
    const wire = createWire(url, counting.fetch);
    const sample = await takeSample(wire);
    lines.push(`Chain ${sample.chainId}, block ${sample.height}.`, '');

    const rows: string[][] = [];
    let silent = 0;
    for (const topic of topics) {
      const answer = await topic.ask(wire, sample);
      if (answer === null) {
        silent++;
        continue;
      }
      const { bySeed, byFacts } = compare(topic, answer);
      judge(bySeed !== false || byFacts === true);
      if (bySeed === false || byFacts === false)
        rows.push([topic.name, say(topic.seed), say(topic.facts), answer]);
    }
    lines.push(`Of ${topics.length - silent} topics this node differs in ${rows.length}:`, '');
    lines.push(...table([['Topic', 'Seed says', 'Node-facts say', 'This node answers'], ...rows]), '');

    const password = crypto.randomUUID();
    let answer: (question: Question) => boolean = () => true;
    const decide = (next: typeof answer) => {
      answer = next;
    };
    const wallet = openWallet({
      networks: [networkOf(sample.chainId, url)],
      origin: 'https://live.example',
      approver: () => headless({ password, answer: (question) => answer(question) }),
      pollingInterval: 15_000,
    });
    const { provider } = wallet;
    const page = { provider, sample, watch };
    const checks: readonly Check[] = [
      ...walletChecks(page),
      ...clientChecks(page),
      ...proofChecks(networkOf(sample.chainId, url), sample),
      ...(fundedKey ? sendChecks({ wallet, key: fundedKey, password, counting, interval, decide }) : []),
    ];
    try {
      for (const { name, run } of checks) {
        // The wallet takes a request that was not sent for a service that cannot be reached.
        if (counting.isSpent()) {
          notRun.push(name);
          continue;
        }
        const fault = await run().then(() => null, shortly);
        if (fault !== null && counting.isSpent()) {
          notRun.push(name);
          continue;
        }
        judge(fault === null);
        if (fault !== null) lines.push(`failed: ${name}: ${fault}`);
      }
    } finally {
      wallet.destroy();
    }
    lines.push(`Through the wallet: ${checks.length} reads${fundedKey ? ' and sends' : ''}.`);
  } catch (error) {
    if (counting.isSpent()) notRun.push('everything after it');
    else {
      failed++;
      lines.push(`failed: ${shortly(error)}`);
    }
  } finally {
    globalThis.fetch = platform;
  }
  if (notRun.length > 0)
    lines.push(`not run, because this run sends at most ${most} requests: ${notRun.join(', ')}.`);
  lines.push(
    `${counting.count()} of at most ${most} requests.`,
    `${passed} passed, ${failed} failed${notRun.length > 0 ? `, ${notRun.length} not run` : ''}`,
  );
  // Nothing here should hold them. A person may show this to others: they are taken out all the same.
  const secrets = [url, new URL(url).pathname.slice(1), fundedKey, fundedKey?.slice(2)];
  return {
    lines: lines.map((line) => without(line, secrets)),
    passed,
    failed,
    notRun,
    requests: counting.count(),
  };
}

/** Whether the answer is as each document describes it; `undefined` where it does not. */
function compare({ seed, facts }: Topic, answer: string) {
  const agrees = (says: readonly string[] | null) => says?.includes(answer);
  return { bySeed: agrees(seed), byFacts: agrees(facts) };
}

const say = (says: readonly string[] | null): string => says?.join(' or ') ?? '(not shown)';

function networkOf(chainId: number, url: string) {
  if ([30, 31, 33].includes(chainId)) return { chainId, url };
  return {
    chainId,
    url,
    name: `Chain ${chainId}`,
    currency: { name: 'Rootstock Bitcoin', symbol: 'RBTC', decimals: 18 },
  };
}

const shortly = (error: unknown): string => {
  const { shortMessage, message, code } = (error ?? {}) as Record<
    'shortMessage' | 'message' | 'code',
    unknown
  >;
  const text = String(shortMessage ?? message ?? error).split('\n')[0] ?? '';
  return `${text.slice(0, 200)}${code === undefined ? '' : ` (${String(code)})`}`;
};

function without(line: string, secrets: readonly (string | undefined)[]): string {
  let text = line;
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '…');
  return text;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.flatMap((row, index) => {
    const line = `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
    return index === 0 ? [line, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`] : [line];
  });
}

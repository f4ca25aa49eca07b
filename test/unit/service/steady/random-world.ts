import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import type { Hash, Log } from '../../../../src/rpc/schema.js';
import type { Service } from '../../../../src/service/service.js';
import { createSettling } from '../../../../src/service/steady/settling.js';
import { createSteadyService } from '../../../../src/service/steady/steady-service.js';
import { createBalancedNodes, type NodeBlock } from '../../../support/balanced-nodes.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { createRandom } from '../../../support/random.js';

/** The result of one run. */
export interface WorldReport {
  readonly reads: number;
  /** Reads that failed because no node had caught up. */
  readonly behind: number;
  /** Requests that reached the nodes. */
  readonly requests: number;
  readonly reorgs: number;
  /** Reads of the newest state and of logs whose answer no other node could have given otherwise. */
  readonly certain: number;
  /** Answers that took back what was shown, or showed a branch long after all nodes had left it. */
  readonly wrong: readonly string[];
}

/**
 * Three nodes of different heights behind one URL: blocks, reorganisations, races of two heads, nodes that die and come back,
 * and two tabs that read at random. Each answer is compared with what the same tab was shown of the chain that still stands.
 */
export async function runWorld(seed: number): Promise<WorldReport> {
  const random = createRandom(seed);
  const upTo = (max: number) => Math.floor(random() * (max + 1));
  const chance = (share: number) => random() < share;
  const nodes = createBalancedNodes({ count: 3 });
  const time = createFakeClock();
  const { now } = time.clock;
  let transactions = 0;
  const mined = () => ({
    transactions: Array.from({ length: upTo(2) + 1 }, () => ++transactions),
    logs: Array.from({ length: upTo(2) }, () => upTo(3)),
  });
  nodes.grow(3, { transactions: [] });

  /** The newest block of the network; a node follows it with its lag in blocks, after some time. */
  let truth = nodes.tips[0] as NodeBlock;
  const lags = [0, 0, 0];
  /** Until when a node has a block of its own. */
  const racing = [0, 0, 0];
  const isDown = [false, false, false];
  /** When the last node left the branch that a hash is on; absent while some node has it. */
  const leftAt = new Map<Hash, number>();
  let reorgs = 0;

  const at = (chain: readonly NodeBlock[], height: number) =>
    chain[Math.min(height, chain.length - 1)] as NodeBlock;
  const isIn = (chain: readonly NodeBlock[], hash: unknown) => chain.some((block) => block.hash === hash);

  function follow(): void {
    const chain = nodes.chainOf(truth);
    for (const [index, tip] of nodes.tips.entries()) {
      if ((racing[index] as number) > now()) continue;
      const next = at(chain, chain.length - 1 - (lags[index] as number));
      // A node on the chain does not go back.
      if (!isIn(chain, tip.hash) || Number(next.number) > Number(tip.number)) nodes.tips[index] = next;
    }
    for (const [hash] of shownBy) {
      const isHad = nodes.tips.some((tip) => isIn(nodes.chainOf(tip), hash));
      if (isHad) leftAt.delete(hash);
      else if (!leftAt.has(hash)) leftAt.set(hash, now());
    }
  }

  let turn = 0;
  let sticky = 0;
  const policy = upTo(2);
  nodes.route(() => {
    const candidate = policy === 0 ? turn++ % 3 : policy === 1 ? upTo(2) : sticky;
    return candidate;
  });
  nodes.intercept((_method, _params, node) => {
    if (isDown[node]) throw new ProviderRpcError(-32002, 'The service could not be reached');
  });

  const shownBy = new Map<Hash, NodeBlock>();
  const wrong: string[] = [];
  let reads = 0;
  let behind = 0;
  let certain = 0;

  function change(): void {
    const happening = random();
    if (happening < 0.45) truth = nodes.mine(truth, mined());
    else if (happening < 0.55) {
      // A longer branch replaces the newest blocks.
      const chain = nodes.chainOf(truth);
      const depth = Math.min(1 + upTo(2), chain.length - 3);
      let tip = at(chain, chain.length - 1 - depth);
      for (let i = 0; i <= depth; i++) tip = nodes.mine(tip, mined());
      truth = tip;
      reorgs += 1;
    } else if (happening < 0.63) {
      // One node has another newest block for a while, too short for five answers in a row, or four of eight.
      const index = upTo(2);
      const chain = nodes.chainOf(truth);
      nodes.tips[index] = nodes.mine(at(chain, chain.length - 2), mined());
      racing[index] = now() + upTo(longestRace);
    } else if (happening < 0.73) {
      const index = upTo(2);
      isDown[index] = !isDown[index] && isDown.filter(Boolean).length < 2;
    } else lags[upTo(2)] = upTo(3);
    // One node has the newest block.
    if (lags.every((lag, index) => lag > 0 || isDown[index])) lags[Math.max(0, isDown.indexOf(false))] = 0;
    sticky = chance(0.3) ? upTo(2) : sticky;
  }

  function createTab(name: string) {
    /** When an answer last reached the highest block that was shown. */
    let reachedAt = now();
    let highest = 0;
    const reach = (result: unknown) => {
      const { number, blockNumber } = Object(result) as Record<string, unknown>;
      const height = Number(number ?? blockNumber ?? result);
      if (height >= highest) [highest, reachedAt] = [height, now()];
    };
    const service: Service = {
      ...nodes.service,
      async request(...call) {
        const result = await nodes.service.request(...call);
        if (/^eth_(blockNumber|getBlock|getTransaction(ByHash|Receipt))/.test(call[0])) reach(result);
        return result;
      },
    };
    const steady = createSteadyService({ service, clock: time.clock, createSettling });
    /** Blocks that this tab was shown, by hash, and whether with their header. */
    const shown = new Map<Hash, NodeBlock>();
    const withHeader = new Set<Hash>();
    const fail = (what: string) => wrong.push(`seed ${seed}, ${name}: ${what}`);

    /** The highest block that was shown and is on the chain. */
    function top(chain: readonly NodeBlock[]): number {
      return Math.max(
        -1,
        ...[...shown.values()].filter(({ hash }) => isIn(chain, hash)).map(({ number }) => Number(number)),
      );
    }

    function show(hash: unknown, header: boolean): void {
      for (const tip of [truth, ...nodes.tips]) {
        const block = nodes.chainOf(tip).find((each) => each.hash === hash);
        if (!block) continue;
        shown.set(block.hash, block);
        shownBy.set(block.hash, block);
        if (header) withHeader.add(block.hash);
      }
      const since = leftAt.get(hash as Hash);
      if (since !== undefined && now() - since > longestOrphan)
        fail(`the left block ${hash} after ${now() - since} ms`);
    }

    /** Some chain with a block of this height must have exactly this answer. */
    function checkCertain(method: string, from: number, height: number, result: unknown): void {
      if (method === 'eth_getBalance') {
        certain += 1;
        if (Number(result) !== height) fail(`state ${Number(result)}, certain at ${height}`);
      }
      if (method !== 'eth_getLogs') return;
      certain += 1;
      const found = JSON.stringify(
        (result as Log[]).filter(({ blockNumber }) => Number(blockNumber) <= height),
      );
      const isFound = nodes.all().some((tip) => {
        if (Number(tip.number) !== height) return false;
        const chain = nodes.chainOf(tip).slice(from);
        return found === JSON.stringify(chain.flatMap(({ logs }) => logs));
      });
      if (!isFound) fail(`logs from ${from}, certain at ${height}`);
    }

    /** Blocks that were shown before the read began, and are on the chain from then until it ends. */
    async function read(): Promise<void> {
      const kind = upTo(6);
      const before = [...shown.values()];
      const chainBefore = nodes.chainOf(truth);
      const pick = before[upTo(before.length - 1)];
      const known = (pick ?? truth) as NodeBlock;
      const topBefore = top(chainBefore);
      const [transaction] = known.transactions;
      const from = Math.max(0, Number(known.number) - 2);
      const headersBefore = new Set(withHeader);
      const calls: readonly [string, readonly unknown[]][] = [
        ['eth_blockNumber', []],
        ['eth_getBlockByNumber', ['latest', false]],
        ['eth_getTransactionReceipt', [transaction]],
        ['eth_getTransactionByHash', [transaction]],
        ['eth_getBlockByNumber', [known.number, false]],
        ['eth_getLogs', [{ fromBlock: `0x${from.toString(16)}`, toBlock: 'latest' }]],
        ['eth_getBalance', [nodes.account, 'latest']],
      ];
      const [method, params] = calls[kind] as [string, readonly unknown[]];
      if (transaction === known.transactions.at(-1) && /Receipt|ByHash/.test(method)) return;
      reads += 1;
      let result: unknown;
      let certainAt: number | undefined;
      try {
        result = await steady.request(method, params, {
          onCertain(height) {
            certainAt = height;
          },
        });
      } catch (error) {
        const { data } = error as ProviderRpcError;
        if ((data as { reason?: string } | undefined)?.reason === 'behind') behind += 1;
        return;
      }
      if (certainAt !== undefined) checkCertain(method, from, certainAt, result);
      // What no node has shown for that long is given up: the one that had it has died.
      if (now() - reachedAt >= lostAfter) return;
      const chain = nodes.chainOf(truth);
      const stands = (block: NodeBlock) => isIn(chainBefore, block.hash) && isIn(chain, block.hash);
      const height = topBefore >= 0 && stands(at(chainBefore, topBefore)) ? topBefore : -1;
      const { hash, number, blockHash } = Object(result) as Record<string, unknown>;
      const wasKnown = pick !== undefined && stands(known);
      if (method === 'eth_blockNumber' && Number(result) < height)
        fail(`number ${Number(result)} after ${height}`);
      if (params[0] === 'latest' && Number(number) < height) fail(`latest ${Number(number)} after ${height}`);
      if (kind === 4 && wasKnown && hash !== known.hash) fail(`block ${Number(known.number)} is ${hash}`);
      if (/ByHash|Receipt/.test(method) && wasKnown && blockHash !== known.hash)
        fail(`${method} ${blockHash}`);
      if (method === 'eth_getBalance' && hasEvidence && Number(result) < height)
        fail(`state ${Number(result)} after ${height}`);
      if (method === 'eth_getLogs') {
        const logs = result as readonly Log[];
        for (const block of before) {
          const isDue = Number(block.number) >= from && stands(block) && headersBefore.has(block.hash);
          const found = logs.filter((log) => log.blockHash === block.hash).length;
          if (isDue && Number(block.number) > topBefore - 6 && found < block.logs.length)
            fail(`logs of ${Number(block.number)}`);
        }
        for (const log of logs) show(log.blockHash, false);
      } else if (hash && method.startsWith('eth_getBlock')) show(hash, true);
      else if (blockHash) show(blockHash, false);
    }
    return { read, steady, show, request: steady.request };
  }

  let hasEvidence = false;
  const tabs = [createTab('first tab'), createTab('second tab')];
  // Nodes are seen to differ.
  nodes.tips[0] = nodes.mine(truth, mined());
  truth = nodes.tips[0];
  nodes.route((_, [selector]) => (selector === undefined ? 1 : 0));
  for (const { request, show } of tabs) {
    const { hash } = (await time.until(request('eth_getBlockByNumber', ['latest', false]))) as NodeBlock;
    show(hash, true);
    await time.until(request('eth_blockNumber', []));
  }
  hasEvidence = true;
  nodes.route(() => (policy === 0 ? turn++ % 3 : policy === 1 ? upTo(2) : sticky));

  const open = new Set<Promise<void>>();
  for (let step = 0; step < 60; step++) {
    if (chance(0.5)) change();
    follow();
    for (const tab of tabs)
      if (chance(0.7)) {
        const reading: Promise<void> = tab.read().finally(() => open.delete(reading));
        open.add(reading);
      }
    for (let left = upTo(chance(0.2) ? 3_000 : 300); left > 0; left -= moment) {
      await time.advance(Math.min(left, moment));
      follow();
    }
  }
  await time.until(Promise.all(open));
  // The trouble ends: everything is answered, with the chain.
  isDown.fill(false);
  lags.fill(0);
  racing.fill(0);
  truth = nodes.mine(nodes.mine(truth, mined()), mined());
  follow();
  await time.advance(5_000);
  for (const { request } of tabs) {
    const [latest, number, logs] = (await time.until(
      Promise.all([
        request('eth_getBlockByNumber', ['latest', false]),
        request('eth_blockNumber', []),
        request('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]),
      ]),
    )) as [NodeBlock, string, Log[]];
    const all = nodes.chainOf(truth).flatMap((block) => block.logs);
    if (latest.hash !== truth.hash || number !== truth.number)
      wrong.push(`seed ${seed}: the head at the end is ${number}`);
    if (JSON.stringify(logs) !== JSON.stringify(all)) wrong.push(`seed ${seed}: the logs at the end`);
  }
  return { reads, behind, requests: nodes.asked.length, reorgs, certain, wrong };
}

/** Milliseconds. A read may have begun before. */
const lostAfter = 15_000;
/** Milliseconds. The fourth question for a block comes after 350. */
const longestRace = 240;
/** Milliseconds after which nodes follow the chain. */
const moment = 100;
/** Milliseconds for which a branch may be shown after the last node has left it. */
const longestOrphan = 10_000;

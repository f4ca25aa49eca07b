import type { Follower } from '../chain/follower.js';
import { isReceiptOf } from '../rpc/results.js';
import type { Block, Hex, Receipt } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { type Broadcast, createBroadcast } from './broadcast.js';
import { isOpen, type Journal, type JournalEntry } from './journal.js';

/** Sends what the journal holds until it is mined or overtaken. Idle, and silent, when nothing is open. */
export interface Outbox {
  /** Looks at the journal again: call after recording an entry, and once at start. */
  wake(): void;
  stop(): void;
}

/** The pool forgets after 10 blocks (node-facts §5): the same bytes are offered again well before. */
const blocksBetweenSends = 5;
/** A mined transaction is watched this many blocks longer, so that a reorganisation puts it back. */
const depthToRest = 3;

export function createOutbox(options: createOutbox.Options): Outbox {
  const { journal, service, follower, broadcast = createBroadcast() } = options;
  const { chainId } = service.network;
  let unwatch: (() => void) | null = null;
  let blocksSinceSend = 0;
  let wakes = 0;
  let stopped = false;

  const ours = async () => (await journal.entries()).filter((entry) => entry.chainId === chainId);

  const restless = (entry: JournalEntry, head: Hex | null): boolean =>
    isOpen(entry) ||
    (entry.state === 'mined' &&
      head !== null &&
      BigInt(head) - BigInt(entry.blockNumber ?? head) < BigInt(depthToRest));

  const onStep: Follower.Listener = async ({ removed, added, missed }) => {
    const before = wakes;
    const entries = await ours();
    for (const block of removed) await forget(entries, block);
    for (const block of added) await find(entries, block);
    blocksSinceSend += added.length;
    const now = await ours();
    const makesRoom = now.some(({ state }) => state === 'signed') && added.length > 0;
    if (missed !== undefined || makesRoom || blocksSinceSend >= blocksBetweenSends) await sendAgain();
    const head = follower.head()?.number ?? null;
    const settled = !(await ours()).some((entry) => restless(entry, head));
    if (settled && before === wakes) rest();
  };

  const find = async (entries: readonly JournalEntry[], block: Block) => {
    const { hash: blockHash, number: blockNumber } = block;
    if (blockHash === null || blockNumber === null) return;
    const hashes = new Set(block.transactions.map((item) => (typeof item === 'string' ? item : item.hash)));
    for (const entry of entries)
      if (hashes.has(entry.hash)) await journal.mark(entry, { state: 'mined', blockHash, blockNumber });
  };

  const forget = async (entries: readonly JournalEntry[], block: Pick<Block, 'hash'>) => {
    for (const entry of entries)
      if (entry.state === 'mined' && entry.blockHash === block.hash)
        await journal.mark(entry, { state: 'sent' });
  };

  /** Asks what became of each open entry, and offers those that nobody has mined again, in nonce order. */
  const sendAgain = async () => {
    blocksSinceSend = 0;
    const open = (await ours())
      .filter((entry) => isOpen(entry) && !broadcast.isUnderWay(entry.raw))
      .sort((a, b) => Number(BigInt(a.nonce) - BigInt(b.nonce)));
    const mined = new Map<string, bigint>();
    for (const entry of open) {
      if (stopped) return;
      try {
        const count = mined.get(entry.from) ?? BigInt(await countOf(entry.from));
        mined.set(entry.from, count);
        if (BigInt(entry.nonce) < count) await settle(entry);
        else if ((await broadcast(service, entry.raw)) === 'accepted')
          await journal.mark(entry, { state: 'sent' });
      } catch {
        // Refused or unreachable now: the entry stays open, and the next round asks again.
      }
    }
  };

  const countOf = (from: string) =>
    service.request('eth_getTransactionCount', [from, 'latest']) as Promise<Hex>;

  /** The nonce is used: by this transaction if it has a receipt, else by another one. */
  const settle = async (entry: JournalEntry) => {
    if (!(await settleIfMined(entry))) await journal.mark(entry, { state: 'replaced' });
  };

  const settleIfMined = async (entry: JournalEntry): Promise<boolean> => {
    const params = [entry.hash] as const;
    const receipt = (await service.request('eth_getTransactionReceipt', params, {
      check: (result) => isReceiptOf(result, params),
    })) as Receipt | null;
    if (receipt === null) return false;
    const { blockHash, blockNumber } = receipt;
    await journal.mark(entry, { state: 'mined', blockHash, blockNumber });
    return true;
  };

  /** What was mined before the follower's first look brings no step: its receipt tells. */
  const review = async () => {
    const open = (await ours()).filter(isOpen);
    for (const entry of open) if (entry.state === 'sent') await settleIfMined(entry).catch(() => {});
    if (open.some(({ state }) => state === 'signed')) await sendAgain();
  };

  const begin = async () => {
    const entries = await ours();
    if (stopped || unwatch !== null || !entries.some(isOpen)) return;
    unwatch = follower.watch(onStep);
    await follower.catchUp().catch(() => {});
    await review();
  };

  const rest = () => {
    unwatch?.();
    unwatch = null;
  };

  return {
    wake() {
      if (stopped) return;
      wakes++;
      begin().catch(() => {
        // The storage does not answer: what is open stays open, and the next wake looks again.
      });
    },
    stop() {
      stopped = true;
      rest();
    },
  };
}

export declare namespace createOutbox {
  interface Options {
    readonly journal: Journal;
    readonly service: Service;
    readonly follower: Follower;
    /** Of whoever else offers what the journal holds. */
    readonly broadcast?: Broadcast;
  }
}

import type { Cover, PermittedTransaction } from '../approvals/cover.js';
import { withTimeout } from '../async/cancellation.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { checkTransaction } from '../rpc/results.js';
import type { Address, Hash, Hex, Transaction } from '../rpc/schema.js';
import { parseSigned } from '../rpc/signed-transaction.js';
import { createService } from '../service/client.js';
import type { Network } from '../service/networks.js';
import type { Service } from '../service/service.js';
import { type JournalEntry, nonceOf } from '../transactions/journal-entry.js';
import { findByNonce, receiptOf } from '../transactions/lookup.js';
import { type Accounted, type Cost, settledDepth } from './accounting.js';
import type { Coverage } from './admission.js';
import { readCheckpoint } from './checkpoint.js';
import { costInPlace, costUnder, readTransfer } from './coverage.js';
import type { Grant } from './grant.js';
import type { FoundTransaction, Seen } from './history.js';
import type { Ledger } from './ledger.js';
import type { PermissionParts } from './parts.js';
import { isInChain, noteHead, type SeenBlock } from './sightings.js';
import { trusting } from './visible.js';

/** Finds out more of what was spent, where what is known does not suffice. */
export interface Upkeep {
  /**
   * Explains nonces, and settles what was spent, for as long as that may let a permission cover a send. Resolves with the last
   * answer of `judge`. Never rejects.
   */
  improve(coverage: Coverage, judge: () => Promise<Coverage>, send: Upkeep.Send): Promise<Coverage>;
  /** Waits a moment until a node has taken those of these transactions that this page has signed. Never rejects. */
  taken(nonces: readonly bigint[], latest: Hex, seen: Pick<Seen, 'pending'>): Promise<void>;
  /** As in {@link readHistory}. */
  claim(grant: Grant, entry: JournalEntry): Cost | null | undefined;
  /** As `Permissions.needed`. */
  needed(): Promise<(entry: JournalEntry) => boolean>;
}

export declare namespace Upkeep {
  interface Send extends Pick<Cover.Facts, 'head' | 'latest'> {
    readonly chainId: number;
    readonly from: Address;
    readonly service: Service;
    readonly ledger: Ledger;
  }
}

export function createUpkeep(parts: PermissionParts): Upkeep {
  const { session, journal, checkpoints, nonceLocks, recorded, isLive, seenOf } = parts;
  const { endpoint = (network: Network) => createService({ network }) } = parts;

  /** Two endpoints of a network on different hosts, each by itself; none where there are no two. */
  const hosts = new Map<Network, readonly Service[]>();
  const hostsOf = (chainId: number): readonly Service[] => {
    const network = parts.networkOf(chainId) as Network;
    const byHost = new Map(network.urls.map((url) => [new URL(url).host, url]));
    const [one, other] = [...byHost.values()];
    if (one === undefined || other === undefined) return [];
    const known = hosts.get(network) ?? [one, other].map((url) => endpoint({ ...network, urls: [url] }));
    hosts.set(network, known);
    return known;
  };

  /** Replaces the most that mined transactions of an account could cost by what they did. */
  const settleFor = async (
    chainId: number,
    account: Address,
    ledger: Ledger,
    headHeight: number,
  ): Promise<boolean> => {
    const { settle } = await import('./settlement.js');
    return settle({
      headHeight,
      entries: await journal.entriesOf(chainId, account),
      grants: await recorded(),
      ...{ ledger, journal },
      service: parts.readsOf(chainId),
      hosts: () => hostsOf(chainId),
    });
  };

  /**
   * Reads the transactions of these nonces from the chain. One that has no entry counts once twelve blocks are on top of it: it
   * could still leave the chain, and then one of ours whose entry was deleted could have its nonce.
   * Resolves with whether all were found.
   */
  const explain = async (
    missing: readonly bigint[],
    { chainId, from, service, ledger, head, latest }: Upkeep.Send,
  ): Promise<boolean> => {
    const seen = seenOf(chainId, from);
    const { pending, found } = seen;
    await taken(missing, latest, { pending });
    const entries = await journal.entriesOf(chainId, from);
    const read = await Promise.all(entries.map(ledger.read));
    const all = await Promise.all(
      missing.map(async (nonce) => {
        const isUsed = nonce < BigInt(latest);
        const ours = entries.filter((_, at) => read[at]?.nonce === nonce);
        if (!isUsed && pending.get(nonce)?.isThere()) return true;
        for (const { hash } of ours) {
          const block = isUsed ? await blockOf(service, hash) : null;
          if (block) {
            noteHead(seen, head, [hash], [block], parts.now());
            return isInChain(seen, hash, head.hash);
          }
          if (!isUsed && (await isKnown(service, hash))) {
            const until = parts.now() + shownPeriod;
            pending.set(nonce, { hash, at: 0, isThere: () => parts.now() < until });
            return true;
          }
        }
        const other = isUsed ? await findByNonce(service, from, toQuantity(nonce)) : null;
        if (!other || Number(head.number) - Number(other.blockNumber) < settledDepth) return false;
        const { to, value, input, gas, gasPrice } = other.transaction;
        const transaction = {
          ...{ chainId, value, gas, gasPrice },
          // Nodes may write addresses with a checksum.
          to: to && (to.toLowerCase() as Address),
          data: input.toLowerCase() as Hex,
        };
        found.set(nonce, foundTransaction(nonce, transaction));
        return true;
      }),
    );
    return all.every(Boolean);
  };

  const taken: Upkeep['taken'] = async (nonces, latest, { pending }) => {
    const waited = parts.sendTimeout ?? 2_000;
    const signed = nonces
      .filter((nonce) => nonce >= BigInt(latest))
      .flatMap((nonce) => pending.get(nonce) ?? [])
      .filter(({ at }) => parts.now() - at < waited);
    const areThere = () => signed.every(({ isThere }) => isThere());
    if (areThere()) return;
    let unwatch = () => {};
    await withTimeout(waited, () => {
      return new Promise<void>((done) => {
        unwatch = journal.watch(() => areThere() && done());
      });
    });
    unwatch();
  };

  /** Adds up what an account has spent, so that its old entries are needed no more. */
  const foldUp = async (chainId: number, account: Address, ledger: Ledger): Promise<void> => {
    const { foldAccount } = await import('./folding.js');
    const kept = async () =>
      (await recorded()).filter((grant) => grant.chainId === chainId && grant.account === account);
    await foldAccount(chainId, account, {
      ...{ ledger, checkpoints, nonceLocks, kept },
      service: parts.readsOf(chainId),
      found: seenOf(chainId, account).found,
      settle: (headHeight) => settleFor(chainId, account, ledger, headHeight),
      grants: async () => (await kept()).filter(isLive),
      historyOf: (grant) => parts.historyOf(grant, ledger),
    });
  };

  return {
    async improve(coverage, judge, send) {
      let last = coverage;
      try {
        if (last.kind === 'unexplained' && (await explain(last.missing, send))) last = await judge();
        // Each time, some of what was spent at most turns out to have cost less. A copy under another key would be settled for ever.
        for (let rounds = 0; rounds < maxRounds && last.kind === 'short'; rounds++) {
          if (!(await settleFor(send.chainId, send.from, send.ledger, Number(send.head.number)))) break;
          last = await judge();
        }
      } catch {
        // The service or the storage failed. Another permission may cover it.
      }
      return last;
    },
    taken,
    claim(grant, { raw, hash, chainId }) {
      try {
        const { transaction, hash: named } = parseSigned(raw, chainId, 'raw', true);
        if (named !== hash) return undefined;
        return costNowOrBefore(grant, transaction);
      } catch {
        return undefined;
      }
    },
    async needed() {
      // Another tab may have been granted one since.
      session.update((state) => state);
      const ledger = parts.keyring.keeps() ? await parts.ledger() : null;
      // A page that does not have the chain of a permission keeps its entries for those that do; so does one that can check nothing.
      const all = ledger ? (await recorded()).filter((grant) => !parts.hasEnded(grant)) : parts.listed();
      const grants = all.filter(({ end }) => (end + endMargin) * 1_000 > parts.now());
      const next = new Map<string, bigint>();
      for (const grant of grants) {
        const { chainId, account } = grant;
        const key = `${chainId}:${account}`;
        if (next.has(key)) continue;
        // Entries that cannot be settled now stay. Nodes that a page has named settle nothing.
        if (ledger && isLive(grant)) await foldUp(chainId, account, ledger).catch(() => {});
        const checkpoint = await readCheckpoint(
          await checkpoints.read(chainId, account),
          chainId,
          account,
          ledger ?? trusting,
        );
        next.set(key, checkpoint?.next ?? 0n);
      }
      return ({ ledger, chainId, from, nonce }) => {
        const first = next.get(`${chainId}:${from}`);
        return ledger !== undefined && first !== undefined && nonceOf(nonce) >= first;
      };
    },
  };
}

/** How often some of what is mined is settled for one send. */
const maxRounds = 64;

/** Milliseconds for which a node is expected to keep what it has shown. */
const shownPeriod = 120_000;

/** Seconds after its end for which the entries of a permission stay: the clock may be wrong. */
const endMargin = 86_400;

/** The block that a transaction is in, by its receipt; `null` for one in none. */
async function blockOf(service: Service, hash: Hash): Promise<SeenBlock | null> {
  const receipt = await receiptOf(service, hash);
  return receipt && { hash: receipt.blockHash, number: receipt.blockNumber, transactions: [hash] };
}

/** Whether a node has a transaction. */
async function isKnown(service: Service, hash: Hash): Promise<boolean> {
  const known = await service.request('eth_getTransactionByHash', [hash], { check: checkTransaction });
  return (known as Transaction | null)?.hash === hash;
}

/** Counts a transaction without an entry, which may be of another device, if the permission would cover it. */
const foundTransaction =
  (nonce: bigint, transaction: PermittedTransaction): FoundTransaction =>
  (grant) => {
    if (nonce < BigInt(grant.firstNonce)) return [];
    const cost = costNowOrBefore(grant, transaction);
    const { context: permission } = grant;
    return cost ? [own<Accounted>({ nonce, permission, period: 0, at: null, ...cost, isFound: true })] : [];
  };

/** The cost of a transaction to a permission, or to one that it has replaced; `null` if neither would cover it. */
const costNowOrBefore = (grant: Grant, transaction: PermittedTransaction): Cost | null =>
  costUnder(grant, transaction) ?? costAsBefore(grant, transaction);

/**
 * The cost of a transaction that a replaced permission would have covered: that one may have had other payees or contracts. `null` if
 * it would not.
 */
function costAsBefore(
  grant: Pick<Grant, 'token' | 'account' | 'formerly'>,
  transaction: PermittedTransaction,
): Cost | null {
  const { token, account, formerly = [] } = grant;
  const { to, data } = transaction;
  const recipient = token === undefined ? to : to === token ? (readTransfer(data)?.to ?? null) : null;
  const isKnown = formerly === 'anyone' || formerly.some((each) => each === recipient);
  return recipient !== null && isKnown ? costInPlace(grant, account, transaction) : null;
}

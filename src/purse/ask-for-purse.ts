import type { PermissionQuestion, TransactionQuestion } from '../approvals/question.js';
import { bySeverity, danger, type Warning } from '../approvals/warning.js';
import { randomBytes } from '../keyring/builtins.js';
import { addressOf } from '../keyring/signer.js';
import type { GrantedReply } from '../permissions/grant.js';
import type { Requested } from '../permissions/paying-account.js';
import { replyOf } from '../permissions/reply.js';
import { badReply, limitExceeded, resourceUnavailable, transactionRejected } from '../rpc/core-errors.js';
import { bytesToHex, toQuantity } from '../rpc/hex.js';
import { knownToken } from '../rpc/known-contracts.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { own } from '../rpc/own.js';
import { type PermissionTerms, totalOf } from '../rpc/permission-terms.js';
import { checkData } from '../rpc/results.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import { tokenCall } from '../rpc/token-calls.js';
import { asPerson, type Service } from '../service/service.js';
import type { Requester } from '../session/requester.js';
import { isMined, isOpen, type JournalEntry } from '../transactions/journal-entry.js';
import { type Prepared, prepare, readHead, readQuantity } from '../transactions/prepare.js';
import type { TransactionRequest } from '../transactions/request.js';
import { foundPurse, isUsed } from './holdings.js';
import { liveOf, type PurseParts } from './parts.js';
import { maxPurses, pursePath } from './path.js';
import type { Purse } from './purse.js';

/**
 * Asks the person for permissions whose whole amount is moved to a purse, in one question, and moves what the purse lacks of it.
 * The purse is recorded before its deposits are journaled, so that no later window makes them again. Resolves once they were sent.
 *
 * @throws ProviderRpcError as `Approvals.request` and `Transactions.send`; -32002 if another window has filled it meanwhile
 */
export async function askForPurse(parts: PurseParts, facts: askForPurse.Facts): Promise<Purse> {
  const { session, approvals, records, signAndRecord, wake, serviceOf, now } = parts;
  const { origin, requested, before, digest, signal } = facts;
  const { requests, account, network, stillAllowed } = requested;
  const { chainId } = network;
  const service = serviceOf(chainId);
  const terms = requests.map((request) => request.terms);
  const place = before ?? (await vacantPlace(parts, origin, account.address, service));
  const lacking = await lackingIn(parts, place.address, account.address, service, terms);
  const from = account.address;
  const deposits = lacking.map(
    ({ token, units }): TransactionRequest =>
      token === undefined
        ? { from, to: place.address, value: toQuantity(units), data: '0x' }
        : { from, to: token, value: '0x0', data: tokenCall('transfer', place.address, units) },
  );
  const purse: Purse = {
    address: place.address,
    path: place.path,
    ...{ origin, account: from, chainId, createdAt: before?.createdAt ?? now(), terms },
    ...{ request: digest, deposits: [] },
    reply: JSON.stringify(
      requests.map(
        (request): GrantedReply => ({
          ...replyOf(request, request.terms),
          from: place.address,
          context: bytesToHex(randomBytes(32)) as Hash,
          dependencies: [],
        }),
      ),
    ),
  };
  // The keys are unlocked, since the place of the purse comes from them.
  const payees = terms.flatMap(({ payees = [], contracts = [] }) => [
    ...payees,
    ...contracts.map((each) => each.address),
  ]);
  const lookAlikes = (await parts.lookAlikes([...new Set(payees)], { network }))(
    (await parts.contacts()) ?? [],
  );
  const questionWith = (
    coins: readonly Pick<TransactionQuestion, 'fee' | 'warnings'>[],
  ): Omit<PermissionQuestion, 'id' | 'locked' | 'waiting'> => ({
    kind: 'permission',
    ...{ origin, network },
    account: { address: from, label: account.label },
    permissions: requests.map(({ terms: each, justification }) => {
      const label = each.token && knownToken(chainId, each.token);
      return own({
        ...each,
        // The amount that is moved is fixed before the question.
        isAdjustable: false,
        justification,
        ...(each.token && label && { tokenLabel: { address: each.token, ...label, known: true as const } }),
      });
    }),
    purse: {
      address: place.address,
      moved: lacking.map(({ token, units }) => {
        const label = token && knownToken(chainId, token);
        return {
          units: toQuantity(units),
          ...(token && { token: { address: token, ...label, known: true as const } }),
        };
      }),
      fee: toQuantity(coins.reduce((sum, { fee }) => sum + BigInt(fee), 0n)),
    },
    warnings: bySeverity([
      ...lookAlikes,
      ...(terms.some(({ token, payees }) => token && !payees) ? [danger('permission-to-anyone')] : []),
      // It is the wallet's own address.
      ...coins
        .flatMap(({ warnings }) => warnings)
        .filter(({ code }: Warning) => code !== 'first-time-recipient'),
    ]),
  });

  /** Stores the purse, unless another window has changed it since it was read. */
  const record = async (hashes: readonly Hash[]): Promise<Purse> => {
    const stored = { ...purse, deposits: hashes };
    await records.change((all) => {
      const present = liveOf(all, purse);
      const isChanged = JSON.stringify(present) !== JSON.stringify(before);
      const isTaken = !before && all.some(({ address }) => address === purse.address);
      if (isChanged || isTaken)
        throw resourceUnavailable(
          'Another window has just changed this purse. Ask again; nothing was moved.',
        );
      return [...all.filter(({ address }) => address !== purse.address), stored];
    });
    return stored;
  };

  if (deposits.length === 0) {
    const question = questionWith([]);
    await approvals.request(question, null, { needsKeys: true, signal, stillAllowed });
    return record(before?.deposits ?? []);
  }
  const requester: Requester = {
    ...{ origin, account, network, service, signal, stillAllowed },
    ownAddresses: [...session.state().accounts.map(({ address }) => address), place.address],
  };
  const { approveTransactions } = await import('../transactions/approve-and-sign.js').catch(throwNotLoaded);
  const {
    approved,
    plan,
    delivery: sending,
  } = await approveTransactions(parts, {
    ...{ action: 'send', requests: deposits, requester, replacement: undefined, mustAsk: true },
    prepare: async () => {
      const prepared = await Promise.all(deposits.map((each) => prepare(service, each, now(), signal)));
      requireSuccess(prepared);
      return prepared;
    },
    combine(questions) {
      const [first] = questions as [(typeof questions)[0]];
      const sum = (name: 'fee' | 'total') =>
        toQuantity(questions.reduce((all, question) => all + BigInt(question[name]), 0n));
      const total = sum('total');
      // It is shown as the shortfall of any payment.
      if (BigInt(total) > BigInt(first.balance)) return own({ ...first, fee: sum('fee'), total });
      return questionWith(questions);
    },
  });
  let stored = purse;
  const entries = await (await signAndRecord())(approved, plan, async (signed) => {
    stored = await record(signed.map(({ hash }) => hash));
    return () =>
      records.change((all) => {
        const present = all.find(({ address }) => address === purse.address);
        // The person may have taken it back meanwhile.
        if (JSON.stringify(present) !== JSON.stringify(stored)) return all;
        const others = all.filter((each) => each !== present);
        return before ? [...others, before] : others;
      });
  });
  for (const entry of entries ?? []) {
    const { entry: after, refusal } = await sending.send(entry, asPerson(service));
    wake(chainId);
    if (refusal && !isOpen(after) && !isMined(after)) throw refusal;
  }
  return stored;
}

/** @throws ProviderRpcError -32003 for a deposit that is known to fail, such as of tokens that the account does not have */
function requireSuccess(prepared: readonly Prepared[]): void {
  for (const { simulation } of prepared)
    if (simulation.outcome === 'reverts')
      throw transactionRejected(`the deposit into the purse would fail: ${simulation.reason}`);
}

interface Place {
  readonly address: Address;
  readonly path: string;
}

/** The first purse of a site that was never used. One that was, and whose record is lost, is recorded as taken back. */
async function vacantPlace(
  { keyring, records, networkOf, now }: PurseParts,
  origin: string,
  account: Address,
  service: Service,
): Promise<Place> {
  const { chainId } = service.network;
  const coinType = networkOf(chainId)?.coinType ?? service.network.coinType;
  const known = new Set((await records.all()).map(({ address }) => address));
  for (let count = 0; count < maxPurses; count++) {
    const path = pursePath(coinType, origin, count);
    const address = await keyring.lendPurseKey(account, path, addressOf);
    if (known.has(address)) continue;
    if (!(await isUsed(service, address))) return { address, path };
    const lost = foundPurse({ address, path, origin, account, chainId }, now());
    await records.change((all) => [...all, lost]);
  }
  throw limitExceeded(`A site has at most ${maxPurses} purses.`);
}

/** Coins (without `token`) or base units of a token. */
interface Sum {
  readonly token?: Address;
  readonly units: bigint;
}

/**
 * The amounts of the terms that a purse neither holds nor gets by a deposit that is on its way. With them it holds no more than the
 * person agrees to, and one that is asked for again, because a window was closed, is not paid twice.
 */
async function lackingIn(
  { journal }: PurseParts,
  address: Address,
  account: Address,
  service: Service,
  terms: readonly PermissionTerms[],
): Promise<readonly Sum[]> {
  const { chainId } = service.network;
  const totals = new Map<Address | undefined, bigint>([[undefined, 0n]]);
  const add = (token: Address | undefined, units: bigint) =>
    totals.set(token, (totals.get(token) ?? 0n) + units);
  for (const each of terms) {
    add(each.token, totalOf(each, each.amount));
    if (each.token !== undefined) add(undefined, totalOf(each, each.fees ?? '0x0'));
  }
  // Read before the balances: one that is mined in between counts twice, not never.
  const all = await journal.entriesOf(chainId, account);
  const entries = all.filter(isOpen);
  const height = BigInt((await readHead(service)).number as Hex);
  // A node that is behind has not seen what was moved before.
  const isMissing = ({ to, data, blockNumber }: JournalEntry) =>
    (to === address || depositIn({ data }, address) > 0n) && BigInt(blockNumber ?? 0) > height;
  if (all.some(isMissing))
    throw resourceUnavailable('The node is behind the last deposit. Ask again; nothing was moved.');
  const block = toQuantity(height);
  for (const token of totals.keys()) add(token, -(await balanceOf(service, address, token, block)));
  for (const entry of entries) {
    if (entry.to === address) add(undefined, -BigInt(entry.value));
    else if (entry.to && totals.has(entry.to)) add(entry.to, -depositIn(entry, address));
  }
  return [...totals].flatMap(([token, units]) => (units > 0n ? [{ ...(token && { token }), units }] : []));
}

/** @throws ProviderRpcError as the service's request: a balance that is not known must not count as none */
async function balanceOf(
  service: Service,
  owner: Address,
  token: Address | undefined,
  block: Hex,
): Promise<bigint> {
  if (token === undefined) return BigInt(await readQuantity(service, 'eth_getBalance', [owner, block]));
  const call = { to: token, data: tokenCall('balanceOf', owner) };
  const result = (await service.request('eth_call', [call, block], { check: checkData })) as Hex;
  if (result.length !== 66) throw badReply('eth_call', 'not the balance of a token');
  return BigInt(result);
}

/** Base units that a transaction transfers to an address. */
function depositIn({ data }: Pick<JournalEntry, 'data'>, address: Address): bigint {
  const prefix = tokenCall('transfer', address);
  return data.startsWith(prefix) && data.length === prefix.length + 64
    ? BigInt(`0x${data.slice(prefix.length)}` as Hex)
    : 0n;
}

export declare namespace askForPurse {
  interface Facts {
    readonly origin: string;
    readonly requested: Requested;
    /** The live purse of the site, which is filled again. */
    readonly before: Purse | undefined;
    /** Names the request. */
    readonly digest: Hex;
    readonly signal: AbortSignal;
  }
}

import type { Approvals, ApprovingAnswer } from '../approvals/approvals.js';
import type { Approved } from '../approvals/approved.js';
import type { LoweredPermission, QuestionNetwork, RequestedPermission } from '../approvals/question.js';
import { bySeverity, danger, type Warning } from '../approvals/warning.js';
import { randomBytes } from '../keyring/builtins.js';
import { callsProgram, wordsOf } from '../rpc/calls-program.js';
import { badReply } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { bytesToHex, toQuantity } from '../rpc/hex.js';
import { knownToken, listedTokens } from '../rpc/known-contracts.js';
import { own } from '../rpc/own.js';
import { checkData } from '../rpc/results.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import { tokenCall } from '../rpc/token-calls.js';
import type { Service } from '../service/service.js';
import type { SessionAccount } from '../session/session.js';
import { higher } from '../transactions/gas.js';
import type { Journal } from '../transactions/journal.js';
import { isMined, isOpen, isPending } from '../transactions/journal-entry.js';
import { readHead, readQuantity } from '../transactions/prepare.js';
import { askKnowing, type ContactsOf, type LookAlikes } from '../transactions/recipient.js';
import type { Cost } from './accounting.js';
import { codeDigestOf } from './contract-code.js';
import { allowedBy } from './coverage.js';
import { encodeGrant, type Grant } from './grant.js';
import { replyOf } from './reply.js';
import type { PermissionRequest } from './request.js';

/** Asks the person for permissions, all or none, and stores what they agreed to. */
export async function askForPermissions(
  requests: readonly PermissionRequest[],
  facts: askForPermissions.Facts,
): Promise<readonly Grant[]> {
  const { origin, account, network, service, approvals, now } = facts;
  const { chainId } = network;
  const from = account.address;
  const contracts = [
    ...new Set(requests.flatMap(({ terms }) => (terms.contracts ?? []).map((each) => each.address))),
  ];
  const [head, latest, pending, code, allowances] = await Promise.all([
    readHead(service),
    readQuantity(service, 'eth_getTransactionCount', [from, 'latest']),
    readQuantity(service, 'eth_getTransactionCount', [from, 'pending']),
    Promise.all(contracts.map(async (address) => [address, await codeDigestOf(service, address)] as const)),
    allowancesOf(facts, contracts),
    service.verifyChain(),
  ]);
  const firstNonce = await nextNonce(facts, [latest, pending]);
  const codes = new Map(code);
  const made = requests.map((request): Grant => {
    const { start, contracts: permitted = [] } = request.terms;
    // A period begins when clock and head have both reached it: the first one at once.
    const begin = Math.min(start, Math.max(Number(head.timestamp), Math.floor(now() / 1_000) - maxHeadAge));
    const terms = start > Math.floor(now() / 1_000) ? request.terms : { ...request.terms, start: begin };
    return {
      ...terms,
      context: bytesToHex(randomBytes(32)) as Hash,
      ...{ origin, account: from, chainId, firstNonce: toQuantity(firstNonce) },
      connectedAt: facts.connectedAt,
      grantedAt: now(),
      replaced: [],
      code: Object.fromEntries(permitted.map(({ address }) => [address, codes.get(address) as Hash])),
      request: replyOf(request, terms),
    };
  });
  if (made.some((grant) => encodeGrant(grant).length > maxRecord))
    throw invalidParams('params: the permission is too long to be stored');
  const successions = await Promise.all(made.map(facts.succeed));
  const proposed = successions.map(({ grant }) => grant);
  const recipients = proposed.flatMap(({ payees = [], contracts: called = [] }) => [
    ...payees,
    ...called.map(({ address }) => address),
  ]);
  const lookAlikes = await facts.lookAlikes([...new Set(recipients)], facts);
  const question = {
    kind: 'permission',
    origin,
    network,
    account: { address: from, label: account.label },
    permissions: requests.map((request, at) =>
      questioned(request, proposed[at] as Grant, successions[at]?.spent ?? null),
    ),
    warnings: bySeverity([
      ...(requests.some(({ terms }) => terms.token && !terms.payees) ? [danger('permission-to-anyone')] : []),
      ...allowances,
    ]),
  } as const;
  const approved = await askKnowing(
    facts.contacts,
    (contacts) => ({
      question: { ...question, warnings: bySeverity([...question.warnings, ...lookAlikes(contacts)]) },
    }),
    (asked) =>
      approvals.request<readonly Grant[]>(asked.question, proposed, {
        needsKeys: true,
        signal: facts.signal,
        stillAllowed: facts.stillAllowed,
        revise: (grants, answer) => revised(requests, grants, answer),
      }),
  );
  const { subject } = approved;
  await facts.store(approved);
  return subject;
}

/** A permission that may take the place of another one. */
export interface Succession {
  readonly grant: Grant;
  /** `null` where there is no other one; else what that has spent in the first period. */
  readonly spent: Cost | null;
}

/** Bytes of the vault's record, less what the person's answer may add. */
const maxRecord = 45_000;

/** Seconds by which the head's time may be behind the clock. */
const maxHeadAge = 600;

/** The nonce after every one that the account may have used. */
async function nextNonce(
  { journal, network, account, now }: askForPermissions.Facts,
  counts: readonly Hex[],
): Promise<bigint> {
  const entries = await journal.entriesOf(network.chainId, account.address);
  const used = entries.filter((entry) => isMined(entry) || isPending(entry, now()));
  return [...counts.map(BigInt), ...used.map(({ nonce }) => BigInt(nonce) + 1n)].reduce(higher);
}

function questioned(
  { isAdjustable, justification }: PermissionRequest,
  grant: Grant,
  spent: Cost | null,
): RequestedPermission {
  const { type, amount, fees, token, period, start, end, payees, contracts, chainId } = grant;
  const label = token && knownToken(chainId, token);
  return own({
    ...{ type, amount, fees, token, period, start, end, payees, contracts, isAdjustable, justification },
    ...(token && label && { tokenLabel: { address: token, ...label, known: true as const } }),
    ...(spent && spent.amount > 0n && { spent: toQuantity(spent.amount) }),
  });
}

/** The grants with what the person has lowered; `null` for a choice that was not offered. */
function revised(
  requests: readonly PermissionRequest[],
  grants: readonly Grant[],
  { permissions }: ApprovingAnswer,
): readonly Grant[] | null {
  if (permissions === undefined) return grants;
  if (!Array.isArray(permissions) || permissions.length !== grants.length) return null;
  const lowered = grants.map((grant, at) => {
    const { amount = grant.amount, end = grant.end } = own(permissions[at] as LoweredPermission);
    const isSame = amount === grant.amount && end === grant.end;
    const isOffered =
      /^0x[1-9a-f][\da-f]*$/.test(`${amount}`) &&
      BigInt(amount) <= BigInt(grant.amount) &&
      Number.isSafeInteger(end) &&
      end > grant.start &&
      end <= grant.end;
    const request = requests[at] as PermissionRequest;
    if (!isSame && !(request.isAdjustable && isOffered)) return null;
    const terms = { ...grant, amount, end };
    return { ...terms, request: replyOf(request, terms) };
  });
  return lowered.includes(null) ? null : (lowered as Grant[]);
}

/** Allowances that one `eth_call` reads, and the gas for each. */
const callsAtOnce = 25;
const gasOfRead = 200_000;

/** A warning for each listed token that a contract may take from the account already. */
async function allowancesOf(
  { service, journal, account: { address: from } }: askForPermissions.Facts,
  contracts: readonly Address[],
): Promise<readonly Warning[]> {
  const { chainId } = service.network;
  const open = contracts.length > 0 ? (await journal.entriesOf(chainId, from)).filter(isOpen) : [];
  // Those that are on their way give it as well.
  const coming = open.flatMap((entry) => {
    const spender = allowedBy(entry);
    return spender && entry.to && contracts.includes(spender)
      ? [knownToken(chainId, entry.to)?.symbol ?? entry.to]
      : [];
  });
  const tokens = listedTokens(service.network.chainId);
  const pairs = tokens.flatMap((token) => contracts.map((contract) => ({ token, contract })));
  const groups: (typeof pairs)[] = [];
  for (let at = 0; at < pairs.length; at += callsAtOnce) groups.push(pairs.slice(at, at + callsAtOnce));
  const allowed = groups.map(async (group) => {
    const calls = group.map(({ token, contract }) => ({
      to: token.address,
      data: tokenCall('allowance', from, contract),
    }));
    const data = callsProgram(calls, gasOfRead);
    const result = (await service.request('eth_call', [{ data }, 'latest'], { check: checkData })) as Hex;
    const words = wordsOf(result, calls.length);
    if (!words) throw badReply('eth_call', 'not the results of the calls');
    return group.filter((_, at) => (words[at] ?? 0n) > 0n).map(({ token }) => token.symbol);
  });
  const symbols = [...(await Promise.all(allowed)).flat(), ...coming];
  return [...new Set(symbols)].map((symbol) => danger('permission-allowance', symbol));
}

export declare namespace askForPermissions {
  interface Facts {
    readonly origin: string;
    readonly account: SessionAccount;
    readonly network: QuestionNetwork;
    readonly service: Service;
    readonly journal: Journal;
    readonly approvals: Approvals;
    /** When the site was connected, milliseconds since 1970. */
    readonly connectedAt: number;
    readonly signal?: AbortSignal | undefined;
    readonly stillAllowed: () => boolean;
    readonly contacts: ContactsOf;
    readonly lookAlikes: LookAlikes;
    /** Puts a permission in the place of one of the same kind. */
    readonly succeed: (grant: Grant) => Promise<Succession>;
    readonly store: (approved: Approved<readonly Grant[]>) => Promise<void>;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}

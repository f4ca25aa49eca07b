import { type Approved, redeem } from '../approvals/approved.js';
import type { QuestionNetwork } from '../approvals/question.js';
import { randomBytes, wipe } from '../keyring/builtins.js';
import { unsupportedMethod } from '../rpc/core-errors.js';
import type { Json } from '../rpc/message.js';
import type { Address, Hash } from '../rpc/schema.js';
import type { SessionGrant } from '../session/session.js';
import { spendingOf } from './accounting.js';
import { askForPermissions, type Succession } from './ask.js';
import { areAlike, decodeGrants, encodeGrant, type Grant, type GrantedReply, recordKinds } from './grant.js';
import { grantedReplyOf } from './listing.js';
import type { PermissionParts } from './parts.js';
import { readRequested } from './paying-account.js';
import { trusting, visibleGrants } from './visible.js';

/** The site that requests permissions, as it was when the request arrived. */
export interface PermissionRequester {
  readonly origin: string;
  /** The network of a chain id; `undefined` for one that the wallet does not have, or that a page added. */
  readonly network: (chainId: number) => QuestionNetwork | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads a request for permissions, asks the person for them, all or none, and stores them in place of those like them. */
export async function requestPermissions(
  params: Json,
  { origin, network: networkOf, signal }: PermissionRequester,
  parts: PermissionParts,
): Promise<readonly GrantedReply[]> {
  const { session, journal, approvals, now } = parts;
  const { requests, account, network, stillAllowed } = readRequested(params, {
    ...{ origin, session, network: networkOf },
    now: now(),
  });
  if (!parts.hasLocks())
    throw unsupportedMethod(
      'wallet_requestExecutionPermissions',
      'This browser has no Web Locks, without which two tabs could spend one limit twice.',
    );
  const granted = await askForPermissions(requests, {
    ...{ origin, account, network, signal, stillAllowed, journal, now, approvals },
    ...{ contacts: parts.contacts, lookAlikes: parts.lookAlikes },
    connectedAt: session.state().permissions[origin]?.date as number,
    service: parts.serviceOf(network.chainId),
    succeed: (grant) => succeed(grant, parts),
    store: (approved) => store(approved, parts),
  });
  return granted.map(grantedReplyOf);
}

async function succeed(grant: Grant, parts: PermissionParts): Promise<Succession> {
  const { grants, ledger } = await visibleGrants(parts);
  const old = grants.find((each) => areAlike(each, grant));
  if (!old) return { grant, spent: null };
  const next = succeeding(grant, old);
  const history = await parts.historyOf(old, ledger ?? trusting);
  return { grant: next, spent: spendingOf(next, history, 0).inPeriod };
}

/**
 * Stores what the person has agreed to: first in the vault, where without an entry of the session it covers nothing. Under the
 * lock, since one of two that are alike takes the place of the other.
 */
async function store(approved: Approved<readonly Grant[]>, parts: PermissionParts): Promise<void> {
  const [first] = approved.subject;
  if (first) await parts.nonceLocks(first.chainId, first.account)(() => storeAlone(redeem(approved), parts));
}

async function storeAlone(
  agreed: readonly Grant[],
  { session, keyring, recorded, isLive, withoutEnded, report }: PermissionParts,
): Promise<void> {
  session.update((state) => state);
  const [key] = await keyring.records(recordKinds.ledgerKey);
  if (!key) {
    const made = randomBytes(32);
    const kept = await keyring.changeRecords(recordKinds.ledgerKey, (records) =>
      records.length > 0 ? records : [made],
    );
    for (const each of [made, ...kept]) wipe(each);
  } else wipe(key);
  const before = (await recorded()).filter(isLive);
  const granted = agreed.map((grant) => {
    const old = before.find((each) => areAlike(each, grant));
    return old && !grant.replaced.includes(old.context) ? succeeding(grant, old) : grant;
  });
  const isReplaced = ({ context }: { readonly context: Hash }) =>
    granted.some(({ replaced }) => replaced.includes(context));
  await keyring.changeRecords(recordKinds.grant, (records) => [
    ...withoutEnded(records).filter((bytes) => !decodeGrants([bytes]).some(isReplaced)),
    ...granted.map(encodeGrant),
  ]);
  session.update((state) => ({
    ...state,
    granted: [...(state.granted ?? []).filter((each) => !isReplaced(each)), ...granted.map(sessionGrantOf)],
  }));
  for (const grant of granted) report('granted', grant);
}

/** A grant as the session lists it. */
const sessionGrantOf = (grant: Grant): Grant & SessionGrant => {
  const { token, payees = [], contracts } = grant;
  const recipients = token ? [token] : (contracts?.map(({ address }) => address) ?? payees);
  return { ...grant, recipients };
};

/** A grant in place of one like it: what that has spent counts. */
const succeeding = (grant: Grant, old: Grant): Grant => ({
  ...grant,
  firstNonce: old.firstNonce,
  replaced: [...old.replaced, old.context].slice(-maxReplaced),
  formerly: recipientsBefore(old),
});

function recipientsBefore({ contracts, payees, formerly = [] }: Grant): readonly Address[] | 'anyone' {
  const recipients = contracts?.map(({ address }) => address) ?? payees;
  if (!recipients || formerly === 'anyone') return 'anyone';
  return [...new Set([...formerly, ...recipients])].slice(-maxFormer);
}

/** Payees of replaced permissions. */
const maxFormer = 200;

/** Permissions of one kind whose spending counts after they were replaced. */
const maxReplaced = 16;

import { sha256 } from '@noble/hashes/sha2.js';
import type { QuestionNetwork } from '../approvals/question.js';
import { wipe } from '../keyring/builtins.js';
import { addressOf } from '../keyring/signer.js';
import { readRequested } from '../permissions/paying-account.js';
import { unauthorized, unsupportedMethod } from '../rpc/core-errors.js';
import { bytesToHex } from '../rpc/hex.js';
import type { Json } from '../rpc/message.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { membersOf } from '../rpc/own-data.js';
import type { Address } from '../rpc/schema.js';
import { permittedAccounts, watchOnlyAccounts } from '../session/session.js';
import type { askForPurse } from './ask-for-purse.js';
import { depositState, untilDeposited } from './deposits.js';
import type { PurseMessage } from './message.js';
import { liveOf, type PurseParts } from './parts.js';
import { isLive, type Purse } from './purse.js';

/**
 * The purses of a site in a window that the wallet's frame has opened: only there a key is given away, since no dapp is between the
 * two documents (docs/notes/permissions.md#the-purse).
 */
export interface WindowPurses {
  /**
   * Answers a request that is for a purse; `null` for any other. A request for permissions is one question, which approves the
   * deposit too; it resolves once the deposit is mined and the frame has the key.
   *
   * @param held addresses of the purses whose keys the frame has
   */
  answer(request: WindowPurses.Request, held: readonly Address[]): Promise<WindowPurses.Answer | null>;
  /** Gives the frame the keys that it should have, and takes back the others; while the wallet is locked, nothing. Never rejects. */
  give(held: readonly Address[]): Promise<void>;
}

export declare namespace WindowPurses {
  interface Request {
    readonly method: string;
    readonly params: unknown;
    readonly signal: AbortSignal;
  }
  type Answer =
    | { readonly result: unknown }
    /** The frame has the key now, and signs the transaction. */
    | { readonly isForFrame: true };
}

export function createWindowPurses(
  parts: PurseParts,
  { origin, post, showWaiting }: createWindowPurses.Site,
): WindowPurses {
  const { session, keyring, approvals, records, lendKey, networkOf, describe, now } = parts;

  /** Purses whose keys this window has given. */
  const given = new Set<Address>();

  const network = (chainId: number): QuestionNetwork | undefined => {
    const found = networkOf(chainId);
    return found && found.addedBy === undefined ? describe(found) : undefined;
  };

  const unlock = async (shown: QuestionNetwork, signal: AbortSignal): Promise<void> => {
    if (!keyring.locked()) return;
    const question = { kind: 'unlock', origin, network: shown, warnings: [] } as const;
    await approvals.request(question, null, { signal, needsKeys: true });
  };

  /** The purse as it is recorded now. @throws ProviderRpcError 4100 if it was taken back, or its site has lost the account */
  const requireLive = async (address: Address): Promise<Purse> => {
    const purse = (await records.all()).find((each) => each.address === address && each.origin === origin);
    const isShared = purse && permittedAccounts(session.state(), origin).includes(purse.account);
    if (!isShared || !isLive(purse)) throw unauthorized('This purse was taken back.');
    return purse;
  };

  /** Gives the frame the key of a purse: a wait for a block or for the person may have come before. */
  const send = async ({ address }: Pick<Purse, 'address'>): Promise<void> => {
    const key = await lendKey(await requireLive(address));
    try {
      if (addressOf(key) !== address) throw unauthorized('This purse belongs to another recovery phrase.');
      const { chainId, terms } = await requireLive(address);
      given.add(address);
      // The port clones it at once.
      post({ t: 'purse', address, chainId, terms, key });
    } finally {
      wipe(key);
    }
  };

  /** Waits for deposits that are on their way. @throws ProviderRpcError as {@link untilDeposited} */
  const waitForDeposits = async (purse: Purse, signal: AbortSignal): Promise<void> => {
    if ((await depositState(parts, purse)) === 'mined') return;
    const hide = showWaiting();
    await untilDeposited(parts, purse, signal).finally(hide);
  };

  const ask = async (asked: Omit<askForPurse.Facts, 'origin'>): Promise<Purse> => {
    const { askForPurse } = await import('./ask-for-purse.js').catch(throwNotLoaded);
    return askForPurse(parts, { ...asked, origin });
  };

  const request = async (params: Json, signal: AbortSignal, held: readonly Address[]): Promise<unknown> => {
    const requested = readRequested(params, { origin, session, network, now: now() });
    const { account, network: shown } = requested;
    if (account.path === null)
      throw unsupportedMethod(
        'wallet_requestExecutionPermissions',
        'Here it takes a purse, whose key comes from a recovery phrase, and this account is an imported key.',
      );
    await unlock(shown, signal);
    const digest = bytesToHex(sha256(new TextEncoder().encode(JSON.stringify(params))));
    const place = { origin, account: account.address, chainId: shown.chainId };
    const before = liveOf(await records.all(), place);
    /** Whether the person has agreed to just this, and the frame has not got the key yet, or not any more. */
    const isAgreed =
      before?.request === digest &&
      !held.includes(before.address) &&
      ['mined', 'open', 'held'].includes(await depositState(parts, before));
    const agreed = isAgreed ? before : await ask({ before, digest, requested, signal });
    await waitForDeposits(agreed, signal);
    // It may have been locked while the block was waited for.
    await unlock(shown, signal);
    await send(agreed);
    return JSON.parse(agreed.reply);
  };

  return {
    async answer({ method, params, signal }, held) {
      if (method === 'wallet_requestExecutionPermissions')
        return { result: await request(params as Json, signal, held) };
      if (method !== 'eth_sendTransaction') return null;
      const from = String(membersOf(Array.isArray(params) ? params[0] : null).from).toLowerCase();
      const { accounts, chainId } = session.state();
      const shared = permittedAccounts(session.state(), origin);
      const isListed = [...accounts, ...watchOnlyAccounts(session.state())].some(
        ({ address }) => address === from,
      );
      if (shared.length === 0 || isListed) return null;
      // The browser may have evicted the frame's keys. Which addresses are purses, the vault tells.
      const active = networkOf(chainId);
      if (active) await unlock(describe(active), signal);
      const purse = (await records.all()).find((each) => each.address === from && each.origin === origin);
      if (!purse || !isLive(purse) || !shared.includes(purse.account)) return null;
      // If the last one has failed, there may be something of earlier ones.
      if ((await depositState(parts, purse)) === 'open') await waitForDeposits(purse, signal);
      await send(purse);
      return { isForFrame: true };
    },
    async give(held) {
      try {
        if (keyring.locked()) return;
        const purses = (await records.all()).filter((each) => each.origin === origin && isLive(each));
        for (const address of held)
          if (!purses.some((each) => each.address === address)) post({ t: 'purse-ended', address });
        for (const purse of purses) {
          const isShared = permittedAccounts(session.state(), origin).includes(purse.account);
          if (held.includes(purse.address) || given.has(purse.address) || !isShared) continue;
          const state = await depositState(parts, purse);
          if (state !== 'open' && state !== 'held') await send(purse);
        }
      } catch {
        // The next window gives them.
      }
    },
  };
}

export declare namespace createWindowPurses {
  interface Site {
    /** The site, as the frame attests it. */
    readonly origin: string;
    /** Sends the frame a message, over a port that only the two documents have. */
    readonly post: (message: PurseMessage) => void;
    /** Shows that a deposit is waited for. Returns a function that hides it. */
    readonly showWaiting: () => () => void;
  }
}

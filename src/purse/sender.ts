import { redeem } from '../approvals/approved.js';
import type { Approver, Question, TransactionQuestion } from '../approvals/question.js';
import { wipe } from '../keyring/builtins.js';
import { isUserRejected, transactionRejected } from '../rpc/core-errors.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { own } from '../rpc/own.js';
import type { Hash } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Requester } from '../session/requester.js';
import type { NonceLocks } from '../transactions/account-ledger.js';
import type { approveTransactions } from '../transactions/approve-and-sign.js';
import type { Delivery } from '../transactions/delivery.js';
import type { Journal } from '../transactions/journal.js';
import type { TransactionRequest } from '../transactions/request.js';

/**
 * Sends a transaction from a purse as one of an account is sent: prepared, simulated, with a nonce under its lock, journaled and
 * broadcast. No person is asked: `judge` answers the question in their place.
 *
 * @throws ProviderRpcError the error of `judge`; -32003 for a transaction that fails in its dry run, and as `Transactions.send`
 */
export async function sendFromPurse(
  request: TransactionRequest,
  requester: Requester,
  { judge, lendKey, ...options }: sendFromPurse.Options,
): Promise<Hash> {
  // As the wallet loads them, so that they stay chunks of their own.
  const [{ createApprovals }, { createSignAndRecord }, { createTransactions }] = await Promise.all([
    import('../approvals/approvals.js'),
    import('../transactions/approve-and-sign.js'),
    import('../transactions/transactions.js'),
  ]).catch(throwNotLoaded);
  let refusal: unknown;
  const approver: Approver = {
    async ask(question) {
      try {
        // The error says what is missing.
        if (question.kind !== 'transaction' || own(question).shortfall !== undefined)
          return { approved: false };
        requireSuccess(question);
        await judge(question);
        return { approved: true };
      } catch (error) {
        refusal = error;
        return { approved: false };
      }
    },
  };
  const keyring: approveTransactions.Options['keyring'] = {
    warmUp() {},
    async signTransaction(approved, nonce) {
      const { signTransaction } = await import('../keyring/sign-transaction.js').catch(throwNotLoaded);
      const { type, from, ...fields } = redeem(approved);
      if (type !== 'transaction' || from !== request.from)
        throw new TypeError('This approval is for something else.');
      const key = await lendKey();
      try {
        return signTransaction({ ...fields, nonce })(key);
      } finally {
        wipe(key);
      }
    },
  };
  const approvals = createApprovals({ approver: () => approver, lock: async () => unlocked });
  // The question is read by no person, who could know a contact.
  const parts = { ...options, keyring, approvals, contacts: async () => [] };
  const transactions = createTransactions({
    ...parts,
    signAndRecord: createSignAndRecord({ ...parts, ledgerOf: () => null }),
  });
  try {
    return await transactions.send(request, requester);
  } catch (error) {
    throw refusal !== undefined && isUserRejected(error) ? refusal : error;
  }
}

const unlocked = { locked: () => false, async unlock() {} };

/** @throws ProviderRpcError -32003 for a transaction that is known to fail */
function requireSuccess({ warnings }: Question): void {
  const failure = warnings.find(({ code }) => code === 'simulation-reverts');
  if (failure) throw transactionRejected(`execution reverted: ${own(failure).detail ?? 'it would fail'}`);
}

export declare namespace sendFromPurse {
  interface Options {
    readonly journal: Journal;
    readonly nonceLocks: NonceLocks;
    readonly delivery: () => Promise<Delivery>;
    readonly wake: (chainId: number) => void;
    readonly serviceOf: (chainId: number) => Service;
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** Answers in the place of a person. Throws for a transaction that must not be signed. */
    readonly judge: (question: TransactionQuestion) => Promise<void> | void;
    /** A copy of the purse's key, which is wiped. */
    readonly lendKey: () => Promise<Uint8Array>;
  }
}

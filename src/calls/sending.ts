import { type Approved, split } from '../approvals/approved.js';
import type { QuestionNetwork } from '../approvals/question.js';
import type { Warning } from '../approvals/warning.js';
import type { Keyring } from '../keyring/keyring.js';
import { own as ownCopy } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { reasonOf } from '../service/errors.js';
import type { Service } from '../service/service.js';
import type { SessionAccount } from '../session/session.js';
import { isForbidden } from '../transactions/broadcast.js';
import type { JournalEntry } from '../transactions/journal.js';
import { type Counted, nextNonces } from '../transactions/next-nonces.js';
import type { Prepared } from '../transactions/prepare.js';
import { transactionQuestion } from '../transactions/question.js';
import type { TransactionRequest } from '../transactions/request.js';
import { labelOfCall } from '../transactions/token.js';
import type { createTransactions } from '../transactions/transactions.js';
import type { Batch, Batches } from './batches.js';
import { prepareCalls } from './prepare.js';
import { callsQuestion } from './question.js';
import type { CallsRequest } from './request.js';

/** Prepares a batch, asks for it once, signs and writes down all of it, and sends it in order. */
export type Sending = (batch: Sending.Asked) => Promise<void>;

export declare namespace Sending {
  interface Asked {
    readonly id: string;
    readonly calls: CallsRequest['calls'];
    readonly origin: string;
    readonly account: SessionAccount;
    /** All addresses of the wallet. */
    readonly own: readonly Address[];
    readonly network: QuestionNetwork;
    /** Whether the page shows another network than the one that it asks for. */
    readonly elsewhere: boolean;
    readonly service: Service;
    readonly signal?: AbortSignal;
    readonly stillAllowed: () => boolean;
  }
}

type Subject = Keyring.TransactionSubject;

export function createSending(options: createSending.Options): Sending {
  const { batches, journal, broadcast, keyring, approvals, nonceLock, wake, now } = options;

  const entriesOf = async (chainId: number, from: Address): Promise<readonly JournalEntry[]> =>
    (await journal.entries()).filter((entry) => entry.chainId === chainId && entry.from === from);

  const ask = async (asked: Sending.Asked) => {
    keyring.warmUp();
    const { account, network, service, signal, origin, own } = ownCopy(asked);
    const { chainId } = network;
    const from = account.address;
    const at = now();
    const requests = asked.calls.map((call): TransactionRequest => ownCopy({ ...call, from }));
    const [prepared, entries, ...tokens] = await Promise.all([
      prepareCalls(service, requests, signal),
      entriesOf(chainId, from),
      ...requests.map((request) => labelOfCall(service, request)),
    ]);
    const [first] = prepared.calls;
    const counted: Counted = { nonce: (first as Prepared).nonce, at };
    const nonces = nextNonces(requests.length, counted, entries);
    const questions = prepared.calls.map((call, i) =>
      transactionQuestion({
        action: 'send',
        request: requests[i] as TransactionRequest,
        nonce: nonces[i] as Hex,
        prepared: call,
        ...{ origin, account, own, network },
        token: tokens[i] ?? null,
        replaces: null,
      }),
    );
    const subjects = questions.map(
      ({ transaction: { nonce: _nonce, ...fields } }): Subject => ({
        type: 'transaction',
        from,
        chainId,
        ...fields,
      }),
    );
    const others = asked.elsewhere ? [otherNetwork(network)] : [];
    const approved = await approvals.request(callsQuestion(questions, prepared, others), subjects, {
      needsKeys: true,
      stillAllowed: asked.stillAllowed,
      ...(signal && { signal }),
    });
    return { approved, counted };
  };

  /** Under the lock: reserve, sign all, write all. Nothing is on the network before everything is durable. */
  const signAndRecord = (
    approved: Approved<readonly Subject[]>,
    counted: Counted,
    { id, origin, account, network: { chainId } }: Sending.Asked,
  ) => {
    const from = account.address;
    return nonceLock(chainId, from, async () => {
      const each = split(approved);
      const nonces = nextNonces(each.length, counted, await entriesOf(chainId, from));
      const createdAt = now();
      const entries: JournalEntry[] = [];
      for (const [i, one] of each.entries()) {
        const { type: _type, ...fields } = one.subject;
        const nonce = nonces[i] as Hex;
        const { raw, hash } = await keyring.signTransaction(one, nonce);
        entries.push({ ...fields, nonce, raw, hash, origin, createdAt, state: 'signed' });
      }
      const calls = entries.map(({ hash, to, value }) => ({ hash, to, value }));
      const batch: Batch = { id, origin, from, chainId, createdAt, calls };
      await batches.record(batch);
      await journal.record(...entries).catch(async (error) => {
        await giveUp(batch, []);
        throw error;
      });
      return { batch, entries };
    });
  };

  /** Who hears of a failure must not find half of the batch sent: nothing of it will be. */
  const giveUp = async (batch: Batch, entries: readonly JournalEntry[]): Promise<void> => {
    await mark(entries, 'refused');
    await batches.remove(batch).catch(() => {});
  };

  const mark = async (entries: readonly JournalEntry[], state: JournalEntry['state']): Promise<void> => {
    // What has happened has happened, whatever the storage says.
    for (const entry of entries) await journal.mark(entry, { state }).catch(() => {});
  };

  /**
   * Offers them in order until one is not taken at once: the outbox goes on from there. One that the chain's
   * rules forbid leaves a gap that nothing behind it could cross: with it those are given up.
   */
  const sendAll = async (service: Service, batch: Batch, entries: readonly JournalEntry[]): Promise<void> => {
    for (const [i, entry] of entries.entries()) {
      try {
        if ((await broadcast(service, entry.raw)) !== 'accepted') return;
        await mark([entry], 'sent');
      } catch (error) {
        // The service did not look at it: the outbox offers it again.
        if (!isForbidden(error)) return;
        if (i === 0) {
          await giveUp(batch, entries);
          throw error;
        }
        await mark([entry], reasonOf(error) === 'nonce-too-low' ? 'replaced' : 'refused');
        await mark(entries.slice(i + 1), 'refused');
        return;
      }
    }
  };

  return async (asked) => {
    const { approved, counted } = await ask(asked);
    const { batch, entries } = await signAndRecord(approved, counted, asked);
    await sendAll(asked.service, batch, entries).finally(() => wake(batch.chainId));
  };
}

/** The page shows one network and asks for another: what the EIP demands is signed, and the person told. */
const otherNetwork = ({ name }: QuestionNetwork): Warning => ({
  code: 'typed-data-other-chain',
  severity: 'caution',
  detail: name,
});

export declare namespace createSending {
  interface Options extends createTransactions.Options {
    readonly batches: Batches;
  }
}

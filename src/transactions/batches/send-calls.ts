import { split } from '../../approvals/approved.js';
import type { QuestionNetwork } from '../../approvals/question.js';
import type { Warning } from '../../approvals/warning.js';
import { own as ownCopy } from '../../rpc/own.js';
import type { Address, Hex } from '../../rpc/schema.js';
import type { Service } from '../../service/service.js';
import type { SessionAccount } from '../../session/session.js';
import { readAccountState } from '../account-state.js';
import type { Delivery } from '../delivery.js';
import { isMined, isOpen, type JournalEntry } from '../journal-entry.js';
import { chooseNonces } from '../nonces.js';
import type { Prepared } from '../prepare.js';
import { transactionQuestion } from '../question.js';
import type { TransactionRequest } from '../request.js';
import { labelOfCall } from '../token.js';
import type { createTransactions } from '../transactions.js';
import { abandoned } from '../transitions.js';
import type { Batch, Batches } from './batch-store.js';
import { prepareCalls } from './prepare-calls.js';
import { callsQuestion } from './calls-question.js';
import type { CallsRequest } from './calls-request.js';

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

export function createSending(options: createSending.Options): Sending {
  const { batches, journal, keyring, approvals, signAndRecord, wake, now } = options;

  const ask = async (asked: Sending.Asked) => {
    keyring.warmUp();
    const { account, network, service, signal, origin, own } = ownCopy(asked);
    const { chainId } = network;
    const from = account.address;
    const requests = asked.calls.map((call): TransactionRequest => ownCopy({ ...call, from }));
    const [delivery, prepared, ...tokens] = await Promise.all([
      options.delivery(),
      prepareCalls(service, requests, now(), signal),
      ...requests.map((request) => labelOfCall(service, request)),
    ]);
    const first = prepared.calls[0] as Prepared;
    const state = await readAccountState({ journal, delivery, service, chainId, from, counts: first.counts });
    const choice = chooseNonces(requests.length, state.counts, state.entries);
    const transactions = prepared.calls.map((call, i) =>
      transactionQuestion({
        action: 'send',
        request: requests[i] as TransactionRequest,
        nonce: choice.nonces[i] as Hex,
        prepared: call,
        ...{ origin, account, own, network, choice },
        unclear: state.unclear,
        token: tokens[i] ?? null,
      }),
    );
    const questions = transactions.map(({ question }) => question);
    const subjects = transactions.map(({ subject }) => subject);
    const others = asked.elsewhere ? [otherNetwork(network)] : [];
    const approved = await approvals.request(callsQuestion(questions, prepared, others), subjects, {
      needsKeys: true,
      stillAllowed: asked.stillAllowed,
      ...(signal && { signal }),
    });
    return { approved, counts: state.counts, anchor: first.anchor, delivery };
  };

  /** Nothing of the batch is sent: a caller that gets an error must not find half of it carried out. */
  const giveUp = async (batch: Batch, entries: readonly JournalEntry[]): Promise<void> => {
    for (const entry of entries) await journal.change(entry, abandoned).catch(() => {});
    await batches.remove(batch).catch(() => {});
  };

  /**
   * Sends them in order until one is not taken at once: the outbox goes on from there. One that the chain refuses
   * leaves a gap that nothing behind it could cross: the ones behind it are given up.
   */
  const sendAll = async (
    delivery: Delivery,
    service: Service,
    batch: Batch,
    entries: readonly JournalEntry[],
  ): Promise<void> => {
    for (const [i, entry] of entries.entries()) {
      const { entry: after, isAccepted, refusal } = await delivery.send(entry, service);
      if (isAccepted || isMined(after)) continue;
      if (isOpen(after)) return;
      const rest = entries.slice(i + 1);
      if (i === 0) {
        await giveUp(batch, rest);
        throw refusal;
      }
      for (const each of rest) await journal.change(each, abandoned).catch(() => {});
      return;
    }
  };

  return async (asked) => {
    const { approved, counts, anchor, delivery } = await ask(asked);
    const { id, origin, account, network, service } = asked;
    const { chainId } = network;
    const from = account.address;
    let batch: Batch | undefined;
    const entries = await signAndRecord(split(approved), {
      ...{ chainId, from, origin, counts, anchor },
      async before(signed) {
        const calls = signed.map(({ hash, to, value }) => ({ hash, to, value }));
        const written: Batch = { id, origin, from, chainId, createdAt: now(), calls };
        await batches.record(written);
        batch = written;
        return () => batches.remove(written);
      },
    });
    if (!entries || !batch) return;
    await sendAll(delivery, service, batch, entries).finally(() => wake(chainId));
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

import type { QuestionNetwork } from '../../approvals/question.js';
import { caution, type Warning } from '../../approvals/warning.js';
import { own } from '../../rpc/own.js';
import { asPerson, type Service } from '../../service/service.js';
import type { Requester } from '../../session/requester.js';
import { approveTransactions } from '../approve-and-sign.js';
import type { Delivery } from '../delivery.js';
import { abandoned } from '../journal.js';
import { isMined, isOpen, type JournalEntry } from '../journal-entry.js';
import type { TransactionRequest } from '../request.js';
import type { createTransactions } from '../transactions.js';
import type { Batch, BatchStore } from './batch-store.js';
import { callsQuestion } from './calls-question.js';
import type { CallsRequest } from './calls-request.js';
import { type PreparedCalls, prepareCalls } from './prepare-calls.js';

/**
 * Prepares a batch, asks for it once, signs and journals all of it, and sends it in order.
 *
 * @throws ProviderRpcError as `approveTransactions`; -32003 when the chain refuses the first call: then nothing of the
 * batch is sent
 */
export type SendCalls = (batch: SendCalls.Batch, requester: Requester) => Promise<void>;

export declare namespace SendCalls {
  interface Batch {
    readonly id: string;
    readonly calls: CallsRequest['calls'];
    /** Whether the batch is for another chain than the page's active one. */
    readonly isOtherChain: boolean;
  }
}

export function createSendCalls(options: createSendCalls.Options): SendCalls {
  const { batches, journal, signAndRecord, wake, now } = options;

  const approve = ({ calls, isOtherChain }: SendCalls.Batch, requester: Requester, mustAsk: boolean) => {
    const { account, network, service, signal } = requester;
    const requests = calls.map((call): TransactionRequest => own({ ...call, from: account.address }));
    const others = isOtherChain ? [otherChainWarning(network)] : [];
    let prepared: PreparedCalls;
    return approveTransactions(options, {
      action: 'send',
      requests,
      requester,
      replacement: undefined,
      mustAsk,
      async prepare() {
        prepared = await prepareCalls(service, requests, now(), signal);
        return prepared.calls;
      },
      combine: (questions) => callsQuestion(questions, prepared, others),
    });
  };

  /** @returns whether all of them are stored as abandoned, so that none of them will be sent */
  const abandonAll = async (entries: readonly JournalEntry[]): Promise<boolean> => {
    let isDone = true;
    for (const entry of entries) {
      const after = await journal.change(entry, abandoned).catch(() => undefined);
      isDone &&= after?.state === 'abandoned';
    }
    return isDone;
  };

  /**
   * Sends in order until one is not accepted at once; the outbox continues from there. A refused transaction leaves a
   * nonce gap, so the ones after it are abandoned.
   */
  const sendAll = async (
    delivery: Delivery,
    service: Service,
    batch: Batch,
    entries: readonly JournalEntry[],
  ): Promise<void> => {
    for (const [i, entry] of entries.entries()) {
      const { entry: after, refusal } = await delivery.send(entry, service);
      if (after.state === 'sent' || isMined(after)) continue;
      if (isOpen(after)) return;
      // A later call that was already sent keeps the batch: the status of the calls shows the outcome of each.
      if (!(await abandonAll(entries.slice(i + 1))) || i > 0) return;
      // Nothing was sent: the caller gets an error, and may use the id again.
      await batches.remove(batch).catch(() => {});
      throw refusal;
    }
  };

  return async (request, requester) => {
    for (let mustAsk = false; ; mustAsk = true) {
      const { approved, plan, delivery } = await approve(request, requester, mustAsk);
      const { chainId, from, origin } = plan;
      let batch: Batch | undefined;
      const entries = await signAndRecord(approved, plan, async (signed) => {
        const calls = signed.map(({ hash, to, value }) => ({ hash, to, value }));
        const recorded: Batch = { id: request.id, origin, from, chainId, createdAt: now(), calls };
        await batches.record(recorded);
        batch = recorded;
        return () => batches.remove(recorded);
      });
      // Nothing was signed: no permission covers it any more.
      if (!entries || !batch) continue;
      await sendAll(delivery, asPerson(requester.service), batch, entries).finally(() => wake(chainId));
      return;
    }
  };
}

/** EIP-5792 lets a page send on a chain that is not its active one; the person is warned. */
const otherChainWarning = ({ name }: QuestionNetwork): Warning => caution('typed-data-other-chain', name);

export declare namespace createSendCalls {
  interface Options extends createTransactions.Options {
    readonly batches: BatchStore;
  }
}

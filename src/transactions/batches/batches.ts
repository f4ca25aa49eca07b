import type { QuestionNetwork } from '../../approvals/question.js';
import { isUserRejected, unauthorized } from '../../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import { bytesToHex } from '../../rpc/hex.js';
import type { Json } from '../../rpc/message.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import type { Service } from '../../service/service.js';
import type { SessionAccount } from '../../session/session.js';
import type { Storage } from '../../storage/storage.js';
import { type Batch, createBatchStore, duplicateId } from './batch-store.js';
import { type CallsStatus, callsStatus, readCallStatuses } from './call-status.js';
import { callsId, callsRequest } from './calls-request.js';
import { createSendCalls } from './send-calls.js';

/** Batches of calls (EIP-5792). Each call is a transaction of its own, sent in order; a batch is never atomic. */
export interface Batches {
  /**
   * Asks once for all calls, signs and journals all of them, then sends them in order. Resolves when all are durable
   * and as many as the chain accepts now were sent; the outbox sends the rest.
   *
   * @throws ProviderRpcError as `callsRequest`; 4100 for a sender that the origin may not use, 5710 for an unknown
   * chain, 5720 for an id in use, -32005 for too many batches in a day, 4001 refused by the person, -32003 refused by the chain
   */
  send(batch: Json, requester: Batches.Requester): Promise<{ readonly id: string }>;
  /** @throws ProviderRpcError 5730 for an id that this origin has not used, or that is no longer kept */
  status(id: Json, requester: Batches.Requester): Promise<CallsStatus>;
  /** Shows the status to the person; resolves when they close it. @throws ProviderRpcError 5730 as `status` */
  show(id: Json, requester: Batches.Requester): Promise<void>;
}

export declare namespace Batches {
  /** The page that sends a request, and the wallet's state when the request arrived. */
  interface Requester {
    readonly origin: string;
    /** All accounts of the wallet. */
    readonly accounts: readonly SessionAccount[];
    /** Finds the account that signs for an address. @throws ProviderRpcError 4100 */
    readonly signer: (from: Address) => SessionAccount;
    /** The addresses that the origin may use at the time of the call, the selected one first. */
    readonly permitted: () => readonly Address[];
    /** The known networks. A batch names its own, which need not be the active one. */
    readonly network: (chainId: number) => QuestionNetwork | undefined;
    /** The active chain. */
    readonly activeChainId: number;
    readonly signal?: AbortSignal | undefined;
  }
}

export function createBatches(options: createBatches.Options): Batches {
  const { storage, journal, approvals, serviceOf, readsOf } = options;
  const batches = createBatchStore(storage);
  const sendCalls = createSendCalls({ ...options, batches });
  /** Ids of batches that are being sent and may not be stored yet. */
  const reserved = new Set<string>();

  /** Runs `task` while `id` is reserved. @throws ProviderRpcError 5720 for an id in use */
  const withId = async (origin: string, from: Address, id: string, task: () => Promise<void>) => {
    const reservation = `${origin} ${from} ${id}`;
    if (reserved.has(reservation)) throw duplicateId();
    reserved.add(reservation);
    try {
      if (await batches.find(origin, from, id)) throw duplicateId();
      await batches.requireRoom(origin, options.now());
      await task();
    } finally {
      reserved.delete(reservation);
    }
  };

  const find = async (given: Json, { origin, accounts, permitted }: Batches.Requester): Promise<Batch> => {
    const id = callsId(given, 'params[0]');
    for (const from of new Set([...permitted(), ...accounts.map(({ address }) => address)])) {
      const batch = await batches.find(origin, from, id);
      if (batch) return batch;
    }
    throw new ProviderRpcError(
      errorCode.unknownCalls,
      'Unknown bundle id: this site has not sent such a batch recently.',
    );
  };

  const statusesOf = async (batch: Batch, signal?: AbortSignal) =>
    readCallStatuses(batch, journal.find, readsOf(batch.chainId), signal);

  return {
    async send(batch, { origin, accounts, signer, permitted, network, activeChainId, signal }) {
      const hasKey = (from: Address) => accounts.some(({ address }) => address === from);
      const selected = permitted().find(hasKey) ?? permitted()[0];
      const { chainId, calls, from = selected, id = randomId() } = callsRequest(batch, 'params[0]');
      const stillAllowed = () => from !== undefined && permitted().includes(from);
      if (from === undefined || !stillAllowed())
        throw unauthorized('The requested account and/or method has not been authorized by the user.');
      const account = signer(from);
      const target = network(chainId);
      if (!target)
        throw new ProviderRpcError(
          errorCode.unsupportedChain,
          `Unsupported chain id: the wallet does not know chain ${chainId}.`,
        );
      const requester = own({
        origin,
        account,
        ownAddresses: accounts.map(({ address }) => address),
        network: target,
        service: serviceOf(chainId),
        stillAllowed,
        signal,
      });
      await withId(origin, account.address, id, () =>
        sendCalls({ id, calls, isOtherChain: chainId !== activeChainId }, requester),
      );
      return { id };
    },

    async status(id, requester) {
      const batch = await find(id, requester);
      return callsStatus(batch, await statusesOf(batch, requester.signal));
    },

    async show(id, requester) {
      const { origin, accounts, network, signal } = requester;
      const batch = await find(id, requester);
      const statuses = await statusesOf(batch, signal);
      const { address, label } = accounts.find((each) => each.address === batch.from) as SessionAccount;
      const question = {
        kind: 'calls-status',
        origin,
        network: network(batch.chainId) as QuestionNetwork,
        account: { address, label },
        calls: batch.calls.map((call, i) => ({ ...call, state: statuses[i]?.state ?? 'pending' })),
        warnings: [],
      } as const;
      try {
        await approvals.request(question, null, { signal });
      } catch (error) {
        // Closing the dialog counts as a refusal; here it only means that the person has seen the status.
        if (!isUserRejected(error)) throw error;
      }
    },
  };
}

/** Unguessable, since an id is all that reading a status takes (EIP-5792, "Security Considerations"). */
const randomId = () => bytesToHex(crypto.getRandomValues(new Uint8Array(32)));

export declare namespace createBatches {
  interface Options extends Omit<createSendCalls.Options, 'batches'> {
    readonly storage: Storage;
    /** For the status of a batch, which pages poll. @throws ProviderRpcError 4901 for a chain that is not configured */
    readonly readsOf: (chainId: number) => Service;
  }
}

import type { QuestionNetwork } from '../../approvals/question.js';
import { errorCode, isProviderRpcError, ProviderRpcError, unauthorized } from '../../rpc/errors.js';
import { bytesToHex } from '../../rpc/hex.js';
import type { Json } from '../../rpc/message.js';
import type { Address } from '../../rpc/schema.js';
import type { SessionAccount } from '../../session/session.js';
import type { Storage } from '../../storage/storage.js';
import { type Batch, createBatches, duplicateId } from './batch-store.js';
import { type CallsStatus, callsStatus, fatesOf } from './call-status.js';
import { callsId, callsRequest } from './calls-request.js';
import { createSending } from './send-calls.js';

/** Batches of calls (EIP-5792): each call is a transaction of its own, in order, and never all or none. */
export interface Calls {
  /**
   * Asks once for all calls, signs all, writes them down, then sends them in order. Resolves when all are durable
   * and were offered as far as the chain takes them now; the outbox sends the rest.
   *
   * @throws ProviderRpcError as `callsRequest`; 4100 for a sender that the origin does not hold, 5710 for a chain
   * that is not known, 5720 for an id that is taken, 4001 refused, -32003 the chain would refuse it
   */
  send(batch: Json, asked: Calls.Asked): Promise<{ readonly id: string }>;
  /** @throws ProviderRpcError 5730 for an id that this origin has not sent, or not of late */
  status(id: Json, asked: Calls.Asked): Promise<CallsStatus>;
  /** Shows a person what became of a batch; resolves when they have closed it. @throws 5730 as `status` */
  show(id: Json, asked: Calls.Asked): Promise<void>;
}

export declare namespace Calls {
  interface Asked {
    readonly origin: string;
    /** All accounts of the wallet. */
    readonly accounts: readonly SessionAccount[];
    /** The addresses that the origin holds at present, the selected one first. */
    readonly permitted: () => readonly Address[];
    /** Known networks. A batch names its own, which need not be the active one. */
    readonly network: (chainId: number) => QuestionNetwork | undefined;
    /** The chain that was active when it was asked. */
    readonly active: number;
    readonly signal?: AbortSignal;
  }
}

export function createCalls(options: createCalls.Options): Calls {
  const { storage, journal, approvals, serviceOf } = options;
  const batches = createBatches(storage);
  const send = createSending({ ...options, batches });
  /** Of batches about which a person is being asked. */
  const reserved = new Set<string>();

  /** Runs `work` with an id that nobody else uses. */
  const withId = async (origin: string, from: Address, id: string, work: () => Promise<void>) => {
    const reservation = `${origin} ${from} ${id}`;
    if (reserved.has(reservation)) throw duplicateId();
    reserved.add(reservation);
    try {
      if (await batches.find(origin, from, id)) throw duplicateId();
      await work();
    } finally {
      reserved.delete(reservation);
    }
  };

  const find = async (given: Json, { origin, accounts, permitted }: Calls.Asked): Promise<Batch> => {
    const id = callsId(given, 'params[0]');
    for (const from of new Set([...permitted(), ...accounts.map(({ address }) => address)])) {
      const batch = await batches.find(origin, from, id);
      if (batch) return batch;
    }
    throw new ProviderRpcError(
      errorCode.unknownCalls,
      'Unknown bundle id: this site has sent no such batch of late.',
    );
  };

  const fates = async (batch: Batch, signal?: AbortSignal) =>
    fatesOf(batch, await journal.entries(), serviceOf(batch.chainId), signal);

  return {
    async send(batch, { origin, accounts, permitted, network, active, signal }) {
      const selected = permitted()[0];
      const request = callsRequest(batch, 'params[0]');
      const { chainId, calls, from = selected, id = randomId() } = request;
      const account = accounts.find(({ address }) => address === from);
      const stillAllowed = () => account !== undefined && permitted().includes(account.address);
      if (!account || !stillAllowed())
        throw unauthorized('The requested account and/or method has not been authorized by the user.');
      const target = network(chainId);
      if (!target)
        throw new ProviderRpcError(
          errorCode.unsupportedChain,
          `Unsupported chain id: the wallet does not know chain ${chainId}.`,
        );
      await withId(origin, account.address, id, () =>
        send({
          ...{ id, calls, origin, account, stillAllowed },
          own: accounts.map(({ address }) => address),
          network: target,
          elsewhere: chainId !== active,
          service: serviceOf(chainId),
          ...(signal && { signal }),
        }),
      );
      return { id };
    },

    async status(id, asked) {
      const batch = await find(id, asked);
      return callsStatus(batch, await fates(batch, asked.signal));
    },

    async show(id, asked) {
      const { origin, accounts, network, signal } = asked;
      const batch = await find(id, asked);
      const became = await fates(batch, signal);
      const { address, label } = accounts.find((each) => each.address === batch.from) as SessionAccount;
      const question = {
        kind: 'calls-status',
        origin,
        network: network(batch.chainId) as QuestionNetwork,
        account: { address, label },
        calls: batch.calls.map((call, i) => ({ ...call, state: became[i]?.state ?? 'pending' })),
        warnings: [],
      } as const;
      try {
        await approvals.request(question, null, signal && { signal });
      } catch (error) {
        // Closing it is all there is to answer.
        if (!(isProviderRpcError(error) && error.code === errorCode.userRejected)) throw error;
      }
    },
  };
}

/** Not to be guessed: an id is all it takes to read a status (EIP-5792, "Security Considerations"). */
const randomId = () => bytesToHex(crypto.getRandomValues(new Uint8Array(32)));

export declare namespace createCalls {
  interface Options extends Omit<createSending.Options, 'batches'> {
    readonly storage: Storage;
  }
}

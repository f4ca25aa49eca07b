import { wipe } from '../keyring/builtins.js';
import { addressOf, isPrivateKey } from '../keyring/signer.js';
import { resourceUnavailable, unauthorized, unsupportedMethod } from '../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import { positions } from '../rpc/params.js';
import type { PermissionTerms } from '../rpc/permission-terms.js';
import { type Address, type Hash, isLowerAddress } from '../rpc/schema.js';
import { createIdbStorage } from '../storage/idb.js';
import type { Storage } from '../storage/storage.js';
import { readQuantity } from '../transactions/prepare.js';
import { type TransactionRequest, transactionRequest } from '../transactions/request.js';
import { createKeptPurses, type KeptPurse } from './kept.js';
import type { PurseParts } from './parts.js';
import { sendFromPurse } from './sender.js';

/**
 * The purses of a site in a frame that has no wallet. It signs what is sent from them, without a question and without a window: what
 * is in a purse is its limit. The terms that the person has agreed to are kept here, and nowhere else.
 */
export interface FramePurses {
  /** Addresses of the purses whose keys are here. */
  addresses(): Promise<readonly Address[]>;
  /** Takes a message of the wallet's window. Other messages, and keys that are not those of their address, are ignored. */
  receive(message: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Sends a transaction from a purse, or refuses what no purse does; `null` for a request that is for no purse here.
   * @throws ProviderRpcError 4200 for anything but `eth_sendTransaction`; 4100 for a transaction that the terms do not cover; 4901 on
   * another chain; -32005 if the limit of the period is used up; -32002 while transactions that this browser does not know are
   * open; -32003 as `Transactions.send`
   */
  answer(request: {
    readonly method: string;
    readonly params: unknown;
    readonly signal: AbortSignal;
    /** Called before a transaction is signed. */
    readonly onSend?: (() => void) | undefined;
  }): Promise<Hash | null>;
  close(): void;
}

export function createFramePurses(
  parts: PurseParts,
  { origin, storage = createIdbStorage({ name: 'graft:purses' }) }: createFramePurses.Site,
): FramePurses {
  const { session, journal, serviceOf, networkOf, describe, now } = parts;
  const kept = createKeptPurses(storage);

  /** While transactions are open that another page, or an evicted journal, has sent, the next nonce is not known. */
  const requireKnownNonces = async ({ address, chainId }: KeptPurse): Promise<void> => {
    // An eviction takes all of the journal.
    if ((await journal.entriesOf(chainId, address)).length > 0) return;
    const service = serviceOf(chainId);
    const count = (selector: string) => readQuantity(service, 'eth_getTransactionCount', [address, selector]);
    const [latest, pending] = await Promise.all([count('latest'), count('pending')]);
    if (BigInt(pending) > BigInt(latest))
      throw resourceUnavailable(
        'Transactions of this purse that are not known here are still open. Try again once they are mined.',
      );
  };

  const send = async (purse: KeptPurse, request: TransactionRequest, signal: AbortSignal): Promise<Hash> => {
    const { address, chainId } = purse;
    const network = networkOf(chainId);
    if (!network || session.state().chainId !== chainId || (request.chainId ?? chainId) !== chainId)
      throw new ProviderRpcError(
        errorCode.chainDisconnected,
        `This purse is for chain ${chainId}; the provider is on chain ${session.state().chainId}.`,
      );
    await requireKnownNonces(purse);
    const requester = {
      ...{ origin, network: describe(network), service: serviceOf(chainId), signal },
      account: { address, label: origin, path: null },
      ownAddresses: [address],
      stillAllowed: () => true,
    };
    return sendFromPurse(request, requester, {
      ...parts,
      async judge({ transaction }) {
        const { nonce: _nonce, ...fields } = transaction;
        await kept.spend(origin, address, { chainId, ...fields }, Math.floor(now() / 1_000));
      },
      async lendKey() {
        const present = (await kept.of(origin)).find((each) => each.address === address);
        if (!present) throw unauthorized('This purse was taken back.');
        return present.key;
      },
    });
  };

  return {
    addresses: async () => (await kept.of(origin)).map(({ address }) => address),
    async receive(message) {
      const { t, address, chainId, key, terms } = membersOf(message);
      if (!isLowerAddress(address)) return;
      if (t === 'purse-ended') await kept.forget(origin, address);
      if (t !== 'purse' || !Number.isSafeInteger(chainId) || !Array.isArray(terms)) return;
      if (!(key instanceof Uint8Array) || !isPrivateKey(key) || addressOf(key) !== address) return;
      const copy = key.slice();
      try {
        const read = (terms as PermissionTerms[]).map((each) => own(each));
        await kept.keep(origin, { address, chainId: chainId as number, key: copy, terms: read });
      } finally {
        wipe(key);
        wipe(copy);
      }
    },
    async answer({ method, params, signal, onSend }) {
      const named = namesIn(params);
      // A storage that fails keeps no other request from its answer.
      const present = await kept.of(origin).catch(() => []);
      const purse = present.find(({ address }) => named.includes(address));
      if (!purse) return null;
      if (method !== 'eth_sendTransaction')
        throw unsupportedMethod(method, 'A purse only sends transactions, by eth_sendTransaction.');
      const [request] = positions(transactionRequest)(params as Json);
      onSend?.();
      return send(purse, request, signal);
    },
    close: () => storage.close(),
  };
}

/** The addresses that may be the sender or signer of a request, in lower case. */
function namesIn(params: unknown): readonly string[] {
  const list = Array.isArray(params) ? params : [];
  return list
    .flatMap((each) => [each, membersOf(each).from])
    .filter((each) => typeof each === 'string')
    .map((each) => each.toLowerCase());
}

export declare namespace createFramePurses {
  interface Site {
    /** The site, as the browser attests it. */
    readonly origin: string;
    /** Keeps the keys. Default: a database of their own. */
    readonly storage?: Storage | undefined;
  }
}

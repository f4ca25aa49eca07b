import type { Approvals } from '../approvals/approvals.js';
import { decodeCall } from '../approvals/decode-call.js';
import { transactionWarnings } from '../approvals/describe/transaction.js';
import type { PayElsewhereQuestion } from '../approvals/question.js';
import { readTokenLabel } from '../approvals/token-label.js';
import { bySeverity, distinct } from '../approvals/warning.js';
import { isUserRejected } from '../rpc/core-errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { paymentUri } from '../rpc/payment-uri.js';
import type { Address } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { WatchOnlyAccount } from '../session/session.js';
import type { Journal } from './journal.js';
import type { ContactsOf } from './recipient.js';
import { describeRecipient } from './recipient.js';
import type { TransactionRequest } from './request.js';

/**
 * Shows a transaction of an account that the wallet has no key for, with a payment as the code that another wallet reads. A locked
 * wallet is unlocked before, since it knows no contacts. There is no code where there is a danger. Resolves when the person closes it.
 *
 * @throws ProviderRpcError as `Approvals.request`, except for the refusal
 */
export async function offerElsewhere(
  request: Pick<TransactionRequest, 'to' | 'value' | 'data' | 'recipient'>,
  site: offerElsewhere.Site,
  { approvals, contacts, journal, locked }: offerElsewhere.Options,
): Promise<void> {
  const { account, network, origin, ownAddresses, service, signal } = site;
  const { to, value, data, recipient } = request;
  const { chainId } = network;
  const common = { origin, network, warnings: [] } as const;
  const label = { address: account.address, label: account.label, watchOnly: true as const };
  const call = decodeCall(to, data);
  const transfer = call?.name === 'transfer' && BigInt(value) === 0n ? call : null;
  const payee = transfer ? transfer.to : to;
  const token = transfer ? await readTokenLabel(service, transfer.token.address) : undefined;
  const units = transfer ? toQuantity(BigInt(transfer.amount)) : value;
  try {
    if (locked())
      await approvals.request({ ...common, kind: 'unlock' }, undefined, { signal, needsKeys: true });
    const described =
      payee === null
        ? undefined
        : describeRecipient(payee, {
            ...{ chainId, ownAddresses, contacts: (await contacts()) ?? [] },
            ...{ entries: await journal.entries(), archived: await journal.parties(payee) },
          });
    const nothing = '0x0';
    const warnings = transactionWarnings({
      chainId,
      transaction: { to, value, data, gas: nothing, gasPrice: nothing, nonce: nothing },
      ...{ call, fee: nothing, total: nothing, recipient, payee: described },
    });
    const isPayment = transfer !== null || data === '0x';
    const isSafe = warnings.every(({ severity }) => severity !== 'danger');
    const question = own({
      ...common,
      kind: 'pay-elsewhere' as const,
      warnings: bySeverity(distinct(warnings)),
      ...{ account: label, to: payee, units },
      ...(described && { recipient: described }),
      ...(token && { token }),
      ...(isPayment &&
        isSafe &&
        payee !== null && {
          uri: paymentUri(own({ chainId, to: payee, units: BigInt(units), token: token?.address })),
        }),
    } satisfies Omit<PayElsewhereQuestion, 'id' | 'locked'>);
    await approvals.request(question, null, { signal });
  } catch (error) {
    // Closing it counts as a refusal; here it only means that the person has seen it.
    if (!isUserRejected(error) || signal?.aborted) throw error;
  }
}

export declare namespace offerElsewhere {
  /** The requesting site, as it was when the request arrived. */
  interface Site extends Pick<PayElsewhereQuestion, 'origin' | 'network'> {
    readonly account: WatchOnlyAccount;
    /** Addresses that the wallet has keys for. */
    readonly ownAddresses: readonly Address[];
    readonly service: Service;
    readonly signal?: AbortSignal | undefined;
  }

  interface Options {
    readonly approvals: Approvals;
    readonly contacts: ContactsOf;
    readonly journal: Journal;
    readonly locked: () => boolean;
  }
}

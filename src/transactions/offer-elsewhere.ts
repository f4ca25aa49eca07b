import type { Approvals } from '../approvals/approvals.js';
import { decodeCall } from '../approvals/decode-call.js';
import type { PayElsewhereQuestion, QuestionNetwork } from '../approvals/question.js';
import { readTokenLabel } from '../approvals/token-label.js';
import { isUserRejected } from '../rpc/core-errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { paymentUri } from '../rpc/payment-uri.js';
import type { Service } from '../service/service.js';
import type { WatchOnlyAccount } from '../session/session.js';
import type { TransactionRequest } from './request.js';

/**
 * Shows a transaction of an account that the wallet has no key for, with a payment as the code that another wallet reads. Resolves
 * when the person closes it.
 * @throws ProviderRpcError as `Approvals.request`, except for the refusal
 */
export async function offerElsewhere(
  request: Pick<TransactionRequest, 'to' | 'value' | 'data'>,
  options: offerElsewhere.Options,
): Promise<void> {
  const { approvals, account, network, origin, service, signal } = options;
  const { to, value, data } = request;
  const { chainId } = network;
  const call = decodeCall(to, data);
  const transfer = call?.name === 'transfer' && BigInt(value) === 0n ? call : null;
  const payment = transfer
    ? { to: transfer.to, units: toQuantity(BigInt(transfer.amount)), token: transfer.token.address }
    : { to, units: value };
  const isPayment = to !== null && (transfer !== null || data === '0x');
  const uri = isPayment
    ? paymentUri({ ...payment, to: payment.to as typeof to, chainId, units: BigInt(payment.units) })
    : undefined;
  const question = own({
    kind: 'pay-elsewhere' as const,
    origin,
    network,
    warnings: [],
    account: { address: account.address, label: account.label, watchOnly: true as const },
    to: payment.to,
    units: payment.units,
    ...(transfer && { token: await readTokenLabel(service, transfer.token.address) }),
    ...(uri !== undefined && { uri }),
  } satisfies Omit<PayElsewhereQuestion, 'id' | 'locked'>);
  try {
    await approvals.request(question, null, { signal });
  } catch (error) {
    // Closing it counts as a refusal; here it only means that the person has seen it.
    if (!isUserRejected(error) || signal?.aborted) throw error;
  }
}

export declare namespace offerElsewhere {
  interface Options {
    readonly approvals: Approvals;
    readonly account: WatchOnlyAccount;
    readonly network: QuestionNetwork;
    readonly origin: string;
    readonly service: Service;
    readonly signal?: AbortSignal | undefined;
  }
}

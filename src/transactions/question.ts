import type { Asked } from '../approvals/approvals.js';
import type { DecodedCall, TokenLabel } from '../approvals/decoded-call.js';
import { decodeCall, withToken } from '../approvals/describe/call.js';
import { transactionWarnings } from '../approvals/describe/transaction.js';
import type { QuestionNetwork, TransactionQuestion } from '../approvals/question.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import type { SessionAccount } from '../session/session.js';
import type { Prepared, Simulation } from './prepare.js';
import type { TransactionRequest } from './request.js';

/** Puts a prepared transaction before a person. Pure: everything it says was read before. */
export function transactionQuestion(facts: transactionQuestion.Facts): Asked<TransactionQuestion> {
  const { action, request, nonce, prepared, account, own, network, origin, token, replaces } = facts;
  const { to, value, data } = request;
  const { gas, gasPrice, fee, total, balance } = prepared;
  const transaction = { to, value, data, gas, gasPrice, nonce };
  const call = labelled(decodeCall(to, data), token);
  return {
    kind: 'transaction',
    action,
    origin,
    network,
    account: { address: account.address, label: account.label },
    transaction,
    fee,
    total,
    balance,
    ownRecipient: to !== null && own.includes(to),
    call,
    warnings: transactionWarnings({
      chainId: network.chainId,
      transaction,
      call,
      fee,
      total,
      balance,
      simulation: spoken(prepared.simulation),
      usualGasPrice: prepared.minimumGasPrice,
      ...(request.recipient !== undefined && { recipient: request.recipient }),
      ...(prepared.recipientHasCode !== null && { recipientHasCode: prepared.recipientHasCode }),
      ...(replaces !== null && { replaces }),
    }),
  };
}

export declare namespace transactionQuestion {
  interface Facts {
    readonly action: 'send' | 'sign';
    readonly request: TransactionRequest;
    readonly nonce: Hex;
    readonly prepared: Prepared;
    readonly origin: string;
    readonly account: SessionAccount;
    /** All addresses of the wallet. */
    readonly own: readonly Address[];
    readonly network: QuestionNetwork;
    /** What the called contract says of itself. */
    readonly token: TokenLabel | null;
    /** The hash of the pending transaction whose nonce this one would take. */
    readonly replaces: Hash | null;
  }
}

const labelled = (call: DecodedCall | null, token: TokenLabel | null): DecodedCall | null =>
  call === null || token === null ? call : withToken(call, token);

const spoken = (simulation: Simulation) =>
  simulation.outcome === 'reverts' ? { reason: simulation.reason } : simulation.outcome;

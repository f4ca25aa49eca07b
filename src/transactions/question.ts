import type { Asked } from '../approvals/approvals.js';
import type { DecodedCall, TokenLabel } from '../approvals/decoded-call.js';
import { decodeCall, withToken } from '../approvals/describe/call.js';
import { transactionWarnings } from '../approvals/describe/transaction.js';
import { formatUnits } from '../approvals/describe/units.js';
import type { QuestionNetwork, TransactionQuestion } from '../approvals/question.js';
import type { Warning } from '../approvals/warning.js';
import type { Keyring } from '../keyring/keyring.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { SessionAccount } from '../session/session.js';
import type { JournalEntry } from './journal-entry.js';
import type { ChosenNonces } from './nonces.js';
import type { Prepared, Simulation } from './prepare.js';
import type { TransactionRequest } from './request.js';

/** What a person is asked about a prepared transaction, and what is signed when they agree. */
export interface AskedTransaction {
  readonly question: Asked<TransactionQuestion>;
  /** The transaction of the question, without its nonce. */
  readonly subject: Keyring.TransactionSubject;
}

/** Puts a prepared transaction before a person. Pure: everything it says was read before. */
export function transactionQuestion(facts: transactionQuestion.Facts): AskedTransaction {
  const { action, request, nonce, prepared, account, own, network, origin, token, choice } = facts;
  const { from, to, value, data } = request;
  const { gas, gasPrice, fee, total, balance, form } = prepared;
  const fields = { to, value, data, gas, gasPrice, ...form };
  const transaction = { ...fields, nonce };
  const call = labelled(decodeCall(to, data), token);
  const question: Asked<TransactionQuestion> = {
    kind: 'transaction',
    action,
    origin,
    network,
    account: { address: account.address, label: account.label },
    transaction,
    nonceChosenBy: request.nonce === undefined ? 'wallet' : 'page',
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
      ...(choice.replaces && { replaces: choice.replaces.hash }),
      others: [...adjustments(prepared), ...queueWarnings(facts)],
    }),
  };
  return { question, subject: { type: 'transaction', from, chainId: network.chainId, ...fields } };
}

export declare namespace transactionQuestion {
  interface Facts {
    readonly action: 'send' | 'sign';
    readonly request: TransactionRequest;
    /** Of those of `choice`. */
    readonly nonce: Hex;
    readonly choice: Pick<ChosenNonces, 'replaces' | 'overrides' | 'othersWaiting' | 'missing'>;
    /** Earlier transactions of the account that may have been carried out although nothing proves it. */
    readonly unclear: readonly JournalEntry[];
    readonly prepared: Prepared;
    readonly origin: string;
    readonly account: SessionAccount;
    /** All addresses of the wallet. */
    readonly own: readonly Address[];
    readonly network: QuestionNetwork;
    /** What the called contract says of itself. */
    readonly token: TokenLabel | null;
  }
}

/** Where what is signed is not what the page asked for. */
function adjustments({ adjusted, gas, gasPrice }: Prepared): readonly Warning[] {
  const gwei = (wei: Hex) => `${formatUnits(BigInt(wei), 9)} Gwei`;
  return [
    ...(adjusted.gasPrice === undefined
      ? []
      : [
          {
            code: 'gas-price-lowered' as const,
            severity: 'notice' as const,
            detail: `${gwei(adjusted.gasPrice)} → ${gwei(gasPrice)}`,
          },
        ]),
    ...(adjusted.gas === undefined
      ? []
      : [
          {
            code: 'gas-raised' as const,
            severity: 'notice' as const,
            detail: `${BigInt(adjusted.gas)} → ${BigInt(gas)}`,
          },
        ]),
  ];
}

/** What stands in front of this transaction, and what may have happened before it. */
function queueWarnings({ choice, unclear, network }: transactionQuestion.Facts): readonly Warning[] {
  const { othersWaiting, missing, overrides } = choice;
  const payment = ({ value, to, hash }: JournalEntry) =>
    `${formatUnits(BigInt(value), network.decimals)} ${network.symbol} → ${to ?? '–'} (${hash})`;
  const warnings: (Warning | false)[] = [
    unclear.length > 0 && {
      code: 'earlier-outcome-unclear',
      severity: 'danger',
      detail: unclear.map(payment).join('; '),
    },
    othersWaiting > 0 && { code: 'waits-for-others', severity: 'caution', detail: `${othersWaiting}` },
    missing > 0 && { code: 'waits-for-nonces', severity: 'caution', detail: `${missing}` },
    overrides !== null && { code: 'overrides-unsent', severity: 'notice', detail: payment(overrides) },
  ];
  return warnings.filter((warning) => warning !== false);
}

const labelled = (call: DecodedCall | null, token: TokenLabel | null): DecodedCall | null =>
  call === null || token === null ? call : withToken(call, token);

const spoken = (simulation: Simulation) =>
  simulation.outcome === 'reverts' ? { reason: simulation.reason } : simulation.outcome;

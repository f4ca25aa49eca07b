import type { Answer, Question } from '../../../../src/approvals/question.js';
import { own } from '../../../../src/rpc/own.js';
import type { Address } from '../../../../src/rpc/schema.js';
import { isAddress, readAmount } from './checks.js';

/**
 * A person's choices when approving. A choice that the question does not offer is an error.
 *
 * @example
 * await questions.approve({ kind: 'connect' }, { accounts: [account] });
 * await questions.approve({ kind: 'transaction' }, { gasPrice: 65_000_000n });
 */
export interface Choice {
  /** Accounts to share, for `connect`: at least one of the question's. Letter case does not matter. */
  readonly accounts?: readonly string[] | undefined;
  /**
   * Gas price for a transaction or calls, from `choices.minimum` to `choices.maximum`, wei per gas, as a bigint or in
   * hexadecimal or decimal digits.
   */
  readonly gasPrice?: bigint | string | undefined;
  /** Amount to approve, for an ERC-20 approval: at most the requested one, base units, as a bigint or in such digits. */
  readonly allowance?: bigint | string | undefined;
}

/** The members of a {@link Choice}. */
export const choiceNames: readonly (keyof Choice)[] = ['accounts', 'gasPrice', 'allowance'];

/**
 * The answer that approves a question with a choice, as the wallet takes it.
 * @throws Error naming the member that the question does not offer, and what it offers
 */
export function approveWith(choice: Choice, question: Question): Answer {
  const { accounts, gasPrice, allowance } = own(choice);
  return {
    approved: true,
    ...(accounts !== undefined && { accounts: readAccounts(accounts, question) }),
    ...(gasPrice !== undefined && { gasPrice: readGasPrice(gasPrice, question) }),
    ...(allowance !== undefined && { allowance: readAllowance(allowance, question) }),
  };
}

function readAccounts(chosen: readonly string[], question: Question): readonly Address[] {
  if (question.kind !== 'connect') throw notOffered('accounts', question);
  const offered = question.accounts.map(({ address }) => address);
  const list = `the question offers ${offered.join(', ')}`;
  if (!Array.isArray(chosen) || chosen.length === 0)
    throw new Error(`accounts: expected a list of at least one address; ${list}`);
  return chosen.map((each: unknown) => {
    const found = offered.find((address) => address === String(each).toLowerCase());
    if (found) return found;
    // Show addresses only: any other value may be a private key.
    throw new Error(
      `accounts: ${isAddress(each) ? each : 'a value that is no address'} is not offered; ${list}`,
    );
  });
}

function readGasPrice(given: bigint | string, question: Question): `0x${string}` {
  const { choices } = own(question as { choices?: { minimum: string; maximum: string } });
  if (!choices) throw notOffered('gasPrice', question);
  const price = readAmount('gasPrice', given);
  const [minimum, maximum] = [BigInt(choices.minimum), BigInt(choices.maximum)];
  if (price < minimum || price > maximum)
    throw new Error(
      `gasPrice: ${price} is not offered; the question offers ${minimum} to ${maximum} wei per gas`,
    );
  return `0x${price.toString(16)}`;
}

function readAllowance(given: bigint | string, question: Question): string {
  const { choices } = own(question as { choices?: { allowance?: string } });
  const requested = choices?.allowance;
  if (requested === undefined) throw notOffered('allowance', question);
  const amount = readAmount('allowance', given);
  if (amount < 0n || amount > BigInt(requested))
    throw new Error(`allowance: ${amount} is not offered; the question offers 0 to ${requested}`);
  return String(amount);
}

const notOffered = (name: keyof Choice, { kind }: Question): Error =>
  new Error(`${name}: the question { kind: "${kind}" } offers no such choice`);

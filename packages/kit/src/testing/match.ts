import type { PermissionQuestion, Question } from '../../../../src/approvals/question.js';
import { own } from '../../../../src/rpc/own.js';
import { totalOf } from '../../../../src/rpc/permission-terms.js';
import { readAmount, requireMembers } from './checks.js';

/** A test's expectation of a question. Only the members that are present are compared. */
export interface QuestionMatch {
  /** `connect`, `transaction`, `message`, `typed-data`, … */
  readonly kind?: Question['kind'] | undefined;
  /** The origin of the page that asks, such as `https://app.example`. */
  readonly origin?: string | undefined;
  /** The account that would sign. Letter case does not matter. For `connect` with a sign-in, the selected account with a key. */
  readonly account?: string | undefined;
  /** Address that a transaction calls, in any letter case; `null` for the creation of a contract. */
  readonly to?: string | null | undefined;
  /** Value of a transaction, wei, as a bigint or in hexadecimal or decimal digits. */
  readonly value?: bigint | string | undefined;
  /** Name of the function that a transaction calls, as decoded, such as `approve`. */
  readonly call?: string | undefined;
  /**
   * Whole text of a message, or a pattern to find in it; also of the sign-in that comes with `connect`. A permission has a line with its type, the amount in a period
   * and in all (wei or base units, decimal), and the site's own words.
   */
  readonly text?: string | RegExp | undefined;
  /** Primary type of typed data. */
  readonly primaryType?: string | undefined;
  /** The chain to switch to or to add; of every other question the active chain. */
  readonly chainId?: number | undefined;
  /** Address of the token of `watch-asset`, in any letter case. */
  readonly asset?: string | undefined;
}

/** Summary of a question, which a {@link QuestionMatch} is compared with. Holds no secret. */
export interface QuestionFacts {
  /** `connect`, `transaction`, `message`, `typed-data`, … */
  readonly kind: Question['kind'];
  /** The origin of the page that asks. */
  readonly origin: string;
  /** The chain to switch to or to add; of every other question the active chain. */
  readonly chainId: number;
  /** The account that would sign. */
  readonly account?: string | undefined;
  /** Address that a transaction calls; `null` for the creation of a contract. */
  readonly to?: string | null | undefined;
  /** Value of a transaction, wei. */
  readonly value?: bigint | undefined;
  /** Name of the function that a transaction calls, as decoded. */
  readonly call?: string | undefined;
  /** Text of a message or of a sign-in, `null` for bytes that are not text; or of permissions. */
  readonly text?: string | null | undefined;
  /** Primary type of typed data. */
  readonly primaryType?: string | undefined;
  /** Address of the token of `watch-asset`. */
  readonly asset?: string | undefined;
}

/**
 * A question in short, for assertions and messages.
 *
 * @example
 * factsOf(await questions.nextQuestion()); // { kind: 'transaction', to: '0x…', value: 1n, … }
 */
export function factsOf(question: Question): QuestionFacts {
  const { kind, origin, network } = question;
  const target = 'target' in question ? question.target : network;
  const facts = { kind, origin, chainId: target.chainId };
  const account = 'account' in question ? { account: question.account.address } : {};
  switch (question.kind) {
    case 'transaction': {
      const { transaction, call, described } = question;
      const name = call?.name ?? described?.name;
      const { to, value } = transaction;
      return { ...facts, ...account, to, value: BigInt(value), ...(name !== undefined && { call: name }) };
    }
    case 'connect': {
      const { selected, signIn } = own(question);
      const messages = signIn?.messages ?? [];
      const signed = selected.flatMap((each) => messages.find(({ address }) => address === each) ?? [])[0];
      return { ...facts, ...(signed && { account: signed.address, text: signed.text }) };
    }
    case 'message':
      return { ...facts, ...account, text: question.text };
    case 'typed-data':
      return { ...facts, ...account, primaryType: question.primaryType };
    case 'watch-asset':
      return { ...facts, asset: question.asset.address };
    case 'permission':
      return { ...facts, ...account, text: question.permissions.map(textOf).join('\n') };
    default:
      return { ...facts, ...account };
  }
}

/** Type, amount in a period and in all (wei or base units, decimal), and the site's own words. */
const textOf = (terms: PermissionQuestion['permissions'][number]): string =>
  [terms.type, BigInt(terms.amount), totalOf(terms, terms.amount), terms.justification ?? '']
    .join(' ')
    .trim();

/**
 * Checks a match that the author of a test has written.
 *
 * @param what its name in messages
 * @param further members that it may have besides those of a match
 * @throws Error naming the member that is unknown or wrong
 */
export function requireMatch(what: string, match: QuestionMatch, further: readonly string[] = []): void {
  requireMembers(what, match, [...names, ...further]);
  const { kind, value } = own(match);
  if (kind !== undefined && !Object.hasOwn(kinds, kind))
    throw new Error(`${what}.kind: there is no such question; there are ${Object.keys(kinds).join(', ')}`);
  if (value !== undefined) readAmount(`${what}.value`, value);
}

/** Whether a question is as expected. An empty match fits every question. */
export function isMatch(question: Question, match: QuestionMatch): boolean {
  const facts = own(factsOf(question));
  return fieldsOf(match).every(([name, expected]) => {
    const actual = facts[name];
    if (expected instanceof RegExp) return String(actual).search(expected) >= 0;
    if (name === 'value') return actual !== undefined && BigInt(expected as bigint | string) === actual;
    if (typeof expected === 'string' && caseless.has(name))
      return expected.toLowerCase() === String(actual).toLowerCase();
    return expected === actual;
  });
}

/** A match or a question in short as one line, for messages. */
export function printFields(fields: QuestionMatch | QuestionFacts): string {
  const printed = fieldsOf(fields).map(([name, value]) => `${name}: ${print(value)}`);
  return printed.length > 0 ? `{ ${printed.join(', ')} }` : 'any question';
}

/** Addresses, whose letter case is a checksum. */
const caseless = new Set<string>(['account', 'to', 'asset']);

const kinds: Readonly<Record<Question['kind'], true>> = {
  onboarding: true,
  connect: true,
  transaction: true,
  calls: true,
  'calls-status': true,
  message: true,
  'typed-data': true,
  'switch-chain': true,
  'add-chain': true,
  'watch-asset': true,
  permission: true,
  'pay-elsewhere': true,
  unlock: true,
};

const names = [
  'kind',
  'origin',
  'chainId',
  'account',
  'to',
  'value',
  'call',
  'text',
  'primaryType',
  'asset',
] as const;

/** The members that are given, in one order; others, such as the answer of a rule, are left out. */
const fieldsOf = (fields: QuestionMatch | QuestionFacts) => {
  const given = own(fields);
  return names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const]));
};

const print = (value: unknown): string => {
  if (typeof value === 'bigint') return `${value}n`;
  return value instanceof RegExp ? String(value) : JSON.stringify(value);
};

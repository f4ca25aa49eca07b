import { knownToken } from '../../assets/known-tokens.js';
import { own } from '../../rpc/own.js';
import { isClaimUnusual } from '../../rpc/token-amount.js';
import type { CallTree } from '../call-tree.js';
import type { DecodedCall } from '../decode-call.js';
import { distinct, type Warning } from '../warning.js';

/**
 * Warnings about calls and the calls inside them. What is not understood is at least a caution; what may move value without
 * an end is a danger (docs/notes/security.md#calls-and-rights).
 */
export const callWarnings = (trees: readonly CallTree[], chainId: number): readonly Warning[] =>
  distinct(trees.flatMap((tree) => [...warningsOf(tree, chainId, false)]));

function* warningsOf(call: CallTree, chainId: number, isInner: boolean): Generator<Warning> {
  const { effect, to, selector, tokens, inner } = call;
  const method = call.method ?? (selector === '0x' ? '' : selector);
  const about = isInner ? method : '';
  const isTokenKnown = to !== null && knownToken(chainId, to) !== null;
  switch (effect) {
    case 'unknown':
      yield warn(isTokenKnown ? 'danger' : 'caution', 'unknown-call', about);
      break;
    case 'disguised':
      yield warn('danger', 'unknown-call', about);
      break;
    case 'control':
      yield warn('danger', 'changes-control', method);
      break;
    case 'delegation':
      yield warn('caution', 'gives-right', method);
      break;
    case 'execution':
      yield warn('caution', 'runs-calls', String(inner.length));
      break;
    case 'transfer':
    case 'approval':
      if (tokens.length === 0) yield withoutTokens(call, method);
  }
  for (const each of tokens) yield* tokenCallWarnings(each);
  if (call.opaque) yield warn('caution', 'unknown-call', about);
  if (call.delegated) yield warn('danger', 'delegate-call', method);
  if (call.truncated) yield warn('danger', 'calls-not-shown');
  for (const each of inner) yield* warningsOf(each, chainId, true);
}

/** For a call whose token or amount the data does not say. */
function withoutTokens({ effect, endless, arguments: given }: CallTree, method: string): Warning {
  if (!endless) return warn('caution', 'moves-tokens', method);
  if (effect === 'transfer') return warn('danger', 'moves-tokens', method);
  const isForAll = given.some(({ name }) => name === 'operator');
  return warn('danger', isForAll ? 'approval-for-all' : 'unlimited-approval');
}

/** Warnings about what a call does to a token. */
export function tokenCallWarnings(call: DecodedCall): readonly Warning[] {
  const { imitates } = own(call.token);
  return [
    ...(imitates === undefined ? [] : [warn('danger', 'imitates-token', imitates)]),
    ...amountWarnings(call),
  ];
}

function amountWarnings(call: DecodedCall): readonly Warning[] {
  if (call.name === 'setApprovalForAll') return call.approved ? [warn('danger', 'approval-for-all')] : [];
  if (call.name === 'safeTransferFrom') return [];
  const { decimals, balance } = own(call.token);
  const amount = BigInt(call.amount);
  const isAllowance = call.name === 'approve' || call.name === 'increaseAllowance';
  const isAll = isAllowance && balance !== undefined && BigInt(balance) > 0n && amount >= BigInt(balance);
  return [
    ...(isAllowance && call.unlimited ? [warn('danger', 'unlimited-approval')] : []),
    ...(isAll && !call.unlimited ? [warn('caution', 'whole-balance')] : []),
    ...(isClaimUnusual(amount, call.token) ? [warn('caution', 'unusual-decimals', `${decimals}`)] : []),
  ];
}

const warn = (severity: Warning['severity'], code: Warning['code'], detail = ''): Warning =>
  detail === '' ? { code, severity } : { code, severity, detail };

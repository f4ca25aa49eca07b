import { bridge, hasBridge, knownToken } from '../../rpc/known-contracts.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import type { CallTree } from '../call-tree.js';
import { caution, danger, distinct, type Warning } from '../warning.js';
import { tokenCallWarnings } from './token-call.js';

/**
 * Warnings about calls and the calls inside them. A call that the wallet does not understand is at least a caution; one
 * that may move value without limit is a danger (docs/notes/security.md#calls-and-rights).
 */
export const callWarnings = (trees: readonly CallTree[], chainId: number): readonly Warning[] =>
  distinct([
    ...(hasBridge(chainId) && trees.some((tree) => isLostAtBridge(tree)) ? [danger('bridge-payee')] : []),
    ...trees.flatMap((tree) => [...warningsOf(tree, chainId, false)]),
  ]);

/**
 * Whether a call, or one inside it, makes a contract pay the bridge, or moves tokens to it. The bridge pays bitcoin to people only, and
 * returns nothing to a contract (rskj, Bridge, reason 2 of a rejection). The calls inside an execution are judged by themselves.
 *
 * @param call made by a contract; of the account's own call, which is a payment, see `transactionWarnings`
 */
const isLostAtBridge = (call: CallTree): boolean =>
  (call.to === bridge && (BigInt(call.value) > 0n || call.effect === 'payment')) ||
  // The text of a long list is cut, and the token calls are not.
  call.tokens.some((each) => own(each as { to?: Address }).to === bridge) ||
  (isMovement(call) &&
    call.arguments.some(({ type, value }) => type.startsWith('address') && value.includes(bridge))) ||
  call.inner.some(isLostAtBridge);

/** Whether coins or tokens of the called contract go to an address that the call names. */
const isMovement = ({ effect, method }: CallTree): boolean =>
  effect === 'transfer' || method === 'kill' || method === 'destroy';

function* warningsOf(call: CallTree, chainId: number, isInner: boolean): Generator<Warning> {
  const { effect, to, selector, tokens, inner } = call;
  const method = call.method ?? (selector === '0x' ? '' : selector);
  const about = isInner ? method : '';
  const isTokenKnown = to !== null && knownToken(chainId, to) !== null;
  switch (effect) {
    case 'unknown':
      yield (isTokenKnown ? danger : caution)('unknown-call', about);
      break;
    case 'disguised':
      yield danger('unknown-call', about);
      break;
    case 'control':
      yield danger('changes-control', method);
      break;
    case 'delegation':
      yield caution('gives-right', method);
      break;
    case 'execution':
      yield caution('runs-calls', String(inner.length));
      break;
    case 'payment':
    case 'transfer':
    case 'approval':
      if (effect !== 'payment' && tokens.length === 0) yield withoutTokens(call, method);
      else if (effect !== 'approval' && call.endless) yield danger('moves-tokens', method);
  }
  for (const each of tokens) yield* tokenCallWarnings(each);
  // A known function does not determine what an unknown contract does with coins.
  const isPaid = selector !== '0x' && BigInt(call.value) > 0n && knownEffects.has(effect);
  if (call.opaque || (isPaid && !(isTokenKnown && method === 'deposit')))
    yield caution('unknown-call', about);
  if (call.delegated) yield danger('delegate-call', method);
  if (call.truncated) yield danger('calls-not-shown');
  for (const each of inner) yield* warningsOf(each, chainId, true);
}

/** Effects of functions that expect no coins, or keep them. */
const knownEffects: ReadonlySet<string> = new Set('harmless transfer approval delegation control'.split(' '));

/** The warning about a call whose data lacks the token or the amount. */
function withoutTokens({ effect, endless, arguments: given }: CallTree, method: string): Warning {
  if (!endless) return caution('moves-tokens', method);
  if (effect === 'transfer') return danger('moves-tokens', method);
  const isForAll = given.some(({ name }) => name === 'operator');
  return danger(isForAll ? 'approval-for-all' : 'unlimited-approval');
}

import type { Address } from '../rpc/schema.js';
import type { CallTree } from './call-tree.js';
import { type TokenLabel, withToken } from './decode-call.js';

/** Contracts of the tokens that calls name, those of inner calls included, in order. */
export const tokensOfCalls = (calls: readonly CallTree[]): readonly Address[] =>
  calls.flatMap(({ tokens, inner }) => [
    ...tokens.map(({ token }) => token.address),
    ...tokensOfCalls(inner),
  ]);

/** The calls with the labels of their tokens. */
export const withCallLabels = (
  calls: readonly CallTree[],
  labels: ReadonlyMap<Address, TokenLabel>,
): readonly CallTree[] =>
  calls.map((call) => {
    const tokens = call.tokens.map((each) => withToken(each, labels.get(each.token.address) ?? each.token));
    return { ...call, tokens, inner: withCallLabels(call.inner, labels) };
  });

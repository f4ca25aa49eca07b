import type { MethodName } from '../rpc/method-facts/method-facts.js';
import type { unsupportedRows } from '../rpc/method-facts/unsupported-rows.js';
import * as account from './account.js';
import * as asset from './asset.js';
import * as block from './block.js';
import * as calls from './calls.js';
import * as chain from './chain.js';
import * as client from './client.js';
import * as execute from './execute.js';
import * as fee from './fee.js';
import * as filter from './filter.js';
import * as logs from './logs.js';
import type { Method } from './method.js';
import * as sign from './sign.js';
import * as state from './state.js';
import * as submit from './submit.js';
import * as subscription from './subscription.js';
import * as trace from './trace.js';
import * as transaction from './transaction.js';

/** Every method that is answered, by its name on the wire. */
export const methods = {
  ...account,
  ...asset,
  ...block,
  ...calls,
  ...chain,
  ...client,
  ...execute,
  ...fee,
  ...filter,
  ...logs,
  ...sign,
  ...state,
  ...submit,
  ...subscription,
  ...trace,
  ...transaction,
};

/** Those, and the known ones that are not answered: their params have any type, and they have no result. */
export type Methods = typeof methods & {
  readonly [Name in keyof typeof unsupportedRows]: Method<readonly unknown[], never>;
};

/** The methods by name. A map, so that inherited names such as `constructor` are not found. */
export const methodTable: ReadonlyMap<string, Method> = new Map(
  Object.entries(methods satisfies Readonly<Record<MethodName, unknown>>) as [string, Method][],
);

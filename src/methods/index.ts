import * as account from './account.js';
import * as asset from './asset.js';
import * as block from './block.js';
import * as chain from './chain.js';
import * as client from './client.js';
import * as execute from './execute.js';
import * as filter from './filter.js';
import * as instant from './instant.js';
import type { Method } from './method.js';
import * as refused from './refused.js';
import * as sign from './sign.js';
import * as state from './state.js';
import * as submit from './submit.js';
import * as subscription from './subscription.js';
import * as trace from './trace.js';
import * as transaction from './transaction.js';

/** Every method there is, by its name on the wire: the support list. */
export const methods = {
  ...account,
  ...asset,
  ...block,
  ...chain,
  ...client,
  ...execute,
  ...filter,
  ...instant,
  ...refused,
  ...sign,
  ...state,
  ...submit,
  ...subscription,
  ...trace,
  ...transaction,
};

export type Methods = typeof methods;

/** For looking a name up: inherited names such as `constructor` are not in it. */
export const methodTable: ReadonlyMap<string, Method> = new Map(
  Object.entries(methods) as [string, Method][],
);

import * as account from './account.js';
import * as asset from './asset.js';
import * as calls from './calls.js';
import * as chain from './chain.js';
import * as client from './client.js';
import * as fee from './fee.js';
import * as filter from './filter.js';
import * as permission from './permission.js';
import * as sign from './sign.js';
import * as submit from './submit.js';
import * as subscription from './subscription.js';
import * as trace from './trace.js';
import * as verify from './verify.js';

/** All other methods, in a chunk of their own, which loads with the first of them. */
export const furtherMethods = {
  ...account,
  ...asset,
  ...calls,
  ...chain,
  ...client,
  ...fee,
  ...filter,
  ...permission,
  ...sign,
  ...submit,
  ...subscription,
  ...trace,
  ...verify,
};

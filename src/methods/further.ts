import * as account from './account.js';
import * as asset from './asset.js';
import * as calls from './calls.js';
import * as chain from './chain.js';
import * as client from './client.js';
import * as fee from './fee.js';
import * as permission from './permission.js';
import * as trace from './trace.js';
import * as verify from './verify.js';

/** The methods that are rarely asked. */
export const furtherMethods = {
  ...account,
  ...asset,
  ...calls,
  ...chain,
  ...client,
  ...fee,
  ...permission,
  ...trace,
  ...verify,
};

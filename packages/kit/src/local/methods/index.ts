import type { Methods } from '../context.js';
import { blockMethods } from './block.js';
import { chainMethods } from './chain.js';
import { evmMethods } from './evm.js';
import { executeMethods } from './execute.js';
import { logMethods } from './log.js';
import { nodeMethods, peerMethods } from './node.js';
import { stateMethods } from './state.js';
import { submitMethods } from './submit.js';
import { traceMethods } from './trace.js';
import { transactionMethods } from './transaction.js';
import { txpoolMethods } from './txpool.js';

/** All methods of the service. Any other is `-32601 method not found`. */
export const createMethods = (): Methods => ({
  ...chainMethods,
  ...blockMethods,
  ...transactionMethods,
  ...stateMethods,
  ...executeMethods,
  ...submitMethods,
  ...logMethods,
  ...txpoolMethods,
  ...traceMethods,
  ...nodeMethods,
  ...evmMethods(),
  ...peerMethods(),
});

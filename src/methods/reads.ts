import * as block from './block.js';
import * as execute from './execute.js';
import * as logs from './logs.js';
import * as state from './state.js';
import * as transaction from './transaction.js';

/** The methods that load with the core, by their names on the wire: those by which most pages read. */
export const readMethods = { ...block, ...execute, ...logs, ...state, ...transaction };

import { errorCode, isProviderRpcError } from './errors.js';

/** The reason of a call that reverted, empty if it gave none; `undefined` for any other error. */
export const revertReason = (error: unknown): string | undefined =>
  isProviderRpcError(error) && error.code === errorCode.executionReverted
    ? error.message.replace(/^execution reverted:? ?/, '')
    : undefined;

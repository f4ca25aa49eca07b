import { errorCode, isProviderRpcError } from '../rpc/errors.js';

/** Repeats the request once after a malformed reply, since another node may give a better one. */
export const twice = <T>(request: () => Promise<T>): Promise<T> =>
  request().catch((error) => {
    if (isProviderRpcError(error) && error.code === errorCode.internal) return request();
    throw error;
  });

import { errorCode, isProviderRpcError, ProviderRpcError } from './errors.js';

/** -32002 for a file of the wallet that did not load. Its own text is not shown: it may contain secrets. */
export const notLoaded = (): ProviderRpcError =>
  new ProviderRpcError(
    errorCode.resourceUnavailable,
    'A part of the wallet did not load: reload the page. Its files must be of one version, and allowed by the page.',
  );

/** For a load that failed: an error that has a code keeps it. @throws ProviderRpcError always */
export function throwNotLoaded(error: unknown): never {
  throw isProviderRpcError(error) ? error : notLoaded();
}

import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { versions } from './protocol.js';

/** An error of the bridge itself. `reason` names it for a program. */
export const bridgeError = (reason: BridgeReason, message: string, more?: object) =>
  new ProviderRpcError(codes[reason], message, { reason, ...more });

const codes: Readonly<Record<BridgeReason, number>> = {
  'bridge-origin': errorCode.unauthorized,
  'bridge-lost': errorCode.disconnected,
  'bridge-unreachable': errorCode.resourceUnavailable,
  'bridge-version': errorCode.resourceUnavailable,
  'popup-blocked': errorCode.resourceUnavailable,
  'storage-partitioned': errorCode.resourceUnavailable,
};

export const popupBlocked = () =>
  bridgeError(
    'popup-blocked',
    'The window of the wallet was not opened: the browser or the person has blocked it.',
  );

export const unknownOutcome = () =>
  bridgeError('bridge-lost', 'The wallet stopped answering: whether it has sent is unknown.', {
    outcomeUnknown: true,
  });

export const unauthorizedOrigin = () =>
  bridgeError('bridge-origin', 'The wallet does not serve this origin.');

/** @param host the versions that the host has named */
export const versionError = (host: unknown) =>
  bridgeError(
    'bridge-version',
    'The wallet and this page speak no common version of the bridge: one of them has to be updated.',
    { host: Array.isArray(host) ? host.filter(Number.isSafeInteger).slice(0, 64) : [], client: versions },
  );

/** `data.reason` of an error of the bridge. */
export type BridgeReason =
  | 'bridge-origin'
  | 'bridge-lost'
  | 'bridge-unreachable'
  | 'bridge-version'
  | 'popup-blocked'
  | 'storage-partitioned';

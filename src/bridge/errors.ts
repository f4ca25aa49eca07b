import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { versions } from './protocol.js';

/** An error of the bridge itself. `reason` names it for a program. */
export const bridgeError = (reason: keyof typeof codes, message: string, more?: object) =>
  new ProviderRpcError(codes[reason], message, { reason, ...more });

/** By `data.reason`. */
const codes = {
  'bridge-origin': errorCode.unauthorized,
  'bridge-lost': errorCode.disconnected,
  'bridge-unreachable': errorCode.resourceUnavailable,
  'bridge-version': errorCode.resourceUnavailable,
  'no-window': errorCode.resourceUnavailable,
  'popup-blocked': errorCode.resourceUnavailable,
  'storage-partitioned': errorCode.resourceUnavailable,
} as const;

export const popupBlocked = () =>
  bridgeError('popup-blocked', 'The wallet’s window was not opened: its button was dismissed.');

const noWindowText =
  'No window of the wallet opens here. A web view, a sandbox or the browser’s settings forbid it: open this page in a browser that allows pop-ups';
const openerPolicy = 'Cross-Origin-Opener-Policy';

/** A window that cannot be had here, whatever the person clicks. */
export const noWindow = () => bridgeError('no-window', `${noWindowText}.`);

/** A window that cannot be had here, or that the page's headers cut off from the wallet's frame. */
export const noWindowOrCutOff = () =>
  bridgeError('no-window', `${noWindowText}, and do not send ${openerPolicy}: same-origin with it.`, {
    header: openerPolicy,
  });

/** A window that the page's headers cut off from the wallet's frame. */
export const cutOff = () =>
  bridgeError(
    'no-window',
    `The page’s header ${openerPolicy}: same-origin cuts off the wallet’s window. Send same-origin-allow-popups.`,
    { header: openerPolicy },
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

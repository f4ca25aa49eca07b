import { permittedAccounts, type SessionGrant, type SessionState } from './session.js';

/** Whether the site of a permission is connected to its account as it was when the person agreed. */
export const isStanding = (
  state: SessionState,
  { origin, account, connectedAt }: Pick<SessionGrant, 'origin' | 'account' | 'connectedAt'>,
): boolean =>
  state.permissions[origin]?.date === connectedAt && permittedAccounts(state, origin).includes(account);

import { own } from '../rpc/own.js';
import type { SessionState } from '../session/session.js';
import { isStanding } from '../session/standing.js';
import { type Grant, readGrants } from './grant.js';

/** Whether a permission still counts: the session lists it, and its site is connected as it was. */
export const counts = (state: SessionState, grant: Grant): boolean =>
  (own(state).granted ?? []).some(({ context }) => context === grant.context) && isStanding(state, grant);

/** The permissions that have ended between two states: by the person, the site or a new one, or with the connection or account. */
export const endedBetween = (previous: SessionState, state: SessionState): readonly Grant[] =>
  readGrants(own(previous).granted ?? []).filter((grant) => counts(previous, grant) && !counts(state, grant));

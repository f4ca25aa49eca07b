import type { Question } from '../../../approvals/question.js';
import { own } from '../../../rpc/own.js';
import { connect } from './connect.js';
import { unlock } from './unlock.js';
import type { ViewOf } from './view.js';

/** The kinds that have one view; setting up a wallet has a flow of several. */
export type ViewKind = Exclude<Question['kind'], 'onboarding'> | 'connect-and-sign-in';

/** The kind of the question of a view. */
type AskedBy<Kind extends ViewKind> = Kind extends 'connect-and-sign-in'
  ? 'connect'
  : Kind & Question['kind'];

/** The others are loaded with the first question of their kind. */
const views: { readonly [Kind in ViewKind]: () => ViewOf<AskedBy<Kind>> | Promise<ViewOf<AskedBy<Kind>>> } = {
  connect: () => connect,
  transaction: async () => (await import('./transaction.js')).transaction,
  calls: async () => (await import('./calls.js')).calls,
  'calls-status': async () => (await import('./calls.js')).callsStatus,
  'connect-and-sign-in': async () => (await import('./connect-and-sign-in.js')).connectAndSignIn,
  message: async () => (await import('./message.js')).message,
  'typed-data': async () => (await import('./typed-data.js')).typedData,
  'switch-chain': async () => (await import('./switch-chain.js')).switchChain,
  'add-chain': async () => (await import('./add-chain.js')).addChain,
  'watch-asset': async () => (await import('./watch-asset.js')).watchAsset,
  permission: async () => (await import('./permission.js')).permission,
  'pay-elsewhere': async () => (await import('./pay-elsewhere.js')).payElsewhere,
  unlock: () => unlock,
};

export const loadView = async <Kind extends ViewKind>(kind: Kind): Promise<ViewOf<AskedBy<Kind>>> =>
  (await views[kind]()) as ViewOf<AskedBy<Kind>>;

/** The view that draws a question; `null` for the flow that sets up a wallet. */
export function viewKind(question: Question): ViewKind | null {
  const { kind } = question;
  if (kind === 'onboarding') return null;
  return kind === 'connect' && own(question).signIn ? 'connect-and-sign-in' : kind;
}

import type { Question } from '../../../approvals/question.js';
import { addChain } from './add-chain.js';
import { connect } from './connect.js';
import { switchChain } from './switch-chain.js';
import { unlock } from './unlock.js';
import type { ViewOf } from './view.js';
import { watchAsset } from './watch-asset.js';

/** The kinds that have one view; setting up a wallet has a flow of several. */
export type ViewKind = Exclude<Question['kind'], 'onboarding'>;

/** What describes transactions and messages is loaded with the first of them. */
const views: { readonly [Kind in ViewKind]: () => ViewOf<Kind> | Promise<ViewOf<Kind>> } = {
  connect: () => connect,
  transaction: async () => (await import('./transaction.js')).transaction,
  calls: async () => (await import('./calls.js')).calls,
  'calls-status': async () => (await import('./calls.js')).callsStatus,
  message: async () => (await import('./message.js')).message,
  'typed-data': async () => (await import('./typed-data.js')).typedData,
  'switch-chain': () => switchChain,
  'add-chain': () => addChain,
  'watch-asset': () => watchAsset,
  unlock: () => unlock,
};

export const loadView = async <Kind extends ViewKind>(kind: Kind): Promise<ViewOf<Kind>> =>
  (await views[kind]()) as ViewOf<Kind>;

import type { Question } from '../../approvals/question.js';
import type { Words } from '../words.js';
import { addChain } from './add-chain.js';
import { calls, callsStatus } from './calls.js';
import { connect } from './connect.js';
import { message } from './message.js';
import { switchChain } from './switch-chain.js';
import { transaction } from './transaction.js';
import { typedData } from './typed-data.js';
import { unlock } from './unlock.js';
import type { View, ViewOf } from './view.js';
import { watchAsset } from './watch-asset.js';

const views: { readonly [Kind in Question['kind']]: ViewOf<Kind> } = {
  connect,
  transaction,
  calls,
  'calls-status': callsStatus,
  message,
  'typed-data': typedData,
  'switch-chain': switchChain,
  'add-chain': addChain,
  'watch-asset': watchAsset,
  unlock,
};

export const viewOf = <Kind extends Question['kind']>(
  question: Extract<Question, { kind: Kind }>,
  words: Words,
): View => (views[question.kind as Kind] as ViewOf<Kind>)(question, words);

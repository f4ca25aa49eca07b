/** `graft-kit/testing`: approvers that answer without a person, for automation and end-to-end tests. */

export { type Channel, createChannel } from './channel.js';
export type { Choice } from './choice.js';
export type { TestPermission } from './grant.js';
export { type HeadlessApprover, headless } from './headless.js';
export { factsOf, type QuestionFacts, type QuestionMatch } from './match.js';
export { channelName, type PageMessage } from './page-protocol.js';
export {
  type AnswerRule,
  type Answers,
  type ScriptedApprover,
  scripted,
  type TestQuestions,
  type Verdict,
} from './scripted.js';

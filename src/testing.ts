/** `graft-wallet/testing`: an approver that answers without a person, for automation and end-to-end tests. */
export { type HeadlessApprover, headless } from './approvals/headless.js';

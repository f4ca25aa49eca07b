import type { Approver } from '../../../src/approvals/question.js';
import { createWallet } from '../../../src/index.js';

/** `?url=…` is the service; `&dialog` has the dialog ask, without it everything is approved. */
const params = new URLSearchParams(location.search);
const approver: Approver = { ask: async () => ({ approved: true }) };
const wallet = createWallet({
  networks: [{ chainId: 31, url: params.get('url') as string }],
  ...(!params.has('dialog') && { approver: () => approver }),
});
wallet.announce();

export const bench = wallet;

import type { Approver } from '../../src/approvals/question.js';
import { askingLock } from '../../src/bridge/asking-turn.js';
import { own } from '../../src/rpc/own.js';
import { walletDialog } from '../../src/ui/dialog/dialog.js';

/** The dialog of the wallet's own page, with a Web Lock held while it asks: meanwhile the service worker takes no new release. */
export function homeApprover(source: Parameters<typeof walletDialog>[0]): Approver {
  const dialog = walletDialog(source);
  return {
    ask: (question, session) =>
      navigator.locks.request(`${askingLock}:home`, own({ mode: 'shared' as const }), () =>
        dialog.ask(question, session),
      ),
  };
}

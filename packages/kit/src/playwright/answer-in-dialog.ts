import type { Frame, Locator } from 'playwright-core';
import type { Answer, Question } from '../../../../src/approvals/question.js';

/**
 * Answers a question in the wallet's dialog as a person does: ticks the accounts, types the password where the wallet is
 * locked, scrolls to the end, and clicks. The approving button can be pressed after half a second, after two seconds under
 * a warning, once all of the question was in view.
 *
 * @throws Error if the answer chooses a price or an allowance, which tests choose in the dialog themselves
 */
export async function answerInDialog(
  frame: Frame,
  question: Question,
  answer: Answer,
  password: string,
): Promise<void> {
  const dialog = frame.locator(`[data-graft=${question.kind}] dialog`);
  // Without enough coins the dialog can only be closed, and asks for no password.
  if ('shortfall' in question && question.shortfall !== undefined) {
    await dialog.getByRole('button', { name: 'Close' }).click();
  } else if (!answer.approved) {
    await dialog.getByRole('button', { name: 'Reject' }).click();
  } else {
    if (answer.gasPrice !== undefined || answer.allowance !== undefined)
      throw new Error('Choose the price or the allowance in wallet.dialog(), then approve without a choice');
    if (question.kind === 'connect' && answer.accounts) {
      const chosen = answer.accounts.map((address) => address.toLowerCase());
      for (const { address, label } of question.accounts)
        await dialog.getByRole('checkbox', { name: label }).setChecked(chosen.includes(address));
    }
    if (question.locked) await dialog.getByLabel('Wallet password').fill(password);
    await readAndConfirm(dialog);
  }
  // The window of a bridge may close first.
  await dialog.waitFor({ state: 'detached' }).catch((error) => {
    if (!frame.isDetached()) throw error;
  });
}

/** Scrolls until the button can be pressed: a question grows when its preview or a warning arrives. */
async function readAndConfirm(dialog: Locator): Promise<void> {
  let isOver = false;
  const press = dialog.locator('button.confirm').click();
  const over = press.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  while (!isOver) {
    // Without waiting for a dialog, which the press takes away.
    await dialog.evaluateAll(scrollToEnd).catch(() => {});
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 100))]);
  }
  await press;
}

/** Runs in the page. */
function scrollToEnd(dialogs: readonly Element[]): void {
  for (const dialog of dialogs)
    for (const area of dialog.querySelectorAll('.dangers, .body')) area.scrollTo(0, area.scrollHeight);
}

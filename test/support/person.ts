import type { Frame } from 'playwright-core';
import { openDialog } from './dialog-driver.js';

/** What a person answers; `accounts` are those to share. */
export type Decision = 'approve' | 'refuse' | { readonly accounts: readonly string[] };

/** The buttons that agree, whatever is asked. */
const agreeing = ['Connect', 'Switch', 'Add network', 'Sign', 'Send', 'Confirm', 'Close'];

/** Answers the dialog that is open in a page, frame or window as a person does, with mouse and keys. */
export async function decide(frame: Frame, decision: Decision, password: string): Promise<void> {
  const dialog = await openDialog(frame);
  if (decision === 'refuse') await dialog.click('Reject');
  else {
    if (typeof decision === 'object') {
      const choices = await dialog.evaluate((shown) =>
        Array.from(shown.querySelectorAll<HTMLInputElement>('input[type=checkbox]'), (tick) => ({
          name: tick.labels?.[0]?.textContent ?? '',
          ticked: tick.checked,
        })),
      );
      for (const { name, ticked } of choices)
        if (ticked !== decision.accounts.some((each) => name.toLowerCase().includes(each)))
          await dialog.click(name);
    }
    if (await dialog.evaluate((shown) => shown.querySelector('input[type=password]') !== null))
      await dialog.fill('Wallet password', password);
    const { name } = (await dialog.buttons()).find((button) => agreeing.includes(button.name)) ?? {};
    await dialog.click(name as string);
  }
  await dialog.closed();
}

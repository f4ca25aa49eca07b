import type { BrowserContext, Page } from 'playwright-core';

/** The next window that the wallet asks in, once its document has loaded: before, it may be in another process. */
export async function walletWindow(context: BrowserContext): Promise<Page> {
  const window = await context.waitForEvent('page');
  await window.waitForURL(/\/(window|connect)\.html#/);
  await window.waitForLoadState();
  return window;
}

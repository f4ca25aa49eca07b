import type { Page } from 'playwright-core';

/** Tells a page that it is hidden, or seen again: Playwright holds each of its pages to be seen. */
export const setVisible = (page: Page, isVisible: boolean): Promise<void> =>
  page.evaluate(
    (value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    isVisible ? 'visible' : 'hidden',
  );

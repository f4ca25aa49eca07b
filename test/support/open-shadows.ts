import type { Page } from 'playwright-core';

/**
 * Opens the shadow roots of pages that are loaded from here on, so that locators and axe see into the dialog and the panel.
 * What a closed root keeps from a page is tested elsewhere.
 */
export const openShadows = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (this: Element, init) {
      return attachShadow.call(this, { __proto__: null, ...init, mode: 'open' } as ShadowRootInit);
    };
  });

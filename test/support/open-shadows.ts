import type { Page } from 'playwright-core';
import type { Plugin } from 'vite';

/**
 * Opens the shadow roots of pages that are loaded from here on, so that locators and axe see into the dialog and the panel.
 * What a closed root keeps from a page is tested elsewhere.
 */
export const openShadows = (page: Page): Promise<unknown> => page.addInitScript(attachOpen);

/** The script that does it, and where {@link openShadowsFirst} serves it. */
export const openShadowsPath = '/open-shadows.js';
export const openShadowsScript = `(${attachOpen})();`;

/**
 * Does the same by the first script of each page that Vite serves, for browsers whose driver cannot see into closed roots.
 * Other pages name it themselves.
 */
export const openShadowsFirst = (): Plugin => ({
  name: 'open-shadows',
  configureServer({ middlewares }) {
    middlewares.use(openShadowsPath, (_, response) => {
      response.setHeader('content-type', 'text/javascript');
      response.end(openShadowsScript);
    });
  },
  transformIndexHtml: () => [{ tag: 'script', attrs: { src: openShadowsPath }, injectTo: 'head-prepend' }],
});

function attachOpen(): void {
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (this: Element, init) {
    return attachShadow.call(this, { __proto__: null, ...init, mode: 'open' } as ShadowRootInit);
  };
}

import { afterEach, expect, test, vi } from 'vitest';
import { pageVisibility } from '../../../src/chain/visibility.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('without a document the page counts as visible, and there is nothing to watch', () => {
  expect(pageVisibility.visible()).toBe(true);
  pageVisibility.watch(() => {})();
});

test('visibility follows the document, and reports every way of coming back', () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const view = new EventTarget();
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', view);
  let heard = 0;
  const undo = pageVisibility.watch(() => {
    heard += 1;
  });
  page.visibilityState = 'hidden';
  expect(pageVisibility.visible()).toBe(false);
  page.dispatchEvent(new Event('visibilitychange'));
  page.dispatchEvent(new Event('resume'));
  view.dispatchEvent(new Event('pageshow'));
  view.dispatchEvent(new Event('online'));
  expect(heard).toBe(4);
  undo();
  page.dispatchEvent(new Event('visibilitychange'));
  view.dispatchEvent(new Event('online'));
  expect(heard).toBe(4);
});

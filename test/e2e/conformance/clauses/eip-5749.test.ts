// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import { openPage, type Page } from '../../../support/page.js';

/**
 * EIP-5749: `window.evmproviders`. No wallet that we know of fills it and no library reads it: EIP-6963 took its
 * place. So neither do we, and what others may have put there stays as it is.
 */

const holder = window as unknown as { evmproviders?: unknown };
let page: Page;
afterEach(() => {
  page.close();
  delete holder.evmproviders;
});

const announced = (): Page => {
  page = openPage({ networks: [{ chainId: 31, url: 'http://127.0.0.1:1/key' }], session: 'none' });
  page.wallet.announce({ window: true });
  return page;
};

test('EIP-5749 (1), broken on purpose: no key of ours is in window.evmproviders', () => {
  holder.evmproviders = {};
  announced();
  expect(holder.evmproviders).toEqual({});
});

test('EIP-5749 (2), broken on purpose: the provider carries no info; the announcement does', () => {
  expect(announced().provider).not.toHaveProperty('info');
});

test('EIP-5749 (3), broken on purpose: window.evmproviders is not created', () => {
  announced();
  expect('evmproviders' in holder).toBe(false);
});

test('EIP-5749 (4) the keys of other wallets are kept', () => {
  const other = Object.freeze({ request: () => {} });
  holder.evmproviders = { other };
  announced();
  expect(holder.evmproviders).toEqual({ other });
});

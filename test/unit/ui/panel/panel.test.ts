// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from 'vitest';
import { panelButton } from '../../../../src/ui/panel/button.js';
import type { PanelView } from '../../../../src/ui/panel/context.js';
import { openPanel, panel } from '../../../../src/ui/panel/panel.js';
import { attachedShadows } from '../../../support/attached-shadows.js';
import { fakeWallet } from '../../../support/fake-wallet.js';
import { waitFor } from '../../../support/wait-for.js';

const roots = attachedShadows();

const shown = () =>
  waitFor(
    () => {
      const section = roots.at(-1)?.querySelector('section.panel');
      if (!section?.querySelector('h2')) throw new Error('The panel is not there yet.');
      return section;
    },
    { timeout: 30_000 },
  );

afterEach(() => {
  document.body.replaceChildren();
  roots.length = 0;
  localStorage.clear();
});

test('the button that opens it takes neither language nor theme from Object.prototype', () => {
  const names = ['language', 'theme'] as const;
  for (const name of names)
    Object.defineProperty(Object.prototype, name, { value: 'polluted', writable: true, configurable: true });
  try {
    const remove = panelButton(fakeWallet());
    expect(roots.at(-1)?.textContent).toBe('Wallet');
    remove();
  } finally {
    for (const name of names) Reflect.deleteProperty(Object.prototype, name);
  }
});

describe('openPanel', () => {
  test('shows a view in a window over the page, in the language and with the words that it gets', async () => {
    const words = { receive: 'Dinero para mí' };
    void openPanel(fakeWallet(), 'receive', { language: 'es', words });
    const section = await shown();
    expect(section.getAttribute('lang')).toBe('es');
    expect(section.querySelector('h2')?.textContent).toBe('Dinero para mí');
  });

  test('the person’s choice goes before the page’s', async () => {
    localStorage.setItem('graft:preferences', JSON.stringify({ language: 'pt' }));
    void openPanel(fakeWallet(), 'home', { language: 'es' });
    expect((await shown()).getAttribute('lang')).toBe('pt');
  });

  test('resolves when another call shows another view in its place', async () => {
    const wallet = fakeWallet();
    const first = openPanel(wallet, 'home');
    await shown();
    void openPanel(wallet, 'settings');
    await first;
    await waitFor(async () => expect((await shown()).querySelector('h2')?.textContent).toBe('Settings'));
    expect(document.querySelectorAll('[data-graft]')).toHaveLength(1);
  });

  test.each(['export', 'constructor', ''])(
    'refuses %j, which is no view that a page may open',
    async (view) => {
      await expect(openPanel(fakeWallet(), view as PanelView)).rejects.toMatchObject({ code: -32602 });
      expect(() => panel(document.body, fakeWallet(), { view: view as PanelView })).toThrow('view: expected');
    },
  );
});

describe('panel', () => {
  test('stays in its element until it is removed', async () => {
    const remove = panel(document.body, fakeWallet(), { view: 'sites' });
    expect((await shown()).querySelector('h2')?.textContent).toBe('Sites');
    remove();
    expect(document.body.children).toHaveLength(0);
  });

  test('shows nothing when it is removed before it has loaded', async () => {
    panel(document.body, fakeWallet())();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(document.body.children).toHaveLength(0);
  });
});

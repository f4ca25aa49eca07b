import { shorten } from '../amounts.js';
import { button, find, make } from '../dom.js';
import type { Panel } from './panel.js';

/** The accounts shared with this page's dapp, with a button to disconnect it. */
export function startSite(panel: Panel): void {
  const { wallet } = panel;
  const origin = location.origin;
  panel.watch(() => {
    const given = wallet.state().permissions[origin]?.accounts ?? [];
    const row = find('site', HTMLDivElement);
    if (given.length === 0) {
      row.replaceChildren(make('p', { class: 'empty' }, 'None. The dapp beside will ask.'));
      return;
    }
    const end = make(
      'button',
      { type: 'button', class: 'secondary small', id: 'site-disconnect' },
      'Disconnect',
    );
    end.addEventListener('click', () => wallet.disconnect());
    const hadFocus = document.activeElement?.id === 'site-disconnect';
    row.replaceChildren(
      make(
        'span',
        { class: 'entry-text' },
        make('b', {}, location.host),
        make('code', {}, given.map((address) => shorten(address)).join(', ')),
      ),
      end,
    );
    if (hadFocus) button('site-disconnect').focus();
  });
}

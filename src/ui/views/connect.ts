import { element, sentence } from '../element.js';
import { wholeAddress } from '../fields.js';
import { identicon } from '../identicon.js';
import { siteName } from '../site.js';
import type { ViewOf } from './view.js';

export const connect: ViewOf<'connect'> = ({ accounts, selected, origin, network }, words) => {
  const choices = accounts.map(({ address, label }) => {
    const tick = element('input', { type: 'checkbox', checked: selected.includes(address) });
    const row = element(
      'label',
      { class: 'choice' },
      identicon(address),
      element('span', {}, element('bdi', { class: 'name' }, label), wholeAddress(address, network.chainId)),
      tick,
    );
    return { address, tick, row };
  });
  return {
    title: words.connectTitle,
    lead: sentence(words.connectLead, { site: siteName(origin) }),
    subject: [
      element(
        'div',
        { class: 'choices', role: 'group', 'aria-label': words.connectAccounts },
        choices.map(({ row }) => row),
      ),
    ],
    confirm: words.connect,
    answer() {
      const shared = choices.filter(({ tick }) => tick.checked).map(({ address }) => address);
      return shared.length === 0 ? null : { approved: true, accounts: shared };
    },
  };
};

import { element, sentence } from '../element.js';
import { badge } from '../fields.js';
import { siteName } from '../site.js';
import type { ViewOf } from './view.js';

export const switchChain: ViewOf<'switch-chain'> = ({ origin, network, target }, words) => ({
  title: words.switchTitle,
  lead: sentence(words.switchLead, { site: siteName(origin) }),
  subject: [
    element(
      'dl',
      { class: 'change' },
      element('div', {}, element('dt', {}, words.switchNow), element('dd', {}, badge(network, words))),
      element('div', {}, element('dt', {}, words.switchThen), element('dd', {}, badge(target, words))),
    ),
  ],
  confirm: words.switchConfirm,
});

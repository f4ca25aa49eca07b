import { h, sentence } from '../../h.js';
import { badge } from '../../pieces/badge.js';
import { siteName } from '../../pieces/site.js';
import { details } from '../../styles/details.js';
import type { ViewOf } from './view.js';

export const switchChain: ViewOf<'switch-chain'> = ({ origin, network, target }, words) => ({
  title: words.switchTitle,
  lead: sentence(words.switchLead, { site: siteName(origin) }),
  subject: [
    h(
      'dl',
      { class: 'change' },
      h('div', {}, h('dt', {}, words.switchNow), h('dd', {}, badge(network, words))),
      h('div', {}, h('dt', {}, words.switchThen), h('dd', {}, badge(target, words))),
    ),
  ],
  styles: details,
  confirm: words.switchConfirm,
});

import { formatCount } from '../amounts.js';
import { element, sentence } from '../element.js';
import { badge, rows } from '../fields.js';
import { siteName } from '../site.js';
import type { ViewOf } from './view.js';

export const addChain: ViewOf<'add-chain'> = ({ origin, target }, words) => ({
  title: words.addChainTitle,
  lead: sentence(words.addChainLead, { site: siteName(origin) }),
  subject: [
    element('p', { class: 'hero', id: 'amount' }, badge(target, words)),
    rows(
      [words.chainId, String(target.chainId)],
      [words.currency, element('bdi', {}, target.symbol)],
      [words.decimals, formatCount(target.decimals, words)],
      [words.endpoint, element('bdi', {}, target.source)],
    ),
  ],
  confirm: words.addChainConfirm,
});

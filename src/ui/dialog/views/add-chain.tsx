import { h, sentence } from '../../h.js';
import { formatCount } from '../../pieces/amounts.js';
import { badge } from '../../pieces/badge.js';
import { rows } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import { details } from '../../styles/details.js';
import type { ViewOf } from './view.js';

export const addChain: ViewOf<'add-chain'> = ({ origin, target }, words) => ({
  title: words.addChainTitle,
  lead: sentence(words.addChainLead, { site: siteName(origin) }),
  subject: [
    <p class="hero" id="amount">
      {badge(target, words)}
    </p>,
    rows(
      [words.chainId, String(target.chainId)],
      [words.currency, <bdi>{target.symbol}</bdi>],
      [words.decimals, formatCount(target.decimals, words)],
      [words.endpoint, <bdi>{target.source}</bdi>],
    ),
  ],
  styles: details,
  confirm: words.addChainConfirm,
});

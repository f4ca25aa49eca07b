import { h, sentence } from '../../h.js';
import { badge } from '../../pieces/badge.js';
import { siteName } from '../../pieces/site.js';
import { details } from '../../styles/details.js';
import type { ViewOf } from './view.js';

export const switchChain: ViewOf<'switch-chain'> = ({ origin, network, target }, words) => ({
  title: words.switchTitle,
  lead: sentence(words.switchLead, { site: siteName(origin) }),
  subject: [
    <dl class="change">
      <div>
        <dt>{words.switchNow}</dt>
        <dd>{badge(network, words)}</dd>
      </div>
      <div>
        <dt>{words.switchThen}</dt>
        <dd>{badge(target, words)}</dd>
      </div>
    </dl>,
  ],
  styles: details,
  confirm: words.switchConfirm,
});

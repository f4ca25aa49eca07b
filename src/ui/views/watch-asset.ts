import { formatCount } from '../amounts.js';
import { element, sentence } from '../element.js';
import { blocks, hero, party, rows } from '../fields.js';
import { siteName } from '../site.js';
import type { ViewOf } from './view.js';

/** The asset's image is not loaded: that would contact a third-party server, and a strict CSP blocks it. */
export const watchAsset: ViewOf<'watch-asset'> = ({ origin, network, asset }, words) => ({
  title: words.watchTitle,
  lead: sentence(words.watchLead, { site: siteName(origin) }),
  subject: [
    hero(asset.symbol, null),
    blocks([words.contract, party(asset.address, network.chainId)]),
    rows(
      [words.decimals, formatCount(asset.decimals, words)],
      [words.network, element('bdi', {}, network.name)],
    ),
  ],
  confirm: words.watchConfirm,
});

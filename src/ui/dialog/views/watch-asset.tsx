import { fill, h, sentence } from '../../h.js';
import { party } from '../../pieces/address.js';
import { formatCount, inBaseUnits } from '../../pieces/amounts.js';
import { hero } from '../../pieces/hero.js';
import { blocks, rows } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import { details } from '../../styles/details.js';
import type { ViewOf } from './view.js';

/** The asset's image is not loaded: that would contact a third-party server, and a strict CSP blocks it. */
export const watchAsset: ViewOf<'watch-asset'> = ({ origin, network, asset, known }, words) => ({
  title: words.watchTitle,
  lead: sentence(words.watchLead, { site: siteName(origin) }),
  subject: [
    hero({ text: asset.symbol, unit: asset.tokenId === undefined ? null : `#${asset.tokenId}` }),
    blocks([words.contract, party(asset.address, network.chainId)]),
    rows(
      asset.type === undefined
        ? [words.decimals, formatCount(asset.decimals, words)]
        : [words.tokenStandard, asset.type.replace('C', 'C-')],
      asset.type === undefined &&
        !known && [
          fill(words.oneToken, { symbol: asset.symbol }),
          inBaseUnits(10n ** BigInt(asset.decimals), words),
        ],
      [words.network, <bdi>{network.name}</bdi>],
    ),
    known && <small>{sentence(words.tokenKnown, { symbol: asset.symbol })}</small>,
  ],
  styles: details,
  confirm: words.watchConfirm,
});

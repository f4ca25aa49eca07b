import type { TokenLabel } from '../../../approvals/decode-call.js';
import { own } from '../../../rpc/own.js';
import { h, sentence } from '../../h.js';
import { nameOfRecipient, ownAccount, party } from '../../pieces/address.js';
import { formatAmount } from '../../pieces/amounts.js';
import { hero } from '../../pieces/hero.js';
import { blocks } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import { QrCode } from '../../receive/qr-code.js';
import { details } from '../../styles/details.js';
import { receive } from '../../styles/receive.js';
import type { ViewOf } from './view.js';

export const payElsewhere: ViewOf<'pay-elsewhere'> = (question, words) => {
  const { origin, network, account, to, units, token, uri } = question;
  const recipient = own(question.recipient);
  const { resembles, resembledContact } = recipient;
  const { chainId } = network;
  // An amount of a token whose decimals are not known is in base units.
  const { symbol = words.baseUnits, decimals = 0 } = own<Pick<TokenLabel, 'symbol' | 'decimals'>>(
    token && own(token).decimals === undefined ? {} : (token ?? network),
  );
  return {
    title: words.elsewhereTitle,
    lead: sentence(words.elsewhereLead, { site: siteName(origin) }),
    subject: [
      BigInt(units) > 0n && hero({ text: formatAmount(BigInt(units), decimals, words), unit: symbol }),
      uri === undefined ? <p>{words.elsewhereCall}</p> : <QrCode text={uri} label={words.elsewhereScan} />,
      uri !== undefined && <p class="soft">{words.elsewhereScan}</p>,
      blocks(
        [words.from, ownAccount(account, chainId)],
        [words.to, to === null ? words.newContract : party(to, chainId, nameOfRecipient(recipient))],
        ...(resembles ? [[words.resembles, party(resembles, chainId, resembledContact)] as const] : []),
        ...(token ? [[words.token, party(token.address, chainId, token.symbol)] as const] : []),
      ),
    ],
    styles: (palette) => details(palette) + receive(),
    confirm: words.close,
    answer: () => ({ approved: false }),
    informs: true,
  };
};

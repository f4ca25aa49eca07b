import { paymentUri } from '../../rpc/payment-uri.js';
import type { Address } from '../../rpc/schema.js';
import { type Content, Fragment, h } from '../h.js';
import { ownAccount, party } from '../pieces/address.js';
import { formatAmount } from '../pieces/amounts.js';
import { button } from '../pieces/fields.js';
import { hero } from '../pieces/hero.js';
import { blocks, rows } from '../pieces/lists.js';
import { QrCode } from '../receive/qr-code.js';
import type { PanelProperties } from './context.js';
import { CopyButton } from './copy.js';
import type { PanelAccount, PanelToken } from './wallet.js';

/** A payment from an account without a key, as the code that another wallet reads. Nothing is sent from here. */
export function PaymentCode({ panel, account, to, units, asset, back }: Properties): Content {
  const { words, network } = panel;
  const { chainId } = network;
  const { token, symbol, decimals } = asset;
  const uri = paymentUri({ chainId, to, units, token: token?.address });
  return (
    <>
      {hero({ text: formatAmount(units, decimals, words), unit: symbol }, null)}
      <QrCode text={uri} label={words.elsewhereScan} />
      <p class="soft" role="status">
        {words.elsewhereScan}
      </p>
      <div class="actions wrap">
        {button(words.changePayment, back)}
        <CopyButton text={uri} label={words.copyPayment} words={words} plain />
      </div>
      {blocks(
        [words.from, ownAccount(account, chainId)],
        [words.to, party(to, chainId)],
        token !== null && [words.token, party(token.address, chainId, symbol)],
      )}
      {rows([words.network, <bdi>{network.name}</bdi>])}
    </>
  );
}

interface Properties extends PanelProperties {
  readonly account: PanelAccount;
  readonly to: Address;
  /** Base units of the asset. */
  readonly units: bigint;
  readonly asset: {
    /** `null` for the network's coin. */
    readonly token: PanelToken | null;
    readonly symbol: string;
    readonly decimals: number;
  };
  /** Returns to the form. */
  readonly back: () => void;
}

import type { QuestionAccount, QuestionNetwork } from '../../approvals/question.js';
import { checksumAddress } from '../../rpc/address.js';
import { type Content, Fragment, h } from '../h.js';
import { CopyButton } from '../panel/copy.js';
import { wholeAddress } from '../pieces/address.js';
import { button } from '../pieces/fields.js';
import { identicon } from '../pieces/identicon.js';
import { siteLink } from '../pieces/lines.js';
import type { StepWords } from '../words/words.js';
import { QrCode } from './qr-code.js';

/** Sites that give away coins of a test network, by chain id. */
const faucets: ReadonlyMap<number, string> = new Map([[31, 'https://faucet.rootstock.io']]);

/** The address of an account: as a QR code, to read, to copy and to share; on a test network with its faucet. */
export function Receive({ account, network, words }: Properties): Content {
  const { address, label } = account;
  const whole = checksumAddress(address, network.chainId);
  const faucet = faucets.get(network.chainId);
  const share = () => {
    // The person may close the sheet again.
    navigator.share({ text: whole }).catch(() => {});
  };
  return (
    <>
      {/* Lower case: some wallets refuse the checksum of another network. */}
      <QrCode text={address} label={words.qrCode} />
      <div class="party centred">
        {identicon(address)}
        <div>
          <bdi class="name">{label}</bdi>
          {wholeAddress(address, network.chainId)}
        </div>
      </div>
      <div class="actions">
        <CopyButton text={whole} label={words.copyAddress} words={words} plain />
        {typeof navigator.share === 'function' && button(words.share, share)}
      </div>
      {faucet !== undefined && <div class="actions">{siteLink(words.faucet, faucet)}</div>}
    </>
  );
}

interface Properties {
  readonly account: QuestionAccount;
  readonly network: Pick<QuestionNetwork, 'chainId'>;
  readonly words: StepWords;
}

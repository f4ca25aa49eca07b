import { useEffect, useState } from 'preact/hooks';
import type { QuestionAccount, QuestionNetwork } from '../../approvals/question.js';
import { checksumAddress } from '../../rpc/address.js';
import { type Content, drawing, Fragment, h } from '../h.js';
import { CopyButton } from '../panel/copy.js';
import { wholeAddress } from '../pieces/address.js';
import { button } from '../pieces/fields.js';
import { identicon } from '../pieces/identicon.js';
import { siteLink } from '../pieces/lines.js';
import type { Words } from '../words/words.js';

/** Sites that give away coins of a test network, by chain id. */
const faucets: ReadonlyMap<number, string> = new Map([[31, 'https://faucet.rootstock.io']]);

/** The address of an account: as a QR code, to read, to copy and to share; on a test network with its faucet. */
export function Receive({ account, network, words }: Properties): Content {
  const { address, label } = account;
  const [code, setCode] = useState<QrCode>();
  useEffect(() => {
    let isCurrent = true;
    // Lower case: some wallets refuse the checksum of another network. Without a picture the address can still be copied.
    qrCode(address).then(
      (found) => isCurrent && setCode(found),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [address]);
  const whole = checksumAddress(address, network.chainId);
  const faucet = faucets.get(network.chainId);
  const share = () => {
    // The person may close the sheet again.
    navigator.share({ text: whole }).catch(() => {});
  };
  return (
    <>
      <figure class="code" role="img" aria-label={words.qrCode}>
        {code &&
          drawing('qr', code.size, [
            { d: `M0 0h${code.size}v${code.size}H0z`, fill: '#fff' },
            { d: code.path, fill: '#000' },
          ])}
      </figure>
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
  readonly words: Words;
}

/** One path on a square, with its quiet margin. */
interface QrCode {
  readonly path: string;
  readonly size: number;
}

async function qrCode(text: string): Promise<QrCode> {
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'M', border: 3 });
  let path = '';
  for (const [y, row] of data.entries())
    for (const [x, isDark] of row.entries()) if (isDark) path += `M${x} ${y}h1v1h-1z`;
  return { path, size };
}

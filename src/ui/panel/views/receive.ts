import { checksumAddress } from '../../../rpc/address.js';
import { type Content, drawing, fill, h } from '../../h.js';
import { wholeAddress } from '../../pieces/address.js';
import { button } from '../../pieces/fields.js';
import { identicon } from '../../pieces/identicon.js';
import type { PanelProperties } from '../context.js';
import { CopyButton } from '../copy.js';
import { useLoaded } from '../hooks.js';

/** The address of the selected account: as a picture, to read, to copy and to share. */
export function Receive({ panel }: PanelProperties): Content {
  const { words, account, network } = panel;
  const address = account?.address ?? '0x';
  // Lower case: some wallets refuse the checksum of another network.
  const code = useLoaded(() => qrPath(address), [address]);
  if (!account) return null;
  const whole = checksumAddress(account.address, network.chainId);
  const share = () => {
    // The person may close the sheet again.
    navigator.share({ text: whole }).catch(() => {});
  };
  return [
    h('p', { class: 'soft' }, fill(words.receiveLead, { network: network.name })),
    h(
      'figure',
      { class: 'code', role: 'img', 'aria-label': words.qrCode },
      code.value &&
        drawing('qr', code.value.size, [
          { d: `M0 0h${code.value.size}v${code.value.size}H0z`, fill: '#fff' },
          { d: code.value.path, fill: '#000' },
        ]),
    ),
    h(
      'div',
      { class: 'party centred' },
      identicon(account.address),
      h(
        'div',
        {},
        h('bdi', { class: 'name' }, account.label),
        wholeAddress(account.address, network.chainId),
      ),
    ),
    h(
      'div',
      { class: 'actions' },
      h(CopyButton, { text: whole, label: words.copyAddress, words, plain: true }),
      typeof navigator.share === 'function' && button(words.share, share),
    ),
  ];
}

/** A QR code as one path on a square, with its quiet margin. */
async function qrPath(text: string): Promise<{ readonly path: string; readonly size: number }> {
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'M', border: 3 });
  let path = '';
  for (const [y, row] of data.entries())
    for (const [x, isDark] of row.entries()) if (isDark) path += `M${x} ${y}h1v1h-1z`;
  return { path, size };
}

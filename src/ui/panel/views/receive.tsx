import { type Content, Fragment, fill, h } from '../../h.js';
import { Receive } from '../../receive/receive.js';
import type { PanelProperties } from '../context.js';

/** The address of the selected account, to receive coins and tokens at. */
export function ReceiveView({ panel }: PanelProperties): Content {
  const { words, account, network } = panel;
  if (!account) return null;
  return (
    <>
      <p class="soft">{fill(words.receiveLead, { network: network.name })}</p>
      <Receive account={account} network={network} words={words} />
    </>
  );
}

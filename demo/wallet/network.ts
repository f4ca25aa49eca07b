import type { Wallet } from '../../src/index.js';
import { button, choice, find, make, say, section } from '../dom.js';
import type { Panel } from './panel.js';

/** The network in the header and in the panel, and the block it is at. */
export function startNetwork(panel: Panel, openSettings: () => void): void {
  const { wallet } = panel;
  const select = choice('network-select');

  const show = () => {
    const { name, chainId, testnet } = wallet.network();
    say(section('network-name'), name);
    button('network-chip').dataset.testnet = String(testnet);
    const options = wallet.networks().map((each) => make('option', { value: `${each.chainId}` }, each.name));
    select.replaceChildren(...options);
    select.value = String(chainId);
    select.disabled = options.length < 2;
  };
  show();
  wallet.watch(show);

  select.addEventListener('change', () => wallet.switchChain(Number(select.value)));
  button('network-settings').addEventListener('click', openSettings);
  button('network-chip').addEventListener('click', openSettings);
}

/** Calls `listener` with each new block of the active network. */
export function followHeads(wallet: Wallet, listener: (block: number) => void): void {
  const { provider } = wallet;
  let id: unknown = null;
  let turn = 0;

  const follow = async () => {
    const mine = ++turn;
    say(section('network-block'), '–');
    section('network-pulse').dataset.live = 'false';
    const given = await provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
    if (mine === turn) id = given;
    else await provider.request({ method: 'eth_unsubscribe', params: [given] });
    if (mine !== turn) return;
    const head = await provider.request({ method: 'eth_blockNumber' });
    if (mine === turn) show(Number(head));
  };
  const show = (block: number) => {
    say(section('network-block'), block.toLocaleString('en'));
    section('network-pulse').dataset.live = 'true';
  };

  provider.on('message', ({ data }) => {
    if (data.subscription !== id) return;
    const block = Number((data.result as { number: string }).number);
    show(block);
    beat();
    listener(block);
  });
  provider.on('disconnect', () => {
    section('network-pulse').dataset.live = 'false';
  });
  // What was followed belongs to the chain that was left.
  provider.on('chainChanged', () => void follow().catch(() => undefined));
  void follow().catch(() => undefined);
}

/** The dot swells once, for a block. */
function beat(): void {
  const pulse = find('network-pulse', HTMLSpanElement);
  for (const animation of pulse.getAnimations()) animation.cancel();
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches)
    pulse.animate([{ transform: 'scale(1.9)' }, { transform: 'scale(1)' }], {
      duration: 700,
      easing: 'ease-out',
    });
}

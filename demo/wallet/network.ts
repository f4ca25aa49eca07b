import type { Provider, Wallet } from '../../src/index.js';
import { button, find, say, section } from '../dom.js';

/** The name of the active network in the header, which opens the settings. */
export function startNetwork(wallet: Wallet, openSettings: () => void): void {
  const show = () => {
    const { name, testnet } = wallet.network();
    say(section('network-name'), name);
    button('network-chip').dataset.testnet = String(testnet);
  };
  show();
  wallet.watch(show);
  button('network-chip').addEventListener('click', openSettings);
}

/** Calls `listener` with each new block of the active network. */
export function followHeads(provider: Provider, listener: (block: number) => void): void {
  let id: unknown = null;
  let generation = 0;

  const follow = async () => {
    const started = ++generation;
    say(section('network-block'), '–');
    section('network-pulse').dataset.live = 'false';
    const given = await provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
    if (started === generation) id = given;
    else await provider.request({ method: 'eth_unsubscribe', params: [given] });
    if (started !== generation) return;
    const head = await provider.request({ method: 'eth_blockNumber' });
    if (started === generation) show(Number(head));
  };
  const show = (block: number) => {
    say(section('network-block'), block.toLocaleString('en'));
    section('network-pulse').dataset.live = 'true';
  };

  provider.on('message', ({ data }) => {
    if (data.subscription !== id) return;
    const block = Number((data.result as { number: string }).number);
    show(block);
    pulseOnce();
    listener(block);
  });
  provider.on('disconnect', () => {
    section('network-pulse').dataset.live = 'false';
  });
  // The subscription belongs to the previous chain.
  provider.on('chainChanged', () => void follow().catch(() => undefined));
  void follow().catch(() => undefined);
}

/** Animates the dot once per block. */
function pulseOnce(): void {
  const pulse = find('network-pulse', HTMLSpanElement);
  for (const animation of pulse.getAnimations()) animation.cancel();
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches)
    pulse.animate([{ transform: 'scale(1.9)' }, { transform: 'scale(1)' }], {
      duration: 700,
      easing: 'ease-out',
    });
}

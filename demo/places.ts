/** Where the wallet lives: in this page, or on a site of its own, which only `npm start` serves beside the page. */
import { find, say, section } from './dom.js';

export type Place = 'page' | 'own-site';

const dappHost = 'app.site.localhost';

/** The wallet's own site, as `npm start` serves it. */
export const walletOrigin = `http://wallet.site.localhost:${location.port}`;

const notes: Readonly<Record<Place, string>> = {
  page: 'The wallet shares this page, so any script of the page could take its keys.',
  'own-site': `The keys are at ${new URL(walletOrigin).host}: a script of this page can ask you, but it cannot take them or answer for you.`,
};

/** The place that the page's address names. */
export const currentPlace = (): Place =>
  location.hostname === dappHost && new URLSearchParams(location.search).get('wallet') === 'own-site'
    ? 'own-site'
    : 'page';

/** Shows the switch between the places, and what the current one protects. */
export function showPlaces(): void {
  const current = currentPlace();
  const addresses: Readonly<Record<Place, string>> = {
    page: location.pathname,
    'own-site': `http://${dappHost}:${location.port}/?wallet=own-site`,
  };
  for (const place of ['page', 'own-site'] as const) {
    const link = find(`place-${place}`, HTMLAnchorElement);
    link.href = addresses[place];
    if (place === current) link.setAttribute('aria-current', 'page');
  }
  say(section('place-note'), notes[current]);
  section('places').hidden = false;
  section('panel').hidden = current === 'own-site';
  section('inspector-box').hidden = current === 'own-site';
  section('elsewhere').hidden = current === 'page';
}

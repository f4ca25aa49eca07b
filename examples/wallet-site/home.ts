/** The wallet's own page: its panel over the whole page, and setting up where there is no wallet yet. */
import { createWallet } from '../../src/index.js';
import { type PanelView, panel } from '../../src/ui/index.js';
import { showProblem, startWith } from './configure.js';

// The headers forbid it as well; a server may have lost them.
if (window.top !== window) showProblem('Open the wallet by itself', 'It does not work inside another page.');
else
  await startWith(({ networks, look }) => {
    const { signal } = new AbortController();
    const wallet = createWallet({
      ...{ networks, look, ownSite: true },
      approver: async () => (await import('./home-approver.js')).homeApprover({ look, wallet, signal }),
    });
    const place = document.querySelector('#panel') as Element;
    try {
      panel(place, wallet, { ...look, view: location.hash.slice(1) as PanelView });
    } catch {
      // The address names no view.
      panel(place, wallet, look);
    }
    void import('./register.js').then(({ registerApp }) => registerApp());
  });

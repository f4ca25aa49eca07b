/** What dapps reach: `frame.html` inside their pages, `window.html` and `connect.html` in windows that they open. */
import { serveBridge } from '../../src/bridge/host.js';
import { createWallet } from '../../src/index.js';
import { startWith } from './configure.js';

await startWith(({ networks, look, allow, frameMayAsk }) => {
  const { role } = serveBridge({
    allow,
    frameMayAsk,
    look,
    wallet: (origin, approver) => createWallet({ networks, look, origin, approver, ownSite: true }),
  });
  // Somebody has typed the address.
  if (role === 'page') location.replace('/');
});

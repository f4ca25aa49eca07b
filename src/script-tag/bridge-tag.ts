import { connectBridge } from '../bridge/client.js';
import { readOwnElement } from './script-element.js';
import { installScriptLoader } from './script-loader.js';

/**
 * The bridge as one classic script, for pages without a build step. The wallet is on its own site; this page holds neither
 * keys nor other parts of the wallet.
 *
 *     <script src="graft-bridge.js" data-wallet="https://wallet.example.com"></script>
 *
 * - `data-wallet`: the origin of the wallet (required)
 * - `data-window`: `ethereum` (default) to be `window.ethereum`, `none` to be found by EIP-6963 only
 * - `data-announce`: `none` to wait until the page calls `graft.announce()`
 *
 * The bridge is `window.graft`: `graft.open()` opens the wallet.
 */
const element = readOwnElement('graft-bridge.js');
const { required, oneOf } = element;

// The build puts the hash of the list in the place of its name.
installScriptLoader(element, 'graft-bridge', 'hash of graft-bridge-files.js');

const host = required('wallet');
const announce = oneOf('announce', ['always', 'none']);
const place = oneOf('window', ['ethereum', 'none']);

const bridge = connectBridge({ host });
if (announce === 'always') bridge.announce({ window: place === 'ethereum' });
Object.defineProperty(window, 'graft', { __proto__: null, value: bridge } as PropertyDescriptor);

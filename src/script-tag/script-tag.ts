import { errorCode, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { createWallet, type Wallet } from '../wallet/wallet.js';
import { readOwnElement } from './script-element.js';
import { installScriptLoader } from './script-loader.js';

/**
 * The wallet as a classic script, for pages without a build step. Code that a page does not need at once is in modules
 * beside it, `graft-*.js`. It reads the attributes of its own element:
 *
 *     <script src="graft.js" data-chain-id="31" data-url="https://node.example/KEY"></script>
 *
 * - `data-chain-id`: 30, 31, 33
 * - `data-url`: the URL of the network's service; several are separated by commas, in order of preference
 * - `data-push`: the WebSocket URL of a relay or node that reports new blocks, as `push` of the network
 * - `data-window`: `ethereum` (default) to be `window.ethereum`, `none` to be found by EIP-6963 only
 * - `data-announce`: `none` to wait until the page calls `graft.announce()`
 * - `data-theme`: of the dialog and the panel, `auto` (default), `light` or `dark`
 * - `data-language`: of both, `auto` (default, the browser's), `en`, `es` or `pt`
 * - `data-worker-url`: the address of `kdf-worker.js`, as `workerUrl` of `createWallet`
 * - `data-button`: shows a small button that opens the panel, in the lower corner at the `end` or the `start`
 *
 * A wallet on a site of its own has a script of its own, `graft-bridge.js`.
 *
 * The wallet is `window.graft`: `graft.open()` opens the panel. A person without a wallet gets one from the dialog. It has
 * the functions too that a page needs to make a wallet itself, with `graft.createWallet`; without `data-chain-id` and
 * `data-url` it has nothing else. `await graft.module()` loads all that `import 'graft-wallet'` gives: `abiCalls`,
 * `solidityErrors` and `checksumAddress` are only there, because they hash and parse; `announce`, because `graft.announce()`
 * is the function of the wallet; and what keeps a wallet in memory, which tests get from `graft-testing.js` too.
 */
const element = readOwnElement('graft.js');

// The build puts the hash of the list in the place of its name.
installScriptLoader(element, 'graft', 'hash of graft-files.js');

function walletOf({ required, optional, oneOf }: typeof element): Wallet {
  required('chain-id');
  const chainId = oneOf('chain-id', ['30', '31', '33']);
  const url = required('url');
  const announce = oneOf('announce', ['always', 'none']);
  const place = oneOf('window', ['ethereum', 'none']);
  const theme = oneOf('theme', ['auto', 'light', 'dark']);
  const language = oneOf('language', ['auto', 'en', 'es', 'pt']);
  const side = oneOf('button', ['none', 'end', 'start', '']);
  const look = { theme, language: language === 'auto' ? undefined : language };

  const wallet = createWallet({
    // Spaces around a URL are ignored.
    networks: [{ chainId: Number(chainId), url: url.split(','), push: optional('push') }],
    look,
    workerUrl: optional('worker-url'),
  });
  if (announce === 'always') wallet.announce({ window: place === 'ethereum' });
  if (side !== 'none')
    import('../ui/panel/button.js')
      .catch(throwNotLoaded)
      .then(({ panelButton }) => panelButton(wallet, { ...look, side: side || 'end' }));
  return wallet;
}

const wallet = element.optional('chain-id') || element.optional('url') ? walletOf(element) : {};
const value = {
  ...wallet,
  createWallet,
  ProviderRpcError,
  errorCode,
  isProviderRpcError,
  module: () => import('../index.js'),
};
Object.defineProperty(window, 'graft', { __proto__: null, value } as PropertyDescriptor);

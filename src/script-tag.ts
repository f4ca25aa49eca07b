import { bodyOfPage } from './ui/page.js';
import { panelButton } from './ui/panel/button.js';
import { createWallet } from './wallet.js';

/**
 * The wallet as one classic script, for pages without a build step. It reads the attributes of its own element:
 *
 *     <script src="graft.js" data-chain-id="31" data-url="https://node.example/KEY"></script>
 *
 * - `data-chain-id`: 30, 31, 33 (required)
 * - `data-url`: the URL of the network's service (required); several are separated by commas, in order of preference
 * - `data-window`: `ethereum` (default) to be `window.ethereum`, `none` to be found by EIP-6963 only
 * - `data-announce`: `none` to wait until the page calls `graft.announce()`
 * - `data-theme`: of the dialog and the panel, `auto` (default), `light` or `dark`
 * - `data-language`: of both, `auto` (default, the browser's), `en`, `es` or `pt`
 * - `data-button`: shows a small button that opens the panel, in the lower corner at the `end` or the `start`
 *
 * The wallet is `window.graft`: `graft.open()` opens the panel. A person without a wallet gets one from the dialog.
 */
const script = ownElement();

const chainId = script.getAttribute('data-chain-id');
const url = script.getAttribute('data-url');
if (!chainId) throw missing('data-chain-id');
if (!url) throw missing('data-url');
const announce = oneOf('announce', ['always', 'none']);
const place = oneOf('window', ['ethereum', 'none']);
const theme = oneOf('theme', ['auto', 'light', 'dark']);
const language = oneOf('language', ['auto', 'en', 'es', 'pt']);
const side = oneOf('button', ['none', 'end', 'start', '']);
const look = { theme, ...(language !== 'auto' && { language }) };

const wallet = createWallet({
  networks: [{ chainId: Number(chainId), url: url.split(',').map((each) => each.trim()) }],
  look,
});
if (announce === 'always') wallet.announce({ window: place === 'ethereum' });
if (side !== 'none') {
  const show = () => void panelButton(wallet, { ...look, side: side || 'end' });
  if (bodyOfPage()) show();
  else addEventListener('DOMContentLoaded', show, { once: true });
}
Object.defineProperty(window, 'graft', { __proto__: null, value: wallet } as PropertyDescriptor);

/**
 * The element of this script, read through the prototype: an `<img name=currentScript>` of the page would shadow
 * `document.currentScript`.
 */
function ownElement(): HTMLScriptElement {
  const current: unknown = Reflect.get(Document.prototype, 'currentScript', document);
  if (current instanceof HTMLScriptElement) return current;
  throw new TypeError('graft.js: load it as a classic script, not as a module');
}

/** The value of `data-{name}`; the first of `values` where there is none. */
function oneOf<const Value extends string>(name: string, values: readonly [Value, ...Value[]]): Value {
  const value = script.getAttribute(`data-${name}`) ?? values[0];
  const known = values.find((each) => each === value);
  if (known === undefined)
    throw new TypeError(`graft.js: data-${name} is "${value}"; it may be ${values.join(', ')}`);
  return known;
}

function missing(name: string): TypeError {
  return new TypeError(`graft.js: its script element has no ${name}`);
}

import { dialog } from './ui/index.js';
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
 * - `data-theme`: of the dialog, `auto` (default), `light` or `dark`
 *
 * The wallet is `window.graft`, for a page that has its own wallet panel.
 */
const script = ownElement();

const chainId = script.getAttribute('data-chain-id');
const url = script.getAttribute('data-url');
if (!chainId) throw missing('data-chain-id');
if (!url) throw missing('data-url');
const announce = oneOf('announce', ['always', 'none']);
const place = oneOf('window', ['ethereum', 'none']);
const theme = oneOf('theme', ['auto', 'light', 'dark']);

const wallet = createWallet({
  networks: [{ chainId: Number(chainId), url: url.split(',').map((each) => each.trim()) }],
  approver: () => dialog({ theme }),
});
if (announce === 'always') wallet.announce({ window: place === 'ethereum' });
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

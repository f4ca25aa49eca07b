/** A page with a wallet, its panel and its dialog, for the service that its address names. */

import { createWallet } from '../../../src/index.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

const url = new URLSearchParams(location.search).get('service') ?? '';
const wallet = createWallet({ networks: [{ chainId: 31, url }] });
Object.assign(window, { wallet });

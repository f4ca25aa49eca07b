/** The page of `bitcoin.test.ts`: a wallet with its panel and its dialog, as a page makes it. */

import { createWallet } from '../../../src/index.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

const url = new URLSearchParams(location.search).get('service') ?? '';
const wallet = createWallet({ networks: [{ chainId: 31, url }] });
Object.assign(window, { wallet });

/** A page with a wallet, its panel and its dialog, for the service and with the ERC-7730 files that its address names. */

import { clearSigning, createWallet } from '../../../src/index.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

const params = new URLSearchParams(location.search);
const wallet = createWallet({
  networks: [{ chainId: 31, url: params.get('service') ?? '' }],
  describeCall: clearSigning(JSON.parse(params.get('descriptors') ?? '[]')),
});
Object.assign(window, { wallet });

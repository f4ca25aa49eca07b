import { headless } from 'graft-kit/testing';
import { createWallet, type Wallet } from 'graft-wallet';
import { type BridgeState, connectBridge } from 'graft-wallet/bridge';
import { serveBridge } from 'graft-wallet/host';
import { panel } from 'graft-wallet/ui';

const networks = [{ chainId: 31, url: 'https://node.example/key' }];
export const wallet: Wallet = createWallet({ networks, approver: () => headless() });
export const chainId: Promise<string> = wallet.provider.request({ method: 'eth_chainId' });
export const state: BridgeState = connectBridge({ host: 'https://wallet.example' }).state();
export const role: 'frame' | 'window' | 'page' = serveBridge({
  allow: ['https://app.example'],
  wallet: (origin, approver) => createWallet({ networks, origin, approver }),
}).role;
export const show: typeof panel = panel;
// @ts-expect-error The types are there, and not `any`: a network has no such option.
createWallet({ networks: [{ chainId: 31, uri: 'https://node.example/key' }] });

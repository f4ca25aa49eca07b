/** A dapp of `bridge.ts`: it has no key, only a bridge to the wallet on another origin. */
import { connectBridge } from '../../src/bridge/client.js';
import { createSoakPage, type SoakPage } from './bridge-page.js';

export interface SoakDappPage extends SoakPage {
  status(): string;
}

const { host } = JSON.parse(document.getElementById('config')?.textContent as string) as { host: string };
const bridge = connectBridge({ host });
const page: SoakDappPage = { ...createSoakPage(bridge.provider), status: () => bridge.state().status };
Object.assign(window, { page });

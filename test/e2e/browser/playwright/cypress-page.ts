import { factsOf, scripted } from '../../../../packages/kit/src/testing/index.js';
import { createMemoryStorage, createVolatileMemory, createWallet } from '../../../../src/index.js';
import { hastenKdf } from '../../../support/hasty-kdf.js';

/** A spec as Cypress runs it: in a document beside the frame of the dapp, on the same origin. The guide has the same code. */

hastenKdf();
const networks = [{ chainId: 33, url: new URLSearchParams(location.search).get('service') as string }];

const password = 'test password';
const person = scripted({ password });
const wallet = createWallet({
  networks,
  pollingInterval: 100,
  approver: () => person,
  storage: createMemoryStorage(),
  memory: createVolatileMemory(),
});
wallet.announce();
const created = wallet.importMnemonic('test test test test test test test test test test test junk', {
  password,
});

function giveWallet(dapp: Window): void {
  Object.assign(dapp, { ethereum: wallet.provider });
  dapp.addEventListener('eip6963:requestProvider', () => dispatchEvent(new Event('eip6963:requestProvider')));
  addEventListener('eip6963:announceProvider', (event) => {
    const { detail } = event as CustomEvent;
    dapp.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  });
}

Object.assign(window, {
  /** As `cy.visit(url, { onBeforeLoad })`: the page calls its parent before it runs a script of its own. */
  visit: async (url: string, onBeforeLoad = giveWallet) => {
    await created;
    Object.assign(window, { onBeforeLoad });
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.src = url;
    await new Promise((resolve) => frame.addEventListener('load', resolve));
  },
  approve: async (...match: Parameters<typeof person.approve>) => factsOf(await person.approve(...match)),
});

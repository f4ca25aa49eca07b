import { expect, test } from 'vitest';
import { createLocalService } from '../../../../packages/kit/src/local/index.js';
import { launchChromium } from '../../../support/chromium.js';
import { clientOf } from '../../../support/local-client.js';
import { servePage } from '../../../support/serve.js';

const spec = `<!doctype html><title>Spec</title><body>
  <script type="module" src="/test/e2e/browser/playwright/cypress-page.ts"></script>`;

/** The first script is what Cypress adds to a document; the dapp looks for a wallet while it loads. */
const dapp = `<!doctype html><title>Shop</title><script>parent.onBeforeLoad(window)</script><script>
  const announced = [];
  addEventListener('eip6963:announceProvider', ({ detail }) => announced.push(detail));
  dispatchEvent(new Event('eip6963:requestProvider'));
  const { ethereum } = window;
  pay = async () => {
    const [from] = await ethereum.request({ method: 'eth_requestAccounts' });
    return ethereum.request({ method: 'eth_sendTransaction', params: [{ from, to: from, value: '0x5' }] });
  };
</script>`;

test('a spec beside the frame of the dapp gives it a wallet before its scripts, and answers', async () => {
  const [browser, service, served] = await Promise.all([
    launchChromium(),
    createLocalService(),
    servePage({ html: spec, documents: (_, path) => (path === '/dapp' ? { html: dapp } : undefined) }),
  ]);
  try {
    await service.controls.faucet('0x0d365f5da75b496158111650c0d5358f9c7d2070');
    const page = await browser.newPage();
    await page.goto(`${served.url}/?service=${encodeURIComponent(service.url)}`);
    await page.waitForFunction(() => 'visit' in window);
    await page.evaluate('visit("/dapp")');
    const frame = page.frames()[1];
    if (!frame) throw new Error('The dapp has no frame');
    expect(
      await frame.evaluate('announced.map(({ info, provider }) => [info.rdns, provider === ethereum])'),
    ).toEqual([['io.github.graft-wallet', true]]);
    const paid = frame.evaluate('pay()');
    await page.evaluate('approve({ kind: "connect" })');
    const approved = await page.evaluate('approve({ kind: "transaction", value: 5n })');
    expect(approved).toMatchObject({ origin: served.url, value: 5n });
    const receipt = await clientOf(service).call('eth_getTransactionReceipt', await paid);
    expect(receipt.status).toBe('0x1');
  } finally {
    await browser.close();
    await Promise.all([service.close(), served.stop()]);
  }
});

import { expect, test } from 'vitest';
import { launchChromium } from '../../../support/chromium.js';
import { servePage } from '../../../support/serve.js';
import { buildTestKit } from '../../../support/test-kit.js';

const html = `<!doctype html><title>For MetaMask</title>
  <script type="module" src="/test/e2e/browser/playwright/metamask-page.ts"></script>`;

test('a wagmi dapp that offers MetaMask alone takes the wallet for it, by its flags and by its rdns', async () => {
  const [{ kit, stop }, browser, served] = await Promise.all([
    buildTestKit(),
    launchChromium(),
    servePage({ html }),
  ]);
  const chain = await kit.startChain();
  try {
    for (const by of ['flags', 'rdns']) {
      const page = await browser.newPage();
      const wallet = await kit.installWallet(page, { chain, isMetaMask: true });
      await page.goto(served.url);
      await page.waitForFunction(() => 'connectMetaMask' in window);
      const connected = page.evaluate(`connectMetaMask('${by}')`);
      await wallet.approve({ kind: 'connect' });
      expect(String(await connected).toLowerCase()).toBe(wallet.accounts[0]);
      await page.close();
    }
  } finally {
    await browser.close();
    await Promise.all([chain.close(), served.stop(), stop()]);
  }
});

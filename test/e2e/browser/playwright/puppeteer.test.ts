import { launch } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { channelName, createChannel } from '../../../../packages/kit/src/testing/index.js';
import { findChromium } from '../../../support/chromium.js';
import { servePage } from '../../../support/serve.js';
import { buildTestKit } from '../../../support/test-kit.js';

const html = `<!doctype html><title>Shop</title><script>
  pay = async () => {
    const [from] = await ethereum.request({ method: 'eth_requestAccounts' });
    return ethereum.request({ method: 'eth_sendTransaction', params: [{ from, to: from, value: '0x5' }] });
  };
</script>`;

test('the same wallet and questions serve a tool that is not Playwright', async () => {
  const [{ kit, stop }, { path, environment }, served] = await Promise.all([
    buildTestKit(),
    findChromium(),
    servePage({ html }),
  ]);
  const chain = await kit.startChain();
  const browser = await launch({
    executablePath: path,
    env: { ...process.env, ...environment },
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const [account] = await kit.addressesOf({ chain });
    await chain.fund(account as `0x${string}`);
    const page = await browser.newPage();
    const { questions, receive } = createChannel();
    await page.exposeFunction(channelName, receive);
    await page.evaluateOnNewDocument(await kit.pageScript({ chain }));
    await page.goto(served.url);
    const paid = page.evaluate('pay()');
    await questions.approve({ kind: 'connect' });
    await questions.approve({ kind: 'transaction', value: 5n });
    const receipt = await chain.request('eth_getTransactionReceipt', [await paid]);
    expect(receipt).toMatchObject({ status: '0x1', from: account, to: account });
    await questions.expectNoQuestion();
  } finally {
    await browser.close();
    await Promise.all([chain.close(), served.stop(), stop()]);
  }
});

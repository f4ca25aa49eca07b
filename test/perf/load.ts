import type { Browser } from 'playwright-core';
import type { Built } from '../support/built.js';
import { serveBundle, slowDown, withFreshPage } from './page.js';
import { atMost, type Extent, milliseconds, type Row } from './row.js';
import { interleave, median, ratio } from './sample.js';

const address = `0x${'42'.repeat(20)}`;

/** Each page calls `done` with the milliseconds since the navigation began and the accounts. */
const pages = {
  empty: 'globalThis.done = { at: performance.now(), accounts: [] };',
  ours: `
    import { createWallet } from 'graft-wallet';
    const wallet = createWallet({ networks: [{ chainId: 31, url: 'https://service.example/key' }] });
    wallet.announce({ window: true });
    const accounts = await window.ethereum.request({ method: 'eth_accounts' });
    globalThis.done = { at: performance.now(), accounts };`,
  viem: `
    import { createWalletClient, http } from 'viem';
    import { privateKeyToAccount } from 'viem/accounts';
    const client = createWalletClient({
      account: privateKeyToAccount('0x${'46'.repeat(32)}'),
      transport: http('https://service.example/key'),
    });
    const accounts = await client.getAddresses();
    globalThis.done = { at: performance.now(), accounts };`,
};

/** The session that an earlier visit stored: one account, to which the page's origin is connected. */
const remembered = (origin: string) =>
  JSON.stringify({
    chainId: 31,
    accounts: [{ address, label: 'Account 1', path: null }],
    permissions: { [origin]: { accounts: [address], date: 0 } },
    assets: {},
  });

/** From the navigation to the first `eth_accounts`, with an empty HTTP cache and a stored session. */
export async function measureLoad(built: Built, browser: Browser, { short }: Extent): Promise<Row[]> {
  const contenders = {
    empty: await open('empty'),
    ours: await open('ours'),
    viem: await open('viem'),
  };
  try {
    const rounds = short ? 2 : 11;
    const fast = await interleave(rounds, visits(false));
    const slow = await interleave(rounds, visits(true));
    return [row('as it is', fast), row('slow 4G, 4× CPU', slow)];
  } finally {
    for (const { stop } of Object.values(contenders)) await stop();
  }

  async function open(name: keyof typeof pages) {
    return serveBundle(await built.bundle(pages[name], { html: true }));
  }

  function visits(slow: boolean) {
    const visit = (name: keyof typeof pages) => () =>
      withFreshPage(browser, async (page) => {
        const { url } = contenders[name];
        await page.goto(`${url}/blank`);
        await page.evaluate((text) => localStorage.setItem('graft:wallet:session', text), remembered(url));
        if (slow) await slowDown(page);
        await page.goto(url, { waitUntil: 'commit' });
        const handle = await page.waitForFunction(
          () => (globalThis as unknown as { done?: { at: number; accounts: string[] } }).done,
        );
        const done = await handle.jsonValue();
        if (name === 'ours' && done?.accounts[0] !== address) throw new Error('Nothing was remembered');
        return done?.at as number;
      });
    return { empty: visit('empty'), ours: visit('ours'), viem: visit('viem') };
  }
}

function row(how: string, times: Record<keyof typeof pages, number[]>): Row {
  const over = ratio(times.ours, times.empty);
  return {
    what: `Load to the first eth_accounts: ${how}`,
    ours: milliseconds(median(times.ours)),
    peers: `empty module ${milliseconds(median(times.empty))}, viem ${milliseconds(median(times.viem))}`,
    ratio: `${over.toFixed(2)}× empty, ${ratio(times.ours, times.viem).toFixed(2)}× viem`,
    ...(how !== 'as it is' && { aim: atMost(over, 1.25, '≤ 1.25× empty') }),
  };
}

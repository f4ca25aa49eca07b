import { afterEach, expect, test } from 'vitest';
import { values } from '../../support/keys.js';
import { openPage, type Page } from '../../support/page.js';
import { until } from '../../support/until.js';

/** Collectibles (ERC-721, ERC-1155) in a wallet's list. */

const token = values.$X as `0x${string}`;
const pages: Page[] = [];
const open = (): Page => {
  const page = openPage({ networks: [{ chainId: 31, url: 'http://127.0.0.1:1/key' }] });
  pages.push(page);
  return page;
};
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});

test('a collectible needs its id, and two of one collection are two', async () => {
  const page = open();
  const options = { address: token, symbol: 'ART' };
  for (const tokenId of [undefined, '', '-1', '1.5', -1, 1.5, `0x1${'0'.repeat(64)}`, '9'.repeat(78)])
    expect(
      await page.refusal('wallet_watchAsset', { type: 'ERC721', options: { ...options, tokenId } }),
    ).toMatchObject({ code: -32602, message: expect.stringContaining('tokenId') });
  expect(
    await page.refusal('wallet_watchAsset', {
      type: 'ERC20',
      options: { ...options, decimals: 0, tokenId: '1' },
    }),
  ).toMatchObject({ code: -32602 });
  await page.request('wallet_watchAsset', { type: 'ERC721', options: { ...options, tokenId: '7' } });
  await page.request('wallet_watchAsset', { type: 'ERC1155', options: { ...options, tokenId: '0x8' } });
  await page.request('wallet_watchAsset', { type: 'ERC1155', options: { address: token, tokenId: 9 } });
  await until(() => page.wallet.state().assets[31]?.length === 3);
  expect(page.wallet.state().assets[31]).toMatchObject([
    { symbol: 'ART', decimals: 0, type: 'ERC721', tokenId: '7' },
    { symbol: 'ART', decimals: 0, type: 'ERC1155', tokenId: '8' },
    // Nobody has named it, and its contract cannot be reached.
    { symbol: 'ERC1155', decimals: 0, type: 'ERC1155', tokenId: '9' },
  ]);
  page.wallet.unwatchToken(token, '8');
  expect(page.wallet.state().assets[31]).toHaveLength(2);
});

test('the page is answered before the person; a caller that waits, when the person has decided, whatever it is', async () => {
  const page = open();
  const watch = (symbol: string, options?: { untilDecided: boolean }) => {
    const params = { type: 'ERC20', options: { address: token, symbol, decimals: 18 } } as const;
    return page.provider.request({ method: 'wallet_watchAsset', params }, options);
  };
  const decisions: ((approved: boolean) => void)[] = [];
  page.decide(() => new Promise<boolean>((resolve) => decisions.push(resolve)));

  expect(await watch('ONE')).toBe(true);
  await until(() => decisions.length === 1);
  decisions[0]?.(false);
  let answered = false;
  const refused = watch('TWO', { untilDecided: true }).finally(() => {
    answered = true;
  });
  await until(() => decisions.length === 2);
  expect(answered).toBe(false);
  decisions[1]?.(false);
  expect(await refused).toBe(true);
  expect(page.wallet.state().assets[31]).toBeUndefined();

  const agreed = watch('TKN', { untilDecided: true });
  await until(() => decisions.length === 3);
  decisions[2]?.(true);
  expect(await agreed).toBe(true);
  expect(page.wallet.state().assets[31]).toMatchObject([{ symbol: 'TKN' }]);
});

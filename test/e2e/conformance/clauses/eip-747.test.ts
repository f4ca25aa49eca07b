import { afterEach, expect, test } from 'vitest';
import { checksumAddress } from '../../../../src/index.js';
import { values } from '../../../support/keys.js';
import { later, openPage, type Page } from '../../../support/page.js';
import { until } from '../../../support/until.js';

/** EIP-747: showing a token. No service is asked for any of it. */

const token = values.$X as `0x${string}`;
const pages: Page[] = [];
const open = (): Page => {
  const url = 'http://127.0.0.1:1/key';
  const page = openPage({
    networks: [
      { chainId: 31, url },
      { chainId: 30, url },
    ],
  });
  pages.push(page);
  return page;
};
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});

const asset = (options: Record<string, unknown> = {}, type = 'ERC20') => ({
  type,
  options: { address: token, symbol: 'LEAF', decimals: 18, ...options },
});

test('EIP-747 (1) a valid asset is true at once, an invalid one an error', async () => {
  const page = open();
  page.decide(() => later().given);
  const image = 'https://example.org/leaf.png';
  expect(await page.request('wallet_watchAsset', asset({ image }))).toBe(true);
  expect(await page.request('wallet_watchAsset', [asset({ image })])).toBe(true);
  const wrong = [
    asset({ symbol: 'LE AF' }),
    asset({ decimals: 37 }),
    asset({ decimals: '1e1' }),
    asset({ image: 'javascript:alert(1)' }),
    asset({ adress: token }),
    asset({}, 'ERC721'),
    [asset(), asset()],
    [],
  ];
  for (const params of wrong)
    expect(await page.refusal('wallet_watchAsset', params)).toMatchObject({ code: -32602 });
});

test('EIP-747 (2), broken on purpose: lower case and EIP-1191 are accepted, a wrong checksum is not', async () => {
  const page = open();
  for (const address of [
    token,
    checksumAddress(token),
    checksumAddress(token, 30),
    checksumAddress(token, 31),
  ])
    expect(await page.request('wallet_watchAsset', asset({ address }))).toBe(true);
  const letters = checksumAddress(token).slice(2);
  const swapped = letters.replace(/[a-fA-F]/g, (each) =>
    each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase(),
  );
  for (const address of [`0x${swapped}`, '0x1', token.slice(0, -1), undefined])
    expect(await page.refusal('wallet_watchAsset', asset({ address }))).toMatchObject({
      code: -32602,
      message: expect.stringContaining('address'),
    });
});

test('EIP-747 (3) an unknown chain is refused; the default is the active chain', async () => {
  const page = open();
  for (const chainId of [999, 0, -30, 1.5, '0x1e', '30'])
    expect(await page.refusal('wallet_watchAsset', asset({ chainId }))).toMatchObject({
      code: -32602,
      message: expect.stringContaining('chainId'),
    });
  expect(page.questions).toEqual([]);
  await page.request('wallet_watchAsset', asset({ chainId: 30 }));
  await page.request('wallet_watchAsset', asset());
  await until(() => page.questions.length === 2);
  expect(page.questions.map(({ network }) => network.chainId)).toEqual([30, 31]);
  await until(() => Object.keys(page.wallet.state().assets).length === 2);
  expect(page.wallet.state().assets).toMatchObject({ 30: [{ address: token }], 31: [{ address: token }] });
});

test('EIP-747 (4) a type that would have to be fetched is not supported', async () => {
  const page = open();
  expect(await page.refusal('wallet_watchAsset', asset({}, 'ERC1046'))).toMatchObject({
    code: -32602,
    message: expect.stringContaining('type'),
  });
});

test('EIP-747 (5) a token with the symbol of a well-known one, or of the coin, is a danger', async () => {
  const page = open();
  for (const [index, symbol] of ['RBTC', 'USDRIF', 'usdrіf'].entries()) {
    await page.request('wallet_watchAsset', asset({ symbol }));
    await until(() => page.questions.length === index + 1);
    const imitated = index === 0 ? 'RBTC' : 'USDRIF';
    expect(page.questions[index]).toMatchObject({
      ...{ kind: 'watch-asset', asset: { address: token, symbol }, imitates: imitated },
      warnings: [{ code: 'imitates-token', severity: 'danger', detail: imitated }],
    });
  }
  // The well-known token itself is shown as the wallet knows it, whatever the page calls it.
  const address = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
  await page.request('wallet_watchAsset', asset({ address, symbol: 'SPAM', decimals: 3 }));
  await until(() => page.questions.length === 4);
  expect(page.questions[3]).toMatchObject({
    asset: { symbol: 'tRIF', decimals: 18 },
    known: true,
    warnings: [],
  });
});

test('EIP-747 (6) the page cannot tell a refusal from an agreement, nor wait for it', async () => {
  const page = open();
  const { given, answer } = later();
  page.decide(() => given);
  expect(await page.request('wallet_watchAsset', asset())).toBe(true);
  expect(await page.request('wallet_watchAsset', asset())).toBe(true);
  await until(() => page.questions.length > 0);
  expect(page.wallet.state().assets).toEqual({});
  answer(false);
  await new Promise((resolve) => setTimeout(resolve));
  expect(page.wallet.state().assets).toEqual({});
  // The same token twice was one question.
  expect(page.questions).toHaveLength(1);
  page.decide(() => true);
  expect(await page.request('wallet_watchAsset', asset())).toBe(true);
  await until(() => page.wallet.state().assets[31]?.length === 1);
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStorage, createVolatileMemory } from '../../../src/index.js';
import { values } from '../../support/keys.js';
import { openPage, type Page } from '../../support/page.js';
import { createRig, type Rig } from '../../support/rig.js';
import { error, result } from '../../support/scripted-service.js';
import { until } from '../../support/until.js';

/** `wallet_watchAsset`: tokens and collectibles in a wallet's list. */

const token = values.$X as `0x${string}`;
/** tRIF. */
const known = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
const pages: Page[] = [];
const open = (options: Partial<openPage.Options> = {}): Page => {
  const page = openPage({ networks: [{ chainId: 31, url: 'http://127.0.0.1:1/key' }], ...options });
  pages.push(page);
  return page;
};
/** A token of the page: another number, another address. */
const erc20 = (number: number, options: object = {}) => ({
  type: 'ERC20',
  options: { address: `0x${number.toString(16).padStart(40, '0')}`, symbol: 'TKN', decimals: 18, ...options },
});
const watch = (page: Page, asset: object) =>
  page.provider.request({ method: 'wallet_watchAsset', params: asset } as never, { untilDecided: true });
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

describe('a token of which only the address is given (EIP-747)', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await createRig({ keys: 'planted' });
  });
  beforeEach(() => rig.reset());
  afterAll(() => rig?.stop());

  const word = (value: number) => value.toString(16).padStart(64, '0');
  const textOf = (value: string) =>
    `0x${word(32)}${word(value.length)}${Buffer.from(value).toString('hex').padEnd(64, '0')}`;
  /** A contract that replies by selector; others revert. */
  const answering = (answers: { symbol?: string; decimals?: string }): void => {
    const bySelector: Record<string, string | undefined> = {
      '0x95d89b41': answers.symbol,
      '0x313ce567': answers.decimals,
    };
    rig.node.override('eth_call', (response, one) => {
      const [{ data = '0x' }] = one.params as [{ data?: string }];
      const reply = bySelector[data.slice(0, 10)];
      return (reply ? result(reply) : error(-32015, 'VM Exception: revert'))(response, one);
    });
  };
  /** Another token each time, since replies are cached. */
  let count = 0;
  const ask = (options: object) =>
    rig.wallet.provider.request({
      method: 'wallet_watchAsset',
      params: {
        type: 'ERC20',
        options: { address: `0x${(++count).toString(16).padStart(40, 'a')}`, ...options },
      },
    } as never);
  const leaf = { symbol: textOf('LEAF'), decimals: `0x${word(6)}` };

  test.each([
    ['nothing else', {}, { symbol: 'LEAF', decimals: 6 }, 2],
    ['the symbol', { symbol: 'MINE' }, { symbol: 'MINE', decimals: 6 }, 2],
    ['the decimals', { decimals: 2 }, { symbol: 'LEAF', decimals: 2 }, 2],
    ['null for both', { symbol: null, decimals: null }, { symbol: 'LEAF', decimals: 6 }, 2],
    ['empty fields of a form', { symbol: '', decimals: ' ' }, { symbol: 'LEAF', decimals: 6 }, 2],
    ['both', { symbol: ' MINE ', decimals: '2' }, { symbol: 'MINE', decimals: 2 }, 0],
    ['a known token', { address: known }, { symbol: 'tRIF', decimals: 18 }, 0],
  ])('%s: the contract reports the rest', async (_, options, asset, reads) => {
    answering(leaf);
    expect(await ask(options)).toBe(true);
    await until(() => rig.questions.length === 1);
    expect(rig.questions).toMatchObject([{ kind: 'watch-asset', asset }]);
    expect(rig.node.count('eth_call')).toBe(reads);
  });

  test.each([
    ['no symbol', { decimals: leaf.decimals }, 'options.symbol'],
    ['no decimals', { symbol: leaf.symbol }, 'options.decimals'],
    ['a symbol that cannot be shown', { ...leaf, symbol: textOf('LE AF') }, 'options.symbol'],
    ['more decimals than a token has', { ...leaf, decimals: `0x${word(77)}` }, 'options.decimals'],
    ['nothing', {}, 'options.symbol'],
  ])('a contract that reports %s: the page gets -32602, and no question opens', async (_, answers, path) => {
    answering(answers);
    await expect(ask({})).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(path) });
    expect(rig.questions).toEqual([]);
  });

  test.each([
    [
      '',
      'ipfs://Qm/logo.png',
      'data:image/svg+xml;base64,PHN2Zy8+',
      '/logo.png',
      'http://a.example/a.png',
      5,
      {},
    ],
    ['https://a.example/a.png'],
  ])('an image is kept or left out: %s', async (...images) => {
    for (const image of images) {
      answering(leaf);
      expect(await ask({ image })).toBe(true);
      await until(() => rig.questions.length === 1);
      const [question] = rig.questions as readonly { readonly asset?: object }[];
      expect(Object.hasOwn(question?.asset ?? {}, 'image')).toBe(images.length === 1);
      rig.reset();
    }
  });

  test('a service that does not answer has not said what the contract reports', async () => {
    rig.node.override('eth_call', error(-32000, 'api key expired'));
    await expect(ask({})).rejects.toMatchObject({ code: -32002, data: { reason: 'refused' } });
    expect(rig.questions).toEqual([]);
  });

  test('a symbol of the contract that imitates a known token is a danger too', async () => {
    answering({ ...leaf, symbol: textOf('tRlF') });
    await ask({});
    await until(() => rig.questions.length === 1);
    expect(rig.questions[0]).toMatchObject({ imitates: 'tRIF', warnings: [{ code: 'imitates-token' }] });
  });
});

describe('several sites', () => {
  /** Two dapps that share a wallet. */
  const openTwo = () => {
    const memory = createVolatileMemory();
    const storage = createMemoryStorage();
    return [
      open({ origin: 'https://a.example', memory, storage }),
      open({ origin: 'https://b.example', memory, storage }),
    ] as const;
  };

  test('each may add 200 assets; the limit is reported to the page, and no question is asked', async () => {
    const [a, b] = openTwo();
    for (let i = 1; i <= 200; i++) await watch(a, erc20(i));
    const asked = a.questions.length;
    expect(await a.refusal('wallet_watchAsset', erc20(201))).toMatchObject({
      code: -32005,
      data: { reason: 'stored' },
    });
    expect(a.questions.length).toBe(asked);
    // A new description of a known one takes no more room.
    await watch(a, erc20(200, { symbol: 'NEW' }));
    await watch(b, erc20(201));
    expect(b.wallet.state().assets[31]).toHaveLength(201);
  });

  test('each may have 256 KiB stored, however many questions are open at once', async () => {
    const [a, b] = openTwo();
    const image = `data:image/png;base64,${'A'.repeat(100_000)}`;
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((i) => watch(a, erc20(i, { image }))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(
      await b.refusal('wallet_watchAsset', erc20(5, { image: `${image}${'A'.repeat(200_000)}` })),
    ).toMatchObject({ code: -32005 });
    await watch(b, erc20(6, { image }));
    expect(b.wallet.state().assets[31]).toHaveLength(3);
  });

  test('a token that another site has added keeps its description, which the question shows', async () => {
    const [a, b] = openTwo();
    await watch(a, erc20(1, { symbol: 'ONE', decimals: 6 }));
    await watch(b, erc20(1, { symbol: 'TWO', decimals: 18 }));
    expect(b.questions.at(-1)).toMatchObject({ asset: { symbol: 'ONE', decimals: 6 } });
    expect(b.wallet.state().assets[31]).toMatchObject([
      { symbol: 'ONE', decimals: 6, addedBy: 'https://a.example' },
    ]);
    await watch(a, erc20(1, { symbol: 'UNO', decimals: 6 }));
    expect(a.wallet.state().assets[31]).toMatchObject([{ symbol: 'UNO' }]);
  });
});

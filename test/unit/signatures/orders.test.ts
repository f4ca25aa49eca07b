import { describe, expect, test } from 'vitest';
import { readTypedData } from '../../../src/keyring/typed-data/typed-data.js';
import { fc } from '../../support/property.js';
import { codesOf, described } from './described.js';
import * as forms from './forms.js';
import { rightIn } from './right-in.js';

/** What an order gives is decided by who signs it, and nothing that it gives is left out in silence. */

const { form, other, owner, second, soon, third, token, zero } = forms;
const read = (data: forms.Form) => {
  const right = rightIn(readTypedData(data, 'p', { chainId: 31 }));
  if (right?.kind !== 'orders') throw new Error(`not orders: ${right?.kind}`);
  return right;
};
const amounts = (items: readonly { token: { address: string } | null; amount: string }[]) =>
  items.map((item) => [item.token?.address ?? null, item.amount]);

const otc = (message: object) =>
  form(
    {
      OtcOrder:
        'address makerToken, address takerToken, uint128 makerAmount, uint128 takerAmount, address maker, address taker, address txOrigin, uint256 expiryAndNonce',
    },
    {
      ...{ makerToken: token, takerToken: second, makerAmount: 1, takerAmount: 9 },
      ...{ maker: other, taker: other, txOrigin: other, expiryAndNonce: 1, ...message },
    },
  );

describe('the signer’s side', () => {
  test('a maker gives the side of the maker, a taker that of the taker', () => {
    const made = read(otc({ maker: owner }));
    expect([amounts(made.gives), amounts(made.takes)]).toEqual([[[token, '1']], [[second, '9']]]);
    const taken = read(otc({ taker: owner }));
    expect([amounts(taken.gives), amounts(taken.takes)]).toEqual([[[second, '9']], [[token, '1']]]);
  });

  test.each([
    ['neither', {}],
    ['both', { maker: owner, taker: owner }],
    ['not the maker, where anybody may take', { taker: zero }],
  ])('a signer who is %s may give either side, and is sure of nothing', (_, message) => {
    const right = read(otc(message));
    expect([amounts(right.gives), right.takes]).toEqual([
      [
        [token, '1'],
        [second, '9'],
      ],
      [],
    ]);
  });

  test('Bebop, with other names of the two', () => {
    const single = form(
      {
        SingleOrder:
          'uint64 partner_id, uint256 expiry, address taker_address, address maker_address, address taker_token, address maker_token, uint256 taker_amount, uint256 maker_amount, address receiver',
      },
      {
        ...{ partner_id: 0, expiry: soon, taker_address: owner, maker_address: other },
        ...{ taker_token: token, maker_token: second, taker_amount: 1000, maker_amount: 1, receiver: owner },
      },
    );
    expect(read(single)).toMatchObject({
      gives: [{ token: { address: token }, amount: '1000' }],
      takes: [{ token: { address: second }, amount: '1' }],
      deadline: soon,
    });
  });

  test('1inch: making and taking, where the maker signs', () => {
    const limit = (maker: string, receiver: string = zero) =>
      form(
        {
          Order:
            'uint256 salt, address maker, address receiver, address makerAsset, address takerAsset, uint256 makingAmount, uint256 takingAmount, uint256 makerTraits',
        },
        {
          ...{ salt: 1, maker, receiver, makerAsset: token, takerAsset: second },
          ...{ makingAmount: 5, takingAmount: 7, makerTraits: 0 },
        },
      );
    expect(amounts(read(limit(owner)).takes)).toEqual([[second, '7']]);
    expect(amounts(read(limit(owner, other)).takes)).toEqual([]);
    expect(amounts(read(limit(other)).gives)).toEqual([
      [token, '5'],
      [second, '7'],
    ]);
  });
});

describe('all that is given', () => {
  const jam = (message: object) =>
    form(
      {
        JamOrder:
          'address taker, address receiver, uint256 expiry, address[] sellTokens, address[] buyTokens, uint256[] sellAmounts, uint256[] buyAmounts',
      },
      {
        ...{ taker: owner, receiver: owner, expiry: soon, sellTokens: [second, token] },
        ...{ buyTokens: [third], sellAmounts: [1, 1000], buyAmounts: [5], ...message },
      },
    );

  test('each element of arrays', async () => {
    const right = read(jam({}));
    expect(amounts(right.gives)).toEqual([
      [second, '1'],
      [token, '1000'],
    ]);
    expect(amounts(right.takes)).toEqual([[third, '5']]);
    expect(codesOf(await described(jam({})))).not.toContain('moves-tokens');
  });

  test.each([
    ['tokens without an amount', { sellAmounts: [1] }],
    ['amounts without a token', { sellAmounts: [1, 1000, 7] }],
  ])('%s are a danger of their own', async (_, message) => {
    expect(read(jam(message)).more).toBe(true);
    expect(codesOf(await described(jam(message)))).toContain('moves-tokens');
  });

  const pair = 'address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount';
  const orders = (list: readonly object[]) =>
    form({ Orders: 'Order[] orders', Order: pair }, { orders: list });

  test('each of several orders', () => {
    const right = read(
      orders([
        { sellToken: second, buyToken: third, sellAmount: 1, buyAmount: 5 },
        { sellToken: token, buyToken: third, sellAmount: 1000, buyAmount: 0 },
      ]),
    );
    expect(right.count).toBe(2);
    expect(amounts(right.gives)).toEqual([
      [second, '1'],
      [token, '1000'],
    ]);
    expect(amounts(right.takes)).toEqual([[third, '5']]);
  });

  test('one of several that takes nothing is a gift, whatever the others take', async () => {
    const sale = { sellToken: second, buyToken: third, sellAmount: 1, buyAmount: 5 };
    const gift = { sellToken: token, buyToken: third, sellAmount: 1000, buyAmount: 0 };
    expect(codesOf(await described(orders([sale, gift])))).toContain('nothing-back');
    expect(codesOf(await described(orders([sale, { ...gift, sellAmount: 0 }])))).not.toContain(
      'nothing-back',
    );
    expect(codesOf(await described(orders([sale, sale])))).not.toContain('nothing-back');
    expect(codesOf(await described(forms.seaportBulkOrder))).toContain('nothing-back');
    expect(codesOf(await described(forms.seaportOrder))).not.toContain('nothing-back');
  });

  test.each([20, 21])('%d orders: beyond the twentieth item there is more', async (count) => {
    const list = Array.from({ length: count }, () => ({
      ...{ sellToken: token, buyToken: third, sellAmount: 1, buyAmount: 1 },
    }));
    expect(read(orders(list)).gives).toHaveLength(20);
    expect(codesOf(await described(orders(list))).includes('moves-tokens')).toBe(count > 20);
  });

  test.each([20, 21])('Seaport with %d items', async (count) => {
    const [item] = forms.components([]).offer;
    const message = { ...forms.seaportOrder.message, offer: Array.from({ length: count }, () => item) };
    const order = { ...forms.seaportOrder, message };
    expect(read(order).gives).toHaveLength(20);
    expect(codesOf(await described(order)).includes('moves-tokens')).toBe(count > 20);
  });

  test('a fee belongs to what is given: in its own token, or in the one that is sold', async () => {
    const cow = { ...forms.cowOrder, message: { ...forms.cowOrder.message, feeAmount: 1000 } };
    expect(amounts(read(cow).gives)).toEqual([[token, '1005']]);
    const fee = form(
      { Order: `${pair}, address feeToken, uint256 feeAmount` },
      {
        ...{ sellToken: token, buyToken: third, sellAmount: 5, buyAmount: 7 },
        ...{ feeToken: second, feeAmount: 1000 },
      },
    );
    expect(amounts(read(fee).gives)).toEqual([
      [token, '5'],
      [second, '1000'],
    ]);
    // What the other side pays to a third party costs the signer nothing.
    const zeroEx = { ...forms.zeroExOrder.message, takerTokenFeeAmount: 3 };
    expect(amounts(read({ ...forms.zeroExOrder, message: zeroEx }).gives)).toEqual([[token, '5000000']]);
    const taken = { ...zeroEx, maker: other, taker: owner };
    expect(amounts(read({ ...forms.zeroExOrder, message: taken }).gives)).toEqual([
      [second, '7000000000000000003'],
    ]);
  });

  test('an amount of neither side, in the order or beside it, is a danger of its own', async () => {
    const both = { sellToken: token, buyToken: third, sellAmount: 5, buyAmount: 7 };
    const extra = (amount: number) => [
      form({ Order: `${pair}, uint256 tipAmount` }, { ...both, tipAmount: amount }),
      form(
        { Batch: 'Order order, Extra extra', Order: pair, Extra: 'address asset, uint256 amount' },
        { order: both, extra: { asset: second, amount } },
      ),
    ];
    for (const each of extra(1000)) expect(codesOf(await described(each))).toContain('moves-tokens');
    for (const each of extra(0)) expect(codesOf(await described(each))).not.toContain('moves-tokens');
  });
});

/** The names that exchanges have for what is given and what is taken. */
const namings = [
  ['sellToken', 'sellAmount', 'buyToken', 'buyAmount'],
  ['tokenIn', 'amountIn', 'tokenOut', 'amountOut'],
  ['fromToken', 'fromAmount', 'toToken', 'toAmount'],
  ['input_token', 'input_amount', 'output_token', 'output_amount'],
  ['makerAsset', 'makingAmount', 'takerAsset', 'takingAmount'],
  ['sourceCurrency', 'sourceValue', 'destCurrency', 'destValue'],
] as const;

test('whatever the names, the arrays and the number of orders: all that is given is listed, or more is said', () => {
  const side = fc.array(fc.tuple(fc.integer({ min: 16, max: 255 }), fc.nat(1_000_000)), {
    ...{ minLength: 1, maxLength: 4 },
  });
  const list = fc.array(fc.tuple(side, side, fc.nat(3)), { minLength: 1, maxLength: 8 });
  const tokenOf = (byte: number) => `0x${byte.toString(16).repeat(20)}`;
  fc.assert(
    fc.property(fc.constantFrom(...namings), list, (names, given) => {
      const [inToken, inAmount, outToken, outAmount] = names;
      const data = form(
        {
          Orders: 'Order[] orders',
          Order: `address maker, address[] ${inToken}, uint256[] ${inAmount}, address[] ${outToken}, uint256[] ${outAmount}`,
        },
        {
          orders: given.map(([sold, bought, missing]) => ({
            maker: owner,
            [inToken]: sold.map(([byte]) => tokenOf(byte)),
            [inAmount]: sold.slice(0, Math.max(1, sold.length - missing)).map(([, amount]) => amount),
            [outToken]: bought.map(([byte]) => tokenOf(byte)),
            [outAmount]: bought.map(([, amount]) => amount),
          })),
        },
      );
      const right = read(data);
      const all = given.flatMap(([sold]) => sold.map(([byte, amount]) => [tokenOf(byte), `${amount}`]));
      const listed = amounts(right.gives);
      const isWhole = listed.length === all.length && right.takes.length <= 20;
      expect(right.count).toBe(given.length);
      if (right.more) expect(listed.length).toBeLessThanOrEqual(20);
      else expect(listed).toEqual(all);
      if (isWhole && given.every(([, bought]) => bought.length > 0) && right.takes.length < 20)
        expect(right.more).toBeUndefined();
    }),
    { seed: 26, numRuns: Number(process.env.ORDERS_RUNS ?? 60) },
  );
});

test.each([
  [4, 0],
  [5, 0],
  [4, '12345678901234567890'],
])('Seaport, type %d with criteria %s: any items of a collection, no amount of a token', async (type, id) => {
  const item = { itemType: type, token, identifierOrCriteria: id, startAmount: 100, endAmount: 100 };
  const order = { ...forms.seaportOrder, message: { ...forms.seaportOrder.message, offer: [item] } };
  expect(read(order).gives).toEqual([{ token: { address: token }, amount: '100', any: true }]);
  expect(codesOf(await described(order))).toContain('approval-for-all');
});

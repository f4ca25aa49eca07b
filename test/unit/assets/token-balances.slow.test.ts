import { afterAll, beforeAll, expect, test } from 'vitest';
import { stage } from '../../../packages/kit/test/local/replay/scene.js';
import { readTokenBalances } from '../../../src/assets/token-balances.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import type { Address, Hex } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import { createRandom } from '../../support/random.js';

/** One call for many balances finds on a real EVM what a call for each finds, whatever the contracts do. */

const owner = `0x${'a1'.repeat(20)}` as const;

/** Contracts by what they answer. The argument of `ownerOf`, or the second one, is at 0x24. */
const codes: Readonly<Record<string, Hex>> = {
  seven: '0x600760005260206000f3',
  most: `0x7f${'ff'.repeat(32)}60005260206000f3`,
  owner: `0x73${owner.slice(2)}60005260206000f3`,
  id: '0x60243560005260206000f3',
  'the gas that it gets, a little': '0x5a600a900460005260206000f3',
  'too few bytes': '0x6007600052601f6000f3',
  'too many bytes': '0x600760005260406000f3',
  nothing: '0x00',
  'a revert with a word': '0x600760005260206000fd',
  'all gas': '0x5b600056',
  'an undefined instruction': '0xfe',
  // A call that may write nothing ends there: no token changes what the next one says.
  'a write': '0x600160005560206000f3',
};
const names = [...Object.keys(codes), 'no code'];
const addressOf = (name: string): Address =>
  `0x${(0x7000 + names.indexOf(name)).toString(16).padStart(40, '0')}`;

let scene: Awaited<ReturnType<typeof stage>>;
beforeAll(async () => {
  scene = await stage({});
  for (const [name, code] of Object.entries(codes)) await scene.setAccount(addressOf(name), { code });
  await scene.mine();
});
afterAll(() => scene?.service.close());

/** The service of the local node, with the requests that it got. */
function serviceOf(batch?: number, refuse?: (params: readonly unknown[]) => Error | undefined) {
  const asked: unknown[] = [];
  const service = {
    network: { chainId: 33, currency: { symbol: 'RBTC', name: 'Bitcoin', decimals: 18 }, batch },
    async request(method: string, params: readonly unknown[]) {
      asked.push(params);
      const refusal = refuse?.(params);
      if (refusal) throw refusal;
      return scene.call(method, ...params);
    },
  } as unknown as Service;
  return { service, asked };
}

/** Random tokens of all kinds. */
function tokensOf(seed: number, count: number) {
  const random = createRandom(seed);
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  return Array.from({ length: count }, () => {
    const type = oneOf([undefined, undefined, 'ERC721', 'ERC1155'] as const);
    const tokenId =
      type && oneOf(['0', '5', 'nonsense', `${BigInt(owner)}`, `${2n ** 256n}`, `${2n ** 256n - 1n}`]);
    return {
      address: addressOf(oneOf(names)),
      symbol: 'T',
      decimals: 0,
      ...(type && { type, tokenId: tokenId as string }),
    };
  });
}

const isProgram = (params: unknown) => !('to' in ((params as [object])[0] ?? {}));
const seeds = Array.from({ length: Number(process.env.TOKEN_LISTS ?? 4) }, (_, i) => i + 1);

test.each(seeds)('list %i has the balances that a call for each finds', async (seed) => {
  const tokens = tokensOf(seed, 20 + ((seed * 7) % 31));
  const one = serviceOf(20);
  const single = await readTokenBalances(one.service, owner, tokens);
  const { service, asked } = serviceOf();
  const together = await readTokenBalances(service, owner, tokens);
  const named = (name: string) => (token: { readonly address: Address }) => token.address === addressOf(name);
  const ofGas = named('the gas that it gets, a little');
  expect(together.filter((each) => !ofGas(each))).toEqual(
    single
      .filter((each) => !ofGas(each))
      .map((each) => (named('a write')(each) ? { ...each, balance: null } : each)),
  );
  const known = together.filter(
    ({ type, tokenId }) => type !== 'ERC721' && /^(0|5|undefined)$/.test(`${tokenId}`),
  );
  expect(known.filter(ofGas).every(({ balance }) => balance !== null && balance > 0n)).toBe(true);
  expect(asked.every(isProgram)).toBe(true);
  expect(asked.length).toBeLessThanOrEqual(Math.ceil(Math.min(tokens.length, 50) / 25));
});

test('a hundred watched tokens take two requests', async () => {
  const { service, asked } = serviceOf();
  const balances = await readTokenBalances(service, owner, tokensOf(9, 100));
  expect(balances).toHaveLength(100);
  expect(asked).toHaveLength(2);
});

test('where the node refuses the program each balance is read by a call; where it does not answer, none', async () => {
  const tokens = tokensOf(3, 10);
  const expected = (await readTokenBalances(serviceOf().service, owner, tokens)).map(
    ({ balance }) => balance,
  );
  const refusing = serviceOf(undefined, (params) =>
    isProgram(params) ? new ProviderRpcError(-32602, 'to is required') : undefined,
  );
  const read = await readTokenBalances(refusing.service, owner, tokens);
  const isKnown = (balance: bigint | null) => balance !== null && balance > 0n;
  expect(read.map(({ balance }) => isKnown(balance))).toEqual(expected.map(isKnown));
  expect(refusing.asked).toHaveLength(
    1 + 10 - tokens.filter(({ tokenId = '0' }) => !/^\d{1,77}$/.test(tokenId)).length,
  );
  const failing = serviceOf(undefined, (params) =>
    isProgram(params) ? new ProviderRpcError(-32002, 'internal', { serviceCode: -32603 }) : undefined,
  );
  const afterFailure = await readTokenBalances(failing.service, owner, tokens);
  expect(afterFailure.map(({ balance }) => isKnown(balance))).toEqual(expected.map(isKnown));
  const silent = serviceOf(undefined, () => new ProviderRpcError(-32005, 'the quota is spent'));
  const none = await readTokenBalances(silent.service, owner, tokens);
  expect(none.every(({ balance }) => balance === null)).toBe(true);
  expect(silent.asked).toHaveLength(1);
});

import { describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import type { Address } from '../../../../src/rpc/schema.js';
import type { Service } from '../../../../src/service/service.js';
import { findUsedAccounts } from '../../../../src/wallet/owner/discover.js';

/** The address at a path of a mnemonic, which says which it is. */
const addressAt = (mnemonic: number, path: string): Address => {
  const [coinType = 0, index = 0] =
    path
      .match(/\d+/g)
      ?.slice(1)
      .flatMap((part, at) => (at === 0 || at === 3 ? [Number(part)] : [])) ?? [];
  return `0x${[mnemonic, coinType, index].map((part) => part.toString(16).padStart(8, '0')).join('')}${'0'.repeat(16)}`;
};
const pathAt = (coinType: number, index: number) => `m/44'/${coinType}'/0'/0/${index}`;

interface Used {
  readonly nonce?: bigint;
  readonly balance?: bigint;
  /** It has one of the tokens that are asked about. */
  readonly hasTokens?: true;
}

function setup(
  used: Readonly<Record<string, Used>> = {},
  options: { mnemonics?: number; known?: string[]; asksForAll?: boolean } = {},
) {
  const { mnemonics = 1, known = [], asksForAll = true } = options;
  const byAddress = new Map(
    Object.entries(used).map(([key, value]) => {
      const [mnemonic, path] = key.split(' ') as [string, string];
      return [addressAt(Number(mnemonic), path), value];
    }),
  );
  /** The addresses that the code asks about are those whose balance it takes (`PUSH20 … DUP1`). */
  const answerForAll = (code: string) => {
    const holds = ({ balance = 0n, hasTokens = undefined }: Used = {}) =>
      balance > 0n || hasTokens ? '01' : '00';
    const asked = Array.from(
      code.matchAll(/73([\da-f]{40})80600452/g),
      ([, digits]) => `0x${digits}` as Address,
    );
    return `0x${asked.map((address) => holds(byAddress.get(address))).join('')}`;
  };
  const requests: { method: string; address: Address; priority: unknown }[] = [];
  let concurrent = 0;
  let most = 0;
  const service = {
    network: { chainId: 30 },
    async request(
      method: string,
      params: [Address | { data: string }, string],
      settings: Service.RequestOptions,
    ) {
      expect(params[1]).toBe('latest');
      const address = method === 'eth_call' ? '0x' : (params[0] as Address);
      requests.push({ method, address, priority: settings.priority });
      concurrent += 1;
      most = Math.max(most, concurrent);
      await new Promise((resolve) => setTimeout(resolve, 0));
      concurrent -= 1;
      if (settings.signal?.aborted) throw new ProviderRpcError(-32002, 'aborted');
      if (method === 'eth_call') {
        if (!asksForAll) throw new ProviderRpcError(-32602, 'to is missing');
        return answerForAll((params[0] as { data: string }).data);
      }
      const { nonce = 0n, balance = 0n } = byAddress.get(address) ?? {};
      const value = `0x${(method === 'eth_getBalance' ? balance : nonce).toString(16)}`;
      settings.check?.(value);
      return value;
    },
  } as unknown as Service;
  const progress: [number, number][] = [];
  const find = (more: Partial<findUsedAccounts.Options> = {}) =>
    findUsedAccounts({
      addressesAt: async (paths) =>
        Array.from({ length: mnemonics }, (_, at) => paths.map((path) => addressAt(at, path))),
      isKnown: (address) => known.includes(address),
      service,
      coinTypes: [137, 37310, 60],
      watched: [],
      onProgress: (done, of) => progress.push([done, of]),
      ...more,
    });
  return { find, requests, progress, most: () => most };
}

describe('findUsedAccounts', () => {
  test('an empty wallet takes 18 requests, for five accounts on each of three paths', async () => {
    const { find, requests, progress } = setup();
    expect(await find()).toEqual([]);
    expect(requests).toHaveLength(18);
    expect(new Set(requests.map(({ address }) => address)).size).toBe(1 + 15);
    expect(requests.every(({ priority }) => priority === 'background')).toBe(true);
    expect(progress[0]).toEqual([0, 15]);
    expect(progress.at(-1)).toEqual([15, 15]);
  });

  test('accounts that sent or hold something are found, until five in a row did not', async () => {
    const { find, progress } = setup({
      [`0 ${pathAt(137, 0)}`]: { nonce: 3n },
      [`0 ${pathAt(137, 4)}`]: { balance: 1n },
      [`0 ${pathAt(137, 9)}`]: { nonce: 1n, balance: 5n },
      [`0 ${pathAt(137, 15)}`]: { nonce: 1n },
      [`0 ${pathAt(60, 2)}`]: { balance: 10n ** 18n },
    });
    expect(await find()).toEqual([
      { mnemonic: 0, path: pathAt(137, 0) },
      { mnemonic: 0, path: pathAt(137, 4) },
      { mnemonic: 0, path: pathAt(137, 9) },
      { mnemonic: 0, path: pathAt(60, 2) },
    ]);
    // 0 to 14, 0 to 4 and 0 to 7.
    expect(progress.at(-1)).toEqual([28, 28]);
    for (const [at, [done, of]] of progress.entries()) {
      expect(done).toBeLessThanOrEqual(of);
      if (at > 0) expect(of).toBeGreaterThanOrEqual(progress[at - 1]?.[1] as number);
    }
  });

  test('an account that holds nothing but tokens is found', async () => {
    const used = { [`0 ${pathAt(137, 3)}`]: { hasTokens: true } } as const;
    expect(await setup(used).find()).toEqual([{ mnemonic: 0, path: pathAt(137, 3) }]);
  });

  test('where the service cannot be asked for all balances at once, each is read', async () => {
    const used = { [`0 ${pathAt(37310, 1)}`]: { balance: 1n }, [`0 ${pathAt(60, 0)}`]: { nonce: 1n } };
    const { find, requests } = setup(used, { asksForAll: false });
    expect(await find()).toEqual([
      { mnemonic: 0, path: pathAt(37310, 1) },
      { mnemonic: 0, path: pathAt(60, 0) },
    ]);
    expect(requests.filter(({ method }) => method === 'eth_call')).toHaveLength(1);
    expect(requests).toHaveLength(1 + 2 * (5 + 7 + 6));
  });

  test('every mnemonic is looked through', async () => {
    const used = { [`1 ${pathAt(37310, 1)}`]: { nonce: 1n } };
    expect(await setup(used, { mnemonics: 2 }).find()).toEqual([{ mnemonic: 1, path: pathAt(37310, 1) }]);
    expect(await setup({}, { mnemonics: 0 }).find()).toEqual([]);
  });

  test('known accounts cost no request, count as used and are not found again', async () => {
    const known = [0, 1].map((index) => addressAt(0, pathAt(137, index)));
    const { find, requests } = setup({ [`0 ${pathAt(137, 6)}`]: { nonce: 1n } }, { known });
    expect(await find()).toEqual([{ mnemonic: 0, path: pathAt(137, 6) }]);
    expect(requests.filter(({ address }) => known.includes(address))).toEqual([]);
  });

  test('the requests of one path are sent at once, so that a batch can hold them', async () => {
    const { find, most } = setup();
    await find();
    expect(most()).toBe(6);
  });

  test('aborted before or during it, it is 4001 and sends no more', async () => {
    const stop = new AbortController();
    const { find, requests } = setup();
    const finding = find({ signal: stop.signal });
    await new Promise((resolve) => setTimeout(resolve, 0));
    stop.abort();
    await expect(finding).rejects.toMatchObject({ code: 4001 });
    expect(requests.length).toBeLessThanOrEqual(20);
    const before = requests.length;
    await expect(find({ signal: stop.signal })).rejects.toMatchObject({ code: 4001 });
    expect(requests).toHaveLength(before);
  });

  test('an error of the service, and a reply that is no number', async () => {
    const network = { chainId: 30 };
    const failing = (request: () => Promise<unknown>) => ({ network, request }) as unknown as Service;
    const failure = new ProviderRpcError(-32005, 'quota');
    await expect(setup().find({ service: failing(() => Promise.reject(failure)) })).rejects.toBe(failure);
    const lying = {
      network,
      async request(_method: string, _params: unknown, { check }: Service.RequestOptions) {
        check?.('0xzz');
      },
    } as unknown as Service;
    await expect(setup().find({ service: lying })).rejects.toThrow('QUANTITY');
  });
});

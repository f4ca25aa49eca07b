import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployment, transfer } from '../../../../demo/dapp/abi.js';
import { createLocalService, type Hex, type LocalService } from '../../../../packages/kit/src/local/index.js';
import type { Service } from '../../../../src/service/service.js';
import { readHolders } from '../../../../src/wallet/owner/holders.js';
import { alice, bob, carol, clientOf, creationOf, nobody, sign } from '../../../support/local-client.js';

/** The code that asks for all balances at once, run by a real EVM. */

const burning = creationOf('fe');
const refusing = creationOf('60006000fd');
/** Reverts with a word that looks like a balance. */
const refusingWithWord = creationOf('600160005260206000fd');
/** Answers with one byte. */
const short = creationOf('6001600053600160006000f3');

describe.each(['seed', 'node'] as const)('readHolders (%s)', (dialect) => {
  let local: LocalService;
  let token: Hex;
  const others: Hex[] = [];

  beforeAll(async () => {
    local = await createLocalService({ dialect });
    const { call } = clientOf(local);
    await local.controls.faucet(alice.address, 10n ** 18n);
    let nonce = 0;
    const send = async (to: Hex | null, data: Hex, gas = 100_000n): Promise<Hex> => {
      const hash = await call(
        'eth_sendRawTransaction',
        await sign({ nonce: nonce++, to, data, gas, value: 0n }),
      );
      return (await call('eth_getTransactionReceipt', hash)).contractAddress;
    };
    token = await send(null, deployment(1000n) as Hex, 600_000n);
    await send(token, transfer(bob.address, 5n) as Hex);
    for (const code of [burning, refusing, refusingWithWord, short]) others.push(await send(null, code));
  });
  afterAll(() => local?.close());

  const holders = (addresses: readonly Hex[], tokens: readonly Hex[]) => {
    const service = {
      request: (method: string, params: readonly unknown[]) => clientOf(local).call(method, ...params),
    } as unknown as Service;
    return readHolders(service, addresses, tokens, {});
  };
  const all = [alice, bob, carol].map(({ address }) => address.toLowerCase() as Hex);

  test('finds coins and tokens, whatever the other contracts do', async () => {
    local.requests.clear();
    expect(await holders(all, [])).toEqual([true, false, false]);
    expect(await holders(all, [token])).toEqual([true, true, false]);
    expect(await holders(all, [...others, nobody, token])).toEqual([true, true, false]);
    expect(local.requests.count('eth_call')).toBe(3);
  });

  test('sixteen contracts that burn all of their gas leave enough for five addresses', async () => {
    const five = [...all, nobody, all[0] as Hex];
    const tokens = [...Array<Hex>(15).fill(others[0] as Hex), token];
    expect(await holders(five, tokens)).toEqual([true, true, false, false, true]);
  });
});

test.each([['0x'], ['0x0100'], ['0x02'], ['0x1'], [null], [5]])(
  'a service that answers %j to it does not run such code',
  async (answer) => {
    const service = { request: async () => answer } as unknown as Service;
    expect(await readHolders(service, [nobody], [], {})).toBeNull();
  },
);

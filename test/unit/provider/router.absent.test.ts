import { BrowserProvider, isError } from 'ethers';
import {
  createWalletClient,
  custom,
  InvalidParamsRpcError,
  MethodNotFoundRpcError,
  parseGwei,
  type Transport,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { prepareTransactionRequest } from 'viem/actions';
import { rootstockTestnet } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessOf, knownMethods } from '../../support/known-methods.js';
import { nobody } from '../../support/local-client.js';
import { openPage, type Page } from '../methods/page.js';

let page: Page;
beforeAll(async () => {
  page = await openPage();
});
afterAll(() => page.stop());

describe('each', () => {
  test.each(knownMethods.filter((name) => accessOf(name) === 'absent'))(
    '%s is not found, with the reason and without a request',
    async (name) => {
      const asked = await page.askedDuring(async () => {
        for (const params of [[], [{ anything: true }], ['0x', 1, null]])
          await expect(page.request(name, ...params)).rejects.toMatchObject({
            code: -32601,
            message: expect.stringMatching(
              new RegExp(`^The method ${name} does not exist / is not available\\. [A-Z].*\\.$`),
            ),
          });
      });
      expect(asked).toEqual([]);
      expect(page.approver.asked).toEqual([]);
    },
  );
});

describe('next steps of libraries', () => {
  test('viem fills a transaction itself, and tries once for a client', async () => {
    const tried: string[] = [];
    const noting: Transport = (options) => {
      const transport = custom(page.wallet.provider)(options);
      const request = (args: { method: string }, ...rest: unknown[]) => {
        tried.push(args.method);
        return transport.request(args as never, ...(rest as []));
      };
      return { ...transport, request: request as typeof transport.request };
    };
    const account = mnemonicToAccount('test test test test test test test test test test test junk');
    const client = createWalletClient({ account, chain: rootstockTestnet, transport: noting });
    const prepared = await prepareTransactionRequest(client, { to: nobody, value: 0n });
    expect(prepared).toMatchObject({ type: 'legacy', chainId: 31, nonce: 0, gasPrice: expect.anything() });
    await prepareTransactionRequest(client, { to: nobody, value: 0n });
    expect(tried.filter((method) => method === 'eth_fillTransaction')).toHaveLength(1);
  });

  test('viem shows why a send was refused, not that wallet_sendTransaction is missing', async () => {
    const client = createWalletClient({ chain: rootstockTestnet, transport: custom(page.wallet.provider) });
    const send = client.sendTransaction({
      account: nobody,
      to: nobody,
      gasPrice: parseGwei('1'),
      maxFeePerGas: parseGwei('1'),
    } as never);
    const error = (await send.catch((thrown: unknown) => thrown)) as Error & {
      walk(find: (each: unknown) => boolean): unknown;
    };
    expect(error.walk((each) => each instanceof InvalidParamsRpcError)).not.toBeNull();
    expect(error.walk((each) => each instanceof MethodNotFoundRpcError)).toBeNull();
  });

  test('ethers 6 calls it unsupported', async () => {
    const ethers = new BrowserProvider(page.wallet.provider, undefined, { staticNetwork: true });
    const error = await ethers.send('eth_createAccessList', [{}]).catch((thrown: unknown) => thrown);
    expect(isError(error, 'UNSUPPORTED_OPERATION')).toBe(true);
    ethers.destroy();
  });
});

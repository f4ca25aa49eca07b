import {
  type Address,
  BaseError,
  CallExecutionError,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  custom,
  decodeErrorResult,
  EstimateGasExecutionError,
  ExecutionRevertedError,
  encodeFunctionData,
  type Hex,
  InsufficientFundsError,
  MethodNotFoundRpcError,
  ProviderDisconnectedError,
  parseEther,
  TransactionRejectedRpcError,
  UnauthorizedProviderError,
  UserRejectedRequestError,
} from 'viem';
import { rootstockTestnet } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { type HeadlessApprover, headless } from '../../../packages/kit/src/testing/index.js';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  errorCode,
  ProviderRpcError,
  solidityErrors,
  type Wallet,
} from '../../../src/index.js';
import { failing, reverter, ways } from '../../e2e/clients/contracts.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';

hastenKdfOfFile();

/** viem itself, over a wallet whose errors are viem's `BaseError` too, over the real service as the node speaks. */

const { abi, code: bytecode } = reverter;
const options = { storage: createMemoryStorage(), memory: createVolatileMemory() };

let agrees = true;
let service: LocalService;
let wallet: Wallet;
let approver: HeadlessApprover;
let account: Address;
let address: Address;

const clients = () => {
  const transport = custom(wallet.provider);
  return {
    reader: createPublicClient({ chain: rootstockTestnet, transport, pollingInterval: 20 }),
    writer: createWalletClient({ chain: rootstockTestnet, transport }),
  };
};

beforeAll(async () => {
  service = await createLocalService({ chainId: 31, dialect: 'node' });
  approver = headless({ password: 'correct horse', answer: () => agrees });
  wallet = createWallet({
    ...options,
    networks: [{ chainId: 31, url: service.url }],
    approver: () => approver,
    origin: 'https://app.example',
    describeRevert: solidityErrors([abi]),
    errorBase: BaseError,
  });
  account = (await wallet.create('correct horse')).account.address;
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  await service.controls.faucet(account, parseEther('1'));
  const { reader, writer } = clients();
  const hash = await writer.deployContract({ account, abi, bytecode });
  address = (await reader.waitForTransactionReceipt({ hash })).contractAddress as Address;
});
afterAll(async () => {
  wallet.destroy();
  await service.close();
});

/** What `run` fails with, and the HTTP requests of `method` and the dialogs that it took. */
async function failureOf(run: () => Promise<unknown>, method: string) {
  const sent = () => wallet.usage().get(31)?.sent[method] ?? 0;
  const [before, asked] = [sent(), approver.asked.length];
  const failure = await run().then(
    (value) => Promise.reject(new Error(`resolved with ${String(value)}`)),
    (error: BaseError) => error,
  );
  return { failure, requests: sent() - before, dialogs: approver.asked.length - asked };
}
const find = <T>(failure: BaseError, type: abstract new (...args: never) => T): T | null =>
  failure.walk((each) => each instanceof type) as T | null;

const reason = {
  string: 'Reverter: said no',
  panic: 'Arithmetic operation resulted in underflow or overflow.',
  custom: undefined,
  empty: undefined,
} as const;
const message = {
  string: 'execution reverted: Reverter: said no',
  panic: 'execution reverted: panic: arithmetic overflow or underflow (0x11)',
  custom: 'execution reverted: TooLow(available: 1, required: 2)',
  empty: 'execution reverted',
} as const;

describe('joinErrors, a revert for viem', () => {
  describe.each(ways)('%s', (way) => {
    test('readContract and simulateContract decode it, in one request', async () => {
      const { reader } = clients();
      const { view, send } = failing[way];
      const runs = [
        () => reader.readContract({ abi, address, functionName: view }),
        () => reader.simulateContract({ abi, address, functionName: send, account }),
      ];
      for (const run of runs) {
        const { failure, requests } = await failureOf(run, 'eth_call');
        expect(requests).toBe(1);
        expect(failure).toBeInstanceOf(ContractFunctionExecutionError);
        const decoded = find(failure, ContractFunctionRevertedError);
        if (way === 'custom') expect(decoded?.data).toMatchObject({ errorName: 'TooLow', args: [1n, 2n] });
        else if (reason[way]) expect(decoded?.reason).toBe(reason[way]);
        else expect(decoded).not.toBeNull();
        const own = find(failure, ProviderRpcError);
        expect(own).toMatchObject({ code: 3, message: message[way] });
        expect(own?.service).toMatchObject({ serviceCode: -32015 });
        if (way !== 'empty') expect(decodeErrorResult({ abi, data: own?.data as Hex })).toBeDefined();
        else expect(own?.data).toBe('0x');
      }
    });

    test('call, estimateGas and writeContract say so, in one request', async () => {
      const { reader, writer } = clients();
      const { send } = failing[way];
      const data = encodeFunctionData({ abi, functionName: send });
      const called = await failureOf(
        () => reader.call({ to: address, data, account, gas: 90_000n }),
        'eth_call',
      );
      expect(called.failure).toBeInstanceOf(CallExecutionError);
      expect(called.requests).toBe(1);
      const estimated = await failureOf(
        () => reader.estimateGas({ to: address, data, account }),
        'eth_estimateGas',
      );
      expect(estimated.failure).toBeInstanceOf(EstimateGasExecutionError);
      expect(estimated.requests).toBe(1);
      for (const { failure } of [called, estimated]) {
        const known = find(failure, ExecutionRevertedError);
        const words = message[way].replace('execution reverted', '').replace(': ', '');
        expect(known?.shortMessage).toBe(
          `Execution reverted ${words ? `with reason: ${words}` : 'for an unknown reason'}.`,
        );
      }
      agrees = false;
      const refused = await failureOf(
        () => writer.writeContract({ abi, address, functionName: send, account }),
        'eth_estimateGas',
      );
      agrees = true;
      expect(find(refused.failure, UserRejectedRequestError)).not.toBeNull();
      expect(refused.dialogs).toBe(1);
      const detail = message[way].replace(/^execution reverted(: )?/, '');
      expect(approver.asked.at(-1)?.warnings).toContainEqual({
        code: 'simulation-reverts',
        severity: 'danger',
        ...(detail && { detail }),
      });
    });
  });
});

describe('joinErrors, other codes for viem', () => {
  test('each code becomes viem’s error class', async () => {
    const { reader, writer } = clients();
    const poor = { account, to: account, value: parseEther('1000') };
    const { failure, dialogs } = await failureOf(() => writer.sendTransaction(poor), 'eth_getBalance');
    expect(find(failure, InsufficientFundsError)).not.toBeNull();
    expect(find(failure, TransactionRejectedRpcError)).not.toBeNull();
    // It shows what is missing.
    expect(dialogs).toBe(1);

    const stranger = `0x${'12'.repeat(20)}` as const;
    const signed = await failureOf(() => writer.signMessage({ account: stranger, message: 'x' }), 'eth_sign');
    expect(find(signed.failure, UnauthorizedProviderError)).not.toBeNull();

    agrees = false;
    const refused = await failureOf(() => writer.signMessage({ account, message: 'x' }), 'eth_sign');
    agrees = true;
    expect(find(refused.failure, UserRejectedRequestError)).not.toBeNull();
    expect(refused.dialogs).toBe(1);

    const unknown = await failureOf(
      () => reader.request({ method: 'eth_unheardOf' } as never),
      'eth_unheardOf',
    );
    expect(unknown.failure).toBeInstanceOf(MethodNotFoundRpcError);
    expect(unknown.failure.details).toBe('The method eth_unheardOf does not exist / is not available');

    const gone = createWallet({
      networks: [{ chainId: 31, url: service.url }],
      memory: createVolatileMemory(),
    });
    gone.destroy();
    const closed = createPublicClient({ transport: custom(gone.provider) });
    await expect(closed.getChainId()).rejects.toBeInstanceOf(ProviderDisconnectedError);
  });
});

describe('joinErrors', () => {
  /** An option that is no function is refused at once, a function is called with the first request for the core. */
  const used = async (errorBase: unknown) => {
    const memory = createVolatileMemory();
    const networks = [{ chainId: 31, url: service.url }];
    try {
      const other = createWallet({ networks, memory, errorBase: errorBase as typeof BaseError });
      return await other.provider.request({ method: 'eth_blockNumber' }).finally(() => other.destroy());
    } catch (error) {
      return error;
    }
  };

  test('an error is still ours, an Error, and the library’s, and wraps nothing', () => {
    const error = new ProviderRpcError(errorCode.userRejected, 'No', { a: 1 });
    expect(error).toBeInstanceOf(ProviderRpcError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(BaseError);
    const asViems = error as unknown as BaseError;
    expect([asViems.details, asViems.shortMessage, asViems.walk()]).toEqual(['No', 'No', error]);
    expect(Object.keys(error).sort()).toEqual(['code', 'data', 'name']);
    expect(`${error}`).toBe('ProviderRpcError: No');
  });

  test('calling it twice has no effect, and the last class wins', async () => {
    class Other extends Error {}
    expect(await used(BaseError)).toMatch(/^0x/);
    expect(new ProviderRpcError(1, 'x')).toBeInstanceOf(BaseError);
    expect(await used(Other)).toMatch(/^0x/);
    expect(new ProviderRpcError(1, 'x')).toBeInstanceOf(Other);
    expect(new ProviderRpcError(1, 'x')).not.toBeInstanceOf(BaseError);
    expect(await used(BaseError)).toMatch(/^0x/);
    expect(new ProviderRpcError(1, 'x')).toBeInstanceOf(BaseError);
  });

  test.each([
    ['no class', {}],
    ['a class of others', Map],
    ['a function', () => {}],
  ])('%s is -32602', async (_what, errorBase) => {
    expect(await used(errorBase)).toMatchObject({
      code: -32602,
      message: expect.stringContaining('errorBase'),
    });
  });
});

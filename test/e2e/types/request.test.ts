import { describe, expect, expectTypeOf, test } from 'vitest';
import type {
  Address,
  Block,
  Hash,
  Hex,
  Log,
  Provider,
  Receipt,
  RequestResult,
  SyncStatus,
  Transaction,
  TypedRequest,
} from '../../../src/index.js';
import type { Methods } from '../../../src/methods/index.js';
import type { Method } from '../../../src/methods/method.js';
import { methods } from '../../support/methods.js';

/** `request()` as the method table types it: `npx tsc` checks this file, running it only that it stands. */
type Request = Provider['request'];
type WireOf<M> = M extends Method<infer Wire, unknown, never> ? Wire : never;
type ResultOf<M> = M extends Method<infer _Wire, infer Result, never> ? Result : never;
type IsAny<T> = 0 extends 1 & T ? true : false;

const account = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';
const hash = `0x${'ab'.repeat(32)}` as const;
/** Never called: what is inside is for the compiler alone. */
const onlyTyped = (body: (request: Request) => unknown) => expect(body).toBeTypeOf('function');

describe('results', () => {
  test('have the type of the method', () => {
    onlyTyped(async (request) => {
      expectTypeOf(await request({ method: 'eth_chainId' })).toEqualTypeOf<Hex>();
      expectTypeOf(await request({ method: 'net_version' })).toEqualTypeOf<string>();
      expectTypeOf(await request({ method: 'eth_accounts' })).toEqualTypeOf<readonly Address[]>();
      expectTypeOf(await request({ method: 'eth_requestAccounts' })).toEqualTypeOf<readonly Address[]>();
      expectTypeOf(await request({ method: 'eth_syncing' })).toEqualTypeOf<SyncStatus | false>();
      expectTypeOf(
        await request({ method: 'eth_getBalance', params: [account, 'latest'] }),
      ).toEqualTypeOf<Hex>();
      expectTypeOf(
        await request({ method: 'eth_getBlockByNumber', params: ['latest'] }),
      ).toEqualTypeOf<Block | null>();
      expectTypeOf(
        await request({ method: 'eth_getTransactionByHash', params: [hash] }),
      ).toEqualTypeOf<Transaction | null>();
      expectTypeOf(
        await request({ method: 'eth_getTransactionReceipt', params: [hash] }),
      ).toEqualTypeOf<Receipt | null>();
      expectTypeOf(await request({ method: 'eth_getBlockReceipts', params: ['latest'] })).toEqualTypeOf<
        readonly Receipt[] | null
      >();
      expectTypeOf(await request({ method: 'eth_getLogs', params: [{}] })).toEqualTypeOf<readonly Log[]>();
      expectTypeOf(
        await request({ method: 'eth_sendTransaction', params: [{ from: account, to: account }] }),
      ).toEqualTypeOf<Hash>();
      expectTypeOf(
        await request({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0x1e' }] }),
      ).toEqualTypeOf<null>();
      expectTypeOf(
        (await request({ method: 'eth_feeHistory', params: ['0x4', 'latest', [25]] })).baseFeePerGas,
      ).toEqualTypeOf<readonly Hex[]>();
    });
  });

  test('RequestResult gives the type by name', () => {
    expectTypeOf<RequestResult<'eth_blockNumber'>>().toEqualTypeOf<Hex>();
    expectTypeOf<RequestResult<'eth_neverHeardOf'>>().toEqualTypeOf<unknown>();
  });

  test('the result of a method that is not in the table is any', () => {
    onlyTyped(async (request) => {
      expectTypeOf(await request({ method: 'eth_neverHeardOf', params: [1, {}] })).toBeAny();
      const method: string = 'eth_chainId';
      expectTypeOf(await request({ method })).toBeAny();
    });
  });

  test('the result of a refused method is never', () => {
    onlyTyped((request) => {
      expectTypeOf(request({ method: 'eth_decrypt', params: ['0x', account] })).toEqualTypeOf<
        Promise<never>
      >();
      expectTypeOf(request({ method: 'eth_fillTransaction', params: [{}] })).toEqualTypeOf<Promise<never>>();
    });
  });
});

describe('params', () => {
  test('are typed by the method', () => {
    onlyTyped((request) => {
      request({ method: 'eth_getBalance', params: [account] });
      request({ method: 'eth_getBalance', params: [account, { blockHash: hash }] });
      request({ method: 'eth_blockNumber', params: [] });
      request({ method: 'eth_blockNumber', params: undefined });
      request({ method: 'eth_newFilter' });
      request({ method: 'eth_feeHistory', params: [4, 'latest'] });
      request({ method: 'eth_feeHistory', params: ['4', '0x10', null] });
      request({ method: 'personal_sign', params: ['hello', account, 'a password of old'] });
      const params = [account, 'latest'] as const;
      request({ method: 'eth_getBalance', params });
      request({ method: 'eth_blockNumber' }, { signal: new AbortController().signal });
      request({ method: 'eth_blockNumber' }, { signal: undefined });
    });
  });

  test('cannot be left out where one is required', () => {
    onlyTyped((request) => {
      // @ts-expect-error: the address
      request({ method: 'eth_getBalance' });
      // @ts-expect-error: the address
      request({ method: 'eth_getBalance', params: [] });
      // @ts-expect-error: the second of two
      request({ method: 'eth_getTransactionByBlockHashAndIndex', params: [hash] });
    });
  });

  test('cannot be of another type', () => {
    onlyTyped((request) => {
      // @ts-expect-error: a number
      request({ method: 'eth_getBalance', params: [5] });
      // @ts-expect-error: no hexadecimal string
      request({ method: 'eth_getBalance', params: ['vitalik.eth'] });
      // @ts-expect-error: no tag of this chain
      request({ method: 'eth_getBalance', params: [account, 'safe'] });
      // @ts-expect-error: a bigint is no QUANTITY
      request({ method: 'eth_sendTransaction', params: [{ from: account, value: 1n }] });
      // @ts-expect-error: not a chain id in hexadecimal
      request({ method: 'wallet_switchEthereumChain', params: [{ chainId: 30 }] });
      // @ts-expect-error: no kind of subscription
      request({ method: 'eth_subscribe', params: ['newBlocks'] });
    });
  });

  test('cannot be too many', () => {
    onlyTyped((request) => {
      // @ts-expect-error: none are taken
      request({ method: 'eth_chainId', params: [1] });
      // @ts-expect-error: two are taken
      request({ method: 'eth_getBalance', params: [account, 'latest', true] });
    });
  });
});

describe('the table', () => {
  test('gives every method the types of its params and result', () => {
    type Untyped = {
      [Name in keyof typeof methods]: IsAny<WireOf<(typeof methods)[Name]>> extends true
        ? Name
        : IsAny<ResultOf<(typeof methods)[Name]>> extends true
          ? Name
          : WireOf<(typeof methods)[Name]> extends object
            ? never
            : Name;
    }[keyof typeof methods];
    expectTypeOf<Untyped>().toEqualTypeOf<never>();
  });

  test('names exactly the methods that can be requested', () => {
    expectTypeOf<TypedRequest['method']>().toEqualTypeOf<keyof Methods>();
    expect(Object.values(methods).every((method) => typeof method.params === 'function')).toBe(true);
  });

  test('leaves the result unknown only for reads without a documented shape', () => {
    type Unknown = {
      [Name in keyof typeof methods]: unknown extends ResultOf<(typeof methods)[Name]> ? Name : never;
    }[keyof typeof methods];
    expectTypeOf<Unknown>().toEqualTypeOf<
      | 'debug_traceBlockByHash'
      | 'debug_traceTransaction'
      | 'eth_bridgeState'
      | 'eth_getProof'
      | 'eth_netHashrate'
      | 'trace_block'
      | 'trace_filter'
      | 'trace_transaction'
      | 'txpool_content'
      | 'txpool_inspect'
      | 'txpool_status'
    >();
  });
});

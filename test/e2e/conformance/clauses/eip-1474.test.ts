import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import { values } from '../../../support/keys.js';
import { openPage, type Page } from '../../../support/page.js';

/** EIP-1474: the shapes that all clients rely on, over the service as its document has it and as the node is. */

const dialects = ['seed', 'node'] as const;
const opened: { service: LocalService; page: Page }[] = [];
const both = (check: (page: Page, service: LocalService) => Promise<void>) => async () => {
  for (const { page, service } of opened) await check(page, service);
};

beforeAll(async () => {
  for (const dialect of dialects) {
    const service = await createLocalService({ chainId: 31, dialect });
    await service.controls.faucet(values.$A0, 10n ** 18n);
    await service.controls.mine(2);
    opened.push({ service, page: openPage({ networks: [{ chainId: 31, url: service.url }] }) });
  }
});
afterAll(async () => {
  for (const { page, service } of opened) {
    page.close();
    await service.close();
  }
});

const quantity = /^0x(0|[1-9a-f][\da-f]*)$/;
const data = /^0x([\da-f]{2})*$/;

describe('results', () => {
  test(
    'EIP-1474 (1) quantities have no leading zeros',
    both(async (page) => {
      const balance = ['eth_getBalance', [values.$A0, 'latest']] as const;
      const counted = ['eth_getTransactionCount', [values.$A0, 'latest']] as const;
      const nothing = ['eth_getBalance', [values.$X, 'latest']] as const;
      const asked = [
        ['eth_blockNumber'],
        ['eth_gasPrice'],
        ['eth_chainId'],
        balance,
        counted,
        nothing,
      ] as const;
      for (const [method, params] of asked) expect(await page.request(method, params)).toMatch(quantity);
      const block = (await page.request('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
      for (const key of ['number', 'gasLimit', 'gasUsed', 'timestamp', 'size'])
        expect(block[key], key).toMatch(quantity);
    }),
  );

  test(
    'EIP-1474 (2) data has two digits to a byte',
    both(async (page) => {
      const block = (await page.request('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
      for (const key of ['hash', 'parentHash', 'logsBloom', 'extraData', 'stateRoot'])
        expect(block[key], key).toMatch(data);
      // Returns 32 bytes of zero.
      const call = { to: values.$X, data: '0x' };
      expect(await page.request('eth_call', [call, 'latest'])).toMatch(data);
      expect(await page.request('eth_call', [{ data: '0x60206000f3' }, 'latest'])).toBe(
        `0x${'00'.repeat(32)}`,
      );
      expect(await page.request('web3_sha3', ['0x'])).toMatch(data);
    }),
  );

  test(
    'EIP-1474 (3) an unknown block, transaction or receipt is null',
    both(async (page) => {
      for (const [method, ...rest] of [
        ['eth_getBlockByHash', false],
        ['eth_getTransactionByHash'],
        ['eth_getTransactionReceipt'],
      ] as const)
        expect(await page.request(method, [values.$HASH, ...rest]), method).toBeNull();
      expect(await page.request('eth_getBlockByNumber', ['0xffffffff', false])).toBeNull();
    }),
  );

  test(
    'EIP-1474 (4) net_version is a decimal string',
    both(async (page) => {
      expect(await page.request('net_version')).toBe('31');
    }),
  );

  test(
    'EIP-1474 (5) eth_chainId is the configured chain, without a request',
    both(async (page, service) => {
      const before = service.requests.count();
      const lie = service.controls.intercept(({ calls }) => ({
        body: JSON.stringify({ jsonrpc: '2.0', id: calls[0]?.id, result: '0x1' }),
      }));
      expect(await page.request('eth_chainId')).toBe('0x1f');
      lie();
      expect(service.requests.count()).toBe(before);
    }),
  );
});

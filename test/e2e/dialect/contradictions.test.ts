import { expect, test, vi } from 'vitest';
import type { Hex } from '../../../src/local/index.js';
import { nobody, word } from '../../support/local-client.js';
import { missingHash } from './page.js';
import { gives, inBothDialects, type Row, refuses, rowsHold } from './rows.js';

/**
 * docs/notes/node.md#where-the-node-differs-from-the-description, where the seed and the node say different things. Estimates: gas.test.ts; the pending tag:
 * tags.test.ts; arity: params.test.ts; filters and `removed`: filters.test.ts; objects and what is not found:
 * objects.test.ts, call.test.ts; the zero hash: send.test.ts. Here is the rest.
 */

const absent = refuses(-32601, 'method not found', { status: 200 });

rowsHold([
  {
    section: 'docs/notes/node.md#methods-it-lacks',
    what: 'eth_getProof: answered where the service has it',
    ask: ({ chain }) => ['eth_getProof', chain.emitter, [`0x${word(0)}`], 'latest'],
    seed: gives(expect.objectContaining({ storageProof: [expect.objectContaining({ key: '0x0' })] })),
    node: absent,
    page: ({ dialect, chain }) =>
      dialect === 'seed'
        ? gives(expect.objectContaining({ address: chain.emitter, storageHash: expect.any(String) }))
        : refuses(-32601),
  },
  {
    section: 'docs/notes/node.md#methods-it-lacks',
    what: 'eth_getProof at an unknown block',
    ask: ({ chain }) => ['eth_getProof', chain.emitter, [], '0xff'],
    seed: gives(null),
    node: absent,
    page: ({ dialect }) =>
      dialect === 'seed' ? refuses(-32001, 'Block with number 255 not found') : refuses(-32601),
  },
  ...['eth_getWork', 'eth_submitWork', 'eth_submitHashrate'].map((method): Row => {
    const params: Record<string, unknown[]> = {
      eth_submitWork: [`0x${'01'.repeat(8)}`, missingHash, missingHash],
      eth_submitHashrate: [missingHash, missingHash],
    };
    return {
      section: 'docs/notes/node.md#where-the-node-differs-from-the-description',
      what: `${method}, which is for miners`,
      ask: [method, ...(params[method] ?? [])],
      seed: gives(expect.anything()),
      node: absent,
      page: refuses(4200, /does not exist/),
    };
  }),
  {
    section: 'docs/notes/node.md#push',
    what: 'eth_subscribe, which the service has not over HTTP',
    ask: ['eth_subscribe', 'newHeads'],
    seed: absent,
    node: absent,
    page: gives(expect.stringMatching(/^0x/)),
  },
]);

inBothDialects({ account: true }, (page) => {
  test('docs/notes/node.md#push new blocks are told although nobody pushes them', async () => {
    const heads: unknown[] = [];
    page().wallet.provider.on('message', (message) => heads.push(message));
    const said = (await page().ask('eth_subscribe', 'newHeads')) as { result: Hex };
    await page().service.controls.mine();
    const { result: block } = (await page().wire('eth_getBlockByNumber', 'latest', false)) as {
      result: { hash: Hex };
    };
    await vi.waitFor(() =>
      expect(heads).toContainEqual({
        type: 'eth_subscription',
        data: { subscription: said.result, result: expect.objectContaining({ hash: block.hash }) },
      }),
    );
    expect(await page().ask('eth_unsubscribe', said.result)).toEqual(gives(true));
  });

  // Last: an endpoint that serves another chain is passed over from then on.
  test('docs/notes/node.md#where-the-node-differs-from-the-description a service that answers eth_chainId like eth_protocolVersion gets nothing signed', async () => {
    page().distort('eth_chainId', () => '0x3e');
    const [from] = (await page().wallet.provider.request({ method: 'eth_accounts' })) as Hex[];
    expect(await page().ask('eth_chainId')).toEqual(gives('0x21'));
    expect(await page().ask('eth_sendTransaction', { from, to: nobody, value: '0x1' })).toEqual(
      refuses(4901, /chain/),
    );
    expect(page().approver.asked.filter(({ kind }) => kind !== 'connect')).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import type { Hex } from '../../../packages/kit/src/local/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { nobody, word } from '../../support/local-client.js';
import { waitFor } from '../../support/wait-for.js';
import { missingHash } from './page.js';
import { failsWith, inBothDialects, type Row, returns, testRows } from './rows.js';

hastenKdfOfFile();

/**
 * Further differences between the seed and the node (docs/notes/node.md#where-the-node-differs-from-the-description).
 * Others are tested elsewhere. Estimates: gas.test.ts; the pending tag:
 * tags.test.ts; arity: params.test.ts; filters and `removed`: filters.test.ts; objects and what is not found:
 * objects.test.ts, call.test.ts; the zero hash: send.test.ts.
 */

const absent = failsWith(-32601, 'method not found', { status: 200 });

testRows([
  {
    section: 'docs/notes/node.md#methods-it-lacks',
    title: 'eth_getProof is forwarded where the service has it',
    ask: ({ chain }) => ['eth_getProof', chain.emitter, [`0x${word(0)}`], 'latest'],
    seed: returns(expect.objectContaining({ storageProof: [expect.objectContaining({ key: '0x0' })] })),
    node: absent,
    page: ({ dialect, chain }) =>
      dialect === 'seed'
        ? returns(expect.objectContaining({ address: chain.emitter, storageHash: expect.any(String) }))
        : failsWith(-32601),
  },
  {
    section: 'docs/notes/node.md#methods-it-lacks',
    title: 'eth_getProof at an unknown block is an error',
    ask: ({ chain }) => ['eth_getProof', chain.emitter, [], '0xff'],
    seed: returns(null),
    node: absent,
    page: ({ dialect }) =>
      dialect === 'seed' ? failsWith(-32001, 'Block with number 255 not found') : failsWith(-32601),
  },
  ...['eth_getWork', 'eth_submitWork', 'eth_submitHashrate'].map((method): Row => {
    const params: Record<string, unknown[]> = {
      eth_submitWork: [`0x${'01'.repeat(8)}`, missingHash, missingHash],
      eth_submitHashrate: [missingHash, missingHash],
    };
    return {
      section: 'docs/notes/node.md#where-the-node-differs-from-the-description',
      title: `${method} is for miners and not forwarded`,
      ask: [method, ...(params[method] ?? [])],
      seed: returns(expect.anything()),
      node: absent,
      page: failsWith(4200, /does not exist/),
    };
  }),
  {
    section: 'docs/notes/node.md#push',
    title: 'eth_subscribe works although the service lacks it over HTTP',
    ask: ['eth_subscribe', 'newHeads'],
    seed: absent,
    node: absent,
    page: returns(expect.stringMatching(/^0x/)),
  },
]);

inBothDialects({ account: true }, (page) => {
  test('new blocks are delivered by polling (docs/notes/node.md#push)', async () => {
    const heads: unknown[] = [];
    page().wallet.provider.on('message', (message) => heads.push(message));
    const said = (await page().ask('eth_subscribe', 'newHeads')) as { result: Hex };
    await page().service.controls.mine();
    const { result: block } = (await page().wire('eth_getBlockByNumber', 'latest', false)) as {
      result: { hash: Hex };
    };
    await waitFor(() =>
      expect(heads).toContainEqual({
        type: 'eth_subscription',
        data: { subscription: said.result, result: expect.objectContaining({ hash: block.hash }) },
      }),
    );
    expect(await page().ask('eth_unsubscribe', said.result)).toEqual(returns(true));
  });

  // Last, because an endpoint that served another chain is not used again.
  test('nothing is signed for a service whose eth_chainId is wrong (docs/notes/node.md#where-the-node-differs-from-the-description)', async () => {
    page().distort('eth_chainId', () => '0x3e');
    const [from] = (await page().wallet.provider.request({ method: 'eth_accounts' })) as Hex[];
    expect(await page().ask('eth_chainId')).toEqual(returns('0x21'));
    expect(await page().ask('eth_sendTransaction', { from, to: nobody, value: '0x1' })).toEqual(
      failsWith(4901, /chain/),
    );
    expect(page().approver.asked.filter(({ kind }) => kind !== 'connect')).toEqual([]);
  });
});

import { expect, test, vi } from 'vitest';
import type { Hash, Hex, Log } from '../../../src/rpc/schema.js';
import { clientOf, sign, word } from '../../support/local-client.js';
import type { Page } from './page.js';
import { gives, inBothDialects, refuses, rowsHold } from './rows.js';

/** docs/notes/node.md#filters: the service's filters lose and invent; the page's own do neither, over both. */

const notFound = refuses(-32000, 'filter not found', { status: 200 });

rowsHold([
  ...['eth_getFilterChanges', 'eth_getFilterLogs'].map((method) => ({
    section: 'docs/notes/node.md#filters-lose-and-invent',
    what: `${method} of a filter that nobody knows`,
    ask: [method, '0x1234'] as const,
    seed: notFound,
    node: notFound,
    page: refuses(-32000, 'filter not found'),
  })),
  {
    section: 'docs/notes/node.md#filters-lose-and-invent',
    what: 'eth_uninstallFilter of a filter that nobody knows',
    ask: ['eth_uninstallFilter', '0x1234'],
    seed: gives(false),
    node: gives(false),
    page: gives(false),
  },
]);

/** Two filters of one kind: the service's own, and the page's. */
async function pair(page: Page, method: string, ...params: unknown[]) {
  const theirs = await page.wire(method, ...params);
  const ours = await page.ask(method, ...params);
  if (!('result' in theirs && 'result' in ours)) throw new Error(`${method} made no filter`);
  const poll = async (asked: Page['ask'], id: Hex) => {
    const said = await asked('eth_getFilterChanges', id);
    return 'result' in said ? (said.result as (Log & Hash)[]) : said.code;
  };
  return {
    ids: { theirs: theirs.result as Hex, ours: ours.result as Hex },
    theirs: () => poll(page.wire, theirs.result),
    ours: () => poll(page.ask, ours.result),
  };
}

inBothDialects({}, (page) => {
  const emit = async (value: number) => {
    const { call } = clientOf(page().service);
    const nonce = Number(await call('eth_getTransactionCount', await sender(), 'pending'));
    const data: Hex = `0x${word(7)}${word(value)}`;
    const raw = await sign({ nonce, to: page().chain.emitter, data, gas: 60_000n, value: 0n });
    return (await call('eth_sendRawTransaction', raw)) as Hash;
  };
  const sender = async () => {
    const found = await clientOf(page().service).call('eth_getTransactionByHash', page().chain.logging);
    return found.from as Hex;
  };
  const mine = () => page().service.controls.mine();
  const values = (logs: unknown) => (logs as Log[]).map(({ data }) => Number(data));

  test('docs/notes/node.md#filter-ids an id is opaque in the service, and a short QUANTITY in the page', async () => {
    const { ids } = await pair(page(), 'eth_newBlockFilter');
    expect(ids.theirs).toMatch(/^0x[0-9a-f]{72}$/);
    expect(ids.ours).toMatch(/^0x[1-9a-f][0-9a-f]{0,15}$/);
  });

  test('docs/notes/node.md#filters-lose-and-invent the first poll brings what came since, not what was there', async () => {
    await emit(20);
    await mine();
    const filter = await pair(page(), 'eth_newFilter', {});
    expect(await filter.theirs()).toHaveLength(page().dialect === 'seed' ? 0 : 1);
    expect(await filter.ours()).toEqual([]);
  });

  test('docs/notes/node.md#filters-lose-and-invent no log is lost between two polls', async () => {
    const filter = await pair(page(), 'eth_newFilter', {});
    await filter.theirs();
    await filter.ours();
    for (const value of [21, 22]) {
      await emit(value);
      await mine();
    }
    expect(values(await filter.theirs())).toEqual(page().dialect === 'seed' ? [21, 22] : [22]);
    expect(values(await filter.ours())).toEqual([21, 22]);
  });

  test('docs/notes/node.md#where-the-node-differs-from-the-description logs say whether they were removed, and a reorganisation takes them back', async () => {
    const filter = await pair(page(), 'eth_newFilter', {});
    await filter.theirs();
    await emit(23);
    await mine();
    const before = (await filter.ours()) as Log[];
    expect(before).toMatchObject([{ removed: false }]);
    const [theirs] = (await filter.theirs()) as Log[];
    expect(theirs?.removed).toBe(page().dialect === 'seed' ? false : undefined);
    await page().service.controls.reorg(1, { transactions: 'dropped', blocks: 2 });
    const after = (await filter.ours()) as Log[];
    expect(after).toEqual([{ ...before[0], removed: true }]);
    const removed = ((await filter.theirs()) as Log[]).filter((log) => log.removed);
    expect(removed).toHaveLength(page().dialect === 'seed' ? 1 : 0);
  });

  test('docs/notes/node.md#filters-lose-and-invent a block beside the chain is in no filter of the page', async () => {
    const filter = await pair(page(), 'eth_newBlockFilter');
    await filter.ours();
    const beside = await page().service.controls.sibling();
    await mine();
    const theirs = (await filter.theirs()) as Hash[];
    expect(theirs.includes(beside)).toBe(page().dialect === 'node');
    const ours = (await filter.ours()) as Hash[];
    expect(ours).toHaveLength(1);
    expect(ours).not.toContain(beside);
  });

  test('docs/notes/node.md#filters-lose-and-invent a restarted service has forgotten its filters, and the page has not', async () => {
    const filter = await pair(page(), 'eth_newBlockFilter');
    await filter.ours();
    await page().service.controls.restart();
    await mine();
    expect(await filter.theirs()).toBe(-32000);
    expect(await filter.ours()).toHaveLength(1);
  });

  test('docs/notes/node.md#filters-lose-and-invent eth_getFilterLogs of a block filter', async () => {
    const filter = await pair(page(), 'eth_newBlockFilter');
    await mine();
    expect(await page().wire('eth_getFilterLogs', filter.ids.theirs)).toEqual(gives([expect.any(String)]));
    expect(await page().ask('eth_getFilterLogs', filter.ids.ours)).toEqual(refuses(-32000));
  });

  test('docs/notes/node.md#filters-lose-and-invent what enters the pool', async () => {
    const filter = await pair(page(), 'eth_newPendingTransactionFilter');
    const hash = await emit(24);
    expect(await filter.theirs()).toEqual([hash]);
    await vi.waitFor(async () => expect(await filter.ours()).toEqual([hash]));
  });

  test('an uninstalled filter is gone in both', async () => {
    const filter = await pair(page(), 'eth_newFilter', { fromBlock: '0x1' });
    expect(await page().wire('eth_uninstallFilter', filter.ids.theirs)).toEqual(gives(true));
    expect(await page().ask('eth_uninstallFilter', filter.ids.ours)).toEqual(gives(true));
    expect([await filter.theirs(), await filter.ours()]).toEqual([-32000, -32000]);
  });
});

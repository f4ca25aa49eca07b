import { expect, test } from 'vitest';
import type { Hash, Hex, Log } from '../../../src/rpc/schema.js';
import { clientOf, sign, word } from '../../support/local-client.js';
import { waitFor } from '../../support/wait-for.js';
import type { Page } from './page.js';
import { failsWith, inBothDialects, returns, testRows } from './rows.js';

/** The service's filters lose and invent events; the page's own do neither, in both dialects (docs/notes/node.md#filters). */

const notFound = failsWith(-32000, 'filter not found', { status: 200 });

testRows([
  ...['eth_getFilterChanges', 'eth_getFilterLogs'].map((method) => ({
    section: 'docs/notes/node.md#filters-lose-and-invent',
    title: `${method} of an unknown filter is an error`,
    ask: [method, '0x1234'] as const,
    seed: notFound,
    node: notFound,
    page: failsWith(-32000, 'filter not found'),
  })),
  {
    section: 'docs/notes/node.md#filters-lose-and-invent',
    title: 'eth_uninstallFilter of an unknown filter is false',
    ask: ['eth_uninstallFilter', '0x1234'],
    seed: returns(false),
    node: returns(false),
    page: returns(false),
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

  test('an id is opaque in the service, and a short QUANTITY in the page (docs/notes/node.md#filter-ids)', async () => {
    const { ids } = await pair(page(), 'eth_newBlockFilter');
    expect(ids.theirs).toMatch(/^0x[0-9a-f]{72}$/);
    expect(ids.ours).toMatch(/^0x[1-9a-f][0-9a-f]{0,15}$/);
  });

  test('the first poll returns only events since the filter’s creation (docs/notes/node.md#filters-lose-and-invent)', async () => {
    await emit(20);
    await mine();
    const filter = await pair(page(), 'eth_newFilter', {});
    expect(await filter.theirs()).toHaveLength(page().dialect === 'seed' ? 0 : 1);
    expect(await filter.ours()).toEqual([]);
  });

  test('no log is lost between two polls (docs/notes/node.md#filters-lose-and-invent)', async () => {
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

  test('logs have a removed field, and a reorganisation reports them as removed (docs/notes/node.md#where-the-node-differs-from-the-description)', async () => {
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

  test('no filter of the page reports a competing block (docs/notes/node.md#filters-lose-and-invent)', async () => {
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

  test('the page’s filters survive a restart of the service (docs/notes/node.md#filters-lose-and-invent)', async () => {
    const filter = await pair(page(), 'eth_newBlockFilter');
    await filter.ours();
    await page().service.controls.restart();
    await mine();
    expect(await filter.theirs()).toBe(-32000);
    expect(await filter.ours()).toHaveLength(1);
  });

  test('eth_getFilterLogs of a block filter is handled (docs/notes/node.md#filters-lose-and-invent)', async () => {
    const filter = await pair(page(), 'eth_newBlockFilter');
    await mine();
    expect(await page().wire('eth_getFilterLogs', filter.ids.theirs)).toEqual(returns([expect.any(String)]));
    expect(await page().ask('eth_getFilterLogs', filter.ids.ours)).toEqual(failsWith(-32000));
  });

  test('pending transactions are reported (docs/notes/node.md#filters-lose-and-invent)', async () => {
    const filter = await pair(page(), 'eth_newPendingTransactionFilter');
    const hash = await emit(24);
    expect(await filter.theirs()).toEqual([hash]);
    await waitFor(async () => expect(await filter.ours()).toEqual([hash]));
  });

  test('an uninstalled filter is unknown to both', async () => {
    const filter = await pair(page(), 'eth_newFilter', { fromBlock: '0x1' });
    expect(await page().wire('eth_uninstallFilter', filter.ids.theirs)).toEqual(returns(true));
    expect(await page().ask('eth_uninstallFilter', filter.ids.ours)).toEqual(returns(true));
    expect([await filter.theirs(), await filter.ours()]).toEqual([-32000, -32000]);
  });
});

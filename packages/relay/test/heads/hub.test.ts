import { describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { settled } from '../../../../test/support/fake-clock.js';
import { createInProcessEngine, createInProcessState } from '../../src/engines/in-process.js';
import { createMetrics } from '../../src/reports/metrics.js';
// Imported beforehand: it is loaded when it is first needed, which the fake clock does not wait for.
import '../../../../src/service/logs/receipt-logs.js';
import { createRelayRig, noLimits } from '../../../../test/support/relay-rig.js';
import { address, word } from '../../../../test/support/simulated-chain.js';

const emitted = { address: address(0xa), topics: [word(1)] };
const other = { address: address(0xb), topics: [word(2)] };
const filter = { address: address(0xa) };

describe('heads', () => {
  test('each added block is pushed once, in order, without its transactions', async () => {
    const { chain, connect, tick } = createRelayRig();
    const client = connect();
    const id = await client.call('eth_subscribe', 'newHeads');
    expect(client.frames).toEqual([]);
    const first = chain.mine(emitted);
    await tick();
    const [second, third] = [chain.mine(), chain.mine()];
    await tick(2);
    expect(client.heads(id)).toEqual([first.hash, second.hash, third.hash]);
    const { transactions: _, uncles: __, ...header } = first;
    expect(client.frames[0]?.result).toEqual(header);
  });

  test('a reorganisation pushes the blocks that joined, each standing on the one before', async () => {
    const { chain, connect, tick } = createRelayRig();
    for (let i = 0; i < 5; i++) chain.mine();
    const client = connect();
    await client.call('eth_subscribe', 'newHeads');
    chain.mine();
    await tick();
    client.forget();
    chain.reorg(3, [], [], [], []);
    await tick();
    expect(client.heads()).toEqual(
      chain
        .canonical()
        .slice(-4)
        .map(({ hash }) => hash),
    );
  });

  test('after a pause every block is pushed', async () => {
    const { chain, connect, tick } = createRelayRig();
    const client = connect();
    await client.call('eth_subscribe', 'newHeads');
    const blocks = Array.from({ length: 200 }, () => chain.mine());
    await tick();
    for (let i = 0; i < 50; i++) await settled();
    expect(client.heads()).toEqual(blocks.map(({ hash }) => hash));
  });

  test('a chain without room for another log filter still pushes blocks to every subscriber', async () => {
    const { chain, connect, tick } = createRelayRig();
    const many = connect({ ...noLimits, maxSubscriptions: 3_000 });
    for (let i = 0; i < 2_000; i++) await many.call('eth_subscribe', 'logs', { address: address(i + 1) });
    const late = connect();
    const full = { code: -32005, data: { reason: 'full' } };
    await expect(late.call('eth_subscribe', 'logs', { address: address(5_000) })).rejects.toMatchObject(full);
    // One that is there already has room for more.
    await late.call('eth_subscribe', 'logs', { address: address(7) });
    const heads = await late.call('eth_subscribe', 'newHeads');
    await late.call('eth_subscribe', 'graft_steps', {});
    await tick();
    const { hash } = chain.mine();
    await tick();
    expect(late.heads(heads)).toEqual([hash]);
  });

  test('a later subscriber gets the blocks that are mined later', async () => {
    const { chain, connect, tick } = createRelayRig();
    const [first, second] = [connect(), connect()];
    await first.call('eth_subscribe', 'newHeads');
    const before = chain.mine();
    await tick();
    await second.call('eth_subscribe', 'newHeads');
    const after = chain.mine();
    await tick();
    expect(first.heads()).toEqual([before.hash, after.hash]);
    expect(second.heads()).toEqual([after.hash]);
  });

  test('one text is serialised for all subscribers, and one request is made for all', async () => {
    const { chain, connect, tick } = createRelayRig();
    const clients = Array.from({ length: 50 }, () => connect());
    for (const client of clients) await client.call('eth_subscribe', 'newHeads');
    const requests = chain.requests();
    chain.mine();
    await tick();
    expect(chain.requests() - requests).toBe(1);
    const [text] = clients[0]?.texts ?? [];
    for (const { texts } of clients) expect(texts).toEqual([text]);
  });

  test('two steps in one turn of the event loop are both pushed', async () => {
    const { chain, core, connect, advance } = createRelayRig();
    const client = connect();
    await client.call('eth_subscribe', 'newHeads');
    const first = chain.mine();
    core.chains.get(33)?.poke();
    const second = chain.mine();
    core.chains.get(33)?.poke();
    await advance(0);
    await settled();
    expect(client.heads()).toEqual([first.hash, second.hash]);
  });
});

describe('logs', () => {
  test('each log of the filter is pushed once, and removed ones again, newest first', async () => {
    const { chain, connect, tick } = createRelayRig();
    for (let i = 0; i < 5; i++) chain.mine();
    const client = connect();
    await client.call('eth_subscribe', 'logs', filter);
    const blocks = [chain.mine(emitted, other, emitted), chain.mine(emitted)];
    await tick();
    const told = blocks.flatMap((block) => chain.logsOf(block).filter((log) => log.address === address(0xa)));
    expect(client.logs()).toEqual(told.map((log) => ({ ...log, removed: false })));
    client.forget();
    chain.reorg(2, [emitted], [], [emitted]);
    await tick();
    const joined = chain.canonical().slice(-3).flatMap(chain.logsOf);
    expect(client.logs()).toEqual([
      ...told.reverse().map((log) => ({ ...log, removed: true })),
      ...joined.map((log) => ({ ...log, removed: false })),
    ]);
  });

  test('one request serves all filters of a block, and none a block without logs', async () => {
    const { chain, connect, tick } = createRelayRig();
    const clients = Array.from({ length: 10 }, () => connect());
    for (const [i, client] of clients.entries())
      await client.call('eth_subscribe', 'logs', i % 2 ? filter : {});
    chain.mine();
    await tick();
    expect(chain.sent.eth_getLogs).toBeUndefined();
    chain.mine(emitted);
    await tick();
    expect(chain.sent.eth_getLogs).toBe(1);
    for (const client of clients) expect(client.logs()).toHaveLength(1);
  });

  test('a client that subscribed after a log does not get its removal', async () => {
    const { chain, connect, tick } = createRelayRig();
    for (let i = 0; i < 3; i++) chain.mine();
    const [first, second] = [connect(), connect()];
    await first.call('eth_subscribe', 'logs', filter);
    chain.mine(emitted);
    await tick();
    await second.call('eth_subscribe', 'logs', filter);
    chain.reorg(1, [emitted], [emitted]);
    await tick();
    expect(first.logs().map(({ removed }) => removed)).toEqual([false, true, false, false]);
    expect(second.logs().map(({ removed }) => removed)).toEqual([false, false]);
  });

  test('a failing eth_getLogs delays logs, keeps their order, and does not hold up heads', async () => {
    const { chain, connect, tick, advance } = createRelayRig();
    const client = connect();
    const heads = await client.call('eth_subscribe', 'newHeads');
    const logs = await client.call('eth_subscribe', 'logs', filter);
    chain.intercept((method) => {
      if (method === 'eth_getLogs') throw new Error('not now');
    });
    const blocks = [chain.mine(emitted)];
    await tick();
    blocks.push(chain.mine(), chain.mine(emitted, emitted));
    await tick();
    expect(client.heads(heads)).toEqual(blocks.map(({ hash }) => hash));
    expect(client.logs(logs)).toEqual([]);
    const late = connect();
    await late.call('eth_subscribe', 'logs', filter);
    chain.intercept();
    // Without a new block: after a pause.
    await advance(31_000);
    expect(client.logs(logs).map(({ blockHash }) => blockHash)).toEqual(
      blocks.flatMap((block) => chain.logsOf(block).map(({ blockHash }) => blockHash)),
    );
    expect(late.logs()).toEqual([]);
  });

  test('logs of a block that has left the chain are not waited for', async () => {
    const { chain, connect, tick } = createRelayRig();
    for (let i = 0; i < 3; i++) chain.mine();
    const client = connect();
    await client.call('eth_subscribe', 'logs', filter);
    const gone = chain.mine(emitted);
    chain.intercept((method, [given]) => {
      if (method === 'eth_getLogs' && (given as { blockHash?: string }).blockHash === gone.hash)
        throw new Error('unknown block');
    });
    await tick();
    chain.reorg(1, [emitted], []);
    await tick();
    expect(client.logs()).toMatchObject([{ blockHash: chain.canonical().at(-2)?.hash, removed: false }]);
  });

  test('a wide gap is read in ranges of at most 2,000 blocks', async () => {
    const { chain, connect, tick } = createRelayRig({ headers: 24 });
    const client = connect();
    await client.call('eth_subscribe', 'logs', filter);
    const blocks = Array.from({ length: 4_500 }, (_, i) => chain.mine(...(i % 900 ? [] : [emitted])));
    await tick();
    for (let i = 0; i < 50; i++) await settled();
    expect(client.logs().map(({ blockHash }) => blockHash)).toEqual(
      blocks.filter((_, i) => i % 900 === 0).map(({ hash }) => hash),
    );
    const ranges = chain.asked.flatMap(({ method, params: [given] }) => {
      const { fromBlock, toBlock } = Object(given) as { fromBlock?: string; toBlock?: string };
      return method === 'eth_getLogs' && fromBlock ? [Number(toBlock) - Number(fromBlock) + 1] : [];
    });
    expect(ranges.length).toBeLessThanOrEqual(4);
    expect(Math.max(...ranges)).toBeLessThanOrEqual(2_000);
  });

  test('after a gap come the logs of the missed range, before newer ones, each once', async () => {
    const { chain, connect, tick, advance } = createRelayRig({ headers: 24 });
    const client = connect();
    const heads = await client.call('eth_subscribe', 'newHeads');
    const logs = await client.call('eth_subscribe', 'logs', filter);
    chain.mine(emitted);
    await tick();
    for (let i = 0; i < 100; i++) chain.mine(...(i % 10 ? [] : [emitted, other]));
    chain.intercept((method, [given]) => {
      if (method === 'eth_getLogs' && (given as { fromBlock?: string }).fromBlock) throw new Error('not now');
    });
    await tick();
    const newest = chain.mine(emitted);
    await tick();
    // The newest 24 of the gap are read one by one.
    expect(client.heads(heads)).toHaveLength(1 + 24 + 1);
    expect(client.heads(heads).at(-1)).toBe(newest.hash);
    expect(client.logs(logs)).toHaveLength(1);
    chain.intercept();
    await advance(31_000);
    const wanted = chain
      .canonical()
      .flatMap((block) => chain.logsOf(block).filter((log) => log.address === address(0xa)));
    expect(client.logs(logs)).toEqual(wanted.map((log) => ({ ...log, removed: false })));
  });
});

describe('graft_steps', () => {
  test('each step is one frame, with the interval and when it was seen', async () => {
    const { chain, connect, tick, clock } = createRelayRig();
    for (let i = 0; i < 3; i++) chain.mine();
    const client = connect();
    await client.call('eth_subscribe', 'graft_steps');
    const base = chain.head();
    // The block at which a chain begins to be followed.
    expect(client.frames.map(({ result }) => result)).toEqual([
      { removed: [], added: [base], interval: 6_000, seen: clock.now() },
    ]);
    const old = chain.mine(emitted);
    await tick();
    chain.reorg(1, [], [emitted]);
    await tick();
    const { number, hash, parentHash } = old;
    expect(client.frames.filter(({ result }) => result.added.length > 0).slice(1)).toMatchObject([
      { result: { removed: [], added: [old], interval: 6_000 } },
      { result: { removed: [{ number, hash, parentHash }], added: chain.canonical().slice(-2) } },
    ]);
  });

  test('since: all steps after a block, then new ones', async () => {
    const { chain, connect, tick } = createRelayRig();
    const first = connect();
    await first.call('eth_subscribe', 'graft_steps');
    const since = chain.mine();
    await tick();
    chain.mine();
    await tick();
    chain.reorg(1, [], []);
    await tick();
    const second = connect();
    await second.call('eth_subscribe', 'graft_steps', { since: since.hash });
    const expected = () => {
      const frames = first.frames.map(({ result }) => result).filter(({ added }) => added.length > 0);
      return frames.slice(frames.findIndex(({ added }) => added.at(-1).hash === since.hash) + 1);
    };
    expect(second.frames.map(({ result }) => result)).toEqual(expected());
    expect(expected()).toHaveLength(2);
    chain.mine();
    await tick();
    expect(second.frames.map(({ result }) => result).filter(({ added }) => added.length > 0)).toEqual(
      expected(),
    );
  });

  test('since within a step: what came after it', async () => {
    const { chain, connect, tick } = createRelayRig();
    await connect().call('eth_subscribe', 'graft_steps');
    const [since, next] = [chain.mine(), chain.mine()];
    await tick();
    const client = connect();
    await client.call('eth_subscribe', 'graft_steps', { since: since.hash });
    expect(client.frames.map(({ result }) => result)).toMatchObject([{ removed: [], added: [next] }]);
  });

  test('an unknown since: the heights that may have changed, without blocks', async () => {
    const { chain, connect } = createRelayRig();
    await connect().call('eth_subscribe', 'graft_steps');
    const client = connect();
    await client.call('eth_subscribe', 'graft_steps', { since: word(99) });
    expect(client.frames.map(({ result }) => result)).toMatchObject([
      { removed: [], added: [], missed: { from: '0x0', to: chain.head().number } },
    ]);
  });

  test('an empty step is sent each 15 s', async () => {
    const { connect, advance, clock } = createRelayRig();
    const client = connect();
    await client.call('eth_subscribe', 'graft_steps');
    client.forget();
    await advance(45_000);
    const frames = client.frames.map(({ result }) => result);
    expect(frames).toHaveLength(3);
    expect(frames[0]).toEqual({ removed: [], added: [], interval: 6_000, seen: clock.now() - 30_000 });
  });

  test('graft_steps sends the steps without an envelope, each with the hash of the newest block', async () => {
    const { chain, core, tick } = createRelayRig();
    const frames: { readonly id: string; readonly data: string }[] = [];
    const end = core.steps(33, undefined, (frame) => void frames.push(frame));
    await tick();
    const block = chain.mine();
    await tick();
    end();
    chain.mine();
    await tick(3);
    const steps = frames.filter(({ data }) => JSON.parse(data).added.length > 0);
    expect(steps.at(-1)?.id).toBe(block.hash);
    expect(JSON.parse(steps.at(-1)?.data ?? '')).toMatchObject({ removed: [], added: [block] });
  });
});

test('steps that come while a lost one is looked for wait for it', async () => {
  const state = createInProcessState();
  const engine = createInProcessEngine({ state });
  const { chain, connect, advance } = createRelayRig({ engine });
  const client = connect();
  const heads = await client.call('eth_subscribe', 'newHeads');
  const [lost, second, third] = [chain.mine(), chain.mine(), chain.mine()];
  let answer = () => {};
  chain.intercept((method) =>
    method === 'eth_getBlockByHash'
      ? new Promise((resolve) => {
          answer = () => resolve(undefined);
        })
      : undefined,
  );
  state.publish({ removed: [], added: [second], seen: 0 });
  await settled();
  state.publish({ removed: [], added: [third], seen: 0 });
  expect(client.heads(heads)).toEqual([]);
  answer();
  await settled();
  expect(client.heads(heads)).toEqual([lost, second, third].map(({ hash }) => hash));
  await advance(0);
});

test('a connection that throws keeps no step from the others', async () => {
  const { chain, core, connect, tick } = createRelayRig();
  const broken = core.session(33, noLimits, {
    send() {
      throw new Error('closed');
    },
    close() {},
    buffered: () => 0,
  });
  await broken.receive('{"id":1,"method":"eth_subscribe","params":["newHeads"]}');
  const client = connect();
  await client.call('eth_subscribe', 'newHeads');
  chain.mine();
  await tick();
  expect(client.heads()).toHaveLength(1);
});

test('the metrics count requests, subscriptions, reorganisations and delays', async () => {
  const metrics = createMetrics({ methods: ['eth_blockNumber', 'eth_subscribe'] });
  const { chain, core, connect, tick } = createRelayRig({ metrics });
  metrics.observe(33, () => ({
    height: 1,
    age: 0,
    interval: 6_000,
    quota: undefined,
    leading: core.leads(33),
  }));
  const client = connect();
  await client.call('eth_subscribe', 'newHeads');
  await client.call('eth_subscribe', 'logs', filter);
  await client.call('eth_blockNumber');
  await client.call('debug_x').catch(() => {});
  chain.mine(emitted);
  await tick();
  chain.reorg(1, [], []);
  await tick();
  const text = metrics.text();
  for (const line of [
    'graft_relay_requests_total{chain="33",method="eth_subscribe",outcome="hit"} 2',
    'graft_relay_requests_total{chain="33",method="other",outcome="refused"} 1',
    'graft_relay_reorganisations_total{chain="33"} 1',
    'graft_relay_subscriptions{kind="newHeads"} 1',
    'graft_relay_subscriptions{kind="logs"} 1',
    'graft_relay_fanout_seconds_count{chain="33"} 2',
    'graft_relay_push_delay_seconds_count{chain="33"} 2',
  ])
    expect(text).toContain(line);
  client.session.close();
  expect(metrics.text()).toContain('graft_relay_subscriptions{kind="logs"} 0');
});

describe('charges of a subscription', () => {
  /** Limits that keep what they are charged, until `most` is used up. */
  function payer(max = 1_000) {
    const account = { charged: 0, replayed: 0 };
    const spent = () =>
      account.charged >= max ? { error: { code: -32005, message: 'spent' }, status: 429 } : undefined;
    return {
      account,
      limits: {
        ...noLimits,
        spent,
        charge(requests: number) {
          account.charged += requests;
        },
        replay(bytes: number) {
          account.replayed += bytes;
          return undefined;
        },
      },
    };
  }

  test('the client that starts the follower pays for its first requests, and one that joins does not', async () => {
    const { chain, connect, tick } = createRelayRig();
    const [first, second, third] = [payer(), payer(), payer()];
    const client = connect(first.limits);
    await client.call('eth_subscribe', 'newHeads');
    await connect(second.limits).call('eth_subscribe', 'newHeads');
    await tick(20);
    expect([first.account.charged, second.account.charged]).toEqual([1, 0]);
    const rig = createRelayRig({ chain });
    const resumed = rig.connect(third.limits);
    await resumed.call('eth_subscribe', 'newHeads');
    resumed.session.close();
    await rig.tick(2);
    for (let i = 0; i < 5; i++) chain.mine();
    const before = chain.requests();
    await rig.connect(third.limits).call('eth_subscribe', 'newHeads');
    // The poll, and the four blocks between.
    expect(chain.requests() - before).toBe(5);
    expect(third.account.charged).toBe(1 + 5);
  });

  test('a request for the logs of a block is paid together by those whose filters may match it', async () => {
    const { chain, connect, tick } = createRelayRig();
    const [all, some, others] = [payer(), payer(), payer()];
    const started = connect();
    await started.call('eth_subscribe', 'newHeads');
    await connect(all.limits).call('eth_subscribe', 'logs', {});
    await connect(some.limits).call('eth_subscribe', 'logs', filter);
    await connect(others.limits).call('eth_subscribe', 'logs', { address: address(0xc) });
    chain.mine(emitted);
    await tick();
    chain.mine(other);
    await tick();
    chain.mine();
    await tick();
    expect(chain.sent.eth_getLogs).toBe(2);
    expect([all, some, others].map(({ account }) => account.charged)).toEqual([1.5, 0.5, 0]);
  });

  test('logs that the leader reads for all instances are paid by all who are subscribed to logs', async () => {
    const inner = createInProcessEngine();
    const engine = { ...inner, logs: { ...inner.logs, inSteps: true } };
    const { chain, connect, tick } = createRelayRig({ engine });
    const [all, others] = [payer(), payer()];
    await connect().call('eth_subscribe', 'newHeads');
    await connect(all.limits).call('eth_subscribe', 'logs', {});
    await connect(others.limits).call('eth_subscribe', 'logs', { address: address(0xc) });
    chain.mine(emitted);
    await tick();
    expect(chain.sent.eth_getLogs).toBe(1);
    expect([all, others].map(({ account }) => account.charged)).toEqual([0.5, 0.5]);
  });

  test('logs that no client can pay for are not read: their connection ends with 4004, and others go on', async () => {
    const { chain, connect, tick } = createRelayRig();
    const [poor, rich] = [payer(3), payer()];
    const [client, other] = [connect(poor.limits), connect(rich.limits)];
    await other.call('eth_subscribe', 'newHeads');
    await client.call('eth_subscribe', 'newHeads');
    await client.call('eth_subscribe', 'logs', {});
    for (let i = 0; i < 6; i++) {
      chain.mine(emitted);
      await tick();
    }
    expect(client.closedWith()).toBe(4004);
    expect(client.logs()).toHaveLength(3);
    expect([chain.sent.eth_getLogs, poor.account.charged]).toEqual([3, 3]);
    expect(other.heads()).toHaveLength(6);
    await other.call('eth_subscribe', 'logs', {});
    chain.mine(emitted);
    await tick();
    expect(other.logs()).toHaveLength(1);
  });

  test('a block whose logs stay wrong cuts the subscriptions that may want them with 4005, and later blocks go on', async () => {
    const metrics = createMetrics({ methods: [] });
    const { chain, connect, tick } = createRelayRig({ metrics });
    const [client, others, heads] = [connect(), connect(), connect()];
    await client.call('eth_subscribe', 'logs', filter);
    await others.call('eth_subscribe', 'logs', { address: other.address });
    await heads.call('eth_subscribe', 'newHeads');
    chain.mine(emitted, other);
    await tick();
    const bad = chain.mine({ ...emitted, topics: [word(5)] }, emitted);
    chain.intercept((method, [first]) => {
      if ((first as { blockHash?: string }).blockHash === bad.hash) return chain.logsOf(bad).slice(1);
      return /Receipt/.test(method) && bad.transactions.includes(first as never) ? null : undefined;
    });
    const after: string[] = [];
    for (let i = 0; i < 30; i++) {
      after.push(chain.mine(emitted, other).hash);
      await tick();
      for (let j = 0; j < 20; j++) await settled();
    }
    expect(client.closedWith()).toBe(4005);
    expect(client.logs()).toHaveLength(1);
    expect(metrics.snapshot().dropped.gap).toBe(1);
    expect([others, heads].map((each) => each.closedWith())).toEqual([undefined, undefined]);
    expect(
      others
        .logs()
        .slice(1)
        .map(({ blockHash }) => blockHash),
    ).toEqual(after);
    expect(heads.heads()).toHaveLength(32);
    const late = connect();
    await late.call('eth_subscribe', 'logs', filter);
    const { hash } = chain.mine(emitted);
    await tick();
    expect(late.logs().map(({ blockHash }) => blockHash)).toEqual([hash]);
  });

  test('a missed block whose logs stay wrong cuts the subscriptions that may want them, and the other missed blocks are read', async () => {
    const { chain, connect, tick } = createRelayRig({ headers: 24 });
    const [client, others] = [connect(), connect()];
    await client.call('eth_subscribe', 'logs', filter);
    await others.call('eth_subscribe', 'logs', { address: other.address });
    const blocks = Array.from({ length: 100 }, (_, at) =>
      chain.mine(...(at === 20 ? [emitted] : [emitted, other])),
    );
    const bad = blocks[20] as (typeof blocks)[number];
    chain.intercept((method, [first]) => {
      const { blockHash, fromBlock, toBlock } = Object(first) as Record<string, string | undefined>;
      const isOfBad =
        fromBlock === undefined
          ? blockHash === bad.hash
          : Number(fromBlock) <= Number(bad.number) && Number(bad.number) <= Number(toBlock);
      if (method === 'eth_getLogs' && isOfBad) throw new ProviderRpcError(-32603, 'refused');
      return /Receipt/.test(method) && bad.transactions.includes(first as never) ? null : undefined;
    });
    for (let i = 0; i < 40; i++) {
      await tick();
      for (let j = 0; j < 20; j++) await settled();
    }
    expect(client.closedWith()).toBe(4005);
    expect(client.logs().map(({ blockHash }) => blockHash)).toEqual(
      blocks.slice(0, 20).map(({ hash }) => hash),
    );
    expect(others.closedWith()).toBeUndefined();
    expect(others.logs().map(({ blockHash }) => blockHash)).toEqual(
      blocks.filter((_, at) => at !== 20).map(({ hash }) => hash),
    );
  });

  test('the ranges of a gap are paid by the subscribers of the filter that reads them', async () => {
    const { chain, connect, tick } = createRelayRig({ headers: 24 });
    const [one, two] = [payer(), payer()];
    await connect().call('eth_subscribe', 'newHeads');
    await connect(one.limits).call('eth_subscribe', 'logs', filter);
    await connect(two.limits).call('eth_subscribe', 'logs', filter);
    for (let i = 0; i < 4_500; i++) chain.mine(...(i % 900 ? [] : [emitted]));
    await tick();
    for (let i = 0; i < 50; i++) await settled();
    const ranges = chain.asked.filter(
      ({ method, params: [given] }) => method === 'eth_getLogs' && 'fromBlock' in Object(given),
    );
    expect(ranges.length).toBeGreaterThan(2);
    expect(one.account.charged + two.account.charged).toBeGreaterThanOrEqual(ranges.length);
    expect(one.account.charged).toBe(two.account.charged);
  });

  test('a step is serialised once, for live subscribers, streams and all who come later', async () => {
    const state = createInProcessState();
    const { chain, core, connect } = createRelayRig({ engine: createInProcessEngine({ state }) });
    let serialised = 0;
    await connect().call('eth_subscribe', 'graft_steps');
    const since = chain.head();
    for (let i = 0; i < 20; i++) {
      const block = { ...chain.mine() };
      Object.defineProperty(block, 'toJSON', {
        value() {
          serialised += 1;
          return { ...block };
        },
      });
      state.publish({ removed: [], added: [block], seen: 0 });
    }
    const frames: string[] = [];
    for (let i = 0; i < 10; i++) {
      core.steps(33, since.hash, ({ data }) => void frames.push(data));
      await connect().call('eth_subscribe', 'graft_steps', { since: since.hash });
    }
    expect(frames).toHaveLength(200);
    expect(serialised).toBe(20);
    // Also where a step is continued in its middle.
    const [first, second] = [chain.mine(), { ...chain.mine() }];
    Object.defineProperty(second, 'toJSON', {
      value() {
        serialised += 1;
        return { ...second };
      },
    });
    state.publish({ removed: [], added: [first, second], seen: 0 });
    for (let i = 0; i < 5; i++) core.steps(33, first.hash, () => {});
    expect(serialised).toBe(22);
  });

  test('steps that are sent again are counted; too many at once are only said to be missed', async () => {
    const { chain, connect, tick } = createRelayRig();
    const { account, limits } = payer();
    await connect().call('eth_subscribe', 'graft_steps');
    const since = chain.head().hash;
    for (let i = 0; i < 5; i++) {
      chain.mine();
      await tick();
    }
    const client = connect(limits);
    await client.call('eth_subscribe', 'graft_steps', { since });
    const steps = client.frames.map(({ result }) => JSON.stringify(result));
    expect(steps).toHaveLength(5);
    expect(account.replayed).toBe(steps.join('').length);

    const refused = connect({
      ...limits,
      replay: (bytes) =>
        bytes > 0 ? { error: { code: -32005, message: 'slower' }, status: 429 } : undefined,
    });
    await refused.call('eth_subscribe', 'graft_steps', { since });
    expect(refused.frames).toMatchObject([
      { result: { removed: [], added: [], missed: { from: '0x0', to: chain.head().number } } },
    ]);

    for (let i = 0; i < 700; i++) chain.mine();
    await tick();
    for (let i = 0; i < 50; i++) await settled();
    const late = connect(limits);
    await late.call('eth_subscribe', 'graft_steps', { since });
    expect(late.frames).toMatchObject([{ result: { added: [], missed: { to: chain.head().number } } }]);
  });
});

describe('rest', () => {
  test('nothing is requested before the first subscription and after the last', async () => {
    const { chain, connect, tick, next } = createRelayRig();
    const client = connect();
    await tick(10);
    expect(chain.requests()).toBe(0);
    const id = await client.call('eth_subscribe', 'newHeads');
    await tick();
    expect(await client.call('eth_unsubscribe', id)).toBe(true);
    const requests = chain.requests();
    await tick(10);
    expect(chain.requests()).toBe(requests);
    expect(next()).toBeUndefined();
    await client.call('eth_subscribe', 'logs', filter);
    await client.call('eth_subscribe', 'graft_steps');
    client.session.close();
    const before = chain.requests();
    await tick(10);
    expect(chain.requests()).toBe(before);
    expect(next()).toBeUndefined();
  });

  test('clients that come and go start nothing: one poll for each interval at most', async () => {
    const { chain, connect, advance } = createRelayRig();
    for (let i = 0; i < 600; i++) {
      const client = connect();
      void client.session.receive('{"id":1,"method":"eth_subscribe","params":["newHeads"]}');
      await settled();
      client.session.close();
      await advance(100);
    }
    expect(chain.requests()).toBeLessThanOrEqual(11);
  });

  test('clients that come and go while the service fails cause one poll for each interval at most', async () => {
    const { chain, connect, advance } = createRelayRig();
    chain.faults.errors = 1;
    for (let i = 0; i < 600; i++) {
      const client = connect();
      void client.session.receive('{"id":1,"method":"eth_subscribe","params":["graft_steps"]}');
      await settled();
      client.session.close();
      await advance(100);
    }
    expect(chain.requests()).toBeLessThanOrEqual(11);
  });

  test('a passive hub lingers until it is polled again, and asks nothing then', async () => {
    const { chain, core, connect, next } = createRelayRig({ passive: true });
    const first = connect();
    await first.call('eth_subscribe', 'newHeads');
    first.session.close();
    expect(core.leads(33)).toBe(true);
    const second = connect();
    await second.call('eth_subscribe', 'newHeads');
    second.session.close();
    expect(chain.requests()).toBe(1);
    await core.poll(33);
    expect([chain.requests(), core.leads(33), next()]).toEqual([1, false, undefined]);
  });

  test('after a short rest the chain is followed from where it was', async () => {
    const { chain, connect, tick } = createRelayRig();
    const first = connect();
    await first.call('eth_subscribe', 'graft_steps');
    const since = chain.mine();
    await tick();
    first.session.close();
    const [one, two] = [chain.mine(), chain.mine()];
    await tick();
    const second = connect();
    const heads = await second.call('eth_subscribe', 'newHeads');
    const steps = await second.call('eth_subscribe', 'graft_steps', { since: since.hash });
    // No news to who subscribes after they were mined.
    expect(second.heads(heads)).toEqual([]);
    expect(second.frames.filter(({ subscription }) => subscription === steps)).toMatchObject([
      { result: { removed: [], added: [one, two] } },
    ]);
  });

  test('after a long rest the hub starts at the current head, and reports earlier blocks as missed', async () => {
    const { chain, connect, tick, advance } = createRelayRig();
    const first = connect();
    await first.call('eth_subscribe', 'graft_steps');
    const since = chain.head();
    await tick();
    first.session.close();
    for (let i = 0; i < 200; i++) chain.mine();
    await advance(3_600_000);
    const requests = chain.requests();
    const second = connect();
    const steps = await second.call('eth_subscribe', 'graft_steps', { since: since.hash });
    const third = connect();
    await third.call('eth_subscribe', 'newHeads');
    expect(chain.requests() - requests).toBe(1);
    expect(second.frames.filter(({ subscription }) => subscription === steps)).toMatchObject([
      { result: { removed: [], added: [], missed: { to: chain.head().number } } },
    ]);
    const block = chain.mine();
    await tick();
    expect(third.heads()).toEqual([block.hash]);
  });

  test('an unreachable service delays no subscription, and loses no later head', async () => {
    const { chain, connect, tick } = createRelayRig();
    for (let i = 0; i < 3; i++) chain.mine();
    chain.faults.errors = 1;
    const client = connect();
    const heads = await client.call('eth_subscribe', 'newHeads');
    await client.call('eth_subscribe', 'graft_steps', { since: word(98) });
    chain.faults.errors = 0;
    await tick(4);
    const block = chain.mine();
    await tick();
    expect(client.heads(heads).at(-1)).toBe(block.hash);
    expect(client.frames.find(({ result }) => result.missed)?.result).toMatchObject({
      missed: { from: '0x0' },
      added: [chain.canonical().at(-2)],
    });
  });
});

import { describe, expect, test } from 'vitest';
import { asksPerson } from '../../../../src/rpc/method-facts/wallet-facts.js';
import { accessOf, knownMethods } from '../../../../test/support/known-methods.js';
import { alice, sign } from '../../../../test/support/local-client.js';
import { createRandom } from '../../../../test/support/random.js';
import { createPolicy, mayBeRelayed, neverRelayed } from '../../src/access/policy.js';

const policy = createPolicy({ chains: [31, 33], height: () => 10_000 });
const hash = `0x${'ab'.repeat(32)}`;
const address = `0x${'cd'.repeat(20)}`;

/** The code of a refusal, or what is permitted. */
function judge(method: string, params: readonly unknown[] = [], chainId = 33) {
  const judged = policy.judge(method, params, chainId);
  return 'error' in judged ? judged.error.code : judged;
}
const message = (method: string, params: readonly unknown[]) => {
  const judged = policy.judge(method, params, 33);
  return 'error' in judged ? judged.error.message : 'permitted';
};

describe('the list of methods', () => {
  test('reads, signed transactions and subscriptions are on it', () => {
    expect(judge('eth_call', [{}, 'latest'])).toEqual({ kind: 'read', cost: 1 });
    expect(judge('eth_subscribe', ['newHeads'])).toEqual({ kind: 'subscription', cost: 0 });
    expect(judge('eth_unsubscribe', ['0x1'])).toEqual({ kind: 'subscription', cost: 0 });
  });

  test('methods with keys, of the operator, and with state at the node are not', () => {
    const refused = [
      'debug_traceTransaction',
      'evm_mine',
      'personal_unlockAccount',
      'sco_banAddress',
      'mnr_getWork',
      'miner_start',
      'txpool_content',
      'eth_sendTransaction',
      'eth_sign',
      'eth_newFilter',
      'eth_newBlockFilter',
      'eth_newPendingTransactionFilter',
      'eth_getFilterChanges',
      'eth_submitWork',
      'toString',
      '__proto__',
      'constructor',
      '',
    ];
    for (const method of refused) expect([method, judge(method)]).toEqual([method, -32601]);
  });

  test('it can be narrowed, but never to where a wallet could not tell the chain', () => {
    const narrow = createPolicy({ chains: [33], methods: { only: ['eth_call'] } });
    expect(narrow.judge('eth_call', [])).toMatchObject({ kind: 'read' });
    expect(narrow.judge('eth_getLogs', [{}])).toHaveProperty('error.code', -32601);
    expect([...narrow.methods].sort()).toEqual([
      'eth_call',
      'eth_chainId',
      'eth_subscribe',
      'eth_unsubscribe',
      'net_version',
    ]);
  });

  test('it can be widened by name, except by modules that are never relayed', () => {
    const wide = createPolicy({ chains: [33], methods: { also: ['trace_block', 'debug_traceCall'] } });
    expect(wide.judge('trace_block', ['latest'])).toMatchObject({ kind: 'read' });
    expect(wide.judge('debug_traceCall', [])).toHaveProperty('error.code', -32601);
    for (const prefix of neverRelayed) expect(mayBeRelayed(`${prefix}anything`)).toBe(false);
    expect(['DEBUG_trace', 'eth_newFilter', 'nothing', 'a b_c'].filter(mayBeRelayed)).toEqual([]);
  });

  test('a method that needs keys or a person, or changes the node, is never on it', () => {
    const refused = [
      // Compilers change nothing.
      ...knownMethods.filter((name) => accessOf(name) === 'refused' && !/ompile/.test(name)),
      ...knownMethods.filter((name) => accessOf(name) === 'account'),
      ...knownMethods.filter(asksPerson),
      'eth_signSomethingNew',
    ];
    expect(refused).toContain('eth_signTypedData_v4');
    expect(refused).toContain('db_putString');
    expect(refused).toContain('wallet_watchAsset');
    expect(refused.filter(mayBeRelayed)).toEqual([]);
  });

  test('a method that is not on it is named in the words that libraries know', () => {
    expect(message('foo_bar', [])).toBe('The method foo_bar does not exist / is not available');
  });
});

describe('signed transactions', () => {
  test('one of this chain is a send', async () => {
    expect(judge('eth_sendRawTransaction', [await sign()])).toEqual({ kind: 'send', cost: 1 });
  });

  test('one of another chain is refused and names the chain', async () => {
    expect(message('eth_sendRawTransaction', [await sign({ chainId: 30 })])).toContain(
      'another chain than 33',
    );
    expect(judge('eth_sendRawTransaction', [await sign({ chainId: 31 })], 33)).toBe(-32602);
    expect(judge('eth_sendRawTransaction', [await sign({ chainId: 31 })], 31)).toMatchObject({
      kind: 'send',
    });
  });

  test('without a chain of the request, one of any chain of the relay is allowed', async () => {
    expect(policy.judge('eth_sendRawTransaction', [await sign({ chainId: 31 })])).toMatchObject({
      kind: 'send',
    });
    expect(policy.judge('eth_sendRawTransaction', [await sign({ chainId: 30 })])).toHaveProperty('error');
  });

  test('bytes that cannot be a signed transaction are refused', () => {
    const wrong = [
      [],
      [''],
      ['0x'],
      ['0x0'],
      [`0x${'00'.repeat(100)}`],
      [`0xf8${'11'.repeat(40)}`],
      [{}],
      [null],
      [`0x${'11'.repeat(131_073)}`],
      ['0xc0', '0xc0'],
    ];
    for (const params of wrong) expect(judge('eth_sendRawTransaction', params)).toBe(-32602);
  });

  test('a transaction without a chain id, which could be replayed on another chain, is refused', async () => {
    const unprotected = await alice.signTransaction({
      type: 'legacy',
      gas: 21_000n,
      to: address as `0x${string}`,
    });
    expect(message('eth_sendRawTransaction', [unprotected])).toContain('no chain id');
  });
});

describe('logs', () => {
  const cost = (filter: object) => judge('eth_getLogs', [filter]);

  test('they cost one request per 200 blocks', () => {
    expect(cost({})).toEqual({ kind: 'read', cost: 1 });
    expect(cost({ blockHash: hash })).toEqual({ kind: 'read', cost: 1 });
    expect(cost({ fromBlock: '0x1', toBlock: '0xc8' })).toEqual({ kind: 'read', cost: 1 });
    expect(cost({ fromBlock: '0x1', toBlock: '0xc9' })).toEqual({ kind: 'read', cost: 2 });
    expect(cost({ fromBlock: '0x1', toBlock: '0x7d0' })).toEqual({ kind: 'read', cost: 10 });
    // 8,001 to 10,000.
    expect(cost({ fromBlock: '0x1f41' })).toEqual({ kind: 'read', cost: 10 });
  });

  test('a range of more than 2,000 blocks is refused, also one to the head', () => {
    expect(cost({ fromBlock: '0x1', toBlock: '0x7d1' })).toBe(-32602);
    expect(cost({ fromBlock: '0x1f40' })).toBe(-32602);
    expect(cost({ fromBlock: 'earliest', toBlock: 'latest' })).toBe(-32602);
    expect(message('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0xffff' }])).toContain(
      'more than 2000 blocks',
    );
  });

  test('while the head is not known, a range to the head costs the most', () => {
    const young = createPolicy({ chains: [33] });
    expect(young.judge('eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }], 33)).toEqual({
      kind: 'read',
      cost: 10,
    });
  });

  test('more than 20 addresses or 10 alternatives of a topic are refused', () => {
    expect(cost({ address: new Array(20).fill(address) })).toMatchObject({ kind: 'read' });
    expect(cost({ address: new Array(21).fill(address) })).toBe(-32602);
    expect(cost({ topics: [new Array(10).fill(hash)] })).toMatchObject({ kind: 'read' });
    expect(cost({ topics: [null, new Array(11).fill(hash)] })).toBe(-32602);
    expect(cost({ topics: [hash, hash, hash, hash, hash] })).toBe(-32602);
  });

  test('params that are wrong in another way are left to the service', () => {
    for (const params of [[], ['0x1'], [{ fromBlock: 'soon' }], [null], [{ topics: 'x' }], [{}, {}]])
      expect(judge('eth_getLogs', params)).toMatchObject({ kind: 'read' });
  });
});

describe('subscriptions', () => {
  test('heads, logs and steps', () => {
    const filter = { address: [address], topics: [null, [hash]] };
    const good = [
      ['newHeads'],
      ['logs'],
      ['logs', {}],
      ['logs', filter],
      ['graft_steps'],
      ['graft_steps', {}],
    ];
    for (const params of [...good, ['graft_steps', { since: hash }]])
      expect(judge('eth_subscribe', params)).toEqual({ kind: 'subscription', cost: 0 });
  });

  test('other kinds are -32601, as from a node without them', () => {
    for (const kind of ['newPendingTransactions', 'syncing', '', '__proto__'])
      expect(judge('eth_subscribe', [kind])).toBe(-32601);
  });

  test('wrong criteria and ids are -32602', () => {
    const wrong = [
      [],
      [7],
      ['logs', { address: 'x' }],
      ['logs', { address: new Array(21).fill(address) }],
      ['logs', { topics: [new Array(11).fill(hash)] }],
      ['logs', { adress: address }],
      ['logs', {}, {}],
      ['graft_steps', { since: '0x1' }],
      ['graft_steps', { sinse: hash }],
    ];
    for (const params of wrong) expect(judge('eth_subscribe', params)).toBe(-32602);
    for (const params of [[], [1], ['0x1', '0x2'], ['x'.repeat(67)]])
      expect(judge('eth_unsubscribe', params)).toBe(-32602);
  });
});

test('messages are at most 64 kB, and those with a signed transaction 256 kB', () => {
  expect(policy.maxLength()).toBe(65_536);
  expect(policy.maxLength('eth_call')).toBe(65_536);
  // The largest transaction as hexadecimal digits, and what is around it.
  expect(policy.maxLength('eth_sendRawTransaction')).toBeGreaterThan(2 * 131_072 + 100);
});

test('random params are judged without a failure', () => {
  const random = createRandom(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const value = (depth: number): unknown =>
    pick<() => unknown>([
      () => null,
      () => random() * 1e9,
      () => pick([hash, address, '0x', '0x1', 'latest', 'logs', 'newHeads', '\ud800', '__proto__']),
      () => random() < 0.5,
      () => (depth > 4 ? [] : Array.from({ length: Math.floor(random() * 5) }, () => value(depth + 1))),
      () =>
        depth > 4
          ? {}
          : JSON.parse(
              `{${pick(['"address"', '"topics"', '"fromBlock"', '"__proto__"', '"since"'])}:${JSON.stringify(value(depth + 1))}}`,
            ),
    ])();
  for (let i = 0; i < 5_000; i++) {
    const method = pick([...policy.methods, 'eth_sendRawTransaction', 'eth_subscribe', 'eth_getLogs', 'x']);
    const params = Array.from({ length: Math.floor(random() * 4) }, () => value(0));
    const judged = policy.judge(method, params, pick([31, 33]));
    if ('error' in judged) expect([-32601, -32602]).toContain(judged.error.code);
    else expect(judged.cost).toBeLessThanOrEqual(10);
  }
});

import { describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { own } from '../../../../src/rpc/own.js';
import { setup } from './setup.js';

const latest = ['eth_getBlockByNumber', ['latest', false]] as const;
const local = ['http://127.0.0.1:1'];

/** Makes nodes differ where it is seen. */
async function differ({
  nodes,
  request,
}: Pick<ReturnType<typeof setup>, 'nodes' | 'request'>): Promise<void> {
  nodes.route([1, 0]);
  await request('eth_blockNumber', []);
  nodes.asked.length = 0;
}

describe('the newest state, while nodes agree', () => {
  test('is read at the top for 2 s from when it was shown, and then as it was asked for', async () => {
    const { nodes, ahead, request, time } = setup();
    const { number } = await ahead();
    const balance = ['eth_getBalance', [nodes.account, 'latest']] as const;
    await request(...balance);
    await time.advance(1_999);
    await request(...balance);
    await time.advance(1);
    await request(...balance);
    expect(nodes.asked.map(({ params }) => params[1])).toEqual([number, number, 'latest']);
  });

  test.each(['eth_call', 'eth_estimateGas'])(
    'is read at the top by %s without a selector',
    async (method) => {
      const { nodes, ahead, request } = setup();
      const { number } = await ahead();
      await request(method, [{ to: nodes.account }]);
      expect(nodes.asked.at(-1)?.params).toEqual([{ to: nodes.account }, number]);
    },
  );

  test.each(['earliest', 'pending'])('is not what %s asks for', async (tag) => {
    const { nodes, ahead, request } = setup();
    await ahead();
    await request('eth_getTransactionCount', [nodes.account, tag]).catch(() => {});
    expect(nodes.asked.map(({ params }) => params[1])).toEqual([tag]);
  });

  test.each(['eth_sendRawTransaction', 'eth_sendTransaction'])(
    'is read as asked for after %s',
    async (method) => {
      const { nodes, ahead, request } = setup();
      await ahead();
      await request(method, ['0x']);
      await request('eth_getBalance', [nodes.account, 'latest']);
      expect(nodes.asked.at(-1)?.params[1]).toBe('latest');
      await request(...latest);
      await request('eth_getBalance', [nodes.account, 'latest']);
      expect(nodes.asked.at(-1)?.params[1]).toBe('latest');
    },
  );

  test('is read as asked for where a person waits, also while nodes differ', async () => {
    const { nodes, ahead, request, ...rest } = setup();
    await ahead();
    const balance = ['eth_getBalance', [nodes.account, 'latest'], { priority: 'person' }] as const;
    await request(...balance);
    await differ({ nodes, request, ...rest });
    nodes.route([0]);
    await request(...balance);
    expect(nodes.asked.map(({ params }) => params[1])).toEqual(['latest']);
  });

  test.each([false, true])(
    'does not fail a person where only nodes behind are left (differing: %s)',
    async (differs) => {
      const { nodes, ahead, request, time } = setup();
      const { number } = await ahead();
      if (differs) await differ({ nodes, request });
      await time.advance(1_000);
      nodes.asked.length = 0;
      nodes.route([1]);
      const head = (priority?: 'person') => request(...latest, own(priority ? { priority } : {}));
      expect(await head('person')).toMatchObject({ number: '0xa' });
      expect(nodes.asked).toHaveLength(1);
      // A page is not shown it, and what was shown stays.
      await expect(head()).rejects.toMatchObject({ data: { reason: 'behind' } });
      expect(await request('eth_blockNumber', [])).toBe(number);
    },
  );

  describe.each<[string, number, object?]>([
    ['a tag alone', -32602],
    ['an archive', -32000],
    ['a failure inside', -32603, { serviceCode: -32603 }],
  ])('from a service that asks for %s at a number', (_name, code, data) => {
    const refuse = (_method: string, [, selector]: readonly unknown[]) => {
      if (selector !== 'latest') throw new ProviderRpcError(code, 'No such block here', data);
    };

    test.each([false, true])('is read as asked for (differing: %s)', async (differs) => {
      const { nodes, ahead, request } = setup();
      const { number } = await ahead();
      if (differs) await differ({ nodes, request });
      nodes.route([0]);
      nodes.intercept((method, params) => (method === 'eth_call' ? refuse(method, params) : undefined));
      expect(await request('eth_call', [{}, 'latest'])).toBe(number);
    });

    test('is refused where the call itself is', async () => {
      const { nodes, ahead, request } = setup();
      await ahead();
      nodes.intercept((method) => {
        if (method === 'eth_call') throw new ProviderRpcError(code, 'No such call', data);
      });
      await expect(request('eth_call', [{}, 'latest'])).rejects.toMatchObject({
        code,
        message: 'No such call',
      });
      expect(nodes.asked).toHaveLength(2);
    });
  });

  test('null in its place does not pass the caller’s check at the end', async () => {
    const { nodes, ahead, request } = setup();
    await ahead();
    nodes.intercept((method) => (method === 'eth_getCode' ? 'null' : undefined));
    const check = (result: unknown) => {
      if (typeof result !== 'string') throw new Error('not DATA');
    };
    await expect(request('eth_getCode', [nodes.account, 'latest'], { check })).rejects.toMatchObject({
      code: -32603,
    });
  });
});

describe('the newest state, once nodes are known to differ', () => {
  test('is read at the hash of the top, and a poll comes first where it was not shown for 2 s', async () => {
    const { nodes, ahead, request, time, methods, steady } = setup();
    const { hash } = await ahead();
    await differ({ nodes, request });
    nodes.route([0]);
    await request('eth_getBalance', [nodes.account, 'latest']);
    expect(nodes.asked.map(({ params }) => params[1])).toEqual([{ blockHash: hash }]);
    await time.advance(2_000);
    nodes.asked.length = 0;
    const reads = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map((method) =>
      steady.request(method, [nodes.account, 'latest']),
    );
    await time.until(Promise.all(reads));
    expect(methods().filter((method) => method === 'eth_getBalance')).toHaveLength(1);
    expect(nodes.asked.slice(0, 3).every(({ params }) => params[0] === 'latest')).toBe(true);
  });

  test('the state of an estimate is read at the number, since the node refuses a hash', async () => {
    const { nodes, ahead, request } = setup();
    const { number } = await ahead();
    await differ({ nodes, request });
    nodes.route([0]);
    await request('eth_estimateGas', [{ to: nodes.account }]);
    expect(nodes.asked.at(-1)?.params[1]).toBe(number);
  });

  test('is read at the number where a gateway refuses the hash, which is remembered', async () => {
    const { nodes, ahead, request } = setup();
    const { number, hash } = await ahead();
    await differ({ nodes, request });
    nodes.route([0]);
    nodes.intercept((_, [, selector]) => {
      if (typeof selector === 'object')
        throw new ProviderRpcError(-32602, 'invalid argument 1: hex string expected');
    });
    for (let again = 0; again < 2; again++)
      expect(await request('eth_getBalance', [nodes.account, 'latest'])).toBe(number);
    expect(nodes.asked.map(({ params }) => params[1])).toEqual([{ blockHash: hash }, number, number]);
  });

  test('a call that is wrong itself is refused, and the hash is used again', async () => {
    const { nodes, ahead, request } = setup();
    const { hash } = await ahead();
    await differ({ nodes, request });
    nodes.route([0]);
    nodes.intercept(() => {
      throw new ProviderRpcError(-32602, 'invalid argument 0');
    });
    await expect(request('eth_call', [{ to: 1 }, 'latest'])).rejects.toMatchObject({ code: -32602 });
    nodes.intercept();
    await request('eth_getBalance', [nodes.account, 'latest']);
    expect(nodes.asked.at(-1)?.params[1]).toEqual({ blockHash: hash });
  });

  test('is as asked for again ten minutes after the last difference', async () => {
    const { nodes, ahead, request, time } = setup();
    await ahead();
    await differ({ nodes, request });
    await time.advance(600_000);
    nodes.route([0]);
    await request('eth_getBalance', [nodes.account, 'latest']);
    expect(nodes.asked.map(({ params }) => params[1])).toEqual(['latest']);
  });

  test('is the newest one that is left after a reorganisation', async () => {
    const { nodes, ahead, request, reorganise } = setup();
    await ahead();
    await differ({ nodes, request });
    const { number } = reorganise();
    nodes.route([0]);
    expect(await request('eth_getBalance', [nodes.account, 'latest'])).toBe(
      number === '0xc' ? '0xb' : number,
    );
    await request(...latest);
    expect(await request('eth_getBalance', [nodes.account, 'latest'])).toBe(number);
  });
});

describe('the newest state on this machine', () => {
  test('is read at the newest head for 3 s after the top rose, since a poll costs nothing', async () => {
    const { nodes, ahead, request, time } = setup({ urls: local });
    await ahead();
    await time.advance(2_999);
    // A test mines between two reads.
    nodes.tips[0] = nodes.mine(nodes.tips[0]);
    expect(await request('eth_getBalance', [nodes.account, 'latest'])).toBe(nodes.tips[0].number);
    await time.advance(3_000);
    nodes.asked.length = 0;
    await request('eth_getBalance', [nodes.account, 'latest']);
    expect(nodes.asked.map(({ params }) => params[1])).toEqual(['latest']);
  });

  test('does not come from a node behind just after a block, although nothing has shown that nodes differ', async () => {
    const { nodes, ahead, request } = setup({ urls: local });
    const { number } = await ahead();
    nodes.route((_, [selector]) => (selector === 'latest' ? 1 : 0));
    expect(await request('eth_getBalance', [nodes.account, 'latest'])).toBe(number);
  });
});

describe('nodes that agree', () => {
  test('cost no request of this layer, whatever a page reads', async () => {
    const { nodes, request, time } = setup({ count: 1 });
    const sequence = async (block: number) => {
      const tip = nodes.grow(1, { transactions: [1_000 + block, 2_000 + block], logs: [3] });
      const [transaction] = tip.transactions;
      for (const [method, params] of [
        ['eth_blockNumber', []],
        ['eth_getBlockByNumber', ['latest', false]],
        ['eth_getBlockByHash', [tip.hash, false]],
        ['eth_getTransactionReceipt', [transaction]],
        ['eth_getTransactionByHash', [transaction]],
        ['eth_getTransactionReceipt', [`0x${'7'.repeat(64)}`]],
        ['eth_getBalance', [nodes.account, 'latest']],
        ['eth_call', [{ to: nodes.account }]],
        ['eth_estimateGas', [{ to: nodes.account }, tip.number]],
        ['eth_getLogs', [{ fromBlock: tip.number, toBlock: 'latest' }]],
        ['eth_getLogs', [{ blockHash: tip.hash }]],
        ['eth_getCode', [nodes.account, '0x1']],
      ] as const) {
        const before = nodes.asked.length;
        await request(method, params);
        expect([method, nodes.asked.length - before]).toEqual([method, 1]);
        await time.advance(700);
      }
    };
    for (let block = 0; block < 70; block++) await sequence(block);
  });
});

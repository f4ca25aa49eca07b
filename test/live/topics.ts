import { wrongType } from '../e2e/attack/result-types.js';
import { identity, isRemasc, quantity, type Sample } from './sample.js';
import { outcome, type Reply, refusal, type Wire } from './wire.js';

/** A behaviour that docs/notes/service.md or docs/notes/node.md describe, and how to observe it on this node. */
export interface Topic {
  readonly name: string;
  /** The described answers; `null` where it is not described. */
  readonly seed: readonly string[] | null;
  readonly facts: readonly string[] | null;
  /** `null` where this chain has nothing to observe it with. */
  readonly ask: (wire: Wire, sample: Sample) => Promise<string | null>;
}

const missing = `0x${'5e'.repeat(32)}`;
const above = '0x7fffffff';
const typed = 'the type of the seed’s table';
/** Creation code that does nothing but revert. */
const reverting = { data: '0x60006000fd' };
const absent = ['error -32601'];
const badParams = ['error -32602, HTTP 400'];

const topic = (name: string, seed: Topic['seed'], facts: Topic['facts'], ask: Topic['ask']): Topic => ({
  name,
  seed,
  facts,
  ask,
});

/** A topic that one request observes. */
const asked = (
  name: string,
  seed: Topic['seed'],
  facts: Topic['facts'],
  method: string,
  params: (sample: Sample) => readonly unknown[] | null,
  read: (reply: Reply) => string = outcome,
): Topic =>
  topic(name, seed, facts, async ({ ask }, sample) => {
    const given = params(sample);
    return given && read(await ask(method, ...given));
  });

const typeOf = (method: string) => (reply: Reply) =>
  refusal(reply) ?? wrongType(method, reply.json.result) ?? typed;

/** A row of the seed's table, answered as it says. */
const row = (
  method: string,
  params: (sample: Sample) => readonly unknown[] | null = () => [],
  facts: readonly string[] = [typed],
): Topic => asked(method, [typed], facts, method, params, typeOf(method));

const mined = ({ transaction }: Sample) => (transaction === null ? null : [transaction]);
const first = ({ transaction, block }: Sample) => (transaction === null ? null : [block.hash, '0x0']);

/** The seed's method table ("Methods with full parameter and result shape"): reads, each asked as it says. */
const table: readonly Topic[] = [
  row('web3_clientVersion'),
  row('web3_sha3', () => ['0x68656c6c6f']),
  row('net_version'),
  row('net_listening'),
  row('net_peerCount'),
  row('net_peerList'),
  row('eth_chainId'),
  row('eth_protocolVersion'),
  row('eth_syncing'),
  row('eth_coinbase'),
  row('eth_mining'),
  row('eth_hashrate'),
  row('eth_gasPrice'),
  row('eth_accounts'),
  row('eth_blockNumber'),
  row('eth_getBalance', ({ address }) => [address, 'latest']),
  row('eth_getStorageAt', ({ address }) => [address, '0x0', 'latest']),
  row('eth_getTransactionCount', ({ address }) => [address, 'latest']),
  row('eth_getBlockTransactionCountByHash', ({ block }) => [block.hash]),
  row('eth_getBlockTransactionCountByNumber', ({ block }) => [block.number]),
  row('eth_getUncleCountByBlockHash', ({ block }) => [block.hash]),
  row('eth_getUncleCountByBlockNumber', ({ block }) => [block.number]),
  row('eth_getCode', ({ address }) => [address, 'latest']),
  row('eth_call', () => [{ to: identity, data: '0x1234' }, 'latest']),
  row('eth_estimateGas', ({ address }) => [{ from: address, to: identity }]),
  row('eth_getBlockByHash', ({ block }) => [block.hash, true]),
  row('eth_getBlockByNumber', ({ block }) => [block.number, false]),
  row('eth_getTransactionByHash', mined),
  row('eth_getTransactionByBlockHashAndIndex', first),
  row('eth_getTransactionByBlockNumberAndIndex', (sample) => mined(sample) && [sample.block.number, '0x0']),
  row('eth_getTransactionReceipt', mined),
  row('eth_pendingTransactions'),
  row('eth_getUncleByBlockHashAndIndex', ({ block }) => [block.hash, '0x0']),
  row('eth_getUncleByBlockNumberAndIndex', ({ block }) => [block.number, '0x0']),
  row('eth_getLogs', ({ block }) => [{ fromBlock: block.number, toBlock: block.number }]),
];

/** Named without a shape, or described without being listed as supported. */
const named: readonly Topic[] = [
  ...['eth_bridgeState', 'eth_netHashrate', 'txpool_status', 'rsk_protocolVersion'].map((method) =>
    asked(method, ['a result'], ['a result'], method, () => []),
  ),
  asked('trace_block, a module that is off by default', ['a result'], absent, 'trace_block', ({ block }) => [
    block.hash,
  ]),
  asked('eth_getProof', null, absent, 'eth_getProof', ({ address }) => [address, [], 'latest']),
  asked('eth_getWork', null, absent, 'eth_getWork', () => []),
  ...['eth_feeHistory', 'eth_maxPriorityFeePerGas', 'eth_subscribe'].map((method) =>
    asked(`${method}, not in the seed`, null, absent, method, () => []),
  ),
];

/** docs/notes/node.md#where-the-node-differs-from-the-description and what belongs to it: where the seed and the node differ. */
const contradictions: readonly Topic[] = [
  asked(
    'eth_getTransactionCount without a block',
    ['a result'],
    badParams,
    'eth_getTransactionCount',
    ({ address }) => [address],
  ),
  asked(
    'eth_getBlockByNumber without its second param',
    ['a result'],
    badParams,
    'eth_getBlockByNumber',
    () => ['latest'],
  ),
  ...['eth_getUncleCountByBlockNumber', 'eth_getBlockByNumber', 'eth_getCode'].map((method) =>
    asked(`the pending tag: ${method}`, null, ['a result'], method, ({ address }) =>
      method === 'eth_getCode'
        ? [address, 'pending']
        : method === 'eth_getBlockByNumber'
          ? ['pending', false]
          : ['pending'],
    ),
  ),
  asked('the safe tag: eth_getBalance', null, badParams, 'eth_getBalance', ({ address }) => [
    address,
    'safe',
  ]),
  asked(
    'eth_getBalance at an unknown block',
    ['null'],
    ['error -32600, HTTP 400'],
    'eth_getBalance',
    ({ address }) => [address, above],
  ),
  asked(
    'eth_getUncleCountByBlockHash of an unknown block',
    ['null'],
    ['error -32600, HTTP 400'],
    'eth_getUncleCountByBlockHash',
    () => [missing],
  ),
  asked(
    'eth_getBlockTransactionCountByNumber of an unknown block',
    null,
    ['error -32600, HTTP 400'],
    'eth_getBlockTransactionCountByNumber',
    () => [above],
  ),
  asked('eth_getBlockByHash of an unknown block', ['null'], ['null'], 'eth_getBlockByHash', () => [
    missing,
    false,
  ]),
  asked(
    'eth_getTransactionReceipt of an unknown transaction',
    ['null'],
    ['null'],
    'eth_getTransactionReceipt',
    () => [missing],
  ),
  asked(
    'eth_getLogs of an unknown block',
    null,
    ['[]'],
    'eth_getLogs',
    () => [{ blockHash: missing }],
    (reply) => refusal(reply) ?? JSON.stringify(reply.json.result).slice(0, 40),
  ),
  asked('eth_getLogs over 5,002 blocks', null, ['error -32012'], 'eth_getLogs', ({ height, block }) =>
    height < 6_000
      ? null
      : [
          {
            fromBlock: quantity(height - 5_001),
            toBlock: quantity(height),
            address: identity,
            topics: [block.hash],
          },
        ],
  ),
  asked('eth_estimateGas of what reverts', ['a result'], ['error -32015'], 'eth_estimateGas', () => [
    reverting,
  ]),
  asked('eth_call of what reverts', ['error -32015'], ['error -32015'], 'eth_call', ({ address }) => [
    { from: address, ...reverting },
    'latest',
  ]),
  asked('web3_sha3 of no bytes', ['a result'], badParams, 'web3_sha3', () => ['0x']),
  asked('requireCanonical as a boolean', null, ['error -32603'], 'eth_getBalance', ({ address, block }) => [
    address,
    { blockHash: block.hash, requireCanonical: true },
  ]),
];

/** Fields that some have and others have not. */
const fields: readonly Topic[] = [
  ...(['nonce', 'mixHash', 'minimumGasPrice', 'baseFeePerGas', 'cumulativeDifficulty'] as const).map(
    (name) => {
      const seed: Record<string, Topic['seed']> = {
        nonce: null,
        minimumGasPrice: ['there'],
        cumulativeDifficulty: ['there'],
      };
      return topic(
        `block field ${name}`,
        seed[name] === undefined ? ['missing'] : (seed[name] ?? null),
        [name === 'baseFeePerGas' ? 'missing' : 'there'],
        async (_, { block }) => (name in block ? 'there' : 'missing'),
      );
    },
  ),
  topic('a block ends with the payment of its miners (REMASC)', null, ['yes'], async (_, { block }) => {
    const last = block.transactions.at(-1);
    return last && isRemasc(last) ? 'yes' : 'no';
  }),
  asked(
    '_id of a transaction by index',
    ['there', 'missing'],
    ['missing'],
    'eth_getTransactionByBlockHashAndIndex',
    first,
    (reply) => refusal(reply) ?? (Object.hasOwn(reply.json.result ?? {}, '_id') ? 'there' : 'missing'),
  ),
  asked(
    'a receipt has status or root',
    ['status', 'root'],
    ['status'],
    'eth_getTransactionReceipt',
    mined,
    (reply) =>
      refusal(reply) ??
      ['status', 'root'].find((name) => Object.hasOwn(reply.json.result ?? {}, name)) ??
      'neither',
  ),
];

/** A filter that is made, polled and removed; nothing is left behind on the node. */
const filters: readonly Topic[] = [
  topic('filter id', ['QUANTITY of at most 32 bytes'], ['opaque, 74 characters'], async ({ ask }) => {
    const reply = await ask('eth_newBlockFilter');
    const refused = refusal(reply);
    if (refused !== null) return refused;
    const id = String(reply.json.result);
    await ask('eth_uninstallFilter', id);
    if (id.length === 74) return 'opaque, 74 characters';
    return /^0x[0-9a-f]{1,64}$/.test(id) ? 'QUANTITY of at most 32 bytes' : `${id.length} characters`;
  }),
  topic(
    'the first poll of a log filter from a past block',
    null,
    ['an array'],
    async ({ ask }, { block }) => {
      const made = await ask('eth_newFilter', { fromBlock: block.number });
      const refused = refusal(made);
      if (refused !== null) return refused;
      const polled = await ask('eth_getFilterChanges', made.json.result);
      await ask('eth_uninstallFilter', made.json.result);
      return refusal(polled) ?? (Array.isArray(polled.json.result) ? 'an array' : 'no array');
    },
  ),
  asked('eth_getFilterChanges of an unknown filter', null, ['error -32000'], 'eth_getFilterChanges', () => [
    '0x7fffffffffffffff',
  ]),
];

/** docs/notes/node.md#replies. */
const envelope: readonly Topic[] = [
  asked('an unknown method', null, absent, 'eth_thisMethodIsNotThere', () => []),
  asked('an address that is none', null, badParams, 'eth_getBalance', () => ['0x1234', 'latest']),
  topic('a body that is not JSON', null, ['error -32700, HTTP 400'], async ({ post }) =>
    outcome(await post('{')),
  ),
  topic('a batch of two', null, ['an array of two'], async ({ post }) => {
    const one = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] });
    const reply = await post(JSON.stringify([one(1), one(2)]));
    if (Array.isArray(reply.json)) return reply.json.length === 2 ? 'an array of two' : 'another array';
    return outcome(reply);
  }),
];

export const topics: readonly Topic[] = [
  ...table,
  ...named,
  ...contradictions,
  ...fields,
  ...filters,
  ...envelope,
];

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, clientOf, emitter, nobody, sign, word } from '../../../../test/support/local-client.js';
import { createLocalService, type LocalService } from '../../src/local/index.js';

/** Checks the service against the description of the hosted service (the seed), method by method. */
const seed = readFileSync(new URL('../../../../docs/notes/service.md', import.meta.url), 'utf8');

const section = (title: string) => seed.split(title)[1]?.split('\n### ')[0]?.split('\n## ')[0] ?? '';
const rows = (title: string) =>
  [...section(title).matchAll(/^\| (\w+_\w+) \| ([^|]*) \|/gm)].map(([, method]) => method as string);
const namesAfter = (start: string) => {
  const [line = ''] = section('### Support list')
    .split('\n')
    .filter((each) => each.startsWith(start));
  return [...line.matchAll(/`((?:<chain>|[a-z0-9]+)_\w+)`/g)].map(([, name]) =>
    (name as string).replace('<chain>', 'rsk'),
  );
};

const described = rows('### Methods with full parameter and result shape');
const withoutStatus = rows('### Methods described with parameters but without support status');
const supported = namesAfter('Supported (YES)');
const byNameOnly = namesAfter('Supported, listed by name only');
const notSupported = namesAfter('Not supported');

const quantity = /^0x(0|[1-9a-f][0-9a-f]*)$/;
const dataOf = (bytes: number) => new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`);
const data = /^0x([0-9a-f]{2})*$/;
const hash = dataOf(32);
const address = dataOf(20);

let service: LocalService;
let call: ReturnType<typeof clientOf>['call'];
let refusal: ReturnType<typeof clientOf>['refusal'];
let ask: ReturnType<typeof clientOf>['ask'];
/** The fixture's block with a transfer, a creation and a call that logs. */
let made: { block: string; transfer: string; creation: string; logging: string; contract: string };

beforeAll(async () => {
  service = await createLocalService({ mining: 'manual' });
  ({ call, refusal, ask } = clientOf(service));
  await service.controls.faucet(alice.address, 10n ** 18n);
  const transfer = await call('eth_sendRawTransaction', await sign());
  const creation = await call(
    'eth_sendRawTransaction',
    await sign({ nonce: 1, to: null, data: emitter, gas: 100_000n, value: 0n }),
  );
  await service.controls.mine();
  const { contractAddress } = await call('eth_getTransactionReceipt', creation);
  const logging = await call(
    'eth_sendRawTransaction',
    await sign({ nonce: 2, to: contractAddress, data: `0x${word(1)}${word(2)}`, gas: 60_000n, value: 0n }),
  );
  await service.controls.mine();
  const block = (await call('eth_getBlockByNumber', '0x2', false)).hash;
  made = { block, transfer, creation, logging, contract: contractAddress };
  // One transaction stays pending.
  await call('eth_sendRawTransaction', await sign({ nonce: 3 }));
});
afterAll(() => service?.close());

test('the lists are found in the document', () => {
  expect([described.length, withoutStatus.length, supported.length]).toEqual([44, 4, 39]);
  expect([byNameOnly.length, notSupported.length]).toEqual([40, 18]);
});

/** Parameters and expected result of every described method. */
const examples: Record<string, () => [params: unknown[], result: unknown]> = {
  web3_clientVersion: () => [[], expect.stringMatching(/^RskJ\//)],
  web3_sha3: () => [['0x68656c6c6f'], '0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8'],
  net_version: () => [[], '33'],
  net_listening: () => [[], true],
  net_peerCount: () => [[], expect.stringMatching(quantity)],
  net_peerList: () => [[], expect.arrayContaining([expect.stringMatching(/^[0-9a-f]+ \| [\d.]+:\d+$/)])],
  eth_chainId: () => [[], '0x21'],
  eth_protocolVersion: () => [[], expect.stringMatching(quantity)],
  eth_syncing: () => [[], false],
  eth_coinbase: () => [[], expect.stringMatching(address)],
  eth_mining: () => [[], false],
  eth_hashrate: () => [[], expect.stringMatching(quantity)],
  eth_gasPrice: () => [[], `0x${(65_164_000).toString(16)}`],
  eth_accounts: () => [[], []],
  eth_blockNumber: () => [[], '0x2'],
  eth_getBalance: () => [[nobody], '0x1'],
  eth_getStorageAt: () => [[made.contract, '0x0', 'latest'], `0x${word(0)}`],
  eth_getTransactionCount: () => [[alice.address], '0x3'],
  eth_getBlockTransactionCountByHash: () => [[made.block], '0x1'],
  eth_getBlockTransactionCountByNumber: () => [['0x1'], '0x2'],
  eth_getUncleCountByBlockHash: () => [[made.block], '0x0'],
  eth_getUncleCountByBlockNumber: () => [['latest'], '0x0'],
  eth_getCode: () => [[made.contract, 'latest'], '0x60203560005260003560206000a100'],
  eth_call: () => [[{ to: made.contract, data: `0x${word(1)}${word(2)}` }, 'latest'], '0x'],
  eth_estimateGas: () => [[{ from: alice.address, to: nobody, value: '0x1' }], '0x5208'],
  eth_getBlockByHash: () => [[made.block], expect.objectContaining({ hash: made.block })],
  eth_getBlockByNumber: () => [['0x2'], expect.objectContaining({ hash: made.block })],
  eth_getTransactionByHash: () => [[made.logging], expect.objectContaining({ hash: made.logging })],
  eth_getTransactionByBlockHashAndIndex: () => [
    [made.block, '0x0'],
    expect.objectContaining({ hash: made.logging }),
  ],
  eth_getTransactionByBlockNumberAndIndex: () => [
    ['0x1', '0x1'],
    expect.objectContaining({ hash: made.creation }),
  ],
  eth_getTransactionReceipt: () => [
    [made.logging],
    expect.objectContaining({ transactionHash: made.logging }),
  ],
  eth_pendingTransactions: () => [
    [],
    [expect.objectContaining({ blockHash: `0x${word(0)}`, blockNumber: null })],
  ],
  eth_getUncleByBlockHashAndIndex: () => [[made.block, '0x0'], null],
  eth_getUncleByBlockNumberAndIndex: () => [['latest', '0x0'], null],
  eth_newFilter: () => [[{}], expect.stringMatching(/^0x/)],
  eth_newBlockFilter: () => [[], expect.stringMatching(/^0x/)],
  eth_newPendingTransactionFilter: () => [[], expect.stringMatching(/^0x/)],
  eth_uninstallFilter: () => [['0x1'], false],
  eth_getLogs: () => [[{}], [expect.objectContaining({ transactionHash: made.logging })]],
  eth_getWork: () => [[], [hash, hash, hash].map((each) => expect.stringMatching(each))],
  eth_submitWork: () => [[`0x${'01'.repeat(8)}`, `0x${word(1)}`, `0x${word(2)}`], false],
  eth_submitHashrate: () => [[`0x${word(1)}`, `0x${word(2)}`], true],
  eth_getProof: () => [
    [made.contract, [`0x${word(0)}`], 'latest'],
    {
      address: made.contract,
      balance: expect.stringMatching(quantity),
      codeHash: expect.stringMatching(hash),
      nonce: expect.stringMatching(quantity),
      storageHash: expect.stringMatching(hash),
      accountProof: expect.arrayContaining([expect.stringMatching(data)]),
      storageProof: [{ key: '0x0', value: '0x0', proof: expect.any(Array) }],
    },
  ],
};
/** Methods with tests of their own, because they need several calls or are rejected. */
const askedElsewhere = [
  'eth_sendRawTransaction',
  'eth_sign',
  'eth_sendTransaction',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
];

describe('methods described in full', () => {
  test('each has an example in this file', () => {
    const asked = [...Object.keys(examples), ...askedElsewhere].sort();
    expect([...described, ...withoutStatus].sort()).toEqual(asked);
    expect(supported.filter((method) => !asked.includes(method))).toEqual([]);
  });

  test.each(Object.entries(examples))('%s', async (method, example) => {
    const [params, result] = example();
    const reply = await ask(method, ...params);
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ jsonrpc: '2.0', id: 7, result });
  });

  test('eth_newFilter, eth_getFilterChanges, eth_getFilterLogs and eth_uninstallFilter work together', async () => {
    const id = await call('eth_newFilter', { fromBlock: '0x0' });
    expect(await call('eth_getFilterChanges', id)).toEqual([]);
    expect(await call('eth_getFilterLogs', id)).toHaveLength(1);
    expect(await call('eth_uninstallFilter', id)).toBe(true);
  });

  test('eth_sign and eth_sendTransaction are rejected because the service holds no keys', async () => {
    const disabled = { status: 400, code: -32602, message: 'Local wallet is disabled in this node' };
    expect(await refusal('eth_sign', alice.address, '0xdeadbeef')).toEqual(disabled);
    expect(await refusal('eth_sendTransaction', { from: alice.address })).toEqual(disabled);
  });
});

describe('objects', () => {
  const rowsOf = (title: string) => {
    const found = section(title).matchAll(/^\| (\w+) \| [^|]* \| ?([^|]*)\|?$/gm);
    return [...found].map(([, field]) => field as string).filter((field) => field !== 'Field');
  };

  test('a block has exactly the fields of the seed, with the right types', async () => {
    const block = await call('eth_getBlockByHash', made.block, false);
    // The seed lists a nonce, and its own example of a block has none.
    const fields = rowsOf('### Block object').filter((field) => field !== 'nonce');
    expect(Object.keys(block).sort()).toEqual(fields.sort());
    const sized = { hash: 32, parentHash: 32, sha3Uncles: 32, logsBloom: 256, miner: 20 };
    const roots = { transactionsRoot: 32, stateRoot: 32, receiptsRoot: 32, hashForMergedMining: 32 };
    for (const [field, bytes] of Object.entries({ ...sized, ...roots, bitcoinMergedMiningHeader: 80 }))
      expect(block[field], field).toMatch(dataOf(bytes));
    for (const field of ['number', 'difficulty', 'totalDifficulty', 'cumulativeDifficulty', 'size'])
      expect(block[field], field).toMatch(quantity);
    for (const field of ['gasLimit', 'gasUsed', 'timestamp', 'minimumGasPrice', 'paidFees'])
      expect(block[field], field).toMatch(quantity);
    for (const field of [
      'extraData',
      'bitcoinMergedMiningCoinbaseTransaction',
      'bitcoinMergedMiningMerkleProof',
    ])
      expect(block[field], field).toMatch(data);
    expect(block.uncles).toEqual([]);
    expect(block.transactions).toEqual([made.logging]);
    expect(block.gasLimit).toBe('0x67c280');
    const { gasUsed } = await call('eth_getTransactionReceipt', made.logging);
    expect(BigInt(block.paidFees)).toBe(BigInt(gasUsed) * 65_000_000n);
    expect(await call('eth_getBlockByHash', made.block, false)).toEqual(block);
  });

  test('a block has full transactions on request', async () => {
    const { transactions } = await call('eth_getBlockByNumber', '0x1', true);
    expect(transactions.map((each: { hash: string }) => each.hash)).toEqual([made.transfer, made.creation]);
  });

  test('a transaction has exactly the fields of the seed', async () => {
    const transaction = await call('eth_getTransactionByHash', made.logging);
    expect(Object.keys(transaction).sort()).toEqual(rowsOf('### Transaction object').sort());
    expect(transaction).toMatchObject({ to: made.contract, from: alice.address.toLowerCase(), type: '0x0' });
    expect(transaction).toMatchObject({ blockNumber: '0x2', transactionIndex: '0x0', gasPrice: '0x3dfd240' });
    expect(await call('eth_getTransactionByHash', made.creation)).toMatchObject({ to: null });
  });

  test('a pending transaction has no block fields', async () => {
    const hashes = (await call('eth_pendingTransactions')).map((each: { hash: string }) => each.hash);
    const nowhere = { blockHash: null, blockNumber: null, transactionIndex: null };
    expect(await call('eth_getTransactionByHash', hashes[0])).toMatchObject(nowhere);
    expect(await call('eth_getTransactionReceipt', hashes[0])).toBe(null);
  });

  test('a receipt has the fields of the seed, with status and without root', async () => {
    const receipt = await call('eth_getTransactionReceipt', made.creation);
    const fields = rowsOf('### Transaction receipt object').filter((field) => field !== 'root');
    expect(Object.keys(receipt).sort()).toEqual(fields.sort());
    expect(receipt).toMatchObject({ status: '0x1', contractAddress: made.contract, to: null, logs: [] });
    expect(receipt).toMatchObject({ effectiveGasPrice: '0x3dfd240', transactionIndex: '0x1' });
  });

  test('a log has the fields of the seed, with removed only in filter changes', async () => {
    const [log] = await call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' });
    const fields = rowsOf('### Log object').filter((field) => field !== 'removed');
    expect(Object.keys(log).sort()).toEqual(fields.sort());
    expect(log).toEqual({
      logIndex: '0x0',
      transactionIndex: '0x0',
      transactionHash: made.logging,
      blockHash: made.block,
      blockNumber: '0x2',
      address: made.contract,
      data: `0x${word(2)}`,
      topics: [`0x${word(1)}`],
    });
    expect((await call('eth_getTransactionReceipt', made.logging)).logs).toEqual([log]);
  });
});

describe('methods listed by name', () => {
  test('each method listed by name only exists', async () => {
    const unknown: string[] = [];
    for (const method of byNameOnly) {
      // No method has nine parameters, so the call has no effect.
      const { code } = await refusal(method, 1, 2, 3, 4, 5, 6, 7, 8, 9);
      if (code !== -32602) unknown.push(method);
    }
    expect(unknown).toEqual([]);
  });

  test('each unsupported method is not found', async () => {
    for (const method of notSupported)
      expect(await refusal(method), method).toEqual({
        status: 200,
        code: -32601,
        message: 'method not found',
      });
  });

  test('personal_ methods are disabled', async () => {
    const disabled = { status: 200, code: -32604, message: 'The local wallet feature is disabled' };
    expect(await refusal('personal_listAccounts')).toEqual(disabled);
    expect(await refusal('personal_importRawKey', '00', 'pass')).toEqual(disabled);
    expect(await refusal('personal_unlockAccount', alice.address, 'pass', '0x1')).toEqual(disabled);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  alice,
  bob,
  clientOf,
  creationOf,
  nobody,
  revertingWith,
  sign,
  type Wish,
  word,
} from '../../../../test/support/local-client.js';
import { createLocalService, type Hex, type LocalService } from '../../src/local/index.js';

/** The node's tracers, on transactions that the recordings do not contain. */
let service: LocalService;
let call: ReturnType<typeof clientOf>['call'];
let refusal: ReturnType<typeof clientOf>['refusal'];
let nonce = 0;
const from = alice.address.toLowerCase();
const missing = `0x${word(5)}`;

async function mined(wish: Wish): Promise<Hex> {
  const raw = await sign({ nonce: nonce++, gas: 400_000n, value: 0n, ...wish });
  const hash = await call('eth_sendRawTransaction', raw);
  await service.controls.mine();
  return hash;
}

async function deployed(runtime: string): Promise<Hex> {
  const hash = await mined({ to: null, data: creationOf(runtime) });
  return (await call('eth_getTransactionReceipt', hash)).contractAddress;
}

const hello = `08c379a0${word(32)}${word(5)}${Buffer.from('hello').toString('hex').padEnd(64, '0')}`;
/** Writes the payload to memory word by word and reverts with it. */
const reverting = `${(hello.match(/.{1,64}/g) ?? [])
  .map((part, index) => `7f${part.padEnd(64, '0')}60${(index * 32).toString(16).padStart(2, '0')}52`)
  .join('')}60${(hello.length / 2).toString(16)}6000fd`;
/** Calls the address in its first word of calldata and ignores the outcome. */
const calling = '60006000600060006000600035620186a0f100';
/** Adds one to slot 0, clears slot 1, and logs without topics. */
const counting = '6001600054016000556000600155' + '60006000a000';

beforeAll(async () => {
  service = await createLocalService({
    dialect: 'node',
    mining: 'manual',
    switches: { modules: ['debug', 'trace'], accountQuota: false },
  });
  ({ call, refusal } = clientOf(service));
  for (const { address } of [alice, bob]) await service.controls.faucet(address, 10n ** 18n);
});
afterAll(() => service?.close());

describe('nested calls', () => {
  let hash: Hex;
  let caller: Hex;
  let callee: Hex;
  beforeAll(async () => {
    callee = await deployed(reverting);
    caller = await deployed(calling);
    hash = await mined({ to: caller, data: `0x${callee.slice(2).padStart(64, '0')}` });
  });

  test('trace_transaction lists them in preorder with trace addresses and the transaction’s input', async () => {
    const [outer, inner, ...rest] = await call('trace_transaction', hash);
    expect(rest).toEqual([]);
    const { input } = await call('eth_getTransactionByHash', hash);
    const { gasUsed } = await call('eth_getTransactionReceipt', hash);
    expect(outer).toMatchObject({
      action: { callType: 'call', from, to: caller, gas: '0x61a80', input, value: '0x0' },
      subtraces: 1,
      traceAddress: [],
      result: { gasUsed, output: '0x' },
    });
    expect(inner).toMatchObject({
      action: { callType: 'call', from: caller, to: callee, gas: '0x186a0', input, value: '0x0' },
      subtraces: 0,
      traceAddress: [0],
      result: null,
      error: 'Reverted',
    });
    expect(outer).not.toHaveProperty('error');
  });

  test('callTracer nests them, with the revert reason, unless onlyTopCall is set', async () => {
    const trace = await call('debug_traceTransaction', hash, { tracer: 'callTracer' });
    expect(trace).toMatchObject({ type: 'CALL', from, to: caller, gas: '0x61a80', output: '0x0' });
    expect(trace.calls).toEqual([
      expect.objectContaining({
        type: 'CALL',
        from: caller,
        to: callee,
        output: `0x${hello.replace(/^0+/, '')}`,
        error: 'execution reverted',
        revertReason: 'hello',
      }),
    ]);
    const top = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } };
    expect(await call('debug_traceTransaction', hash, top)).not.toHaveProperty('calls');
  });
});

describe('steps', () => {
  let counter: Hex;
  let hash: Hex;
  beforeAll(async () => {
    counter = await deployed(counting);
    await mined({ to: counter });
    hash = await mined({ to: counter });
  });

  test('the default tracer shows the storage before the execution, at each step, and after it', async () => {
    const trace = await call('debug_traceTransaction', hash);
    expect(trace).toMatchObject({
      contractAddress: counter.slice(2),
      initStorage: { [word(0)]: word(1) },
      currentStorage: { [word(0)]: word(2) },
      storageSize: 1,
      result: '',
      error: '',
      reverted: false,
    });
    const ops = trace.structLogs.map(({ op }: { op: string }) => op);
    expect(ops.slice(0, 5)).toEqual(['PUSH1', 'PUSH1', 'SLOAD', 'ADD', 'PUSH1']);
    const load = trace.structLogs[2];
    expect(load).toMatchObject({
      depth: 0,
      pc: 4,
      stack: [word(1), word(0)],
      memory: [],
      storage: { [word(0)]: word(1) },
    });
    expect(trace.structLogs.at(-1).storage).toEqual({ [word(0)]: word(2) });
  });

  test('stack, memory and storage can be excluded', async () => {
    const options = { disableStack: true, disableMemory: 'true', disableStorage: true };
    const [step] = (await call('debug_traceTransaction', hash, options)).structLogs;
    expect(Object.keys(step)).toEqual(['op', 'depth', 'pc', 'gas', 'gasCost']);
  });

  test('callTracer returns logs with withLog', async () => {
    const wish = { tracer: 'callTracer', tracerConfig: { withLog: true } };
    expect((await call('debug_traceTransaction', hash, wish)).logs).toEqual([
      { index: 0, address: counter, topics: [], data: '0x' },
    ]);
    expect(await call('debug_traceTransaction', hash, { tracer: 'callTracer' })).not.toHaveProperty('logs');
  });

  test('a bad jump has the node’s exception text', async () => {
    const astray = await deployed('600156');
    const failed = await mined({ to: astray });
    const [trace] = await call('trace_transaction', failed);
    expect(trace.error).toBe(
      `class org.ethereum.vm.program.Program$BadJumpDestinationException: Operation with pc isn't 'JUMPDEST': PC[1], tx[${failed}]`,
    );
  });
});

test('a failed creation has no address, a successful one its code', async () => {
  const failed = await mined({ to: null, data: revertingWith(word(7)) });
  const made = await mined({ to: null, data: creationOf('00') });
  const { contractAddress } = await call('eth_getTransactionReceipt', made);
  const [good] = await call('trace_transaction', made);
  const [bad] = await call('trace_transaction', failed);
  expect(good).toMatchObject({ type: 'create', result: { code: '0x00', address: contractAddress } });
  expect(good.action).not.toHaveProperty('callType');
  expect(bad).toMatchObject({ type: 'create', result: null, error: 'Reverted' });
  const tracer = { tracer: 'callTracer' };
  expect((await call('debug_traceTransaction', made, tracer)).output).toBe(contractAddress);
  expect(await call('debug_traceTransaction', failed, tracer)).toMatchObject({
    output: '0x0',
    error: 'execution reverted',
  });
});

test('a block trace includes the REMASC transaction, by number and by hash', async () => {
  const hash = await mined({ to: nobody, value: 1n, gas: 21_000n });
  const block = await call('eth_getBlockByNumber', 'latest', false);
  const byHash = await call('debug_traceBlockByHash', block.hash, { tracer: 'callTracer' });
  expect(byHash.map(({ txHash }: { txHash: Hex }) => txHash)).toEqual(block.transactions);
  expect(await call('debug_traceBlockByNumber', block.number, { tracer: 'callTracer' })).toEqual(byHash);
  const traces = await call('trace_block', 'latest');
  expect(traces.map(({ transactionHash }: { transactionHash: Hex }) => transactionHash)).toEqual([
    hash,
    block.transactions[1],
  ]);
  expect(await call('trace_transaction', block.transactions[1])).toEqual([traces[1]]);
});

test('trace_filter selects by sender and recipient, and rejects a backward range', async () => {
  const wish = { fromBlock: '0x1', toBlock: 'latest', toAddress: [nobody] };
  const traces = await call('trace_filter', wish);
  expect(traces.every(({ action }: { action: { to: Hex } }) => action.to === nobody)).toBe(true);
  expect(traces.length).toBeGreaterThan(0);
  expect(await call('trace_filter', { ...wish, fromAddress: [bob.address] })).toEqual([]);
  expect(await refusal('trace_filter', { fromBlock: '0x2', toBlock: '0x1' })).toMatchObject({
    code: -32602,
    message: 'fromBlock cannot be greater than toBlock',
  });
});

test('an unknown transaction is null, but an internal error for callTracer', async () => {
  expect(await call('debug_traceTransaction', missing)).toBe(null);
  expect(await call('trace_transaction', missing)).toBe(null);
  expect((await refusal('debug_traceTransaction', missing, { tracer: 'callTracer' })).code).toBe(-32603);
  expect(await call('debug_traceBlockByHash', missing)).toBe(null);
});

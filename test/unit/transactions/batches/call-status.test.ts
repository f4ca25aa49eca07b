import { describe, expect, test } from 'vitest';
import type { Hash, Receipt } from '../../../../src/rpc/schema.js';
import type { Service } from '../../../../src/service/service.js';
import type { Batch } from '../../../../src/transactions/batches/batch-store.js';
import {
  type CallStatus,
  callsStatus,
  readCallStatuses,
} from '../../../../src/transactions/batches/call-status.js';
import type { JournalEntry } from '../../../../src/transactions/journal-entry.js';
import { fc } from '../../../support/property.js';

const hash = (i: number): Hash => `0x${i.toString(16).padStart(64, '0')}`;
const batch = (count: number): Batch => ({
  id: 'one',
  origin: 'https://app.example',
  from: `0x${'aa'.repeat(20)}`,
  chainId: 31,
  createdAt: 0,
  calls: Array.from({ length: count }, (_, i) => ({ hash: hash(i), to: null, value: '0x0' })),
});
const receipt = (i: number, change: Partial<Receipt> = {}): Receipt => ({
  transactionHash: hash(i),
  transactionIndex: '0x0',
  blockHash: hash(100 + i),
  blockNumber: '0x1',
  from: `0x${'aa'.repeat(20)}`,
  to: null,
  gasUsed: '0x5208',
  cumulativeGasUsed: '0x5208',
  contractAddress: null,
  logs: [],
  logsBloom: '0x',
  status: '0x1',
  ...change,
});
type State = JournalEntry['state'];
const journal = (...states: readonly (State | null)[]) =>
  states.flatMap((state, i) => (state === null ? [] : [{ hash: hash(i), state } as JournalEntry]));

/** The port, played: the receipts that there are. */
function serviceWith(receipts: readonly Receipt[]) {
  const asked: unknown[] = [];
  const service = {
    async request(_method: string, [wanted]: readonly unknown[], options?: Service.RequestOptions) {
      asked.push(wanted);
      const found = receipts.find(({ transactionHash }) => transactionHash === wanted) ?? null;
      options?.check?.(found);
      return found;
    },
  } as unknown as Service;
  return { service, asked };
}

describe('readCallStatuses', () => {
  const states = async (entries: readonly JournalEntry[], receipts: readonly Receipt[], count = 3) => {
    const { service, asked } = serviceWith(receipts);
    const statuses = await readCallStatuses(
      batch(count),
      async (hash) => entries.find((entry) => entry.hash === hash),
      service,
    );
    return { states: statuses.map(({ state }) => state), asked: asked.length };
  };

  test('each call has the state of its receipt', async () => {
    const receipts = [receipt(0), receipt(1, { status: '0x0' }), receipt(2)];
    expect(await states(journal('mined', 'mined', 'mined'), receipts)).toEqual({
      states: ['succeeded', 'reverted', 'succeeded'],
      asked: 3,
    });
  });

  test('no receipts are read for calls after a pending one', async () => {
    expect(await states(journal('sent', 'sent', 'signed'), [])).toEqual({
      states: ['pending', 'pending', 'pending'],
      asked: 1,
    });
  });

  test('a call whose receipt disappears is pending again', async () => {
    expect(await states(journal('mined', 'mined', 'mined'), [receipt(0)])).toMatchObject({
      states: ['succeeded', 'pending', 'pending'],
    });
  });

  test('a call that will not be sent again is dropped, unless it is mined all the same', async () => {
    expect(await states(journal('replaced', null, 'refused'), [receipt(2)])).toMatchObject({
      states: ['dropped', 'dropped', 'succeeded'],
    });
  });

  test('a receipt with `root` in place of `status` is no failure (docs/notes/service.md#transaction-receipt-object)', async () => {
    const { status: _status, ...old } = receipt(0, { root: '0x' });
    expect(await states(journal('mined'), [old as Receipt], 1)).toMatchObject({ states: ['succeeded'] });
  });

  test('a malformed receipt rejects', async () => {
    const broken = receipt(0, { logs: [null] as never });
    await expect(states(journal('mined'), [broken], 1)).rejects.toThrow('not an array of logs');
    await expect(states(journal('mined'), [receipt(0, { gasUsed: 'x' as never })], 1)).rejects.toThrow();
  });
});

describe('callsStatus', () => {
  const fate = (state: CallStatus['state'], i = 0): CallStatus =>
    state === 'succeeded' || state === 'reverted'
      ? { state, receipt: receipt(i, { status: state === 'reverted' ? '0x0' : '0x1' }) }
      : { state };
  const codeOf = (...states: readonly CallStatus['state'][]) =>
    callsStatus(
      batch(states.length),
      states.map((state) => fate(state)),
    ).status;

  test('a status has the logs, the gas and the block of each receipt', () => {
    const log = { address: '0xaa', topics: [], data: '0x', logIndex: '0x0', blockHash: hash(1) };
    const included = receipt(0, { logs: [log as never], gasUsed: '0x5', status: '0x1' });
    expect(callsStatus(batch(1), [{ state: 'succeeded', receipt: included }])).toEqual({
      version: '2.0.0',
      id: 'one',
      chainId: '0x1f',
      status: 200,
      atomic: false,
      receipts: [
        {
          logs: [{ address: '0xaa', topics: [], data: '0x' }],
          status: '0x1',
          blockHash: hash(100),
          blockNumber: '0x1',
          gasUsed: '0x5',
          transactionHash: hash(0),
        },
      ],
    });
  });

  test.each<[number, CallStatus['state'][]]>([
    [100, ['pending', 'pending']],
    [100, ['succeeded', 'pending']],
    [100, ['reverted', 'pending']],
    [100, ['dropped', 'pending']],
    [200, ['succeeded', 'succeeded']],
    [400, ['dropped', 'dropped']],
    [500, ['reverted', 'reverted']],
    [500, ['reverted', 'dropped']],
    [600, ['succeeded', 'reverted']],
    [600, ['succeeded', 'dropped']],
  ])('EIP-5792 (12) %i for %j', (code, states) => {
    expect(codeOf(...states)).toBe(code);
  });

  test('EIP-5792 (12) the order of the calls does not matter to the code', () => {
    const state = fc.constantFrom<CallStatus['state']>('pending', 'dropped', 'succeeded', 'reverted');
    fc.assert(
      fc.property(fc.array(state, { minLength: 1, maxLength: 16 }), (states) => {
        const code = codeOf(...states);
        expect(codeOf(...[...states].reverse())).toBe(code);
        expect(code === 100).toBe(states.includes('pending'));
        expect(code === 200).toBe(states.every((each) => each === 'succeeded'));
      }),
    );
  });
});

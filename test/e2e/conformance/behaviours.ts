import {
  type Hex,
  keccak256,
  parseTransaction,
  recoverMessageAddress,
  type TransactionSerializableLegacy,
  toHex,
} from 'viem';
import { expect } from 'vitest';
import type {
  MessageQuestion,
  TransactionQuestion,
  TypedDataQuestion,
} from '../../../src/approvals/question.js';
import type { ProviderRpcError } from '../../../src/index.js';
import { hasHidden } from '../../../src/rpc/text.js';
import { owners, password, values } from '../../support/keys.js';
import { createRig, type Rig } from '../../support/rig.js';
import { error } from '../../support/scripted-service.js';
import { waitFor } from '../../support/wait-for.js';
import type { Entry } from './bad-inputs.js';
import { log } from './situations.js';
import { permitDeadline, typedData } from './typed-data.js';

/** What was asked, of whom, and what came of it. */
export interface Seen {
  readonly entry: Entry;
  readonly rig: Rig;
  readonly params: readonly unknown[];
  /** `own`: the wallet's own transaction met the row's reply; else the page asked as the row says. */
  readonly way: 'page' | 'own';
  readonly value?: unknown;
  readonly error?: ProviderRpcError;
}

export type Behaviour = (seen: Seen) => void | Promise<void>;

const send = 'eth_sendRawTransaction';

/** What went to the service as a signed transaction, oldest first. */
const sent = (rig: Rig): readonly Hex[] =>
  rig.node.requests.filter(({ method }) => method === send).map(({ params }) => params[0] as Hex);

const signed = (rig: Rig) =>
  parseTransaction(sent(rig)[0] as `0x${string}`) as TransactionSerializableLegacy & { type: string };

const soon = (look: () => unknown) => waitFor(look, { interval: 20 });

const journal = (rig: Rig) => rig.wallet.transactions();
const request = (rig: Rig, method: string, params: readonly unknown[] = []) =>
  rig.wallet.provider.request({ method, params });
export const pay = (rig: Rig, fields: object = {}): Promise<Hex> =>
  request(rig, 'eth_sendTransaction', [{ from: values.$A0, to: values.$X, value: '0x1', ...fields }]);

/** One transaction was made, however often it was offered, and its hash is the answer. */
const localHash: Behaviour = ({ rig, value, way }) => {
  const raws = new Set(sent(rig).filter((raw) => !rig.sentBefore.has(raw) || keccak256(raw) === value));
  expect([...raws].map((raw) => keccak256(raw))).toEqual([value]);
  if (way === 'own') expect(rig.questions.filter(({ kind }) => kind === 'transaction')).toHaveLength(1);
};

const entryOf = async (rig: Rig) => {
  const all = await journal(rig);
  expect(all).toHaveLength(1);
  return all[0] as (typeof all)[number];
};

const isOpen = (state: string) => state === 'signed' || state === 'sent';

/** The same bytes are offered again once the pool may have forgotten them. */
const offeredAgain = async (rig: Rig) => {
  // From the first look on, blocks are counted.
  await soon(() => expect(rig.node.requests.at(-1)?.params[0]).toBe('latest'));
  const before = sent(rig).length;
  for (let block = 0; block < 6; block++) rig.node.chain.mine();
  await soon(() => expect(sent(rig).length).toBeGreaterThan(before));
  expect(new Set(sent(rig)).size).toBe(1);
};

const messageOf = (rig: Rig) => rig.questions[0] as MessageQuestion;
const codes = (rig: Rig) => rig.questions[0]?.warnings.map(({ code }) => code);

const serviceCode =
  (code: number): Behaviour =>
  ({ error }) => {
    expect(error?.data).toMatchObject({ serviceCode: code });
  };

const sentSelector =
  (selector: string): Behaviour =>
  ({ rig, entry }) => {
    const [asked] = rig.node.requests.filter(({ method }) => method === entry.method);
    expect(asked?.params[1]).toBe(selector);
  };

const withoutWords: Behaviour = ({ params, error }) => {
  for (const word of String(params[0]).split(/\s+/))
    if (word !== '') expect(error?.message.toLowerCase()).not.toContain(word.toLowerCase());
};

const withoutKey: Behaviour = ({ params, error }) => {
  const digits = String(params[0]).replace(/^0x/, '');
  expect(error?.message).not.toMatch(new RegExp(`\\b(0x)?${digits}\\b`, 'i'));
};

export const behaviours: Readonly<Record<string, Behaviour>> = {
  'envelope-027': ({ rig, value }) => {
    expect(signed(rig)).toMatchObject({ to: values.$X, value: 1n });
    expect(value).toBe(keccak256(sent(rig)[0] as Hex));
  },
  'quantity-002': sentSelector('0x0'),
  'quantity-003': sentSelector('0xa'),
  'permission-004': ({ rig, value }) => {
    expect(rig.questions).toHaveLength(1);
    expect(value).toEqual([[values.$A0], [values.$A0]]);
  },
  'tx-037': async ({ rig }) => {
    expect(signed(rig)).toMatchObject({ type: 'legacy', gasPrice: 1n });
    await rig.reset();
    rig.node.chain.minimumGasPrice = 100n;
    const fees = (maxFeePerGas: string) =>
      pay(rig, { type: '0x2', maxFeePerGas, maxPriorityFeePerGas: '0x0' });
    await expect(fees('0x63')).rejects.toMatchObject({ code: -32003 });
    await fees('0x3e8');
    expect(signed(rig).gasPrice).toBe(100n);
  },
  'tx-038': ({ rig }) => expect(signed(rig)).toMatchObject({ type: 'legacy', chainId: 31 }),
  'tx-048': ({ rig }) => {
    expect((rig.questions[0] as TransactionQuestion).transaction.nonce).toBe('0x5');
    expect(signed(rig).nonce).toBe(5);
  },
  'message-009': async ({ rig, params, value }) => {
    expect(messageOf(rig).text).toContain('\\u{202e}');
    expect(hasHidden(messageOf(rig).text ?? '')).toBe(false);
    expect(codes(rig)).toContain('hidden-characters');
    const message = String(params[0]);
    expect(messageOf(rig).bytes).toBe(toHex(message));
    expect(await recoverMessageAddress({ message, signature: value as Hex })).toBe(owners[0]?.address);
  },
  'message-010': ({ rig }) => {
    expect(messageOf(rig)).toMatchObject({ text: null, bytes: values.$H32 });
    expect(codes(rig)).toContain('blind-signing');
  },
  'siwe-013': ({ rig }) => expect(codes(rig)).toContain('sign-in-malformed'),
  'typed-012': async ({ value }) => {
    const data = typedData() as unknown as Parameters<NonNullable<(typeof owners)[0]>['signTypedData']>[0];
    expect(value).toBe(await owners[0]?.signTypedData(data));
  },
  'typed-052': ({ rig }) => {
    const { permit, warnings } = rig.questions[0] as TypedDataQuestion;
    expect(permit).toMatchObject({
      spender: values.$OTHER,
      token: values.$X,
      amount: 'unlimited',
      deadline: permitDeadline,
    });
    // `danger` is what delays the dialog's confirm button.
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'permit', severity: 'danger' }));
  },
  'chain-025': ({ rig }) => {
    const [network] = rig.wallet.networks().filter(({ chainId }) => chainId === 30);
    expect(network?.name).toBe('Rootstock Mainnet');
    expect(network?.urls).toHaveLength(1);
    expect(network?.urls[0]).not.toContain('rpc.example');
    // Decided after the table was written: the caller expects the chain to be active afterwards.
    expect(rig.questions).toMatchObject([{ kind: 'switch-chain', target: { chainId: 30 } }]);
    expect(rig.wallet.network().chainId).toBe(30);
    rig.wallet.switchChain(31);
  },
  'lifecycle-005': async ({ rig }) => {
    expect(rig.node.count('eth_blockNumber')).toBe(1);
    const [first] = rig.node.requests as readonly { readonly cut?: Promise<void> }[];
    await first?.cut;
  },
  'http-039': ({ value, error }) => {
    expect(value).toBeUndefined();
    expect([-32700, -32002]).toContain(error?.code);
  },
  'http-040': localHash,
  'http-041': localHash,
  'reply-020': serviceCode(4100),
  'reply-022': serviceCode(4900),
  'reply-024': serviceCode(4902),
  'reply-027': ({ error }) => {
    expect(String(error?.data)).toMatch(/^0x[0-9a-f]+$/);
    expect(String(error?.data).length).toBeLessThanOrEqual(2 + 2 * 256 * 1024);
    expect(error?.message).toContain('cut');
  },
  'value-014': async ({ rig }) => {
    const { chain } = rig.node;
    await request(rig, 'eth_subscribe', ['newHeads']);
    const head = chain.mine();
    const heads = () =>
      rig.events.map(
        ({ payload }) => (payload as { data?: { result?: { number?: string } } }).data?.result?.number,
      );
    await soon(() => expect(heads()).toContain(head.number));
    // Another node behind the balancer, one block behind, for a while.
    chain.blocks.pop();
    await new Promise((resolve) => setTimeout(resolve, 600));
    chain.blocks.push(head);
    const next = chain.mine();
    await soon(() => expect(heads()).toContain(next.number));
    const numbers = heads().filter((number) => number !== undefined);
    expect(numbers).toEqual([...new Set(numbers)]);
    expect(JSON.stringify(rig.events)).not.toContain('"removed":true');
  },
  'value-020': async ({ rig, value }) => {
    expect(value).toBe('0x3');
    await pay(rig);
    const nonces = (await journal(rig)).map(({ nonce }) => nonce);
    expect(nonces).toEqual(['0x5', '0x6']);
  },
  'value-026': localHash,
  'value-027': async (seen) => {
    await localHash(seen);
    if (seen.way === 'page') return;
    seen.rig.node.chain.findsTransactions = false;
    const found = await request(seen.rig, 'eth_getTransactionByHash', [seen.value]);
    expect(found).toMatchObject({ hash: seen.value, blockHash: null });
  },
  'value-028': async (seen) => {
    await localHash(seen);
    if (seen.way === 'page') return;
    expect(isOpen((await entryOf(seen.rig)).state)).toBe(true);
    await offeredAgain(seen.rig);
  },
  'value-030': localHash,
  'value-032': async ({ rig, way }) => {
    if (way === 'page') return;
    expect((await entryOf(rig)).state).toBe('replaced');
    await rig.reset();
    rig.node.chain.minedNonce = 1;
    await pay(rig);
    expect(signed(rig).nonce).toBe(1);
  },
  'value-033': async (seen) => {
    await localHash(seen);
    const { rig } = seen;
    if (seen.way === 'page') return;
    expect(isOpen((await entryOf(rig)).state)).toBe(true);
    const first = sent(rig)[0] as Hex;
    rig.node.override(send, error(-32010, 'pending transaction with same hash already exists'));
    await offeredAgain(rig);
    await soon(async () => expect((await entryOf(rig)).state).toBe('sent'));
    expect(new Set(sent(rig))).toEqual(new Set([first]));
  },
  'value-037': async ({ rig, way }) => {
    if (way === 'page') return;
    expect(isOpen((await entryOf(rig)).state)).toBe(true);
    await offeredAgain(rig);
  },
  'value-044': async ({ rig, value }) => {
    expect(value).toBeNull();
    const { chain } = rig.node;
    rig.node.reset();
    const hash = await pay(rig);
    chain.mine({ transactions: [hash] });
    await soon(async () => expect((await entryOf(rig)).state).toBe('mined'));
    chain.reorg();
    chain.mine();
    await soon(async () => expect((await entryOf(rig)).state).toBe('sent'));
    await offeredAgain(rig);
  },
  'value-054': async ({ rig }) => {
    const { chain } = rig.node;
    await request(rig, 'eth_subscribe', ['logs', {}]);
    await soon(() => expect(rig.node.count('eth_getBlockByNumber')).toBeGreaterThan(0));
    rig.node.reset();
    const height = Number(chain.blocks.at(-1)?.number) + 1;
    const block = chain.mine({ logs: [log()] });
    const own = log({ blockHash: block.hash, blockNumber: `0x${height.toString(16)}` });
    (block.logs as object[]).splice(0, 1, own, own);
    const delivered = () => rig.events.filter(({ name }) => name === 'message');
    await soon(() => expect(delivered().length).toBeGreaterThan(0));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(delivered()).toHaveLength(1);
  },
  'value-055': ({ rig, value }) => {
    const ranges = rig.node.requests
      .filter(({ method }) => method === 'eth_getLogs')
      .map(({ params: [filter] }) => filter as { fromBlock: string; toBlock: string });
    expect(ranges[0]).toMatchObject({ fromBlock: '0x64', toBlock: '0x65' });
    expect(ranges).toContainEqual(expect.objectContaining({ fromBlock: '0x64', toBlock: '0x64' }));
    expect(ranges).toContainEqual(expect.objectContaining({ fromBlock: '0x65', toBlock: '0x65' }));
    // The one that the cut had lost, which only a second look can show.
    expect(value).toHaveLength(10_001);
    expect((value as readonly object[]).at(-1)).toMatchObject({ blockNumber: '0x65' });
  },
  'value-060': ({ rig, value }) => {
    expect(value).toEqual([values.$A0]);
    expect(rig.node.count('eth_accounts')).toBe(0);
  },
  'value-061': ({ rig, value }) => {
    expect(value).toBe(keccak256('0x68'));
    expect(rig.node.count('web3_sha3')).toBe(0);
  },
  'import-017': withoutKey,
  'import-018': withoutKey,
  'import-019': withoutKey,
  'import-020': withoutKey,
  'import-021': withoutWords,
  'import-022': withoutWords,
  'import-024': withoutWords,
  'import-035': async ({ rig, error: wrong }) => {
    // Another tab: the same stores, a wallet of its own. Failures of the one slow the other.
    const tab = await createRig({ keys: 'planted', storage: rig.storage });
    try {
      const [counted] = rig.storage.dump().filter(({ key }) => key === 'attempts');
      expect(counted?.value).toMatchObject({ failures: 1 });
      await rig.storage.plant('vault', 'attempts', { ...(counted?.value as object), failures: 5 });
      const started = performance.now();
      await expect(tab.wallet.unlock('wrong')).rejects.toMatchObject({ code: 4100, message: wrong?.message });
      expect(performance.now() - started).toBeGreaterThan(900);
      // Damaged where only the right password could tell.
      for (const { store, key, value } of rig.storage.dump())
        if (store === 'vault')
          await rig.storage.plant('vault', key, key === 'attempts' ? undefined : damaged(value));
      await expect(tab.wallet.unlock(password)).rejects.toMatchObject({
        code: 4100,
        message: wrong?.message,
      });
    } finally {
      await tab.stop();
    }
  },
};

/** The same record with one character of its encrypted part changed. */
function damaged(record: unknown): unknown {
  const copy = structuredClone(record) as { payload?: { ct: string } };
  if (copy.payload) copy.payload.ct = copy.payload.ct.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
  return copy;
}

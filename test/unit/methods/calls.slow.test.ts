import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import 'fake-indexeddb/auto';
import {
  AtomicityNotSupportedError,
  createWalletClient,
  custom,
  defineChain,
  encodeFunctionData,
  parseAbi,
  parseEther,
  UnsupportedNonOptionalCapabilityError,
  UserRejectedRequestError,
} from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { type HeadlessApprover, headless } from '../../../packages/kit/src/testing/index.js';
import type { Answer, CallsQuestion, Question } from '../../../src/approvals/question.js';
import { createVolatileMemory, createWallet, type SessionMemory, type Wallet } from '../../../src/index.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import { creationOf, emitter, word } from '../../support/local-client.js';
import { answerNames } from '../../support/name-service.js';

hastenKdfOfFile();

/** EIP-5792 as a page meets it, over real chains; the numbers are those of docs/notes/clients.md#eip-5792. */

const password = 'correct horse';
const origin = 'https://app.example';
const friend = `0x${'aa'.repeat(20)}` as const;
const stranger = `0x${'bb'.repeat(20)}` as const;
/** Reverts until it was called with data once. */
const gate = creationOf('36601157600054600f5760006000fd5b005b600160005500');
const refusing = creationOf('60006000fd');
const erc20 = parseAbi(['function approve(address spender, uint256 amount) returns (bool)']);

let testnet: LocalService;
let mainnet: LocalService;
let memory: SessionMemory;
let approver: HeadlessApprover;
let wallet: Wallet;
let from: Hex;
let answer: (question: Question) => boolean | Answer | Promise<boolean>;
const opened: Wallet[] = [];

const networks = () => [
  { chainId: 31, url: testnet.url },
  { chainId: 30, url: mainnet.url },
];

/** The page, opened: once more over the same storage is after a reload. */
function open(options: Partial<createWallet.Options> = {}): Wallet {
  const made = createWallet({
    networks: networks(),
    approver: () => approver,
    storage: createIdbStorage({ name: 'calls' }),
    memory,
    origin,
    pollingInterval: 30,
    ...options,
  });
  opened.push(made);
  return made;
}

beforeAll(async () => {
  [testnet, mainnet] = await Promise.all([
    createLocalService({ chainId: 31 }),
    createLocalService({ chainId: 30, dialect: 'node' }),
  ]);
  memory = createVolatileMemory();
  answer = () => true;
  approver = headless({ password, answer: (question) => answer(question) });
  wallet = open();
  ({ address: from } = await wallet.importMnemonic(
    'test test test test test test test test test test test junk',
    { password },
  ));
  await testnet.controls.faucet(from, parseEther('10'));
  await mainnet.controls.faucet(from, parseEther('10'));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
});
beforeEach(() => {
  answer = () => true;
});
afterEach(() => {
  testnet.controls.clearFaults();
  testnet.controls.setMining('auto');
});
afterAll(async () => {
  for (const each of opened) each.destroy();
  await Promise.all([testnet.close(), mainnet.close()]);
});

const ask = (method: string, params?: readonly unknown[], page = wallet) =>
  page.provider.request({ method, ...(params && { params }) } as never) as Promise<unknown>;
const pay = (value: Hex, to: Hex = friend) => ({ to, value });
const sendCalls = (batch: object, page = wallet) =>
  ask(
    'wallet_sendCalls',
    [{ version: '2.0.0', chainId: '0x1f', from, atomicRequired: false, calls: [pay('0x1')], ...batch }],
    page,
  ) as Promise<{ id: string }>;
interface Status {
  readonly status: number;
  readonly receipts: readonly {
    readonly status: Hex;
    readonly transactionHash: Hex;
    readonly logs: unknown[];
  }[];
}
const statusOf = (id: string, page = wallet) =>
  ask('wallet_getCallsStatus', [id], page) as Promise<Status & Record<string, unknown>>;
const settled = (id: string, page = wallet) =>
  expect.poll(async () => (await statusOf(id, page)).status, { interval: 30 });
const hashes = async () => (await wallet.transactions()).map(({ hash }) => hash);
const deploy = async (data: Hex): Promise<Hex> => {
  const hash = await ask('eth_sendTransaction', [{ from, data }]);
  const receipt = await ask('eth_getTransactionReceipt', [hash]);
  return (receipt as { contractAddress: Hex }).contractAddress;
};
const client = (page = wallet) =>
  createWalletClient({
    account: from,
    chain: defineChain({
      id: 31,
      name: 'Rootstock Testnet',
      nativeCurrency: { name: 'tRBTC', symbol: 'tRBTC', decimals: 18 },
      rpcUrls: { default: { http: [testnet.url] } },
    }),
    transport: custom(page.provider),
    pollingInterval: 30,
  });

describe('wallet_sendCalls', () => {
  test('two calls are one question and two transactions, with their receipts in the status', async () => {
    const before = approver.asked.length;
    const { id } = await sendCalls({ calls: [pay('0x1'), pay('0x2')] });
    await settled(id).toBe(200);
    const status = await statusOf(id);
    expect(status).toEqual({
      version: '2.0.0',
      id,
      chainId: '0x1f',
      status: 200,
      atomic: false,
      receipts: [
        {
          logs: [],
          status: '0x1',
          blockHash: expect.stringMatching(/^0x[\da-f]{64}$/),
          blockNumber: expect.stringMatching(/^0x[1-9a-f][\da-f]*$/),
          gasUsed: '0x5208',
          transactionHash: expect.stringMatching(/^0x[\da-f]{64}$/),
        },
        expect.objectContaining({ status: '0x1' }),
      ],
    });
    expect(approver.asked.length - before).toBe(1);
  });

  test('viem’s own actions send, wait and read', async () => {
    const viem = client();
    expect(await viem.getCapabilities({ chainId: 31 })).toEqual({ atomic: { status: 'unsupported' } });
    const { id } = await viem.sendCalls({
      calls: [
        { to: friend, value: 1n },
        { to: friend, value: 2n },
      ],
    });
    const result = await viem.waitForCallsStatus({ id });
    expect(result).toMatchObject({ status: 'success', statusCode: 200, atomic: false, chainId: 31 });
    expect(result.receipts).toHaveLength(2);
    expect(result.receipts?.[0]).toMatchObject({ status: 'success', gasUsed: 21000n });
    await viem.showCallsStatus({ id });
    const sync = await viem.sendCallsSync({ calls: [{ to: friend, value: 1n }] });
    expect(sync).toMatchObject({ status: 'success' });
  });

  test('viem explains refusals by its own classes, and falls back to nothing', async () => {
    const viem = client();
    const calls = [
      { to: friend, value: 1n },
      { to: friend, value: 2n },
    ];
    const cause = (error: unknown) => (error as { cause?: unknown }).cause;
    const before = approver.asked.length;
    const atomic = await viem
      .sendCalls({ calls, forceAtomic: true, experimental_fallback: true })
      .catch(cause);
    expect(atomic).toBeInstanceOf(AtomicityNotSupportedError);
    const capable = await viem
      .sendCalls({
        calls,
        capabilities: { paymasterService: { url: 'https://x' } },
        experimental_fallback: true,
      })
      .catch(cause);
    expect(capable).toBeInstanceOf(UnsupportedNonOptionalCapabilityError);
    expect(approver.asked.length).toBe(before);
    answer = () => false;
    const refused = await viem.sendCalls({ calls, experimental_fallback: true }).catch(cause);
    expect(refused).toBeInstanceOf(UserRejectedRequestError);
    expect(approver.asked.length - before).toBe(1);
  });

  test('EIP-5792 (1) calls are sent in order, with nonces one after the other', async () => {
    const values = Array.from({ length: 5 }, (_, i) => `0x${i + 1}` as Hex);
    const { id } = await sendCalls({ calls: values.map((value) => pay(value)) });
    await settled(id).toBe(200);
    const { receipts } = await statusOf(id);
    const sent = await Promise.all(
      receipts.map(({ transactionHash }) => ask('eth_getTransactionByHash', [transactionHash])),
    );
    const transactions = sent as { value: Hex; nonce: Hex }[];
    expect(transactions.map(({ value }) => value)).toEqual(values);
    const first = Number(transactions[0]?.nonce);
    expect(transactions.map(({ nonce }) => Number(nonce))).toEqual(values.map((_, i) => first + i));
  });

  test('EIP-5792 (1) batches and single transactions at once take different nonces', async () => {
    const calls = [pay('0x1'), pay('0x2')];
    const [a, single, b] = await Promise.all([
      sendCalls({ calls }),
      ask('eth_sendTransaction', [{ from, ...pay('0x3') }]) as Promise<Hex>,
      sendCalls({ calls }),
    ]);
    await settled(a.id).toBe(200);
    await settled(b.id).toBe(200);
    expect(await ask('eth_getTransactionReceipt', [single])).toMatchObject({ status: '0x1' });
  });

  test('EIP-5792 (2) calls go to the named chain, which the dialog names, and the active one stays', async () => {
    const { id } = await sendCalls({ chainId: '0x1e', calls: [pay('0x1'), pay('0x2')] });
    expect(approver.asked.at(-1)).toMatchObject({
      kind: 'calls',
      network: { chainId: 30, symbol: 'RBTC' },
      warnings: [
        { code: 'typed-data-other-chain', severity: 'caution', detail: 'Rootstock Mainnet' },
        { code: 'first-time-recipient', severity: 'notice', detail: '#1, #2' },
      ],
    });
    await settled(id).toBe(200);
    expect(await statusOf(id)).toMatchObject({ chainId: '0x1e' });
    expect(await ask('eth_chainId')).toBe('0x1f');
    expect((await wallet.transactions()).at(-1)).toMatchObject({ chainId: 30 });
    const single = await sendCalls({ chainId: '0x1e' });
    expect(approver.asked.at(-1)).toMatchObject({
      kind: 'transaction',
      network: { chainId: 30 },
      warnings: [{ code: 'typed-data-other-chain' }],
    });
    await settled(single.id).toBe(200);
  });

  test('EIP-5792 (3) calls go from `from`, and without it from the connected account', async () => {
    const { id } = await sendCalls({ from: undefined });
    await settled(id).toBe(200);
    expect((await wallet.transactions()).at(-1)).toMatchObject({ from });
    expect(approver.asked.at(-1)).toMatchObject({ account: { address: from } });
    await expect(sendCalls({ from: stranger })).rejects.toMatchObject({ code: 4100 });
    const elsewhere = open({ origin: 'https://other.example' });
    await expect(sendCalls({}, elsewhere)).rejects.toMatchObject({ code: 4100 });
    await expect(sendCalls({ from: undefined }, elsewhere)).rejects.toMatchObject({ code: 4100 });
  });

  test('EIP-5792 (4) nothing waits for a block', async () => {
    testnet.controls.setMining('manual');
    const { id } = await sendCalls({ calls: [pay('0x1'), pay('0x2')] });
    expect(await statusOf(id)).toMatchObject({ status: 100, receipts: [] });
    await testnet.controls.mine(1);
    await settled(id).toBe(200);
  });

  test('EIP-5792 (5) refused, nothing is signed or sent, and the id is free again', async () => {
    const [before, sent] = [await hashes(), testnet.requests.count('eth_sendRawTransaction')];
    answer = () => false;
    const batch = { id: 'refused', calls: [pay('0x1'), pay('0x2')] };
    await expect(sendCalls(batch)).rejects.toMatchObject({ code: 4001 });
    await expect(statusOf('refused')).rejects.toMatchObject({ code: 5730 });
    expect(await hashes()).toEqual(before);
    expect(testnet.requests.count('eth_sendRawTransaction')).toBe(sent);
    answer = () => true;
    expect(await sendCalls(batch)).toEqual({ id: 'refused' });
  });

  test('EIP-5792 (6) several calls that must be atomic are 5760; one is atomic by itself', async () => {
    const before = approver.asked.length;
    await expect(sendCalls({ atomicRequired: true, calls: [pay('0x1'), pay('0x2')] })).rejects.toMatchObject({
      code: 5760,
    });
    expect(approver.asked.length).toBe(before);
    const { id } = await sendCalls({ atomicRequired: true });
    await settled(id).toBe(200);
    expect(approver.asked.at(-1)).toMatchObject({ kind: 'transaction', action: 'send' });
  });

  test.each([
    ['top-level', { capabilities: { paymasterService: { url: 'https://x' } } }],
    ['top-level, said to be required', { capabilities: { flow: { optional: false } } }],
    ['of the batch’s chain', { capabilities: { gas: { '0x1f': { url: 'https://x' } } } }],
    ['of the batch’s chain, written otherwise', { capabilities: { gas: { '0x1F': { optional: false } } } }],
    ['of a call', { calls: [pay('0x1'), { ...pay('0x2'), capabilities: { gas: {} } }] }],
  ])('EIP-5792 (7) a capability that is not optional is 5700: %s', async (_, batch) => {
    await expect(sendCalls(batch)).rejects.toMatchObject({ code: 5700 });
  });

  test('EIP-5792 (7) an optional one is as if it were not there', async () => {
    const capabilities = {
      paymasterService: { url: 'https://x', optional: true },
      // For each chain (ERC-7677 in its first form).
      gas: { '0x1f': { url: 'https://x', optional: true }, '0x1': { url: 'https://x' } },
      flow: { '0x1': {} },
    };
    const { id } = await sendCalls({ capabilities, calls: [{ ...pay('0x1'), capabilities }] });
    await settled(id).toBe(200);
  });

  test('EIP-5792 (8) a given id is returned; a second use is 5720', async () => {
    const id = `0x${'ef'.repeat(4096)}`;
    expect(await sendCalls({ id })).toEqual({ id });
    await settled(id).toBe(200);
    await expect(sendCalls({ id })).rejects.toMatchObject({ code: 5720 });
    await expect(sendCalls({ id: `${id}ef` })).rejects.toMatchObject({ code: -32602 });
    await expect(sendCalls({ id: 'é'.repeat(2049) })).rejects.toMatchObject({ code: -32602 });
  });

  test('EIP-5792 (8) an id belongs to a sender and an origin', async () => {
    const { address: second } = await wallet.addAccount();
    await testnet.controls.faucet(second, parseEther('1'));
    const two = headless({
      password,
      answer: (question) =>
        question.kind === 'connect'
          ? { approved: true, accounts: question.accounts.map(({ address }) => address) }
          : true,
    });
    const elsewhere = open({ origin: 'https://two.example', approver: () => two });
    await ask('eth_requestAccounts', undefined, elsewhere);
    await wallet.unlock(password);
    const id = 'mine';
    await sendCalls({ id });
    await expect(statusOf(id, elsewhere)).rejects.toMatchObject({ code: 5730 });
    await sendCalls({ id }, elsewhere);
    await sendCalls({ id, from: second }, elsewhere);
    await expect(sendCalls({ id, from: second }, elsewhere)).rejects.toMatchObject({ code: 5720 });
    await settled(id, elsewhere).toBe(200);
  });

  test('EIP-5792 (8) the id of an open question is in use', async () => {
    const both = await Promise.allSettled([sendCalls({ id: 'twice' }), sendCalls({ id: 'twice' })]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 5720 } });
  });

  test('EIP-5792 (10) ids of the wallet are long, and none is like another', async () => {
    const ids = await Promise.all([sendCalls({}), sendCalls({})]);
    for (const { id } of ids) expect(id).toMatch(/^0x[\da-f]{64}$/);
    expect(ids[0]?.id).not.toBe(ids[1]?.id);
  });

  test.each([
    ['a leading zero', { chainId: '0x01f' }, -32602],
    ['no 0x', { chainId: '1f' }, -32602],
    ['a number', { chainId: 31 }, -32602],
    ['no chain id', { chainId: undefined }, -32602],
    ['a chain that is not known', { chainId: '0x2105' }, 5710],
    ['too many calls', { calls: Array.from({ length: 17 }, () => pay('0x1')) }, 5740],
    [
      'a call that fits in no transaction',
      { calls: [{ to: friend, data: `0x${'00'.repeat(131_073)}` }] },
      5740,
    ],
    ['no calls', { calls: [] }, -32602],
    ['a misspelt key', { atomicrequired: true }, -32602],
    ['a call without a recipient', { calls: [{ value: '0x1' }] }, -32602],
    ['another version', { version: '3.0.0' }, -32602],
    ['not said whether it must be atomic', { atomicRequired: undefined }, -32602],
  ])('EIP-5792 (15) %s', async (_, batch, code) => {
    await expect(sendCalls(batch)).rejects.toMatchObject({ code });
  });

  test('the draft’s version, which had no atomicRequired, is taken as well', async () => {
    const { id } = await sendCalls({ version: '1.0', atomicRequired: undefined });
    await settled(id).toBe(200);
  });

  test('a deployment may stand in a batch', async () => {
    const { id } = await sendCalls({ calls: [{ data: refusing }, pay('0x1')] });
    await settled(id).toBe(200);
  });

  test('one question shows every call, its warnings, and their total cost', async () => {
    const data = encodeFunctionData({
      abi: erc20,
      functionName: 'approve',
      args: [stranger, 2n ** 256n - 1n],
    });
    const target = await deploy(emitter);
    answer = (question) => question.kind !== 'calls';
    await expect(
      sendCalls({ calls: [pay('0x5'), { to: target, data }, { to: target, data: '0x12345678' }] }),
    ).rejects.toMatchObject({ code: 4001 });
    const asked = approver.asked.at(-1) as CallsQuestion;
    expect(asked).toMatchObject({
      kind: 'calls',
      origin,
      network: { chainId: 31 },
      account: { address: from },
      calls: [
        { transaction: { to: friend, value: '0x5', data: '0x', gas: '0x5208' }, call: null, warnings: [] },
        { transaction: { to: target, data }, call: { name: 'approve', spender: stranger, unlimited: true } },
        { transaction: { to: target, data: '0x12345678' }, call: null },
      ],
    });
    expect(asked.warnings).toContainEqual({ code: 'unlimited-approval', severity: 'danger', detail: '#2' });
    expect(asked.warnings).toContainEqual({ code: 'unknown-call', severity: 'caution', detail: '#3' });
    const add = (field: 'fee' | 'total') => asked.calls.reduce((sum, call) => sum + BigInt(call[field]), 0n);
    expect([BigInt(asked.fee), BigInt(asked.total)]).toEqual([add('fee'), add('total')]);
    expect(BigInt(asked.total)).toBe(BigInt(asked.fee) + 5n);
    const nonces = asked.calls.map(({ transaction }) => Number(transaction.nonce));
    expect(nonces).toEqual(nonces.map((_, i) => (nonces[0] ?? 0) + i));
  });

  test.each([
    ['seed', 31],
    ['node', 30],
  ])('a call that needs an earlier one is noted, given enough gas, and succeeds (%s)', async (_, chainId) => {
    wallet.switchChain(chainId);
    const target = await deploy(gate);
    await expect(ask('eth_call', [{ to: target }, 'latest'])).rejects.toMatchObject({ code: 3 });
    const { id } = await sendCalls({
      chainId: `0x${chainId.toString(16)}`,
      calls: [{ to: target, data: '0x01' }, { to: target }],
    });
    wallet.switchChain(31);
    const asked = approver.asked.at(-1) as CallsQuestion;
    expect(asked.warnings).toContainEqual({
      code: 'simulation-unavailable',
      severity: 'caution',
      detail: '#2',
    });
    expect(asked.warnings.map(({ code }) => code)).not.toContain('simulation-reverts');
    expect(Number(asked.calls[1]?.transaction.gas)).toBeGreaterThanOrEqual(1_000_000);
    await settled(id).toBe(200);
  });

  test('the first call is tried out as it is', async () => {
    const target = await deploy(refusing);
    answer = (question) => question.kind !== 'calls';
    await expect(sendCalls({ calls: [{ to: target }, pay('0x1')] })).rejects.toMatchObject({ code: 4001 });
    expect(approver.asked.at(-1)?.warnings).toContainEqual(
      expect.objectContaining({ code: 'simulation-reverts', severity: 'danger' }),
    );
  });

  test('calls that the balance covers one by one and not together', async () => {
    const balance = BigInt((await ask('eth_getBalance', [from, 'latest'])) as Hex);
    const most = `0x${((balance * 3n) / 4n).toString(16)}` as Hex;
    const before = approver.asked.length;
    await expect(sendCalls({ calls: [pay(most), pay(most)] })).rejects.toMatchObject({
      code: -32003,
      message: expect.stringContaining('insufficient funds'),
    });
    // The person is told what is missing.
    expect(approver.asked.slice(before)).toMatchObject([
      { kind: 'calls', shortfall: expect.any(String), warnings: [{ code: 'insufficient-funds' }] },
    ]);
  });

  test('the person chooses one gas price for all calls, within what the balance covers', async () => {
    const data = encodeFunctionData({ abi: erc20, functionName: 'approve', args: [stranger, 5n] });
    const calls = [pay('0x1'), pay('0x2'), { to: await deploy(emitter), data }];
    const chosenFast = (question: Question): Answer => {
      const { choices } = question as CallsQuestion;
      return { approved: true, gasPrice: choices?.fees.fast.gasPrice as Hex };
    };
    answer = chosenFast;
    const { id } = await sendCalls({ calls });
    const asked = approver.asked.at(-1) as CallsQuestion;
    const { fees, maximum } = asked.choices as NonNullable<CallsQuestion['choices']>;
    const price = asked.calls[0]?.transaction.gasPrice as Hex;
    expect(asked.calls.map(({ transaction }) => transaction.gasPrice)).toEqual([price, price, price]);
    expect([fees.normal.gasPrice, fees.normal.fee]).toEqual([price, asked.fee]);
    const gas = asked.calls.reduce((sum, { transaction }) => sum + BigInt(transaction.gas), 0n);
    expect(BigInt(fees.fast.fee)).toBe(gas * BigInt(fees.fast.gasPrice));
    expect(BigInt(fees.fast.gasPrice)).toBeGreaterThan(BigInt(price));
    await settled(id).toBe(200);
    const signed = (await wallet.transactions()).slice(-3);
    expect(signed.map(({ gasPrice }) => gasPrice)).toEqual(Array(3).fill(fees.fast.gasPrice));

    // What was not offered is a refusal: a price that is too high, and the amount of an approval.
    for (const more of [
      { gasPrice: `0x${(BigInt(maximum) + 1n).toString(16)}` as Hex },
      { allowance: '1' },
    ]) {
      answer = () => ({ approved: true, ...more });
      await expect(sendCalls({ calls })).rejects.toMatchObject({ code: 4001 });
    }

    // Twice the price would be more than there is.
    const balance = BigInt((await ask('eth_getBalance', [from, 'latest'])) as Hex);
    const fee = 2n * 21_000n * BigInt(price);
    const half = (balance - (fee * 5n) / 4n) / 2n;
    answer = () => false;
    await sendCalls({ calls: [pay(`0x${half.toString(16)}`), pay(`0x${half.toString(16)}`)] }).catch(
      () => {},
    );
    const { choices } = approver.asked.at(-1) as CallsQuestion;
    expect(choices?.fees.fast.gasPrice).toBe(choices?.maximum);
    expect(BigInt(choices?.maximum as Hex)).toBeLessThan(BigInt(fees.fast.gasPrice));
    expect(2n * (half + 21_000n * BigInt(choices?.maximum as Hex))).toBeLessThanOrEqual(balance);
  });

  test('each recipient has its name where the name resolves to it', async () => {
    // Whom nobody has looked up before.
    const [alice, bob, nobody] = ['a1', 'b0', 'cc'].map((byte) => `0x${byte.repeat(20)}` as const);
    const answerName = answerNames({
      names: { 'alice.rsk': alice as Hex, 'bob.rsk': bob as Hex },
      claims: { [alice as Hex]: 'alice.rsk', [bob as Hex]: 'bob.rsk' },
    });
    testnet.controls.intercept(({ calls: [call] }) => {
      if (call?.method !== 'eth_call') return undefined;
      const result = answerName((call.params as [{ to: Hex; data: Hex }])[0]);
      return result && { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, result }) };
    });
    answer = () => false;
    const calls = [alice, bob, nobody].map((to) => pay('0x1', to));
    await expect(sendCalls({ calls })).rejects.toMatchObject({ code: 4001 });
    const asked = approver.asked.at(-1) as CallsQuestion;
    expect(asked.calls.map(({ recipient }) => recipient?.name)).toEqual(['alice.rsk', 'bob.rsk', undefined]);
  });

  test('a permission that is revoked while the dialog is open signs nothing', async () => {
    const before = await hashes();
    answer = (question) => {
      if (question.kind === 'calls') wallet.disconnect(origin);
      return true;
    };
    await expect(sendCalls({ calls: [pay('0x1'), pay('0x2')] })).rejects.toMatchObject({ code: 4100 });
    expect(await hashes()).toEqual(before);
    await ask('eth_requestAccounts');
  });

  test('locked, the one dialog unlocks for all calls', async () => {
    await wallet.lock();
    const before = approver.asked.length;
    const { id } = await sendCalls({ calls: [pay('0x1'), pay('0x2'), pay('0x3')] });
    expect(approver.asked.slice(before)).toMatchObject([{ kind: 'calls', locked: true }]);
    await settled(id).toBe(200);
  });
});

describe('wallet_getCallsStatus', () => {
  test('EIP-5792 (9) after a reload the batch is still known, and still sent', async () => {
    testnet.controls.setMining('manual');
    const { id } = await sendCalls({ calls: [pay('0x1'), pay('0x2')] });
    wallet.destroy();
    await testnet.controls.evictPending();
    wallet = open();
    expect(await statusOf(id)).toMatchObject({ status: 100, id, chainId: '0x1f' });
    const viem = client();
    const waiting = viem.waitForCallsStatus({ id, timeout: 30_000 });
    testnet.controls.setMining('auto');
    for (let i = 0; i < 8; i++) {
      await testnet.controls.mine(1);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(await waiting).toMatchObject({ status: 'success', receipts: { length: 2 } });
  });

  test('EIP-5792 (11) receipts of the included calls, also reverted ones, with the logs of these calls', async () => {
    const [logging, reverting] = [await deploy(emitter), await deploy(refusing)];
    const { id } = await sendCalls({
      calls: [{ to: logging, data: `0x${word(7)}${word(9)}` }, { to: reverting }, pay('0x1')],
    });
    await settled(id).toBe(600);
    const { receipts, atomic } = await statusOf(id);
    expect(atomic).toBe(false);
    expect(receipts.map(({ status }) => status)).toEqual(['0x1', '0x0', '0x1']);
    expect(receipts[0]?.logs).toEqual([
      { address: logging.toLowerCase(), data: `0x${word(9)}`, topics: [`0x${word(7)}`] },
    ]);
    expect(Object.keys(receipts[0] ?? {}).sort()).toEqual(
      ['blockHash', 'blockNumber', 'gasUsed', 'logs', 'status', 'transactionHash'].sort(),
    );
  });

  test('EIP-5792 (11) an id that is not known is 5730, and one that is no id -32602', async () => {
    await expect(statusOf(`0x${'00'.repeat(32)}`)).rejects.toMatchObject({ code: 5730 });
    for (const params of [[], [''], [1], [{}], [`0x${'00'.repeat(4097)}`]])
      await expect(ask('wallet_getCallsStatus', params)).rejects.toMatchObject({ code: -32602 });
  });

  test('EIP-5792 (12) mined in part is 100, all reverted 500', async () => {
    const reverting = await deploy(refusing);
    testnet.controls.setMining('manual');
    const { id } = await sendCalls({ calls: [{ to: reverting }, { to: reverting }] });
    const [, second] = (await wallet.transactions()).slice(-2);
    await testnet.controls.evictPending(second?.hash);
    await testnet.controls.mine(1);
    const part = await statusOf(id);
    expect([part.status, part.receipts.length]).toEqual([100, 1]);
    await expect
      .poll(
        async () => {
          await testnet.controls.mine(1);
          return (await statusOf(id)).status;
        },
        { interval: 60 },
      )
      .toBe(500);
  });

  test('EIP-5792 (12) a reorganisation that takes the receipts makes it pending again', async () => {
    testnet.controls.setMining('manual');
    const { id } = await sendCalls({ calls: [pay('0x1'), pay('0x2')] });
    await testnet.controls.mine(1);
    await settled(id).toBe(200);
    await testnet.controls.reorg(1, { transactions: 'dropped' });
    expect(await statusOf(id)).toMatchObject({ status: 100, receipts: [] });
    await expect
      .poll(
        async () => {
          await testnet.controls.mine(1);
          return (await statusOf(id)).status;
        },
        { interval: 60 },
      )
      .toBe(200);
  });

  test('EIP-5792 (12) taken over by others, it is 400', async () => {
    testnet.controls.setMining('manual');
    const { id } = await sendCalls({ calls: [pay('0x1'), pay('0x2')] });
    for (const { nonce, gasPrice } of (await wallet.transactions()).slice(-2)) {
      const dearer = `0x${((BigInt(gasPrice) * 3n) / 2n).toString(16)}`;
      await ask('eth_sendTransaction', [{ from, to: stranger, value: '0x1', nonce, gasPrice: dearer }]);
    }
    await expect
      .poll(
        async () => {
          await testnet.controls.mine(1);
          return (await statusOf(id)).status;
        },
        { interval: 60 },
      )
      .toBe(400);
    expect((await statusOf(id)).receipts).toEqual([]);
  });

  test('EIP-5792 (16) the status carries the named fields and no capabilities', async () => {
    const { id } = await sendCalls({});
    expect(Object.keys(await statusOf(id)).sort()).toEqual(
      ['atomic', 'chainId', 'id', 'receipts', 'status', 'version'].sort(),
    );
  });
});

describe('wallet_getCapabilities', () => {
  const atomic = { status: 'unsupported' };

  test('EIP-5792 (13) known chains only, and never an error for one that is not', async () => {
    expect(await ask('wallet_getCapabilities', [from])).toEqual({ '0x1f': { atomic }, '0x1e': { atomic } });
    expect(await ask('wallet_getCapabilities', [from, ['0x1e', '0x2105', '0x0']])).toEqual({
      '0x1e': { atomic },
    });
    expect(await ask('wallet_getCapabilities', [from, ['0x2105']])).toEqual({});
  });

  test('EIP-5792 (13) an account that is not connected is 4100', async () => {
    await expect(ask('wallet_getCapabilities', [stranger])).rejects.toMatchObject({ code: 4100 });
    const elsewhere = open({ origin: 'https://third.example' });
    await expect(ask('wallet_getCapabilities', [from], elsewhere)).rejects.toMatchObject({ code: 4100 });
  });

  test('EIP-5792 (14) every known chain accepts batches and reports that they are not atomic', async () => {
    const all = (await ask('wallet_getCapabilities', [from])) as Record<string, { atomic: unknown }>;
    for (const chain of Object.values(all)) expect(chain.atomic).toEqual(atomic);
  });

  test('EIP-5792 (15) ids of chains are read strictly', async () => {
    for (const id of ['0x01f', '1f', 31, null])
      await expect(ask('wallet_getCapabilities', [from, [id]])).rejects.toMatchObject({ code: -32602 });
    await expect(ask('wallet_getCapabilities', [from, '0x1f'])).rejects.toMatchObject({ code: -32602 });
    await expect(ask('wallet_getCapabilities', [])).rejects.toMatchObject({ code: -32602 });
  });
});

describe('wallet_showCallsStatus', () => {
  test('EIP-5792 (17) shows the status of each call and resolves with null; an unknown id is 5730', async () => {
    const reverting = await deploy(refusing);
    const { id } = await sendCalls({ calls: [pay('0x1'), { to: reverting }] });
    await settled(id).toBe(600);
    const before = approver.asked.length;
    expect(await ask('wallet_showCallsStatus', [id])).toBeNull();
    answer = () => false;
    expect(await ask('wallet_showCallsStatus', [id])).toBeNull();
    const { receipts } = await statusOf(id);
    const shown = {
      kind: 'calls-status',
      origin,
      locked: false,
      account: { address: from },
      calls: [
        { to: friend, value: '0x1', state: 'succeeded', hash: receipts[0]?.transactionHash },
        { state: 'reverted', hash: receipts[1]?.transactionHash },
      ],
    };
    expect(approver.asked.slice(before)).toMatchObject([shown, shown]);
    await expect(ask('wallet_showCallsStatus', ['0x00'])).rejects.toMatchObject({ code: 5730 });
  });
});

import { getAddress, parseEther, recoverMessageAddress, recoverTypedDataAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { type HeadlessApprover, headless } from '../../../packages/kit/src/testing/index.js';
import type { createWallet, JournalEntry, Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** The wallet as a page uses it: the real service over a real EVM, only the person is played. */

const password = 'correct horse';
const mnemonic = 'test test test test test test test test test test test junk';
const stranger = '0x00000000000000000000000000000000000000aa';

let service: LocalService;
const wallets: Wallet[] = [];

beforeAll(async () => {
  service = await createLocalService({ chainId: 31 });
});
afterAll(async () => {
  for (const wallet of wallets) wallet.destroy();
  await service.close();
});

function walletWith(approver: HeadlessApprover, options: Partial<createWallet.Options> = {}): Wallet {
  const wallet = openWallet({
    networks: [{ chainId: 31, url: service.url }],
    approver: () => approver,
    pollingInterval: 50,
    ...options,
  });
  wallets.push(wallet);
  return wallet;
}

describe('before a wallet exists', () => {
  test('a wallet without a vault answers reads, and no accounts', async () => {
    const { provider, ...wallet } = walletWith(headless());
    expect(await provider.request({ method: 'eth_accounts' })).toEqual([]);
    expect(await provider.request({ method: 'eth_chainId' })).toBe('0x1f');
    expect(await provider.request({ method: 'net_version' })).toBe('31');
    expect(await wallet.vaultState()).toBe('empty');
    expect(await provider.request({ method: 'eth_blockNumber' })).toMatch(/^0x/);
  });

  test('a page with its own onboarding is refused with the reason', async () => {
    const approver = headless();
    await expect(
      walletWith(approver, { onboarding: 'page' }).provider.request({ method: 'eth_requestAccounts' }),
    ).rejects.toMatchObject({
      code: 4100,
      message: expect.stringContaining('no account'),
    });
    expect(approver.asked).toEqual([]);
  });

  test('in Node the dialog has no page: the request is refused with the reason, not as if a person had', async () => {
    const wallet = openWallet({ networks: [{ chainId: 31, url: service.url }] });
    wallets.push(wallet);
    await expect(wallet.provider.request({ method: 'eth_requestAccounts' })).rejects.toMatchObject({
      code: 4200,
      message: expect.stringContaining('There is no page here'),
    });
  });

  test('else the person is asked to set up a wallet, and one who does not has refused', async () => {
    const approver = headless({ answer: false });
    await expect(
      walletWith(approver).provider.request({ method: 'eth_requestAccounts' }),
    ).rejects.toMatchObject({ code: 4001 });
    expect(approver.asked).toMatchObject([{ kind: 'onboarding', vault: 'empty' }]);
  });

  test('methods that the session answers send no request', async () => {
    const { provider } = walletWith(headless());
    const before = service.requests.count();
    await provider.request({ method: 'eth_accounts' });
    await provider.request({ method: 'eth_chainId' });
    expect(service.requests.count()).toBe(before);
  });
});

describe('a wallet with an account', () => {
  let approver: HeadlessApprover;
  let wallet: Wallet;
  let from: `0x${string}`;
  let refuse = false;
  let hold = async () => {};

  beforeAll(async () => {
    approver = headless({
      password,
      answer: async () => {
        await hold();
        return !refuse;
      },
    });
    wallet = walletWith(approver);
    const account = await wallet.importMnemonic(mnemonic, { password });
    from = account.address;
    await service.controls.faucet(from, parseEther('10'));
  });

  test('the first connection gives the page the account', async () => {
    const heard: unknown[] = [];
    wallet.provider.once('accountsChanged', (accounts) => heard.push(accounts));
    expect(await wallet.provider.request({ method: 'eth_requestAccounts' })).toEqual([from]);
    expect(heard).toEqual([[from]]);
    expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([from]);
    expect(wallet.state().accounts).toEqual([
      { address: from, label: 'Account 1', path: "m/44'/37310'/0'/0/0" },
    ]);
  });

  test('a payment is mined, and the hash is the one that was answered', async () => {
    const hash = await wallet.provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to: stranger, value: '0xde0b6b3a7640000' }],
    });
    const receipt = await wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    expect(receipt).toMatchObject({ transactionHash: hash, status: '0x1', gasUsed: '0x5208' });
    expect(await wallet.provider.request({ method: 'eth_getBalance', params: [stranger] })).toBe(
      '0xde0b6b3a7640000',
    );
    expect(approver.asked.at(-1)).toMatchObject({
      kind: 'transaction',
      action: 'send',
      origin: 'https://app.example',
      network: { chainId: 31, source: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
      transaction: { to: stranger, value: '0xde0b6b3a7640000', gas: '0x5208', data: '0x' },
      call: null,
      warnings: [{ code: 'first-time-recipient', severity: 'notice' }],
    });
  });

  test('two sends at once get two nonces', async () => {
    const send = () =>
      wallet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: stranger, value: '0x1' }],
      });
    const hashes = await Promise.all([send(), send(), send()]);
    expect(new Set(hashes).size).toBe(3);
    const transactions = await Promise.all(
      hashes.map((hash) => wallet.provider.request({ method: 'eth_getTransactionByHash', params: [hash] })),
    );
    const nonces = transactions.map((each) => Number(each?.nonce)).sort((a, b) => a - b);
    expect(nonces).toEqual([nonces[0], (nonces[0] ?? 0) + 1, (nonces[0] ?? 0) + 2]);
  });

  test('a nonce that is used and mined while the next dialog is open is not used again', async () => {
    const open = async () =>
      (await wallet.transactions()).filter(({ state }) => state === 'signed' || state === 'sent').length;
    let shown = 0;
    hold = async () => {
      if (++shown === 2) await expect.poll(open).toBe(0);
    };
    const send = () =>
      wallet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: stranger, value: '0x1' }],
      });
    const hashes = await Promise.all([send(), send()]);
    hold = async () => {};
    expect(new Set(hashes).size).toBe(2);
  });

  test('one round trip from the request to the dialog, and one from the answer to the hash', async () => {
    const reads = [
      'eth_call',
      'eth_estimateGas',
      'eth_gasPrice',
      'eth_getBalance',
      'eth_getBlockByNumber',
      'eth_getTransactionCount',
    ];
    const held = new Map<string, () => void>();
    // Each read is held until all have arrived: one that waited for another would never be answered.
    const stop = service.controls.intercept(({ calls }) => {
      const method = calls[0]?.method as string;
      if (held.size === reads.length || !reads.includes(method)) return undefined;
      return new Promise((resolve) => {
        const release = held.get(method);
        held.set(method, () => {
          release?.();
          resolve(undefined);
        });
        if (held.size === reads.length) for (const each of held.values()) each();
      });
    });
    const hash = await wallet.provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to: stranger, value: '0x1' }],
    });
    stop();
    expect([...held.keys()].sort()).toEqual(reads);
    const { raw } = (await wallet.transactions()).find((entry) => entry.hash === hash) as JournalEntry;
    const offers = service.requests.filter(({ params }) => Array.isArray(params) && params[0] === raw);
    expect(offers).toHaveLength(1);
  });

  test('EIP-1559 fields become a legacy price', async () => {
    const hash = await wallet.provider.request({
      method: 'eth_sendTransaction',
      params: [
        {
          from,
          to: stranger,
          value: '0x1',
          type: '0x2',
          maxFeePerGas: '0x77359400',
          maxPriorityFeePerGas: '0x1',
        },
      ],
    });
    const sent = await wallet.provider.request({ method: 'eth_getTransactionByHash', params: [hash] });
    expect(sent).toMatchObject({ type: '0x0' });
    expect(BigInt(sent?.gasPrice ?? 0)).toBeLessThanOrEqual(0x77359400n);
  });

  test('the answer is the local hash although the service answers a zero hash, another hash, or not at all', async () => {
    const { controls } = service;
    let lost = 0;
    for (const spoil of [
      () => controls.zeroHashReplies(1),
      () => controls.wrongHashReplies(1),
      () =>
        controls.dropReplies(({ calls }) => calls[0]?.method === 'eth_sendRawTransaction' && lost++ === 0),
    ]) {
      spoil();
      const hash = await wallet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: stranger, value: '0x1' }],
      });
      const receipt = await wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
      expect(receipt).toMatchObject({ transactionHash: hash, status: '0x1' });
    }
    controls.clearFaults();
  });

  test('a nonce that the page chose above a gap does not block later transactions', async () => {
    const next = await wallet.provider.request({
      method: 'eth_getTransactionCount',
      params: [from, 'pending'],
    });
    const send = (nonce?: `0x${string}`) =>
      wallet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: stranger, value: '0x1', ...(nonce && { nonce }) }],
      });
    await send(`0x${(BigInt(next) + 3n).toString(16)}`);
    const hash = await send();
    expect(
      await wallet.provider.request({ method: 'eth_getTransactionByHash', params: [hash] }),
    ).toMatchObject({
      nonce: next,
    });
    await send();
    await send();
    await expect
      .poll(async () => (await wallet.transactions()).every(({ state }) => state === 'mined'))
      .toBe(true);
  });

  test('a transaction that names its chain is for that chain, or for none', async () => {
    await using mainnet = await createLocalService({ chainId: 30 });
    const two = walletWith(headless({ password }), {
      networks: [
        { chainId: 31, url: service.url },
        { chainId: 30, url: mainnet.url },
      ],
    });
    const { address } = await two.importMnemonic(mnemonic, { password });
    await two.provider.request({ method: 'eth_requestAccounts' });
    const send = () =>
      two.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from: address, to: stranger, value: '0x1', chainId: '0x1f' }],
      });
    const sent = send();
    two.switchChain(30);
    const hash = await sent;
    expect((await two.transactions()).at(-1)).toMatchObject({ hash, chainId: 31 });
    await expect(send()).rejects.toMatchObject({ code: 4901 });
    expect(() => two.switchChain(999)).toThrow(expect.objectContaining({ code: 4902 }));
    two.destroy();
  });

  test('a watcher that throws loses no event and no transaction', async () => {
    const thrown: unknown[] = [];
    const real = queueMicrotask;
    vi.stubGlobal('queueMicrotask', (task: () => void) =>
      real(() => {
        try {
          task();
        } catch (error) {
          thrown.push(error);
        }
      }),
    );
    const undo = wallet.watch(() => {
      throw new Error('mine');
    });
    const hash = await wallet.provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to: stranger, value: '0x1' }],
    });
    undo();
    vi.unstubAllGlobals();
    expect((await wallet.transactions()).filter((entry) => entry.hash === hash)).toHaveLength(1);
    expect(thrown.length).toBeGreaterThan(0);
  });

  test('a refusal is 4001, and nothing was signed', async () => {
    refuse = true;
    const signed = async () => (await wallet.transactions()).map(({ hash }) => hash);
    const before = await signed();
    await expect(
      wallet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: stranger, value: '0x1' }],
      }),
    ).rejects.toMatchObject({ code: 4001 });
    refuse = false;
    expect(await signed()).toEqual(before);
  });

  test('more than there is', async () => {
    await expect(
      wallet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: stranger, value: '0xffffffffffffffffffff' }],
      }),
    ).rejects.toMatchObject({ code: -32003, message: expect.stringContaining('insufficient funds') });
  });

  test('an account that is not the wallet’s is refused', async () => {
    await expect(
      wallet.provider.request({ method: 'eth_sendTransaction', params: [{ from: stranger, to: from }] }),
    ).rejects.toMatchObject({ code: 4100 });
  });

  test('personal_sign, and recovering its signer', async () => {
    const signature = await wallet.provider.request({
      method: 'personal_sign',
      params: ['0x68656c6c6f', from],
    });
    expect(await recoverMessageAddress({ message: 'hello', signature })).toBe(getAddress(from));
    expect(
      await wallet.provider.request({ method: 'personal_ecRecover', params: ['0x68656c6c6f', signature] }),
    ).toBe(from);
    const prefixed = await wallet.provider.request({ method: 'eth_sign', params: [from, '0x68656c6c6f'] });
    expect(prefixed).toBe(signature);
  });

  test('typed data, all versions', async () => {
    const typedData = {
      domain: { name: 'Test', version: '1', chainId: 31 },
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
        ],
        Order: [{ name: 'amount', type: 'uint256' }],
      },
      primaryType: 'Order',
      message: { amount: '5' },
    } as const;
    const signature = await wallet.provider.request({
      method: 'eth_signTypedData_v4',
      params: [from, JSON.stringify(typedData)],
    });
    const message = { amount: 5n };
    expect(await recoverTypedDataAddress({ ...typedData, message, signature } as never)).toBe(
      getAddress(from),
    );
    expect(await wallet.provider.request({ method: 'eth_signTypedData_v3', params: [from, typedData] })).toBe(
      signature,
    );
    expect(await wallet.provider.request({ method: 'eth_signTypedData', params: [from, typedData] })).toBe(
      signature,
    );
    const v1 = [{ type: 'string', name: 'Message', value: 'Hi' }];
    expect(await wallet.provider.request({ method: 'eth_signTypedData', params: [v1, from] })).toBe(
      await wallet.provider.request({ method: 'eth_signTypedData_v1', params: [v1, from] }),
    );
  });

  test('new blocks and logs arrive as messages', async () => {
    const messages: { data: { subscription: string; result: { number?: string } } }[] = [];
    wallet.provider.on('message', (message) => messages.push(message));
    const id = await wallet.provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
    await expect.poll(() => service.requests.count('eth_getBlockByNumber')).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await service.controls.mine(2);
    await expect.poll(() => messages.filter(({ data }) => data.subscription === id).length).toBe(2);
    expect(await wallet.provider.request({ method: 'eth_unsubscribe', params: [id] })).toBe(true);
  });

  test('while locked, the accounts are still returned, and the next signature unlocks in its own dialog', async () => {
    await wallet.lock();
    expect(await wallet.vaultState()).toBe('locked');
    expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([from]);
    await wallet.provider.request({ method: 'personal_sign', params: ['0x68', from] });
    expect(approver.asked.at(-1)?.locked).toBe(true);
    expect(await wallet.vaultState()).toBe('unlocked');
  });

  test('revoking takes the accounts back', async () => {
    const heard: unknown[] = [];
    wallet.provider.once('accountsChanged', (accounts) => heard.push(accounts));
    await wallet.provider.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] });
    expect(heard).toEqual([[]]);
    expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([]);
  });

  test('a destroyed wallet refuses requests and sends none', async () => {
    await using quiet = await createLocalService({ chainId: 31 });
    const gone = walletWith(headless({ password }), { networks: [{ chainId: 31, url: quiet.url }] });
    const asked = gone.provider.request({ method: 'eth_subscribe', params: ['newHeads'] }).catch(() => {});
    gone.destroy();
    await asked;
    await expect(gone.provider.request({ method: 'eth_chainId' })).rejects.toMatchObject({ code: 4900 });
    await expect(gone.unlock(password)).rejects.toMatchObject({ code: 4900 });
    const before = quiet.requests.count();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(quiet.requests.count()).toBe(before);
  });

  test('destroying the wallet while a range of logs is read stops further requests', async () => {
    await using quiet = await createLocalService({ chainId: 31, mining: 'manual' });
    await quiet.controls.mine(60);
    // Takes five blocks at a time.
    quiet.controls.intercept(async ({ calls: [call] }) => {
      if (call?.method !== 'eth_getLogs') return undefined;
      const [{ fromBlock, toBlock }] = call.params as [{ fromBlock: string; toBlock: string }];
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (Number(toBlock) - Number(fromBlock) < 5) return undefined;
      const error = { code: -32005, message: 'Cannot query more than 5 blocks at once' };
      return { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, error }) };
    });
    const gone = walletWith(headless({ password }), { networks: [{ chainId: 31, url: quiet.url }] });
    const range = { fromBlock: '0x1', toBlock: '0x3c' } as const;
    const refused = expect(
      gone.provider.request({ method: 'eth_getLogs', params: [range] }),
    ).rejects.toMatchObject({
      code: 4900,
    });
    while (quiet.requests.count('eth_getLogs') < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    gone.destroy();
    await refused;
    await new Promise((resolve) => setTimeout(resolve, 200));
    // What was on its way arrives. The whole range takes at least twelve.
    expect(quiet.requests.count('eth_getLogs')).toBeLessThan(10);
  });
});

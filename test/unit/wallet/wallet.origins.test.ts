import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Question } from '../../../src/approvals/question.js';
import { createMemoryStorage, createWallet, type SessionMemory, type Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { mnemonic, owners, password, values } from '../../support/keys.js';
import { fc } from '../../support/property.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

/** Dapps that share one wallet: nothing that one does changes what another has, or is answered. */

const [honest, hostile] = ['https://honest.example', 'https://hostile.example'];

beforeEach(() => {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  });
});
afterEach(() => void vi.unstubAllGlobals());

/** The session of a wallet's site, each of whose documents gets the changes of the others. */
function createSharedMemory(): () => SessionMemory {
  let stored: string | null = null;
  const watchers = new Set<() => void>();
  return () => {
    let mine = () => {};
    return {
      read: () => stored,
      write(value) {
        stored = value;
        for (const each of watchers) if (each !== mine) each();
      },
      watch(changed) {
        mine = changed;
        watchers.add(changed);
        return () => watchers.delete(changed);
      },
    };
  };
}

async function createWorld() {
  const service = await createLocalService({ chainId: 31, mining: 'manual' });
  onTestFinished(() => service.close());
  for (const { address } of owners)
    await service.controls.faucet(address.toLowerCase() as `0x${string}`, 10n ** 19n);
  await service.controls.mine();
  const memory = createSharedMemory();
  const storage = createMemoryStorage();
  /** A document of the wallet's site, which serves a dapp for one account. */
  const open = (origin: string, account: string): Wallet => {
    const answer = ({ kind }: Question) =>
      kind === 'connect' ? { approved: true as const, accounts: [account as `0x${string}`] } : true;
    const wallet = createWallet({
      networks: [{ chainId: 31, url: service.url, requestsPerDay: 800, requestsPerSecond: null }],
      origin,
      storage,
      memory: memory(),
      approver: () => headless({ password, answer }),
      pollingInterval: 60_000,
    });
    onTestFinished(() => wallet.destroy());
    return wallet;
  };
  const owner = open('https://wallet.example', values.$A0);
  const path = (index: number) => `m/44'/37310'/0'/0/${index}`;
  await owner.importMnemonic(mnemonic, { password, path: path(0) });
  await owner.deriveAccount(path(1));
  owner.destroy();
  return { service, open };
}

const ask = (wallet: Wallet, method: string, params?: unknown) =>
  wallet.provider.request({ method, params } as never, { untilDecided: true } as never) as Promise<unknown>;
/** The answer, or the code of the error. */
const outcome = (wallet: Wallet, method: string, params?: unknown) =>
  ask(wallet, method, params).catch((error) => ({ code: error.code, reason: error.data?.reason }));

const address = (number: number) => `0x${number.toString(16).padStart(40, '0')}` as const;
const token = (number: number, image?: string) => ({
  type: 'ERC20',
  options: { address: address(number), symbol: 'TKN', decimals: 18, ...(image !== undefined && { image }) },
});
const payment = (from: string, id: string) => [
  {
    version: '2.0.0',
    from,
    chainId: '0x1f',
    id,
    atomicRequired: false,
    calls: [{ to: values.$X, value: '0x1' }],
  },
];
const many = (count: number, each: (i: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, i) => each(i)));

/** Everything that a hostile dapp may do, by name; `seed` varies it. The person agrees to each question. */
const attacks: Readonly<Record<string, (wallet: Wallet, seed: number) => Promise<unknown>>> = {
  reads: (wallet, seed) =>
    many(750, (i) => outcome(wallet, 'eth_getBalance', [address(seed * 1_000 + i + 1), 'latest'])),
  'raw sends': (wallet, seed) =>
    many(100, (i) =>
      outcome(wallet, 'eth_sendRawTransaction', [`0xf8${(seed + i).toString(16).padStart(4, '0')}`]),
    ),
  positions: (wallet, seed) =>
    many(260, (i) => outcome(wallet, 'eth_subscribe', ['newHeads', { resume: `${seed}-${i}` }])),
  'the same names': (wallet) =>
    many(4, (i) =>
      outcome(
        wallet,
        'eth_subscribe',
        i < 2 ? ['newHeads', { resume: 'orders' }] : ['logs', { resume: 'orders' }],
      ),
    ),
  subscriptions: (wallet) => many(300, () => outcome(wallet, 'eth_subscribe', ['newHeads'])),
  filters: (wallet) => many(300, () => outcome(wallet, 'eth_newBlockFilter')),
  assets: async (wallet, seed) => {
    for (let i = 0; i < 30; i++) await outcome(wallet, 'wallet_watchAsset', token(seed * 100 + i));
  },
  'large assets': (wallet, seed) =>
    many(8, (i) =>
      outcome(wallet, 'wallet_watchAsset', token(seed + i, `data:image/png;base64,${'A'.repeat(600_000)}`)),
    ),
  'the same asset': (wallet) =>
    outcome(wallet, 'wallet_watchAsset', {
      type: 'ERC20',
      options: { address: values.$X, symbol: 'EVIL', decimals: 0 },
    }),
  batches: async (wallet, seed) => {
    for (let i = 0; i < 3; i++)
      await outcome(wallet, 'wallet_sendCalls', payment(values.$A1, `${seed} ${i}`));
    await outcome(wallet, 'wallet_sendCalls', payment(values.$A1, 'order'));
  },
  signatures: (wallet, seed) =>
    many(40, (i) =>
      outcome(wallet, 'personal_sign', [`0x${(seed + i).toString(16).padStart(4, '0')}`, values.$A1]),
    ),
  'sends of another account': (wallet) =>
    outcome(wallet, 'eth_sendTransaction', [{ from: values.$A0, to: values.$X, value: '0x1' }]),
  sends: (wallet) =>
    outcome(wallet, 'eth_sendTransaction', [{ from: values.$A1, to: values.$X, value: '0x1' }]),
  leaving: (wallet) => outcome(wallet, 'wallet_revokePermissions', [{ eth_accounts: {} }]),
  connecting: (wallet) => outcome(wallet, 'eth_requestAccounts'),
};

/** Two visits of an honest dapp with the steps of a hostile one between them; returns its answers at the second. */
async function visit(steps: readonly (readonly [name: string, seed: number])[]) {
  const { service, open } = await createWorld();
  const first = open(honest, values.$A0);
  await ask(first, 'eth_requestAccounts');
  await ask(first, 'eth_subscribe', ['newHeads', { resume: 'orders' }]);
  await ask(first, 'wallet_watchAsset', {
    type: 'ERC20',
    options: { address: values.$X, symbol: 'GOOD', decimals: 6 },
  });
  await ask(first, 'wallet_sendCalls', payment(values.$A0, 'order'));
  await service.controls.mine();
  first.destroy();

  // Each step in a document of its own, some of which stay open.
  const attackers = [open(hostile, values.$A1)];
  await ask(attackers[0] as Wallet, 'eth_requestAccounts');
  for (const [name, seed] of steps) {
    if (seed % 2 === 0) attackers.pop()?.destroy();
    const attacker = open(hostile, values.$A1);
    attackers.push(attacker);
    await attacks[name]?.(attacker, seed);
  }
  await service.controls.mine(2);
  for (const each of attackers) each.destroy();

  const second = open(honest, values.$A0);
  const heads: number[] = [];
  second.provider.on('message', ({ data }: { data: unknown }) =>
    heads.push(Number((data as { result: { number: string } }).result.number)),
  );
  const height = Number(await outcome(second, 'eth_blockNumber'));
  const answers = {
    accounts: await outcome(second, 'eth_accounts'),
    chain: await outcome(second, 'eth_chainId'),
    resumed: typeof (await outcome(second, 'eth_subscribe', ['newHeads', { resume: 'orders' }])),
    batch: await outcome(second, 'wallet_getCallsStatus', ['order']).then((found) => {
      const { status, receipts, code } = found as { status?: number; receipts?: unknown[]; code?: number };
      return { status, code, receipts: receipts?.length };
    }),
    permissions: second.state().permissions[honest]?.accounts,
    asset: second.state().assets[31]?.find((each) => each.address === values.$X)?.symbol,
    signature: await outcome(second, 'personal_sign', ['0x68656c6c6f', values.$A0]),
    send: String(
      await outcome(second, 'eth_sendTransaction', [{ from: values.$A0, to: values.$X, value: '0x2' }]),
    ).length,
    nonce: await outcome(second, 'eth_getTransactionCount', [values.$A0, 'latest']),
    reads: await many(60, (i) => outcome(second, 'eth_getBalance', [address(900_000 + i), 'latest'])),
  };
  await until(() => heads.includes(height)).catch(() => {});
  second.destroy();
  return { ...answers, heads: heads.map((each) => each - height), rest: await outcomeOfOwner(open) };
}

/** The person's own accounts and reads in the panel. */
async function outcomeOfOwner(open: (origin: string, account: string) => Wallet) {
  const owner = open('https://wallet.example', values.$A0);
  const balance = await owner.balance(values.$X as `0x${string}`).then(String, (error) => error.code);
  const { accounts } = owner.state();
  owner.destroy();
  return { accounts, canRead: balance !== '-32005' };
}

test('whatever a hostile dapp does, another dapp has and is answered what it has and is answered without it', async () => {
  const alone = await visit([]);
  expect(alone).toMatchObject({
    ...{
      accounts: [values.$A0],
      resumed: 'string',
      asset: 'GOOD',
      batch: { status: 200 },
      heads: [-2, -1, 0],
    },
    reads: Array.from({ length: 60 }, () => '0x0'),
  });
  const step = fc.tuple(fc.constantFrom(...Object.keys(attacks)), fc.nat(50));
  // The first examples are long, so that a small run has every attack.
  const all = Object.keys(attacks).map((name, i) => [name, i] as [string, number]);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      expect(await visit(steps)).toEqual(alone);
    }),
    {
      seed: Number(process.env.ORIGINS_SEED ?? 7),
      numRuns: Number(process.env.ORIGINS_RUNS ?? 4),
      examples: [[all.slice(0, 8)], [all.slice(8)]],
      endOnFailure: true,
    },
  );
}, 600_000);

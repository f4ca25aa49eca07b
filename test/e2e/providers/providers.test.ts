import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest';
import {
  createLocalService,
  type Dialect,
  type Hex,
  type LocalService,
} from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createGateway, type GatewayAnswer } from '../../support/gateway.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import {
  alice,
  clientOf,
  creationOf,
  emitter,
  revertingWith,
  sign,
  word,
} from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';
import { waitFor } from '../../support/wait-for.js';
import { type Act, acts, describe, topic } from './acts.js';
import { listOf, type Outcome, pageOf, wireOf } from './page.js';
import { type Known, type Provider, providers, type SituationName, situations } from './providers.js';

hastenKdfOfFile();

/** Drives a wallet against each provider's answers and generates docs/providers.md. */

const blocks = 1_200;
const logs = 3;

/** A chain shared by all providers of one dialect. */
interface Chain {
  readonly service: LocalService;
  readonly reverting: Hex;
}

async function createChain(dialect: Dialect): Promise<Chain> {
  const service = await createLocalService({ dialect, mining: 'manual', timeout: 60_000 });
  const { call } = clientOf(service);
  await service.controls.faucet(alice.address, 10n ** 18n);
  const payload = `08c379a0${word(32)}${word(2)}${'6e6f'.padEnd(64, '0')}`;
  const codes = [emitter, creationOf(revertingWith(payload).slice(2))];
  const created: Hex[] = [];
  for (const [nonce, data] of codes.entries())
    created.push(
      await call('eth_sendRawTransaction', await sign({ nonce, to: null, data, gas: 200_000n, value: 0n })),
    );
  await service.controls.mine();
  const [logging, reverting] = await Promise.all(
    created.map(async (hash) => (await call('eth_getTransactionReceipt', hash)).contractAddress as Hex),
  );
  for (let nonce = 2; nonce < 2 + logs; nonce++) {
    const data: Hex = `0x${word(7)}${word(nonce)}`;
    await call(
      'eth_sendRawTransaction',
      await sign({ nonce, to: logging as Hex, data, gas: 60_000n, value: 0n }),
    );
    await service.controls.mine(30);
  }
  await service.controls.mine(blocks - 30 * logs);
  service.controls.setMining('auto');
  return { service, reverting: reverting as Hex };
}

const chains = new Map<Dialect, Promise<Chain>>();
let keys = 0;

/** Runs one action against one reply of a provider, with a new wallet. */
async function run({ dialect }: Provider, act: Act, known: Known): Promise<Outcome> {
  const { service, reverting } = await (chains.get(dialect) as Promise<Chain>);
  const gateway = await createGateway(service);
  const wallet = openWallet({
    networks: [{ chainId: 33, url: gateway.url }],
    approver: () => headless({ password }),
    origin: 'https://dapp.example',
    pollingInterval: 3_600_000,
  });
  try {
    let account: Hex = `0x${'aa'.repeat(20)}`;
    if (act.sends) {
      const key = (0x5afe_0000 + ++keys).toString(16).padStart(64, '0');
      account = (await wallet.importPrivateKey(`0x${key}`, { password })).address;
      await service.controls.faucet(account, 10n ** 18n);
      await wallet.provider.request({ method: 'eth_requestAccounts' });
    }
    const { blocks: most = 0 } = known as { blocks?: number };
    if (!('itself' in known))
      gateway.rule((call) => (act.concerns(call, most) ? (known as GatewayAnswer) : undefined));
    const sees = await act.perform({ wallet, account, reverting, logs }).catch(describe);
    return { sees, answered: 'itself' in known ? wireOf(gateway.answered(act.method)) : undefined };
  } finally {
    wallet.destroy();
    await gateway.close();
  }
}

const password = 'a password before the providers';

const cases = situations.flatMap((situation) =>
  providers.flatMap((provider) =>
    listOf(provider.answers[situation]).flatMap((known, answer) =>
      'none' in known
        ? []
        : acts[situation].map((act, at) => ({ situation, provider, known, answer, act, at })),
    ),
  ),
);
const keyOf = (provider: string, situation: SituationName, answer: number, act: number) =>
  `${situation} ${act}, ${provider} ${answer}`;

group('providers', { timeout: 120_000 }, () => {
  const seen = new Map<string, Promise<Outcome>>();

  beforeAll(async () => {
    for (const dialect of ['seed', 'node'] as const) chains.set(dialect, createChain(dialect));
    await Promise.all(chains.values());
    // Most of them wait for timers, so they run concurrently.
    for (const { situation, provider, known, answer, act, at } of cases)
      seen.set(keyOf(provider.name, situation, answer, at), run(provider, act, known));
  }, 120_000);
  afterAll(async () => {
    await Promise.allSettled(seen.values());
    for (const chain of chains.values()) await (await chain).service.close();
  });

  test.each(cases.map((each) => [each.act.title, each.provider.name, each] as const))(
    '%s: %s',
    async (_title, _name, { provider, situation, answer, at }) => {
      const { sees } = (await seen.get(keyOf(provider.name, situation, answer, at))) as Outcome;
      expect(sees).toMatch(/\S/);
      // The service's address and key never appear in an error.
      expect(sees).not.toMatch(/k3y-Planted|127\.0\.0\.1/);
    },
  );

  test('a subscription to logs on a service without eth_getLogs delivers each log', async () => {
    const { service } = await (chains.get('node') as Promise<Chain>);
    const gateway = await createGateway(service);
    gateway.rule(({ method }) =>
      method === 'eth_getLogs'
        ? { status: 400, code: -32601, message: 'the method eth_getLogs does not exist/is not available' }
        : undefined,
    );
    const wallet = openWallet({
      networks: [{ chainId: 33, url: gateway.url }],
      origin: 'https://dapp.example',
      pollingInterval: 100,
    });
    const told: unknown[] = [];
    wallet.provider.on('message', ({ data }) => void told.push(data.result));
    await wallet.provider.request({ method: 'eth_subscribe', params: ['logs', { topics: [topic as Hex] }] });
    const { call } = clientOf(service);
    const [{ address }] = await call('eth_getLogs', { fromBlock: '0x0', toBlock: '0x80', topics: [topic] });
    const key = privateKeyToAccount(`0x${'77'.repeat(32)}`);
    await service.controls.faucet(key.address, 10n ** 18n);
    for (let nonce = 0; nonce < 5; nonce++) {
      const data: Hex = `0x${word(7)}${word(nonce)}`;
      await call(
        'eth_sendRawTransaction',
        await sign({ nonce, to: address, data, gas: 60_000n, value: 0n }, key),
      );
    }
    await waitFor(() => expect(told).toHaveLength(5), 10_000);
    expect(told).toMatchObject(
      [0, 1, 2, 3, 4].map((nonce) => ({ data: `0x${word(nonce)}`, removed: false })),
    );
    wallet.destroy();
    await gateway.close();
  });

  test('docs/providers.md matches the outcomes of this run', async () => {
    const found = new Map<string, Outcome>();
    for (const [key, outcome] of seen) found.set(key, await outcome);
    const page = pageOf((...key) => found.get(keyOf(...key)) as Outcome);
    const path = fileURLToPath(new URL('../../../docs/providers.md', import.meta.url));
    const committed = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (committed !== page) writeFileSync(path, page);
    expect(committed, 'The page was regenerated: review and commit it').toBe(page);
  });
});

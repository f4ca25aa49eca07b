import { createLocalService, type Hex, type LocalService } from '../../../packages/kit/src/local/index.js';
import { type HeadlessApprover, headless } from '../../../packages/kit/src/testing/index.js';
import type { Wallet } from '../../../src/index.js';
import {
  alice,
  bob,
  clientOf,
  creationOf,
  emitter,
  nobody,
  revertingWith,
  sign,
  word,
} from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';

/** A page with a wallet, connected to the local service in one dialect with a small chain. */
export interface Page {
  readonly dialect: 'seed' | 'node';
  readonly service: LocalService;
  readonly wallet: Wallet;
  readonly approver: HeadlessApprover;
  readonly chain: SmallChain;
  /** Sends a request through the wallet. Resolves to the result, or to the error as `{ code, message, data }`. */
  ask(method: string, ...params: unknown[]): Promise<Reply>;
  /** Sends a request directly to the service. An error has the HTTP status too. */
  wire(method: string, ...params: unknown[]): Promise<Reply>;
  /** Params of the calls of this method that the service received, oldest first. */
  sent(method: string): readonly unknown[];
  /** Changes the service's results of this method from now on. Returns the undo. */
  distort(method: string, change: (result: unknown) => unknown): () => void;
  /** Replaces the service's replies to this method from now on; `$ID` is the request's id. Returns the undo. */
  replace(method: string, body: string, status?: number): () => void;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: results of any method
export type Reply = { readonly result: any } | Refusal;

export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly status?: number;
}

/** Transactions of alice, whose key the wallet does not have. Block 1 has the contracts, block 2 one log. */
export interface SmallChain {
  /** A contract that logs its second word of calldata under the first word as the topic. */
  readonly emitter: Hex;
  /** Contracts that revert on any call, with `Error("no")`, `Panic(0x11)`, a custom error, or nothing. */
  readonly reverting: Readonly<Record<keyof typeof payloads, Hex>>;
  /** A contract that loops forever. */
  readonly looping: Hex;
  /** A contract that executes the INVALID opcode. */
  readonly invalid: Hex;
  /** The transaction that logged, its block, and a pending transaction (nonce 8). */
  readonly logging: Hex;
  readonly block: Hex;
  readonly waiting: Hex;
}

export const payloads = {
  string: `0x08c379a0${word(32)}${word(2)}${'6e6f'.padEnd(64, '0')}`,
  panic: `0x4e487b71${word(0x11)}`,
  custom: `0xcf479181${word(1)}${word(2)}`,
  empty: '0x',
} as const;

export const missingHash: Hex = `0x${word(0x5ead)}`;
export const password = 'a password of the dialect tests';
export const walletKey: Hex = `0x${'44'.repeat(32)}`;

export declare namespace openPage {
  interface Options {
    readonly service?: createLocalService.Options;
    /** Whether the wallet has an unlocked, connected account with coins. Default false. */
    readonly account?: boolean;
    /** Whether to skip the small chain, for a service that would reject its transactions. Default false. */
    readonly empty?: boolean;
  }
}

export async function openPage(dialect: 'seed' | 'node', options: openPage.Options = {}): Promise<Page> {
  const service = await createLocalService({ mining: 'manual', ...options.service, dialect });
  const { ask } = clientOf(service);
  const chain = options.empty ? ({} as SmallChain) : await build(service);
  const approver = headless({ password });
  const wallet = openWallet({
    networks: [{ chainId: 33, url: service.url }],
    approver: () => approver,
    pollingInterval: 50,
  });
  if (options.account) {
    const { address } = await wallet.importPrivateKey(walletKey, { password });
    await service.controls.faucet(address, 10n ** 18n);
    await wallet.provider.request({ method: 'eth_requestAccounts' });
  }
  return {
    dialect,
    service,
    wallet,
    approver,
    chain,
    async ask(method, ...params) {
      try {
        return { result: await wallet.provider.request({ method, params }) };
      } catch (error) {
        const { code, message, data } = error as Refusal;
        return { code, message, data };
      }
    },
    async wire(method, ...params) {
      const { status, json } = await ask(method, ...params);
      return json?.error ? { status, ...json.error } : { result: json?.result };
    },
    sent: (method) => service.requests.filter((call) => call.method === method).map(({ params }) => params),
    distort: (method, change) =>
      service.controls.intercept(async ({ calls: [call] }, answer) => {
        if (call?.method !== method) return undefined;
        const truth = await answer();
        const reply = JSON.parse(truth.body);
        return { ...truth, body: JSON.stringify({ ...reply, result: change(reply.result) }) };
      }),
    replace: (method, body, status = 200) =>
      service.controls.intercept(({ calls: [call] }) =>
        call?.method === method
          ? { status, body: body.replaceAll('$ID', JSON.stringify(call.id)) }
          : undefined,
      ),
    async close() {
      wallet.destroy();
      await service.close();
    },
  };
}

/** Sends eight transactions in two blocks, and a ninth that stays pending. */
async function build(service: LocalService): Promise<SmallChain> {
  const { call } = clientOf(service);
  const send = async (wish: Parameters<typeof sign>[0]): Promise<Hex> =>
    call('eth_sendRawTransaction', await sign(wish));
  await service.controls.faucet(alice.address, 10n ** 18n);
  // Enough for one payment only.
  await service.controls.faucet(bob.address, 10n ** 13n);
  const codes = [
    emitter,
    ...Object.values(payloads).map((payload) => creationOf(revertingWith(payload.slice(2)).slice(2))),
    creationOf('5b600056'),
    creationOf('fe'),
  ];
  const creations: Hex[] = [];
  for (const [nonce, data] of codes.entries())
    creations.push(await send({ nonce, to: null, data, gas: 200_000n, value: 0n }));
  await service.controls.mine();
  const made: Hex[] = [];
  for (const hash of creations)
    made.push((await call('eth_getTransactionReceipt', hash)).contractAddress as Hex);
  const [logs, string, panic, custom, empty, looping, invalid] = made as [Hex, Hex, Hex, Hex, Hex, Hex, Hex];
  const data: Hex = `0x${word(7)}${word(9)}`;
  const logging = await send({ nonce: 7, to: logs, data, gas: 60_000n, value: 0n });
  await service.controls.mine();
  const { blockHash } = await call('eth_getTransactionReceipt', logging);
  const waiting = await send({ nonce: 8, to: nobody });
  return {
    emitter: logs,
    reverting: { string, panic, custom, empty },
    looping,
    invalid,
    logging,
    block: blockHash,
    waiting,
  };
}

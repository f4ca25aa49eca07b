import type { Wallet } from '../../../src/index.js';
import { createLocalService, type Hex, type LocalService } from '../../../src/local/index.js';
import { type HeadlessApprover, headless } from '../../../src/testing.js';
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

/** A page with its wallet before the local service in one dialect, and a small chain behind it. */
export interface Page {
  readonly dialect: 'seed' | 'node';
  readonly service: LocalService;
  readonly wallet: Wallet;
  readonly approver: HeadlessApprover;
  readonly chain: SmallChain;
  /** What the page gets: the result, or the error as `{ code, message, data }`. */
  ask(method: string, ...params: unknown[]): Promise<Said>;
  /** What the service answers to the same, without a wallet: also the HTTP status of an error. */
  wire(method: string, ...params: unknown[]): Promise<Said>;
  /** Params of the calls of this method that the service has seen, oldest first. */
  sent(method: string): readonly unknown[];
  /** From now on the service's true result of this method is changed on its way. Returns its undo. */
  distort(method: string, change: (result: unknown) => unknown): () => void;
  /** From now on this is what it says instead, `$ID` being the id of the request. Returns its undo. */
  replace(method: string, body: string, status?: number): () => void;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: results of any method
export type Said = { readonly result: any } | Refusal;

export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly status?: number;
}

/** Made by alice, whose key the wallet does not have. Block 1 holds the contracts, block 2 one log. */
export interface SmallChain {
  /** Logs its second word of calldata under the first. */
  readonly emitter: Hex;
  /** Reverts on any call: with `Error("no")`, `Panic(0x11)`, a custom error, nothing. */
  readonly reverting: Readonly<Record<keyof typeof payloads, Hex>>;
  /** Never ends. */
  readonly looping: Hex;
  /** The INVALID opcode. */
  readonly invalid: Hex;
  /** The transaction that logged, its block, and one that waits in the pool (nonce 8). */
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
    /** With an unlocked account that has coins and is connected. */
    readonly account?: boolean;
    /** No transactions were made: for a service that would not let them. */
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

/** Eight transactions in two blocks, and a ninth that waits. */
async function build(service: LocalService): Promise<SmallChain> {
  const { call } = clientOf(service);
  const send = async (wish: Parameters<typeof sign>[0]): Promise<Hex> =>
    call('eth_sendRawTransaction', await sign(wish));
  await service.controls.faucet(alice.address, 10n ** 18n);
  // Enough for one payment, not for everything.
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

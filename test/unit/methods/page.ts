import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { type HeadlessApprover, headless } from '../../../packages/kit/src/testing/index.js';
import type { Wallet } from '../../../src/index.js';
import { alice, nobody } from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';

/** A page with the wallet before a real local service, and what the service was asked. */
export interface Page {
  readonly service: LocalService;
  readonly wallet: Wallet;
  readonly approver: HeadlessApprover;
  // biome-ignore lint/suspicious/noExplicitAny: results of any method
  request(method: string, ...params: unknown[]): Promise<any>;
  /** Methods that reached the service while `body` ran, in order. */
  askedDuring(body: () => Promise<unknown>): Promise<readonly string[]>;
  /** Resolves with the hash of a payment that somebody else signed, with the nonce given. */
  pay(nonce: number): Promise<string>;
  stop(): Promise<void>;
}

export async function openPage(options: createLocalService.Options = {}): Promise<Page> {
  const service = await createLocalService({ chainId: 31, ...options });
  const approver = headless({ password: 'correct horse' });
  const wallet = openWallet({
    networks: [{ chainId: 31, url: service.url }],
    approver: () => approver,
    pollingInterval: 50,
  });
  const request = (method: string, ...params: unknown[]) => wallet.provider.request({ method, params });
  await service.controls.faucet(alice.address.toLowerCase() as `0x${string}`, 10n ** 20n);
  return {
    service,
    wallet,
    approver,
    request,
    async askedDuring(body) {
      const before = service.requests.length;
      await body();
      return service.requests.slice(before).map(({ method }) => method);
    },
    async pay(nonce) {
      const raw = await alice.signTransaction({
        chainId: 31,
        nonce,
        to: nobody,
        value: 1n,
        gas: 21_000n,
        gasPrice: 100_000_000n,
      });
      return (await request('eth_sendRawTransaction', raw)) as string;
    },
    async stop() {
      wallet.destroy();
      await service.close();
    },
  };
}

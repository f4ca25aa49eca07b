import { expect } from 'vitest';
import { type Behaviour, failed, failure, shows, succeeded } from '../behaviour.js';
import type { Client } from '../client.js';
import type { Rig } from '../rig.js';

/** Transactions, contracts, and what the chain refuses. Wei. */

const somebody = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';
/** The service's minimum. Its cap is 80 times that: a price above is lowered to it. */
const lowest = 59_240_000;
const enough = '60000000';
const overCap = '5000000000';
const payment = { to: somebody, value: '1' };

interface Mined {
  readonly gasPrice: string;
  readonly value: string;
  readonly from: string;
  readonly to: string;
  readonly nonce: string;
}

const lookUp = (rig: Rig, hash: string) => rig.ask<Mined>('eth_getTransactionByHash', [hash]);

async function isMined(rig: Rig, hash: string, status: 'success' | 'reverted' = 'success') {
  expect(succeeded(await rig.act((client) => client.wait(hash)))).toBe(status);
}

/** The account's next nonce, which is not its first: one payment at least was mined. */
async function nextNonce(rig: Rig): Promise<number> {
  const count = async () =>
    Number(await rig.ask<string>('eth_getTransactionCount', [rig.accounts[0], 'latest']));
  if ((await count()) === 0) await isMined(rig, succeeded(await rig.act(pay(payment)), ['transaction']));
  return count();
}

const pay = (transaction: Parameters<Client['send']>[0]) => (client: Client) => client.send(transaction);

export const transactionBehaviours: readonly Behaviour[] = [
  failure('send, refused', async (rig, expected) => {
    await rig.connected();
    const act = await rig.act(pay(payment), 'refuse');
    failed(act, expected, ['transaction']);
    return shows(act);
  }),
  {
    name: 'send, nothing but the amount',
    async run(rig) {
      await rig.connected();
      const act = await rig.act(pay(payment));
      const hash = succeeded(act, ['transaction']);
      await isMined(rig, hash);
      expect(await lookUp(rig, hash)).toMatchObject({ from: rig.accounts[0], to: somebody, value: '0x1' });
      return shows(act);
    },
  },
  {
    name: 'send, legacy',
    async run(rig) {
      await rig.connected();
      const act = await rig.act(pay({ ...payment, gas: '30000', gasPrice: enough }));
      const hash = succeeded(act, ['transaction']);
      await isMined(rig, hash);
      expect(Number((await lookUp(rig, hash)).gasPrice)).toBe(Number(enough));
      return shows(act);
    },
  },
  {
    name: 'send, with a price over the cap',
    async run(rig) {
      await rig.connected();
      const act = await rig.act(pay({ ...payment, gas: '30000', gasPrice: overCap }));
      const hash = succeeded(act, ['transaction']);
      await isMined(rig, hash);
      expect(Number((await lookUp(rig, hash)).gasPrice)).toBe(80 * lowest);
      return shows(act);
    },
  },
  {
    name: 'send, in EIP-1559’s form',
    async run(rig) {
      await rig.connected();
      const bound = 200_000_000;
      const fees = { maxFeePerGas: String(bound), maxPriorityFeePerGas: '1' };
      const act = await rig.act(pay({ ...payment, ...fees }));
      const hash = succeeded(act, ['transaction']);
      await isMined(rig, hash);
      expect(Number((await lookUp(rig, hash)).gasPrice)).toBeLessThanOrEqual(bound);
      return shows(act);
    },
  },
  {
    name: 'send, its reply lost',
    async run(rig) {
      await rig.connected();
      let dropped = 0;
      const undo = rig.home.controls.dropReplies(
        ({ calls }) => calls.some(({ method }) => method === 'eth_sendRawTransaction') && dropped++ === 0,
      );
      const act = await rig.act(pay(payment));
      undo();
      expect(dropped).toBeGreaterThan(0);
      await isMined(rig, succeeded(act, ['transaction']));
      // What the wallet does until it is sure goes on after the act.
      return shows(act, 'clocked');
    },
  },
  {
    name: 'deploy',
    async run(rig) {
      await rig.connected();
      const act = await rig.act((client) => client.deploy());
      const address = succeeded(act, ['transaction']);
      const [made, there] = await Promise.all(
        [address, rig.contract].map((each) => rig.ask<string>('eth_getCode', [each, 'latest'])),
      );
      expect(made).toBe(there);
      return shows(act);
    },
  },
  {
    name: 'read',
    async run(rig) {
      await rig.connected();
      await rig.store(7n);
      const act = await rig.act((client) => client.read(rig.contract));
      expect(succeeded(act)).toBe('7');
      return shows(act);
    },
  },
  {
    name: 'write',
    async run(rig) {
      await rig.connected();
      const act = await rig.act((client) => client.write(rig.contract, '11'));
      await isMined(rig, succeeded(act, ['transaction']));
      expect(succeeded(await rig.act((client) => client.read(rig.contract)))).toBe('11');
      return shows(act);
    },
  },
  failure('insufficient funds', async (rig, expected) => {
    await rig.connected();
    const act = await rig.act(pay({ to: somebody, value: `1${'0'.repeat(30)}` }));
    // The person is told what is missing.
    failed(act, expected, ['transaction']);
    return shows(act);
  }),
  failure('nonce too low', async (rig, expected) => {
    await rig.connected();
    await nextNonce(rig);
    const act = await rig.act(pay({ ...payment, nonce: 0 }));
    failed(act, expected);
    return shows(act);
  }),
  failure('gas price under the minimum', async (rig, expected) => {
    await rig.connected();
    const act = await rig.act(pay({ ...payment, gasPrice: '1' }));
    failed(act, expected);
    return shows(act);
  }),
];

/**
 * Leaves what a library does when a transaction is not mined at once, and what the outbox does about it; until the
 * page is opened again.
 */
export const pendingBehaviours: readonly Behaviour[] = [
  failure('replacement underpriced', async (rig, expected) => {
    await rig.connected();
    const nonce = await nextNonce(rig);
    const { controls } = rig.home;
    controls.setMining('manual');
    const first = await rig.act(pay({ ...payment, nonce, gas: '21000', gasPrice: '100000000' }));
    const act = await rig.act(pay({ ...payment, nonce, gas: '21000', gasPrice: '110000000' }));
    controls.setMining('auto');
    await controls.mine();
    const hash = succeeded(first, ['transaction']);
    expect(await rig.ask('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
    failed(act, expected);
    return shows(act, 'clocked');
  }),
];

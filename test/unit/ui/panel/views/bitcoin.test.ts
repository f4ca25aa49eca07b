// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { PegOut } from '../../../../../src/bitcoin/peg-out.js';
import { bridge } from '../../../../../src/rpc/known-contracts.js';
import { formatDate } from '../../../../../src/ui/pieces/amounts.js';
import { english } from '../../../../support/english.js';
import { type FakeWallet, fakeWallet, pegOuts, transactions } from '../../../../support/fake-wallet.js';
import { type ShownPanel, showPanel } from '../../../../support/panel.js';
import { savings } from '../../../../support/questions.js';
import { waitFor } from '../../../../support/wait-for.js';

const password = 'several words are better';
const bitcoinAddress = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r';

let wallet: FakeWallet;
let panel: ShownPanel;

async function open(holds: Partial<FakeWallet['holds']> = {}) {
  wallet = fakeWallet(holds);
  panel = await showPanel(wallet, 'accounts');
  await panel.press('Details of Savings');
}
afterEach(() => {
  vi.useRealTimers();
  panel.stop();
});

const called = (name: string) => wallet.calls.filter(([each]) => each === name).map(([, ...args]) => args);
const items = () => Array.from(panel.root.querySelectorAll('.item'), ({ textContent }) => textContent);

describe('the Bitcoin side of an account', () => {
  test('shows its address to copy, and where RBTC comes out', async () => {
    await open({ pegOuts: [] });
    await panel.press('Bitcoin');
    await panel.shows(bitcoinAddress);
    expect(panel.text()).toContain('tRBTC that you convert arrives as bitcoin');
    await panel.shows('None from this browser yet.');
    expect(called('bitcoinAddress')).toEqual([[savings.address]]);
    expect(called('pegOuts')).toEqual([[savings.address]]);
  });

  test('lists each peg-out with its stage and what follows, the newest first', async () => {
    await open();
    await panel.press('Bitcoin');
    await panel.shows('Sent to Bitcoin');
    const line = `0.015 tBTC${formatDate(pegOuts[0]?.createdAt ?? 0, english)}`;
    const txid = 'c1'.repeat(32);
    expect(items()).toEqual([
      `${line}SentIt isn’t in a block yet.`,
      `${line}AcceptedThe bridge pays it with its next batch, usually within 3 hours.`,
      `${line}ConfirmingThe bridge signs it from block 6,541,019 on, in about 4 minutes.`,
      `${line}Being signedThe bridge is signing the Bitcoin transaction.`,
      `${line}RefusedThe Bitcoin fee was too high for this amount. The bridge paid it back.`,
      `${line}Sent to BitcoinSigned and sent in this Bitcoin transaction:${txid}Received0.01488 tBTC`,
    ]);
  });

  test.each([
    ['too-little', 'It was below the minimum. The bridge paid it back.'],
    ['contract', 'A contract paid it. The bridge doesn’t return it.'],
  ] as const)('says why a peg-out was refused: %s', async (refusal, text) => {
    await open({ pegOuts: [{ ...(pegOuts[1] as PegOut), refusal }] });
    await panel.press('Bitcoin');
    await panel.shows(text);
  });

  test('reads the bridge again after a payment to it, and else every five minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await open();
    await panel.press('Bitcoin');
    await panel.shows('Sent to Bitcoin');
    wallet.change({});
    await waitFor(() => expect(called('bitcoinAddress').length).toBeGreaterThan(1));
    expect(called('pegOuts')).toHaveLength(1);
    const [payment] = transactions;
    if (!payment) throw new Error('There is a transaction.');
    wallet.change({ transactions: [{ ...payment, from: savings.address, to: bridge, state: 'sent' }] });
    await waitFor(() => expect(called('pegOuts')).toHaveLength(2));
    vi.setSystemTime(Date.now() + 300_000);
    wallet.change({});
    await waitFor(() => expect(called('pegOuts')).toHaveLength(3));
  });

  test('says that the bridge cannot be read, beside the address', async () => {
    await open();
    wallet.fail('pegOuts', 4900);
    await panel.press('Bitcoin');
    await panel.shows('The bridge can’t be read right now.');
    await panel.shows(bitcoinAddress);
  });

  test('keeps the list that it shows when the bridge cannot be read again', async () => {
    await open();
    await panel.press('Bitcoin');
    await panel.shows('Sent to Bitcoin');
    wallet.fail('pegOuts', 4900);
    const [payment] = transactions;
    if (!payment) throw new Error('There is a transaction.');
    wallet.change({ transactions: [{ ...payment, from: savings.address, to: bridge, state: 'sent' }] });
    await panel.shows('The bridge can’t be read right now.');
    expect(items()).toHaveLength(6);
  });

  test('shows nothing of the network before, after another one was chosen', async () => {
    await open();
    await panel.press('Bitcoin');
    await panel.shows('Sent to Bitcoin');
    const never = () => new Promise<never>(() => {});
    Object.assign(wallet, { pegOuts: never, bitcoinAddress: never });
    wallet.change({ chainId: 30 });
    await waitFor(() => expect(panel.text()).toContain('RBTC that you convert'));
    await waitFor(() => expect(panel.text()).not.toContain(bitcoinAddress));
    expect(items()).toEqual([]);
  });

  test('asks a locked wallet that does not know the address to unlock', async () => {
    await open({ vault: 'locked' });
    wallet.fail('bitcoinAddress', 4100);
    await panel.press('Bitcoin');
    await panel.type('Wallet password', password);
    await panel.submit();
    await panel.shows(bitcoinAddress);
  });

  test('is not there on a network without a bridge', async () => {
    await open({ chainId: 1234 });
    await panel.shows('Show the private key');
    expect(panel.text()).not.toContain('Bitcoin');
  });

  test('shows the key for Bitcoin wallets for the password, with a warning', async () => {
    await open({ pegOuts: [] });
    await panel.press('Bitcoin');
    await panel.press('Show the Bitcoin key');
    await panel.shows('Don’t paste it into a website.');
    wallet.fail('exportWif', 4100);
    await panel.type('Wallet password', 'wrong');
    await panel.submit();
    await waitFor(() => expect(panel.error()).toBe('The password is wrong.'));
    await panel.type('Wallet password', password);
    await panel.submit();
    await panel.shows('cWIF');
    expect(panel.text()).toContain('Anyone with this key can take the bitcoin');
    expect(called('exportWif').at(-1)).toEqual([savings.address, password]);
    await panel.press('Hide');
    expect(panel.text()).not.toContain('cWIF');
  });
});

// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bridge } from '../../../../../src/rpc/known-contracts.js';
import { type FakeWallet, fakeWallet } from '../../../../support/fake-wallet.js';
import { type ShownPanel, showPanel } from '../../../../support/panel.js';
import { savings } from '../../../../support/questions.js';
import { waitFor } from '../../../../support/wait-for.js';

let wallet: FakeWallet;
let panel: ShownPanel;

beforeEach(async () => {
  wallet = fakeWallet();
  panel = await showPanel(wallet, 'accounts');
  await panel.press('Details of Savings');
  await panel.press('Bitcoin');
  await panel.press('Convert to bitcoin');
});
afterEach(() => panel.stop());

const called = (name: string) => wallet.calls.filter(([each]) => each === name).map(([, ...args]) => args);
const note = () => panel.root.querySelector('#amount-field-note')?.textContent;
const submitted = async (amount: string) => {
  await panel.type('Amount', amount);
  await panel.submit();
};

describe('converting to bitcoin', () => {
  test('says where it arrives, what it costs and when, before it is sent', async () => {
    await panel.type('Amount', '0.5');
    await panel.shows('You receiveAbout 0.49988 tBTC or more');
    expect(panel.text()).toContain('Bitcoin addressmrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r');
    expect(panel.text()).toContain('Bitcoin feeAbout 0.00012 tBTC or less, as the bridge estimates');
    expect(panel.text()).toContain('ArrivesIn about 1 hour');
    await panel.submit();
    await panel.shows('Conversions');
    expect(called('send')).toEqual([[{ from: savings.address, to: bridge, value: '0x6f05b59d3b20000' }]]);
  });

  test.each([
    ['', 'Enter an amount.'],
    ['0', 'Enter more than zero.'],
    ['a lot', 'Enter a number, such as 0.25, without thousands separators.'],
    ['0.00249999', 'The bridge’s minimum is 0.0025 tRBTC.'],
    ['0.123456789', 'Use at most 8 decimals.'],
    ['21', 'You have 20.12345678 tRBTC.'],
  ])('refuses %j', async (amount, problem) => {
    await waitFor(() => expect(note()).toContain('Balance'));
    await submitted(amount);
    await waitFor(() => expect(panel.error()).toContain(problem));
    expect(note()).toContain(problem);
    expect(called('send')).toEqual([]);
  });

  test('warns of an amount near the fee, and still takes it', async () => {
    await panel.type('Amount', '0.0025');
    await panel.shows('The Bitcoin fee is high for this amount.');
    await panel.submit();
    await panel.shows('Conversions');
    expect(called('send')).toHaveLength(1);
  });

  test('takes all there is in whole satoshis, less the fee', async () => {
    await waitFor(() => expect(note()).toContain('Balance'));
    await waitFor(() => expect(called('fees').length).toBeGreaterThan(0));
    await waitFor(async () => {
      await panel.press('Max');
      const field = panel.root.querySelector<HTMLInputElement>('#amount-field');
      expect(field?.value).toBe('20.12345542');
    });
    await panel.submit();
    await panel.shows('Conversions');
    const [[{ value }]] = called('send') as [[{ value: string }]];
    expect(BigInt(value) % 10n ** 10n).toBe(0n);
  });

  test.each([
    [4001, 'Not sent.'],
    [-32003, 'The network refused it. Nothing was sent.'],
  ])('says that nothing was sent after %i, and keeps what was typed', async (code, text) => {
    wallet.fail('send', code);
    await submitted('0.5');
    await waitFor(() => expect(panel.error()).toBe(text));
    expect(panel.root.querySelector<HTMLInputElement>('#amount-field')?.value).toBe('0.5');
  });

  test('pays no bridge on a network without one, chosen while it is open', async () => {
    await panel.type('Amount', '0.5');
    await panel.shows('You receive');
    wallet.change({ chainId: 1234 });
    await panel.shows('This network has no bridge to Bitcoin.');
    expect(panel.root.querySelector('#amount-field')).toBeNull();
    expect(called('send')).toEqual([]);
  });

  test('asks the bridge nothing for less than its minimum, and says nothing of a payout', async () => {
    await panel.type('Amount', '0.001');
    await waitFor(() => expect(note()).toContain('The bridge’s minimum'));
    expect(called('pegOutEstimate')).toEqual([]);
    expect(panel.text()).not.toContain('Arrives');
  });

  test('shows no fee that the bridge did not give', async () => {
    wallet.fail('pegOutEstimate', 4900);
    await panel.type('Amount', '0.5');
    await waitFor(() => expect(called('pegOutEstimate').length).toBeGreaterThan(0));
    expect(panel.text()).not.toContain('You receive');
    await panel.submit();
    await panel.shows('Conversions');
  });
});

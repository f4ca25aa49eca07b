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
    await panel.shows('You receiveAt least about 0.49988 tBTC');
    expect(panel.text()).toContain('Bitcoin addressmrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r');
    expect(panel.text()).toContain('Bitcoin feeAt most about 0.00012 tBTC');
    expect(panel.text()).toContain('Paid outAbout 5 minutes after the bridge’s next batch');
    await panel.submit();
    await panel.shows('Converted');
    expect(called('send')).toEqual([[{ from: savings.address, to: bridge, value: '0x6f05b59d3b20000' }]]);
  });

  test.each([
    ['', 'Enter an amount.'],
    ['0', 'Enter more than zero.'],
    ['a lot', 'Enter a number, such as 0.25, without thousands separators.'],
    ['0.00249999', 'The bridge takes 0.0025 tRBTC and more.'],
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
    await panel.shows('Its fee in bitcoin is high for this amount.');
    await panel.submit();
    await panel.shows('Converted');
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
    await panel.shows('Converted');
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

  test('shows no fee that the bridge did not give', async () => {
    wallet.fail('pegOutEstimate', 4900);
    await panel.type('Amount', '0.5');
    await waitFor(() => expect(called('pegOutEstimate').length).toBeGreaterThan(0));
    expect(panel.text()).not.toContain('You receive');
    await panel.submit();
    await panel.shows('Converted');
  });
});

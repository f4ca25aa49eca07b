// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checksumAddress } from '../../../../src/rpc/address.js';
import { startReceive } from '../../../../src/ui/receive/receive-step.js';
import { english } from '../../../support/english.js';
import { fakeStage } from '../../../support/fake-stage.js';
import { account, payment } from '../../../support/questions.js';
import { waitFor } from '../../../support/wait-for.js';

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

/** The step for a network with this chain id. */
function startOn(chainId: number) {
  const stage = fakeStage();
  startReceive(stage, account, { ...payment.network, chainId });
  return stage;
}

describe('receiving in place of a question', () => {
  test.each([30, 31, 33])(
    'shows the address with its checksum of chain %i, and draws it as a QR code',
    async (chainId) => {
      const stage = startOn(chainId);
      expect(stage.title()).toBe(english.receive);
      expect(stage.content().querySelector('.address')?.textContent).toBe(
        checksumAddress(account.address, chainId),
      );
      const paths = () => stage.content().querySelectorAll('[role=img] path').length;
      await waitFor(() => expect(paths()).toBe(2));
    },
  );

  test('copies the address, and says so', async () => {
    const writeText = vi.fn(async () => {});
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
    const stage = startOn(30);
    stage.press(english.copyAddress);
    await waitFor(() =>
      expect(stage.content().querySelector('[role=status]')?.textContent).toBe(english.copied),
    );
    expect(writeText.mock.calls).toEqual([[checksumAddress(account.address, 30)]]);
  });

  test.each([
    [30, null],
    [31, 'https://faucet.rootstock.io'],
    [33, null],
    [1, null],
  ])('on chain %i the link to a faucet is %s', (chainId, faucet) => {
    const link = startOn(chainId).content().querySelector('a');
    expect(link?.getAttribute('href') ?? null).toBe(faucet);
    // The faucet must neither learn the page nor reach its window.
    if (link) expect([link.target, link.rel]).toEqual(['_blank', 'noreferrer']);
  });

  test('its one button ends the flow without an answer', async () => {
    const stage = startOn(31);
    expect(await stage.confirm()).toBeNull();
    expect(stage.ends).toEqual([['cancelled']]);
  });
});

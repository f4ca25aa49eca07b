import { expect, test } from 'graft-kit/playwright';

const shop = '0x0c54fccd2e384b4bb6f2e405bf5cbc15a017aafb';
const price = 10n ** 16n;

/** Presses the button as a visitor does. A test that names `wallet` has it in each page that it opens. */
async function buy(page) {
  await page.goto('/');
  await page.getByRole('button', { name: 'Buy' }).click();
}

test('an apple is paid for once', async ({ page, wallet, chain }) => {
  await buy(page);
  await wallet.approve({ kind: 'connect' });
  await wallet.approve({ kind: 'transaction', to: shop, value: price });
  await expect(page.getByRole('status')).toHaveText(/^Paid with 0x/);
  await wallet.expectNoQuestion();
  expect(BigInt(await chain.request('eth_getBalance', [shop, 'latest']))).toBe(price);
});

test('who refuses to pay gets no apple', async ({ page, wallet, chain }) => {
  await buy(page);
  await wallet.approve({ kind: 'connect' });
  await wallet.reject({ kind: 'transaction' });
  await expect(page.getByRole('status')).toHaveText('No apple, then.');
  expect(BigInt(await chain.request('eth_getBalance', [shop, 'latest']))).toBe(0n);
});

test.describe('with the dialog that people see', () => {
  test.use({ walletOptions: { dialog: true } });

  test('the price is shown before it is paid', async ({ page, wallet }) => {
    await buy(page);
    await wallet.approve({ kind: 'connect' });
    await expect(wallet.dialog()).toContainText('0.01');
    await wallet.approve({ kind: 'transaction' });
    await expect(page.getByRole('status')).toHaveText(/^Paid with 0x/);
  });
});

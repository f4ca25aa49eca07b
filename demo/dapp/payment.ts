import { parseAmount } from '../amounts.js';
import { button, during, input, section } from '../dom.js';
import { readAddress } from './abi.js';
import type { Connection } from './connection.js';
import type { RequestFunction } from './eip1193.js';
import type { Receipt } from './receipt.js';
import { resultIn } from './result.js';

/** The card that sends native coins. */
export function startPayment(
  connection: () => Connection,
  receipt: (request: RequestFunction, hash: unknown) => Promise<Receipt>,
): void {
  const result = resultIn('pay-result');

  const pay = async () => {
    const { request, account } = connection();
    const to = readAddress(input('pay-to').value);
    const value = parseAmount(input('pay-amount').value);
    result.wait('Waiting for you…');
    const hash = (await request('eth_sendTransaction', [
      { from: account, to, value: `0x${value.toString(16)}` },
    ])) as string;
    result.wait('Sent. Waiting for a block…');
    const { blockNumber } = await receipt(request, hash);
    result.good(`Mined in block ${Number(blockNumber).toLocaleString('en')}`, hash);
  };

  section('pay-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void during(button('pay'), pay, result.bad);
  });
}

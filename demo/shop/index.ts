/** A shop that checks the proof of a payment by itself: it has no wallet, no node and no network. */
import { verifyPayment } from '../../src/proof/index.js';
import { parseAmount, showAmount } from '../amounts.js';
import { button, choice, during, explain, find, input, make, section } from '../dom.js';

const isLocal = () => choice('shop-chain').value === '33';

async function check(): Promise<void> {
  const [file] = input('shop-file').files ?? [];
  if (!file) throw new Error('Choose the file that the customer gave you.');
  const { value, statement, newest } = verifyPayment(await file.text(), {
    to: input('shop-to').value.trim() as `0x${string}`,
    value: parseAmount(input('shop-amount').value),
    // The local chain is made for trials: its work is little, and a payment is final after seconds.
    ...(isLocal() ? { chainId: 33, floor: 1n, confirmations: 3 } : { chainId: 30 }),
  });
  const time = new Date(newest * 1000).toLocaleString('en');
  show(
    'good',
    `Proven: ${showAmount(value)} was paid. The newest block in the file is of ${time}.`,
    statement,
  );
}

function show(state: 'good' | 'bad', ...lines: readonly string[]): void {
  const output = find('shop-result', HTMLOutputElement);
  output.dataset.state = state;
  output.replaceChildren(...lines.map((line) => make('p', {}, line)));
}

section('shop-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void during(button('shop-check'), check, (error) => {
    const { verdict } = Object(Object(error).data) as { verdict?: string };
    const why = explain(error).replace(/^proof: | \(-?\d+\)$/g, '');
    show('bad', verdict ? `${verdict[0]?.toUpperCase()}${verdict.slice(1)}: ${why}` : why);
  });
});

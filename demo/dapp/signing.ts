import { area, button, during, find, say, section } from '../dom.js';
import { utf8Hex } from './abi.js';
import type { Connection } from './connection.js';
import { resultIn } from './result.js';

/** The cards for signing a message and typed data. */
export function startSigning(connection: () => Connection): void {
  const ofMessage = resultIn('message-result');
  const ofOrder = resultIn('typed-result');

  const signMessage = async () => {
    const { request, account } = connection();
    const message = utf8Hex(area('message').value);
    ofMessage.wait('Waiting for you…');
    const signature = (await request('personal_sign', [message, account])) as string;
    const signer = await request('personal_ecRecover', [message, signature]);
    if (signer !== account) throw new Error(`Signed by somebody else: ${signer}`);
    ofMessage.good('Signed, and it is yours:', signature);
  };

  const day = 86_400_000;
  const deadline = new Date(Math.ceil(Date.now() / day) * day + 6 * day);
  const shownDeadline = find('order-deadline', HTMLTimeElement);
  shownDeadline.dateTime = deadline.toISOString();
  say(shownDeadline, deadline.toLocaleDateString('en', { day: 'numeric', month: 'long', timeZone: 'UTC' }));

  const signOrder = async () => {
    const { request, account, chainId } = connection();
    ofOrder.wait('Waiting for you…');
    const signature = (await request('eth_signTypedData_v4', [
      account,
      JSON.stringify(order({ maker: account, chainId, deadline })),
    ])) as string;
    ofOrder.good('Signed:', signature);
  };

  for (const [form, starter, task, result] of [
    ['message-form', 'sign-message', signMessage, ofMessage],
    ['typed-form', 'sign-typed', signOrder, ofOrder],
  ] as const)
    section(form).addEventListener('submit', (event) => {
      event.preventDefault();
      void during(button(starter), task, result.bad);
    });
}

/** The typed data of an order (EIP-712). */
export const order = ({ maker, chainId, deadline }: { maker: string; chainId: number; deadline: Date }) => ({
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Order: [
      { name: 'maker', type: 'address' },
      { name: 'sell', type: 'Amount' },
      { name: 'buy', type: 'Amount' },
      { name: 'deadline', type: 'uint256' },
    ],
    Amount: [
      { name: 'token', type: 'string' },
      { name: 'units', type: 'uint256' },
    ],
  },
  primaryType: 'Order',
  domain: { name: 'Leaf Market', version: '1', chainId },
  message: {
    maker,
    sell: { token: 'LEAF', units: '40000000000000000000' },
    buy: { token: 'RBTC', units: '20000000000000000' },
    deadline: String(deadline.getTime() / 1000),
  },
});

import { button, during, input, section } from '../dom.js';
import { readAddress } from './abi.js';
import type { Connection } from './connection.js';
import type { RequestFunction } from './eip1193.js';
import type { Receipt } from './receipt.js';
import { resultIn } from './result.js';

/** wei */
const move = 10n ** 15n;
const limit = 10n * move;
/** Seconds. */
const day = 86_400;

/** The card that pays for moves of a game: it asks for a permission (ERC-7715) once, and for nothing after that. */
export function startPlay(
  connection: () => Connection,
  receipt: (request: RequestFunction, hash: unknown) => Promise<Receipt>,
): void {
  const result = resultIn('play-result');
  let moves = 0;

  const permission = ({ chainId, account }: Connection, payee: string) => ({
    chainId: `0x${chainId.toString(16)}`,
    to: account,
    permission: {
      type: 'native-token-allowance',
      isAdjustmentAllowed: true,
      data: { allowanceAmount: `0x${limit.toString(16)}`, justification: 'Moves of a game' },
    },
    rules: [
      { type: 'expiry', data: { timestamp: Math.floor(Date.now() / 1_000) + day } },
      { type: 'payee', data: { addresses: [payee] } },
    ],
  });

  const play = async () => {
    const { request, account, chainId } = connection();
    const to = readAddress(input('pay-to').value);
    const granted = (await request('wallet_getGrantedExecutionPermissions')) as readonly unknown[];
    if (granted.length === 0) {
      result.wait('Waiting for you, this once…');
      await request('wallet_requestExecutionPermissions', [permission({ request, account, chainId }, to)]);
    }
    result.wait('Moving…');
    const value = `0x${move.toString(16)}`;
    const hash = (await request('eth_sendTransaction', [{ from: account, to, value }])) as string;
    await receipt(request, hash);
    moves++;
    result.good(`Move ${moves}`, hash);
  };

  section('play-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void during(button('play'), play, result.bad);
  });
}

import { parseAmount, showAmount } from '../amounts.js';
import { button, during, input, say, section } from '../dom.js';
import { balanceOf, deployment, readAddress, readNumber, transfer } from './abi.js';
import type { Connection } from './connection.js';
import type { RequestFunction } from './eip1193.js';
import type { Live } from './live.js';
import type { Receipt } from './receipt.js';
import { resultIn } from './result.js';

const supply = 1000n * 10n ** 18n;
const keyOf = (chainId: number) => `dapp:token:${chainId}`;

/** The card that deploys a token and transfers it. The token's address is stored per chain. */
export function startToken(
  connection: () => Connection,
  receipt: (request: RequestFunction, hash: unknown) => Promise<Receipt>,
  live: Live,
): { changed(next: Connection | null): Promise<void> } {
  const result = resultIn('token-result');
  let token: string | null = null;
  /** Changes with the chain and the account. What was read for others is not shown. */
  let shownFor: Connection | null = null;

  const show = (next: string | null) => {
    token = next;
    section('token-deploy-buttons').hidden = next !== null;
    section('token-use-buttons').hidden = next === null;
    if (next === null) say(section('token-tag'), 'not deployed');
    live.follow(next);
  };

  const readBalance = async ({ request, account }: Connection): Promise<bigint> => {
    const call = { to: token, data: balanceOf(account) };
    return readNumber(await request('eth_call', [call, 'latest']));
  };

  const refresh = async () => {
    if (token === null) return;
    const readFor = shownFor;
    const balance = await readBalance(connection());
    if (readFor === shownFor) say(section('token-tag'), `${showAmount(balance, 3)} LEAF`);
  };

  const deploy = async () => {
    const [from, deployedFor] = [connection(), shownFor];
    result.wait('Waiting for you…');
    const hash = await from.request('eth_sendTransaction', [
      { from: from.account, data: deployment(supply) },
    ]);
    result.wait('Sent. Waiting for a block…');
    const { contractAddress } = await receipt(from.request, hash);
    if (contractAddress === null) throw new Error('The receipt names no contract.');
    localStorage.setItem(keyOf(from.chainId), contractAddress);
    if (deployedFor === shownFor) show(contractAddress);
    await refresh();
    result.good('Deployed at', contractAddress);
  };

  const send = async () => {
    const { request, account } = connection();
    const to = readAddress(input('token-to').value);
    const data = transfer(to, parseAmount(input('token-amount').value));
    result.wait('Waiting for you…');
    const hash = (await request('eth_sendTransaction', [{ from: account, to: token, data }])) as string;
    result.wait('Sent. Waiting for a block…');
    const { blockNumber } = await receipt(request, hash);
    await refresh();
    result.good(`Mined in block ${Number(blockNumber).toLocaleString('en')}`, hash);
  };

  /** An `eth_call` that reverts: without a dialog or fee, and with the contract's reason. */
  const sendTooMany = async () => {
    const from = connection();
    const data = transfer(from.account, (await readBalance(from)) + 1n);
    await from.request('eth_call', [{ from: from.account, to: token, data }, 'latest']);
    throw new Error('The contract should have refused.');
  };

  button('deploy').addEventListener('click', () => void during(button('deploy'), deploy, result.bad));
  button('too-much').addEventListener(
    'click',
    () => void during(button('too-much'), sendTooMany, result.bad),
  );
  section('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    if (token === null) void during(button('deploy'), deploy, result.bad);
    else void during(button('transfer'), send, result.bad);
  });
  live.onBlock(() => void refresh().catch(() => undefined));

  return {
    async changed(next) {
      shownFor = next;
      show(null);
      const known = next && localStorage.getItem(keyOf(next.chainId));
      if (!next || !known) return;
      // A local chain is reset when its service restarts, so the stored address may have no code.
      const code = await next.request('eth_getCode', [known, 'latest']);
      if (code === '0x' || next !== shownFor) return;
      show(known);
      await refresh();
    },
  };
}

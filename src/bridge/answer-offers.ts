import { unauthorized } from '../rpc/core-errors.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Wallet } from '../wallet/wallet.js';
import { type BridgeChannel, helloInterval, receiveMessages } from './channel.js';
import type { OfferedPurses } from './offered-purses.js';
import { isId, type Message, readJson, times, writeError } from './protocol.js';
import { visibleSession } from './serve.js';

/**
 * In the window: answers the requests that the frame offers through `channel`, with one wallet, whose queue shows one
 * question after another. Resolves when there is nothing more to do here: nothing is offered, or nothing more.
 *
 * @param walletOf the wallet of a dapp, or `null` for one that is not served; `post` sends the frame a message about the
 * person's answers
 * @param onHalf takes the half of an earlier unlock, which the frame has kept
 * @param pursesOf the purses of the dapp; absent for a frame that shares this window's storage
 */
export function answerOffers(
  channel: BridgeChannel,
  walletOf: (origin: string, post: (message: object) => void) => Wallet | null,
  onHalf: (half: CryptoKey) => void,
  pursesOf?: PursesOf,
): Promise<void> {
  /** The requests that are being answered, by the number of their offer. */
  const inFlight = new Map<number, AbortController>();
  let served: { readonly origin: unknown; readonly wallet: Wallet | null } | undefined;
  let last = 0;
  let isStopped = false;

  return new Promise((resolve) => {
    const post = (message: object) => {
      if (!isStopped) channel.postMessage(message);
    };
    // Its wallet refuses what it was asking, which is not an answer.
    const onPageHide = () => {
      post({ t: 'closed' });
      stop();
    };
    const hello = () => post({ t: 'hello' });
    const calling = setInterval(hello, helloInterval);
    let timer = setTimeout(stop, times.hello);

    function stop(): void {
      isStopped = true;
      clearInterval(calling);
      clearTimeout(timer);
      window.removeEventListener('pagehide', onPageHide, hidingFirst);
      for (const controller of inFlight.values()) controller.abort();
      channel.close();
      resolve();
    }

    function stopIfIdle(): void {
      if (inFlight.size > 0) return;
      post({ t: 'idle' });
      stop();
    }

    async function take(offer: Message & { readonly id: number }): Promise<void> {
      last = offer.id;
      clearInterval(calling);
      clearTimeout(timer);
      post({ t: 'taken', id: offer.id });
      const controller = new AbortController();
      inFlight.set(offer.id, controller);
      const { origin } = offer;
      served ??= { origin, wallet: typeof origin === 'string' ? walletOf(origin, post) : null };
      const wallet = served.origin === origin ? served.wallet : null;
      const purses = wallet && pursesOf?.(wallet, post);
      const answer = await decide(wallet, offer, controller.signal, purses);
      if (isStopped) return;
      post({ t: 'answer', id: offer.id, ...answer });
      inFlight.delete(offer.id);
      clearTimeout(timer);
      timer = setTimeout(stopIfIdle, times.linger);
    }

    window.addEventListener('pagehide', onPageHide, hidingFirst);
    receiveMessages(channel, (message) => {
      const { t, id, half } = message;
      if (half instanceof CryptoKey) onHalf(half);
      if (t === 'offer' && isId(id) && id > last) void take({ ...message, id });
      else if (t === 'cancel' && id === undefined) stop();
      else if (t === 'cancel') inFlight.get(id as number)?.abort();
    });
    hello();
  });
}

/** Before the listeners that end the wallet. */
const hidingFirst = own({ capture: true });

/** Makes the purses of a wallet's dapp. `post` sends the frame a message. */
export type PursesOf = (wallet: Wallet, post: (message: object) => void) => OfferedPurses;

async function decide(
  wallet: Wallet | null,
  { method, json, purses: held }: Message,
  signal: AbortSignal,
  purses: OfferedPurses | null | undefined,
) {
  if (!wallet)
    return {
      error: writeError(unauthorized('The wallet does not serve this origin.')),
      session: { chainId: 0, accounts: [] },
    };
  const request = { method, params: readJson(json) } as { method: string };
  const ask = async () => {
    const answer = await purses?.answer({ ...request, params: readJson(json), signal }, held);
    if (answer && 'isForFrame' in answer) return { json: 'null', isForFrame: true };
    const result = answer
      ? answer.result
      : await wallet.provider.request(request, { signal, untilDecided: true });
    return { json: JSON.stringify(result ?? null) };
  };
  const answer = await ask().catch((error: ProviderRpcError) => ({ error: writeError(error) }));
  await purses?.give(held);
  return { ...answer, session: visibleSession(wallet) };
}

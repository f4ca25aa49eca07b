import { unauthorized } from '../rpc/core-errors.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Wallet } from '../wallet.js';
import { channelName, lockName, type WindowAnswer } from './handover.js';
import { type Message, readJson, readMessage, times, type WireError, writeError } from './protocol.js';
import { visibleSession } from './serve.js';

/** Milliseconds between two hellos. */
const interval = 250;

type Answer = Pick<WindowAnswer, 'session'> & ({ readonly json: string } | { readonly error: WireError });

/**
 * In the window: takes over the request of the offer that `token` names and answers it. Resolves when there is nothing
 * (more) to do here: there is no such offer, another window has it, or it is answered.
 */
export async function takeOver(token: string, options: takeOver.Options): Promise<void> {
  await navigator.locks.request(lockName(token), own({ ifAvailable: true }), async (lock) => {
    if (!lock) return;
    const channel = new BroadcastChannel(channelName);
    const cancelled = new AbortController();
    const post = (message: object) => channel.postMessage(own({ token, ...message }));
    const onPageHide = () => post({ t: 'closed' });
    window.addEventListener('pagehide', onPageHide);
    try {
      const offer = await firstOffer(channel, token, cancelled);
      if (!offer) return;
      const answer = await decide(offer, cancelled.signal, () => post({ t: 'approved' }), options);
      post({ t: 'answer', ...answer });
    } finally {
      window.removeEventListener('pagehide', onPageHide);
      channel.close();
    }
  });
}

/** Says hello until the frame has offered its request: the window may be there before the frame has read it. */
function firstOffer(
  channel: BroadcastChannel,
  token: string,
  cancelled: AbortController,
): Promise<Message | null> {
  return new Promise((resolve) => {
    const hello = () => channel.postMessage(own({ t: 'hello', token }));
    const again = setInterval(hello, interval);
    const stop = (offer: Message | null) => {
      clearInterval(again);
      clearTimeout(timer);
      resolve(offer);
    };
    const timer = setTimeout(stop, times.hello, null);
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = readMessage(data);
      if (message?.token !== token) return;
      if (message.t === 'offer') stop(message);
      else if (message.t === 'cancel') {
        cancelled.abort();
        stop(null);
      }
    };
    hello();
  });
}

async function decide(
  { origin, method, json }: Message,
  signal: AbortSignal,
  onApproved: () => void,
  options: takeOver.Options,
): Promise<Answer> {
  const wallet = typeof origin === 'string' ? options.walletOf(origin, onApproved) : null;
  if (!wallet)
    return {
      error: writeError(unauthorized('The wallet does not serve this origin.')),
      session: { chainId: 0, accounts: [] },
    };
  try {
    const asked = { method, params: readJson(json) } as { method: string };
    const result = await wallet.provider.request(asked, { signal, untilDecided: true });
    return { json: JSON.stringify(result ?? null), session: visibleSession(wallet) };
  } catch (error) {
    return { error: writeError(error as ProviderRpcError), session: visibleSession(wallet) };
  }
}

export declare namespace takeOver {
  interface Options {
    /**
     * The wallet of a dapp, or `null` for one that is not served. Its approver calls `onApproved` when the person has
     * agreed, before anything is signed.
     */
    readonly walletOf: (origin: string, onApproved: () => void) => Wallet | null;
  }
}

import { isSend } from '../rpc/method-facts/wallet-facts.js';
import { membersOf } from '../rpc/own-data.js';
import type { PendingRequest } from './connection.js';
import { readJson } from './protocol.js';

/**
 * Whether a permission of the page may cover a send: then the frame is asked before a window is opened. The wallet checks it
 * all; this only tells which windows would flash.
 *
 * @param permitted as the wallet's message lists it, of any type
 */
export function mayBePermitted({ method, json }: PendingRequest, permitted: unknown): boolean {
  if (!Array.isArray(permitted) || !isSend(method)) return false;
  const params = readJson(json);
  const [request] = Array.isArray(params) ? params : [];
  const { to, calls } = membersOf(request);
  const recipients = Array.isArray(calls) ? calls.map((call) => membersOf(call).to) : [to];
  return permitted.some((each) => {
    const { end, recipients: known } = membersOf(each);
    return (
      Number(end) > Date.now() / 1_000 &&
      Array.isArray(known) &&
      recipients.every((address) => typeof address === 'string' && known.includes(address.toLowerCase()))
    );
  });
}

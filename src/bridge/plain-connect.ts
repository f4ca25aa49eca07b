import { membersOf } from '../rpc/own-data.js';
import type { PendingRequest } from './connection.js';
import { readJson } from './protocol.js';

/** Whether a request asks for accounts alone: a site that is connected gets them without a person. */
export function asksForAccounts({ method, json }: Pick<PendingRequest, 'method' | 'json'>): boolean {
  if (method !== 'wallet_connect') return method === 'eth_requestAccounts';
  const { version, capabilities } = membersOf(membersOf(readJson(json))[0]);
  // One with a mistake is for the wallet, which names it.
  return (version === '1' || version === '1.0') && !membersOf(capabilities).signInWithEthereum;
}

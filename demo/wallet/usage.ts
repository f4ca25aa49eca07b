import type { Wallet } from '../../src/index.js';
import { say, section } from '../dom.js';

/** Shows how many requests a hosted service would count against its quota. */
export function showUsage(wallet: Wallet): void {
  let sent = 0;
  let shared = 0;
  for (const usage of wallet.usage().values()) {
    shared += usage.shared;
    for (const count of Object.values(usage.sent)) sent += count;
  }
  const count = (value: number) => value.toLocaleString('en');
  say(section('usage'), `${count(sent)} requests to the service, ${count(shared)} more were shared`);
}

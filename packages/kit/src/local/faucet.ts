import type { Address } from '../../../../src/rpc/schema.js';
import type { Chain } from './chain.js';
import { Failure, invalidParam } from './failure.js';
import { readAddress, readQuantity } from './params.js';
import type { HttpReply } from './rpc-handler.js';

const oneCoin = 10n ** 18n;
/** The maximum of one HTTP request, in wei: a thousand coins. */
const maxCredit = 1000n * oneCoin;

/** Credits coins without a transaction: by function call, or by `POST {base}/_local/faucet`. */
export function createFaucet(chain: Chain) {
  /** Credits wei (default 10^18). */
  const credit = (address: Address, wei = oneCoin) => chain.credit(readAddress(address), wei);
  return {
    credit,
    /** Handles an HTTP body `{ address, amount? }`, amount in wei as hex or decimal. Replies with `{ address, amount }`. */
    async handle(body: unknown): Promise<HttpReply> {
      try {
        const { address, amount } = Object(body) as Record<string, unknown>;
        const to = readAddress(address);
        const wei = amount === undefined ? oneCoin : readQuantity(amount);
        if (wei <= 0n || wei > maxCredit) throw invalidParam(`amount: 1 to ${maxCredit} wei`);
        await credit(to, wei);
        return { status: 200, body: JSON.stringify({ address: to, amount: `0x${wei.toString(16)}` }) };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return { status: 400, body: JSON.stringify({ error: error.message }) };
      }
    },
  };
}

import type { Address } from '../rpc/schema.js';
import type { Answer } from './answer.js';
import type { Chain } from './chain.js';
import { Failure, invalidParam } from './failure.js';
import { readAddress, readQuantity } from './params.js';

const oneCoin = 10n ** 18n;
/** Most that one request over HTTP credits: a thousand coins. */
const most = 1000n * oneCoin;

/** Coins for nothing: for tests by call, for the demo's page by `POST {base}/_local/faucet`. */
export function createFaucet(chain: Chain): {
  credit(address: Address, wei?: bigint): Promise<void>;
  /** Body `{ address, amount? }`, amount in wei as hex or decimal; answers `{ address, amount }`. */
  answer(body: unknown): Promise<Answer>;
} {
  const credit = (address: Address, wei = oneCoin) => chain.credit(readAddress(address), wei);
  return {
    credit,
    answer: async (body) => {
      try {
        const { address, amount } = (typeof body === 'object' && body !== null ? body : {}) as Record<
          string,
          unknown
        >;
        const to = readAddress(address);
        const wei = amount === undefined ? oneCoin : readQuantity(amount);
        if (wei <= 0n || wei > most) throw invalidParam(`amount: 1 to ${most} wei`);
        await credit(to, wei);
        return { status: 200, body: JSON.stringify({ address: to, amount: `0x${wei.toString(16)}` }) };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return { status: 400, body: JSON.stringify({ error: error.message }) };
      }
    },
  };
}

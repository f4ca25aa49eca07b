import { privateKeyToAccount } from 'viem/accounts';
import type { LocalService } from '../../packages/kit/src/local/index.js';
import type { Address, Hash, Hex, Receipt } from '../../src/rpc/schema.js';

/** A contract that emits a log for each transaction of somebody who has nothing to do with the wallets under test. */
export interface Emitter {
  readonly contract: Address;
  /** Sends a transaction whose log has this number as its topic. It is mined with the next block. */
  emit(topic: number): Promise<void>;
}

/** Deploys it, and mines one block. */
export async function createEmitter({ url, chainId, controls }: LocalService): Promise<Emitter> {
  const account = privateKeyToAccount(`0x${'acc0'.repeat(16)}`);

  async function send(to: Address | undefined, data: Hex): Promise<Hash> {
    // Asked each time: a reorganisation may have dropped some.
    const nonce = Number(await ask(url, 'eth_getTransactionCount', account.address, 'pending'));
    const transaction = await account.signTransaction({
      ...{ type: 'legacy', chainId, nonce, gas: 100_000n, gasPrice: 100_000_000n, data },
      ...(to && { to }),
    });
    return ask(url, 'eth_sendRawTransaction', transaction);
  }

  await controls.faucet(account.address);
  // Runtime code: LOG1 without data, the first word of the call data as its topic.
  const deployed = await send(undefined, '0x6860003560006000a10060005260096017f3');
  await controls.mine();
  const { contractAddress } = await ask<Receipt>(url, 'eth_getTransactionReceipt', deployed);
  const contract = contractAddress as Address;
  return {
    contract,
    emit: async (topic) => void (await send(contract, `0x${topic.toString(16).padStart(64, '0')}`)),
  };
}

/** Asks the service, past every wallet. @throws Error with the service's own error */
export async function ask<T>(url: string, method: string, ...params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { readonly result: T; readonly error?: unknown };
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

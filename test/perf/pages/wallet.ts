import type { Approver } from '../../../src/approvals/question.js';
import { createWallet } from '../../../src/index.js';

/** A wallet whose owner and whose person are played by the benchmark. */
export interface WalletPage {
  /** Makes the wallet that later pages find. */
  create(privateKey: string, password: string): Promise<void>;
  unlock(password: string): Promise<void>;
  /** Milliseconds from the answer to the signature; the person reads for `reading` milliseconds. */
  sign(reading: number): Promise<number>;
}

let reading = 0;
let confirmed = 0;
const approver: Approver = {
  async ask() {
    await new Promise((resolve) => setTimeout(resolve, reading));
    confirmed = performance.now();
    return { approved: true };
  },
};

const wallet = createWallet({
  networks: [{ chainId: 31, url: 'http://127.0.0.1:9/key' }],
  approver: () => approver,
});

export const bench: WalletPage = {
  async create(privateKey, password) {
    await wallet.importPrivateKey(privateKey, { password });
    await wallet.provider.request({ method: 'eth_requestAccounts' });
  },
  unlock: wallet.unlock,
  async sign(read) {
    reading = read;
    const [from] = await wallet.provider.request({ method: 'eth_accounts' });
    if (from === undefined) throw new Error('No account was remembered');
    await wallet.provider.request({ method: 'personal_sign', params: ['0x68656c6c6f', from] });
    return performance.now() - confirmed;
  },
};

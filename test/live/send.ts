import { type Hex, isProviderRpcError, type Question, type Wallet } from '../../src/index.js';
import type { Check } from './checks.js';
import type { Counting } from './counting.js';

/** Checks with a funded account, which pays to itself: the questions before a send, and its receipt. */
export function sendChecks(options: {
  readonly wallet: Wallet;
  readonly key: `0x${string}`;
  readonly password: string;
  readonly counting: Counting;
  /** Milliseconds between two polls of the receipt. */
  readonly interval: number;
  /** Answers every later question by this function. */
  readonly decide: (answer: (question: Question) => boolean) => void;
}): readonly Check[] {
  const { wallet, key, password, counting, interval, decide } = options;
  const { provider } = wallet;
  const account = async (): Promise<Hex> => {
    const [known] = wallet.state().accounts;
    if (known) return known.address;
    const { address } = await wallet.importPrivateKey(key, { password });
    await provider.request({ method: 'eth_requestAccounts' });
    return address;
  };

  /** The question about a transaction, which is then refused and costs nothing. */
  const shown = async (change: object): Promise<Extract<Question, { kind: 'transaction' }>> => {
    const from = await account();
    let seen: Question | undefined;
    decide((question) => {
      seen = question;
      return false;
    });
    try {
      await provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: from, value: '0x1', ...change }],
      });
    } catch (error) {
      if (!(isProviderRpcError(error) && error.code === 4001)) throw error;
    } finally {
      decide(() => true);
    }
    if (seen?.kind !== 'transaction') throw new Error('nothing was asked');
    return seen;
  };

  /** The journal's entry once it is settled. Two blocks of the chain's half minute are usual; a look costs a request. */
  const settled = async (hash: Hex) => {
    while (counting.left() > 5) {
      const entry = (await wallet.transactions()).find((each) => each.hash === hash);
      if (entry && entry.state !== 'signed' && entry.state !== 'sent') return entry;
      await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
    throw new Error(`there is no receipt of ${hash} yet, and no request left to look`);
  };

  return [
    {
      name: 'send: one wei to itself, until it is mined',
      async run() {
        const from = await account();
        const transaction = { from, to: from, value: '0x1' } as const;
        const { state, fee } = await settled(
          await provider.request({ method: 'eth_sendTransaction', params: [transaction] }),
        );
        if (state !== 'mined' || fee === undefined) throw new Error(`it is ${state}, its fee ${fee}`);
      },
    },
    {
      name: 'send: bytes that are mined already are a success when they are sent again',
      async run() {
        const [first] = await wallet.transactions();
        if (!first) throw new Error('nothing was sent');
        const again = await provider.request({ method: 'eth_sendRawTransaction', params: [first.raw] });
        if (again !== first.hash) throw new Error(`the hash is ${again}`);
      },
    },
    {
      name: 'send: what fails on the chain is reverted, with its fee',
      async run() {
        const from = await account();
        // Code that reverts; without gas of its own nothing would be sent but what the node says.
        const transaction = { from, data: '0x60006000fd', gas: '0xea60' } as const;
        const { state, fee } = await settled(
          await provider.request({ method: 'eth_sendTransaction', params: [transaction] }),
        );
        if (state !== 'reverted' || fee === undefined) throw new Error(`it is ${state}, its fee ${fee}`);
      },
    },
    {
      name: 'send: a price over the cap of the network is lowered, and said',
      async run() {
        const { transaction, warnings } = await shown({ gasPrice: '0xe8d4a51000' });
        if (
          BigInt(transaction.gasPrice) >= 10n ** 12n ||
          !warnings.some(({ code }) => code === 'gas-price-lowered')
        )
          throw new Error(`the price is ${BigInt(transaction.gasPrice)}`);
      },
    },
    {
      name: 'send: a call that must fail is shown as one',
      async run() {
        const { warnings } = await shown({ to: undefined, value: '0x0', data: '0xfe' });
        if (warnings[0]?.code !== 'simulation-reverts')
          throw new Error(`it is shown as ${warnings[0]?.code}`);
      },
    },
    {
      name: 'send: a nonce far ahead is refused unsigned',
      async run() {
        const before = (await wallet.transactions()).length;
        const code = await shown({ nonce: '0x1388000' }).then(
          () => null,
          (error: { code: number }) => error.code,
        );
        if (code !== -32003) throw new Error(`the code is ${code}`);
        if ((await wallet.transactions()).length !== before) throw new Error('it was signed');
      },
    },
  ];
}

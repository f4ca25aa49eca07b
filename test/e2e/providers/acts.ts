import type { Log, Wallet } from '../../../src/index.js';
import type { ProxiedRequest } from '../../support/proxy.js';
import type { SituationName } from './providers.js';

/** A dapp's action in a situation, and the requests that the gateway replies to. */
export interface Act {
  readonly title: string;
  /** The action in words, for the generated page. */
  readonly does: string;
  /** The calls that the gateway replies to. */
  readonly concerns: (call: ProxiedRequest, blocks: number) => boolean;
  /** Performs the action and returns its outcome in words. */
  readonly perform: (page: Page) => Promise<string>;
  /** The method that the gateway replies to. */
  readonly method: string;
  /** Whether it needs an unlocked account with coins. */
  readonly sends?: true;
}

export interface Page {
  readonly wallet: Wallet;
  readonly account: string;
  /** A contract that reverts with the reason "no". */
  readonly reverting: string;
  /** Logs of the chain's first 12,000 heights. */
  readonly logs: number;
}

const isRead = ({ method }: ProxiedRequest) => !method.startsWith('eth_send') && method !== 'eth_chainId';
const isMethod = (name: string) => (call: ProxiedRequest) => call.method === name;

// biome-ignore lint/suspicious/noExplicitAny: results of any method
const ask = (wallet: Wallet, method: string, ...params: unknown[]): Promise<any> =>
  wallet.provider.request({ method, params });

const getLogs =
  (toBlock: string) =>
  async ({ wallet, logs }: Page): Promise<string> => {
    const found: Log[] = await ask(wallet, 'eth_getLogs', { fromBlock: '0x0', toBlock, topics: [topic] });
    return found.length === logs ? `all ${logs} logs, in order` : `${found.length} of ${logs} logs`;
  };

/** The topic of the logs in the test chain. */
export const topic = `0x${'07'.padStart(64, '0')}`;

/** Milliseconds in which a transaction that a node has taken is mined and looked at. */
const patience = 5_000;
const isOpen = (state: string | undefined) => state === 'signed' || state === 'sent';

/** What is answered, and what the journal says of it in the end. */
async function send({ wallet, account }: Page): Promise<string> {
  const sent = ask(wallet, 'eth_sendTransaction', {
    from: account,
    to: `0x${'99'.repeat(20)}`,
    value: '0x1',
  });
  const outcome = await sent.then(
    () => 'the hash',
    (error) => describe(error),
  );
  let [entry] = await wallet.transactions();
  for (
    const began = Date.now();
    isOpen(entry?.state) && Date.now() - began < patience;
    [entry] = await wallet.transactions()
  )
    await new Promise((resolve) => setTimeout(resolve, 100));
  return `${outcome}; in the journal: ${entry ? entry.state : 'nothing'}`;
}

export const acts: { readonly [name in SituationName]: readonly Act[] } = {
  range: [
    {
      title: 'A range of blocks that is too wide',
      does: '`eth_getLogs` of 12,000 heights of a chain of 1,200 blocks',
      method: 'eth_getLogs',
      concerns: ({ method, params: [filter] }, blocks) => {
        const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock?: string; toBlock?: string };
        return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= blocks;
      },
      perform: getLogs('0x2edf'),
    },
  ],
  'no-logs': [
    {
      title: 'No `eth_getLogs`, a short range',
      does: '`eth_getLogs` of 128 blocks',
      method: 'eth_getLogs',
      concerns: isMethod('eth_getLogs'),
      perform: getLogs('0x7f'),
    },
    {
      title: 'No `eth_getLogs`, a long range',
      does: '`eth_getLogs` of 129 blocks',
      method: 'eth_getLogs',
      concerns: isMethod('eth_getLogs'),
      perform: getLogs('0x80'),
    },
  ],
  rate: [
    {
      title: 'Every request is refused for its rate',
      does: '`eth_blockNumber`',
      method: 'eth_blockNumber',
      concerns: isRead,
      perform: async ({ wallet }) => `${await ask(wallet, 'eth_blockNumber')}`,
    },
  ],
  quota: [
    {
      title: 'The quota is spent',
      does: '`eth_blockNumber`',
      method: 'eth_blockNumber',
      concerns: isRead,
      perform: async ({ wallet }) => `${await ask(wallet, 'eth_blockNumber')}`,
    },
  ],
  timeout: [
    {
      title: 'Every attempt of a read times out at the service',
      does: '`eth_call`',
      method: 'eth_call',
      concerns: isMethod('eth_call'),
      perform: async ({ wallet }) =>
        `${await ask(wallet, 'eth_call', { to: `0x${'99'.repeat(20)}` }, 'latest')}`,
    },
  ],
  moment: [
    {
      title: 'Every attempt of a read fails with “please retry”',
      does: '`eth_call`',
      method: 'eth_call',
      concerns: isMethod('eth_call'),
      perform: async ({ wallet }) =>
        `${await ask(wallet, 'eth_call', { to: `0x${'99'.repeat(20)}` }, 'latest')}`,
    },
  ],
  key: [
    {
      title: 'The API key is wrong, missing or switched off',
      does: '`eth_blockNumber`',
      method: 'eth_blockNumber',
      concerns: () => true,
      perform: async ({ wallet }) => `${await ask(wallet, 'eth_blockNumber')}`,
    },
  ],
  revert: [
    {
      title: 'A call reverts',
      does: '`eth_call` of a contract that reverts with the reason “no”',
      method: 'eth_call',
      concerns: isMethod('eth_call'),
      perform: async ({ wallet, reverting }) =>
        `${await ask(wallet, 'eth_call', { to: reverting }, 'latest')}`,
    },
  ],
  method: [
    {
      title: 'A method that the service lacks',
      does: '`eth_getProof`',
      method: 'eth_getProof',
      concerns: isMethod('eth_getProof'),
      perform: async ({ wallet, account }) => `${await ask(wallet, 'eth_getProof', account, [], 'latest')}`,
    },
  ],
  block: [
    {
      title: 'A block that the service does not know',
      does: '`eth_getBalance` at block 0xffffff',
      method: 'eth_getBalance',
      concerns: isMethod('eth_getBalance'),
      perform: async ({ wallet, account }) => `${await ask(wallet, 'eth_getBalance', account, '0xffffff')}`,
    },
  ],
  funds: [
    {
      title: 'A send that is refused: not enough coins',
      does: '`eth_sendTransaction`',
      method: 'eth_sendRawTransaction',
      concerns: isMethod('eth_sendRawTransaction'),
      perform: send,
      sends: true,
    },
  ],
  nonce: [
    {
      title: 'A send that is refused: nonce too low',
      does: '`eth_sendTransaction`',
      method: 'eth_sendRawTransaction',
      concerns: isMethod('eth_sendRawTransaction'),
      perform: send,
      sends: true,
    },
  ],
  accepted: [
    {
      title: 'A send that fails after the service has accepted it',
      does: '`eth_sendTransaction`, which is accepted and mined',
      method: 'eth_sendRawTransaction',
      concerns: isMethod('eth_sendRawTransaction'),
      perform: send,
      sends: true,
    },
  ],
};

/** An error as a dapp receives it: code, machine-readable reason, message. */
export function describe(error: unknown): string {
  const { code, message, data } = error as { code?: number; message: string; data?: { reason?: string } };
  const reason = typeof data === 'object' && data?.reason ? `, \`${data.reason}\`` : '';
  // Removes parts that differ between runs.
  const text = message.replace(/0x[0-9a-f]{40,}/g, '0x…').replace(/in \d+ s/g, 'in … s');
  return `${code}${reason}: ${text}`;
}

import { createWalletClient, type Hex, http, publicActions } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { LoggedCall } from '../../../packages/kit/src/local/requests.js';
import type { Decision } from '../../support/person.js';
import type { ChainToAdd, Client, Library, Outcome } from './client.js';
import { reverter } from './contracts.js';
import { type OpenPlace, openHere, type Place } from './place.js';

export type Dialect = 'seed' | 'node';

/** The chains of the matrix, and a reverter on the first. For one library: what it costs is counted. */
export interface Chains extends AsyncDisposable {
  readonly dialect: Dialect;
  /** Where everything happens: chain 33. */
  readonly home: LocalService;
  /** Chain 31, which wallet and dapp know. */
  readonly known: LocalService;
  /** A chain that the dapp knows, and the wallet only when it was added. */
  readonly unknown: LocalService;
  /** The reverter's address. */
  readonly contract: string;
  /** Somebody else stores a value in it. */
  store(value: bigint): Promise<void>;
  /** What the first chain says, past every wallet and library under test. */
  ask<T>(method: string, params: readonly unknown[]): Promise<T>;
  /** As the dapp is told of them. */
  readonly told: Readonly<Record<'home' | 'known' | 'unknown', ChainToAdd>>;
}

export async function createChains(dialect: Dialect): Promise<Chains> {
  const [home, known, unknown] = await Promise.all(
    [33, 31, 1338].map((chainId) => createLocalService({ chainId, dialect })),
  );
  if (!home || !known || !unknown) throw new Error('a service is missing');
  const close = async () => void (await Promise.all([home, known, unknown].map((each) => each.close())));
  const tell = ({ chainId, url }: LocalService, name: string): ChainToAdd => ({ chainId, name, url });
  return {
    dialect,
    home,
    known,
    unknown,
    ...(await deployReverter(home)),
    told: {
      home: tell(home, 'Rootstock Local'),
      known: tell(known, 'Rootstock Testnet'),
      unknown: tell(unknown, 'Orchard'),
    },
    [Symbol.asyncDispose]: close,
  };
}

/** With a key of its own, over HTTP: the wallet under test has no part in it. */
async function deployReverter({
  url,
  controls,
}: LocalService): Promise<Pick<Chains, 'contract' | 'store' | 'ask'>> {
  const account = privateKeyToAccount(generatePrivateKey());
  await controls.faucet(account.address);
  const client = createWalletClient({ account, transport: http(url) }).extend(publicActions);
  const terms = { chain: null, gas: 1_000_000n, gasPrice: 60_000_000n } as const;
  const { abi } = reverter;
  const hash = await client.deployContract({ abi, bytecode: reverter.code as Hex, ...terms });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  const address = contractAddress as Hex;
  return {
    contract: address.toLowerCase(),
    store: async (value) =>
      void (await client.writeContract({ abi, address, functionName: 'store', args: [value], ...terms })),
    ask: (method, params) => client.request({ method, params } as never),
  };
}

/** A library with a wallet on the chains: what a behaviour has in its hands. */
export interface Rig extends Omit<Place, 'client' | 'decide'>, Chains {
  /** The library of now. */
  readonly client: Client;
  /** Runs one act of the dapp, and says what it took. `decision` is the person's, by default to approve. */
  act<T>(act: (client: Client) => Promise<Outcome<T>>, decision?: Decision): Promise<Act<T>>;
  /** Connects, where the page is not connected. */
  connected(): Promise<void>;
  /** Opens the page again where the wallet does not look at the head so often (see {@link Place.reload}). */
  pace(looks?: number): Promise<void>;
}

export interface Act<T> {
  readonly outcome: Outcome<T>;
  /** The methods that the services were asked during the act, but for {@link uncounted}. */
  readonly requests: readonly string[];
  /** The kinds of the questions that a person was asked. */
  readonly questions: readonly string[];
}

/**
 * What comes with the clock and not with the act: looks at the head, at a transaction and at its receipt, by the
 * wallet's follower and by a library that polls, and the check of the endpoint's chain, which holds a minute.
 */
export const uncounted: readonly string[] = [
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_chainId',
];

/**
 * Nor is what the sender's nonce is at the newest block, which whoever waits for a transaction asks at each block, nor
 * the call at a block's height, with the price of the transaction, by which the wallet learns why a mined one was
 * reverted.
 */
const isCounted = (method: string, params: unknown): boolean => {
  const [subject, selector] = Array.isArray(params) ? params : [];
  return !(
    uncounted.includes(method) ||
    (method === 'eth_getTransactionCount' && selector === 'latest') ||
    (method === 'eth_call' && `${selector}`.startsWith('0x') && subject.gasPrice !== undefined)
  );
};

/**
 * Whether an answer is asked for once more, and at which block, depends on the clock: a block may have come since, and the
 * newest one is named by its number or its hash for a moment.
 */
const isRepetition = (call: LoggedCall, earlier: LoggedCall): boolean => asked(call) === asked(earlier);

const asked = ({ method, params }: LoggedCall): string => {
  const [subject, selector, ...rest] = Array.isArray(params) ? params : [];
  const isPinned = typeof selector === 'object' || `${selector}`.startsWith('0x');
  return JSON.stringify([method, subject, isPinned ? 'latest' : selector, rest]);
};

export declare namespace createRig {
  interface Options {
    readonly chains: Chains;
    readonly library: Library;
    /** Default: in this process. */
    readonly open?: OpenPlace;
  }
}

export async function createRig({ chains, library, open = openHere }: createRig.Options): Promise<Rig> {
  const { home, known, unknown, told } = chains;
  const place = await open({
    library,
    known: [told.home, told.known],
    chains: [told.home, told.known, told.unknown],
    pollingInterval: 300,
  });
  await home.controls.faucet(place.accounts[0] as Hex, 10n ** 19n);
  const logs = [home, known, unknown].map(({ requests }) => requests);

  let hasSent = false;
  /** After a transaction the wallet looks whether it was mined: waits until nothing is asked any more. */
  const calm = async () => {
    const end = Date.now() + 2_000;
    for (let asked = -1; Date.now() < end; ) {
      const calls = logs.flat();
      // One that was lost is never answered.
      const waiting = calls.some(({ httpStatus, at }) => httpStatus === 0 && Date.now() - at < 500);
      if (calls.length === asked && !waiting) return;
      asked = calls.length;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  let pace: number | undefined;
  const reload = async (looks = pace) => {
    pace = looks;
    await place.reload(looks);
  };

  const act: Rig['act'] = async (run, decision = 'approve') => {
    if (hasSent) await calm();
    await place.decide(decision);
    const marks = logs.map((log) => log.length);
    const before = (await place.asked()).length;
    const outcome = await run(place.client());
    const made = logs
      .flatMap((log, index) => log.slice(marks[index]))
      .filter(({ method, params }) => isCounted(method, params))
      .filter((call, index, all) => !all.slice(0, index).some((other) => isRepetition(call, other)));
    const questions = (await place.asked()).slice(before);
    hasSent = questions.includes('transaction');
    await place.decide('approve');
    return { outcome, requests: made.map(({ method }) => method), questions };
  };

  return {
    ...chains,
    ...place,
    get client() {
      return place.client();
    },
    act,
    reload,
    pace: async (looks) => {
      if (looks === pace) return;
      pace = undefined;
      await reload(looks);
    },
    async connected() {
      const client = place.client();
      const outcome = await client.reconnect();
      if ('value' in outcome && outcome.value.length > 0) return;
      await place.decide('approve');
      const connected = await client.connect();
      if ('error' in connected) throw new Error(`The library does not connect: ${connected.error.message}`);
    },
  };
}

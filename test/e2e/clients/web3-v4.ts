/** web3.js 4: `web3.eth`, its contracts, and subscriptions, which it takes for granted where there is `on`. */
import { type EIP1193Provider, type EthExecutionAPI, errors, Web3 } from 'web3';
import type { Adapter, Explained, Library } from './client.js';
import { nodeReverts, onNode, reverts, succeeds } from './expected.js';
import { createWeb3Acts, type Emitter, passedOn, type Web3Eth } from './web3.js';

const create: Library['create'] = ({ provider, pollingInterval }) => {
  const web3 = new Web3(provider as EIP1193Provider<EthExecutionAPI>);
  const { eth, utils, requestManager } = web3;
  // A chain without a base fee: its default, a transaction of EIP-1559, it refuses to make there.
  web3.setConfig({ defaultTransactionType: '0x0', transactionPollingInterval: pollingInterval });
  return createWeb3Acts({
    provider,
    eth: eth as unknown as Web3Eth,
    request: (method, ...params) => requestManager.send({ method, params } as never),
    sign: (text, account) => eth.personal.sign(utils.utf8ToHex(text), account, ''),
    signTypedData: (account, typedData) => eth.signTypedData(account, typedData as never),
    subscribeToHeads: async () => (await eth.subscribe('newBlockHeaders')) as unknown as Emitter,
    unsubscribe: (subscription) => (subscription as Subscription).unsubscribe(),
  });
};

interface Subscription extends Emitter {
  unsubscribe(): Promise<void>;
}

/**
 * The wallet's own errors pass as they are. A revert becomes `ContractExecutionError`, whose `cause` has the
 * wallet's code and what the ABI explains. Revert data of no bytes it takes for the ABI's first error, without
 * arguments: that is no explanation.
 */
function explain(error: unknown): Explained {
  const shown = error as Shown;
  const below = shown instanceof errors.BaseWeb3Error ? (shown.cause as Shown | undefined) : shown;
  const { errorName, errorArgs } = below ?? {};
  const values = Object.entries(errorArgs ?? {}).flatMap(([key, value]) =>
    /^\d+$/.test(key) ? [value] : [],
  );
  const decoded =
    errorName === 'Error' ? String(values[0]) : errorArgs && `${errorName}(${values.join(', ')})`;
  return {
    class: shown.constructor.name,
    ...(below?.code !== undefined && { code: below.code }),
    reason: decoded ?? (below ?? shown).message,
    message: shown.message,
  };
}

interface Shown extends Error {
  readonly code?: number;
  readonly errorName?: string;
  readonly errorArgs?: Readonly<Record<string, unknown>>;
}

const calls = (reason: string) => ({ class: 'ContractExecutionError', code: 3, reason });

/** It estimates nothing before a send: a person is asked about what the dry run says reverts. */
export const web3V4: Adapter = {
  version: Web3.version,
  create,
  explain,
  expected: {
    ...passedOn,
    ...reverts('call', {
      string: calls('Reverter: said no'),
      panic: calls('Panic(17)'),
      custom: calls('TooLow(1, 2)'),
      empty: calls('execution reverted'),
    }),
    ...reverts('estimate', onNode(nodeReverts('ContractExecutionError'))),
    ...reverts('send', succeeds),
  },
};

import { inspect } from 'node:util';
import { mnemonicToAccount } from 'viem/accounts';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Provider } from '../../../src/index.js';
import { mnemonic, origin, password } from '../../support/keys.js';
import { knownMethods } from '../../support/known-methods.js';
import { openWallet } from '../../support/open-wallet.js';
import { plantedKey } from '../../support/scripted-service.js';
import { typedData } from '../conformance/typed-data.js';
import { showsSecret, wrongRejection } from './faults.js';
import { good } from './good-requests.js';
import { spoil } from './mutations.js';
import { poison } from './poison.js';
import type { Random } from './random.js';
import type { Recording } from './recorded.js';
import { wrongType } from './result-types.js';
import type { Twin } from './twin.js';

interface ScriptedRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a request came to. `late`: it is not settled although nothing is left to wait for. */
type Outcome = { readonly result: unknown } | { readonly error: unknown } | { readonly fault: string };

const deadline = 60_000;
const path = "m/44'/37310'/0'/0/0";
const names = knownMethods;

/** A page asks what is spoilt, in every way that the provider can be asked. Says what goes wrong, by the milliseconds of `now`. */
export async function createSpoiltRequests(recording: Recording, twin: Twin, now: () => number) {
  const host = 'requests.example';
  const keyHex = Buffer.from(
    mnemonicToAccount(mnemonic, { path: path as `m/44'/60'/${string}` }).getHdKey().privateKey ?? [],
  ).toString('hex');
  const secrets = [plantedKey, password, keyHex, mnemonic, host];
  twin.host(host, ({ method, params }) => ({
    body: recording.replyTo(method, params),
    status: 200,
    headers: {},
  }));
  let questions = 0;
  const wallet = openWallet({
    networks: [
      { chainId: 33, url: `https://${host}/v2/${plantedKey}` },
      { chainId: 31, url: `https://${host}/v2/${plantedKey}` },
    ],
    origin,
    // Nothing is sent: the chain of a recording does not grow.
    approver: () =>
      headless({
        password,
        answer: ({ kind }) => kind !== 'transaction' && kind !== 'calls' && ++questions % 3 > 0,
      }),
    lockAfter: 2_000_000_000,
  });
  const { provider } = wallet;
  await wallet.importMnemonic(mnemonic, { password, path });
  const events: unknown[] = [];
  for (const event of ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message'])
    provider.on(event, (payload) => void (events.length < 1_000 && events.push(payload)));

  const valid: readonly ScriptedRequest[] = [
    ...recording.scenarios.flatMap(({ steps }) =>
      steps.flatMap(({ method, params }) => (typeof params === 'function' ? [] : [{ method, params }])),
    ),
    ...Object.entries(good).map(([method, params]) => ({ method, params })),
    { method: 'eth_signTypedData_v4', params: [accountIn(good), typedData({ 'domain.chainId': 33 })] },
    {
      method: 'eth_signTypedData_v4',
      params: [accountIn(good), JSON.stringify(typedData({ 'domain.chainId': 33 }))],
    },
    { method: 'wallet_switchEthereumChain', params: [{ chainId: '0x21' }] },
    { method: 'wallet_getPermissions', params: [] },
    { method: 'wallet_getCapabilities', params: [accountIn(good)] },
    {
      method: 'wallet_sendCalls',
      params: [
        {
          version: '2.0.0',
          chainId: '0x21',
          from: accountIn(good),
          atomicRequired: false,
          calls: [{ to: accountIn(good) }],
        },
      ],
    },
    { method: 'wallet_getCallsStatus', params: ['0x01'] },
    { method: 'eth_requestAccounts', params: [] },
  ];

  /** What the page let go of: connected again, on the chain again, nothing followed. */
  async function restore(): Promise<void> {
    wallet.switchChain(31);
    wallet.switchChain(33);
    while (!(await provider.request({ method: 'eth_accounts' })).length)
      await provider.request({ method: 'eth_requestAccounts' }).catch(() => {});
    events.length = 0;
  }
  let asked = 0;

  return async (random: Random): Promise<string | null> => {
    if (asked++ % 200 === 0) await restore();
    const args = argumentsFrom(random, valid);
    const began = now();
    const outcome = await ask(provider, args, random);
    const took = now() - began;
    const fault =
      faultOf(outcome, methodOf(args), secrets) ??
      showsSecret(events, secrets) ??
      (took > deadline ? `it takes ${Math.round(took)} ms` : null);
    return fault && `${print(args)}: ${fault}`;
  };
}

const accountIn = (requests: typeof good) => (requests.personal_sign as readonly unknown[])[1];

function argumentsFrom(random: Random, valid: readonly ScriptedRequest[]): unknown {
  const chance = random.below(16);
  if (chance === 0) return poison(random);
  if (chance === 1) return { method: poison(random), params: poison(random) };
  if (chance < 4)
    return {
      method: random.pick(names),
      params: Array.from({ length: random.below(4) }, () => poison(random)),
    };
  const { method, params } = random.pick(valid);
  if (chance === 4) return spoil({ method, params }, random);
  if (chance === 5) return { method, params };
  return { method, params: spoil(params, random) };
}

/** Through `request`, or one of the calls from before EIP-1193. */
async function ask(provider: Provider, args: unknown, random: Random): Promise<Outcome> {
  const request = provider.request as (args: unknown, settings?: unknown) => Promise<unknown>;
  try {
    const way = random.below(12);
    if (way === 0) return { result: await request(args, settingsFrom(random)) };
    if (way === 1) return { result: await provider.send(args as never) };
    if (way === 2) return await called((callback) => provider.sendAsync(args as never, callback));
    return { result: await request(args) };
  } catch (error) {
    return { error };
  }
}

const settingsFrom = (random: Random): unknown => {
  const settings = poison(random);
  if (random.chance(0.5)) return settings;
  return { signal: random.chance(0.5) ? settings : AbortSignal.abort(), onProgress: settings };
};

/** The callback is called once, with an error or a response. */
function called(
  call: (callback: (error: Error | null, response?: unknown) => void) => void,
): Promise<Outcome> {
  return new Promise((resolve) => {
    call((error, response) => {
      const { result } = (response ?? {}) as { result?: unknown };
      resolve(error ? { error } : Array.isArray(response) ? { result: response } : { result });
    });
  });
}

function faultOf(outcome: Outcome, method: unknown, secrets: readonly string[]): string | null {
  if ('fault' in outcome) return outcome.fault;
  if ('error' in outcome) return wrongRejection(outcome.error, secrets);
  const { result } = outcome;
  if (method === null) return wrongBatch(result) ?? showsSecret(result, secrets);
  return wrongType(String(method), result) ?? showsSecret(result, secrets);
}

/** Answered to an array of requests. */
function wrongBatch(responses: unknown): string | null {
  if (!Array.isArray(responses)) return `a batch resolves with ${inspect(responses)}`;
  for (const response of responses)
    if (response?.jsonrpc !== '2.0' || (response.error && !Number.isInteger(response.error.code)))
      return `a batch resolves with ${inspect(responses)}`;
  return null;
}

/** `null` for a batch. What cannot be read has no method, and no result either. */
function methodOf(args: unknown): unknown {
  try {
    return Array.isArray(args) ? null : (args as { method: unknown }).method;
  } catch {
    return undefined;
  }
}

const print = (value: unknown): string => {
  try {
    return inspect(value, { depth: 4, maxStringLength: 200, maxArrayLength: 10 });
  } catch {
    return 'what cannot be printed';
  }
};

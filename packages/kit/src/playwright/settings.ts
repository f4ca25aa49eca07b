import { derivePrivateKey } from '../../../../src/keyring/hd.js';
import { readMnemonic, seedOf } from '../../../../src/keyring/mnemonic.js';
import { readPrivateKey } from '../../../../src/keyring/private-key.js';
import { addressOf } from '../../../../src/keyring/signer.js';
import type { Announcement } from '../../../../src/provider/announce.js';
import type { Address, Hex } from '../../../../src/rpc/schema.js';
import { createNetworks, type NetworkOptions } from '../../../../src/service/networks.js';
import { isWalletOrigin, requireMembers } from '../testing/checks.js';
import type { PageSettings } from '../testing/page-protocol.js';

/** Which wallet a page gets. */
export interface WalletOptions {
  /**
   * The chains, as `createWallet` takes them; the first is active. Give `chain` instead for a local one.
   */
  readonly networks?: readonly NetworkOptions[] | undefined;
  /** A chain from `startChain`, or whatever has its id and the URL of its service. Comes before `networks`. */
  readonly chain?: { readonly chainId: number; readonly url: string } | undefined;
  /** A BIP-39 mnemonic. Default: the public one of development nodes, `test test … junk`. */
  readonly mnemonic?: string | undefined;
  /** How many accounts of the mnemonic the wallet has, default 1; or private keys in place of a mnemonic. */
  readonly accounts?: number | readonly Hex[] | undefined;
  /** Password of the wallet, at least 8 characters. Default `test password`. */
  readonly password?: string | undefined;
  /** Presents the wallet as MetaMask: `isMetaMask`, its `rdns` and name (EIP-6963), and `_metamask`. Default false. */
  readonly isMetaMask?: boolean | undefined;
  /** How the wallet presents itself (EIP-6963). It is `window.ethereum` unless `window` is false. */
  readonly announcement?: Announcement | undefined;
  /** Whether to show the wallet's own dialog and answer by clicks in it. Default false: nothing is shown. */
  readonly dialog?: boolean | undefined;
  /**
   * The origin of the wallet's site, such as `https://wallet.example.com`, for a dapp that uses `connectBridge`. The kit
   * serves that site, and puts no wallet into other pages.
   */
  readonly bridge?: string | undefined;
  /** Milliseconds between two polls of the head. Default 100. */
  readonly pollingInterval?: number | undefined;
}

const publicMnemonic = 'test test test test test test test test test test test junk';

/** Whether the value of an option is valid. */
type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isObject: Check = (value) => typeof value === 'object' && value !== null;
const isDuration: Check = (value) => typeof value === 'number' && value >= 0;
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;

/** `answers` and `timeout` are options of `installWallet`. A test may pass the same object to the other functions. */
const rules: Readonly<Record<keyof WalletOptions | 'answers' | 'timeout', readonly [Check, string]>> = {
  networks: [Array.isArray, 'a list of networks'],
  chain: [isObject, 'an object with chainId and url'],
  mnemonic: [isText, 'the words of a mnemonic'],
  accounts: [
    (value) => isCount(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
    'a whole number from 1, or a list of at least one private key',
  ],
  password: [(value) => isText(value) && [...(value as string)].length >= 8, 'at least 8 characters'],
  isMetaMask: [isBoolean, 'true or false'],
  announcement: [isObject, 'an object'],
  dialog: [isBoolean, 'true or false'],
  bridge: [isWalletOrigin, 'an https origin, such as https://wallet.example.com'],
  pollingInterval: [isDuration, 'milliseconds'],
  // `scripted` checks them.
  answers: [() => true, ''],
  timeout: [isDuration, 'milliseconds'],
};

/** @throws Error naming the option that is unknown or wrong; it holds no value, which may be a secret */
function requireOptions(options: WalletOptions): void {
  requireMembers('walletOptions', options, Object.keys(rules));
  for (const [name, value] of Object.entries(options)) {
    const [isRight, expected] = rules[name as keyof typeof rules];
    if (value !== undefined && !isRight(value)) throw new Error(`${name}: expected ${expected}`);
  }
}

/** The settings of the page. @throws Error naming the option that is wrong; it holds no secret */
export function readSettings(options: WalletOptions): PageSettings {
  requireOptions(options);
  const { chain, accounts = 1, mnemonic = publicMnemonic } = options;
  const local = chain ? [{ chainId: chain.chainId, url: chain.url }] : [];
  const networks = [...local, ...(options.networks ?? [])];
  createNetworks(networks);
  return {
    networks,
    accounts: typeof accounts === 'number' ? { mnemonic, count: accounts } : { privateKeys: accounts },
    password: options.password ?? 'test password',
    dialog: options.dialog ?? false,
    bridge: options.bridge,
    announcement: {
      window: true,
      ...(options.isMetaMask && { name: 'MetaMask', rdns: 'io.metamask', isMetaMask: true }),
      ...options.announcement,
    },
    pollingInterval: options.pollingInterval ?? 100,
  };
}

/**
 * The addresses that a wallet with these options has, in order and in lower case, to give them coins before it is there.
 *
 * @example
 * const [account] = await addressesOf({ chain });
 * await chain.fund(account!);
 *
 * @throws Error naming the option that is wrong; it holds no secret
 */
export async function addressesOf(options: WalletOptions): Promise<readonly Address[]> {
  const { networks, accounts } = readSettings(options);
  if ('privateKeys' in accounts) return accounts.privateKeys.map((key) => addressOf(readPrivateKey(key)));
  const [network] = createNetworks(networks);
  const seed = await seedOf(readMnemonic(accounts.mnemonic));
  const path = (index: number) => `m/44'/${network?.coinType}'/0'/0/${index}`;
  const keys = Array.from({ length: accounts.count }, (_, index) => derivePrivateKey(seed, path(index)));
  return (await Promise.all(keys)).map(addressOf);
}

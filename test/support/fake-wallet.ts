import type { Allowance } from '../../src/assets/allowances.js';
import type { CoinPrice } from '../../src/assets/coin-price.js';
import type { PegOut } from '../../src/bitcoin/peg-out.js';
import type { Contact } from '../../src/contacts/contact.js';
import type { Keyring } from '../../src/keyring/keyring.js';
import type { GrantedPermission } from '../../src/permissions/granted.js';
import type { HeldPurse } from '../../src/purse/purse.js';
import type { ListedPayment, Received } from '../../src/received/received.js';
import { ProviderRpcError } from '../../src/rpc/errors.js';
import { own } from '../../src/rpc/own.js';
import type { Address, Hash, Hex } from '../../src/rpc/schema.js';
import type { RecordedTransaction, TransactionsOptions } from '../../src/transactions/transactions.js';
import type { PanelAccount, PanelToken, PanelWallet } from '../../src/ui/panel/wallet.js';
import { type FakeOwner, fakeOwner, phrase } from './fake-owner.js';
import { account, recipient, savings, token } from './questions.js';

/** A wallet for the panel without keys or a network: what it shows is set, and what it is asked for is noted. */
export interface FakeWallet extends Omit<PanelWallet, 'ownSite'>, Pick<FakeOwner, 'ownSite' | 'passkey'> {
  readonly calls: FakeOwner['calls'];
  /** Makes the next call of a function fail with this code, and `data`. */
  fail(name: keyof PanelWallet, code: number, data?: unknown): void;
  /** Changes what the wallet holds, and says so to its listeners. */
  change(change: Partial<FakeWallet['holds']>): void;
  readonly holds: {
    readonly vault: Keyring.State;
    readonly accounts: readonly PanelAccount[];
    readonly permissions: Readonly<Record<string, { accounts: readonly Address[]; date: number }>>;
    readonly granted: readonly GrantedPermission[];
    readonly purses: readonly HeldPurse[];
    readonly backup: 'done' | 'needed';
    readonly chainId: number;
    readonly lockAfter?: number | null;
    readonly balance: bigint;
    readonly tokens: readonly PanelToken[];
    readonly transactions: readonly RecordedTransaction[];
    readonly passkeys: Awaited<ReturnType<PanelWallet['passkeys']>>;
    readonly usage: ReturnType<PanelWallet['usage']>;
    readonly pegOuts: readonly PegOut[];
    readonly received: Received;
    readonly allowances: readonly Allowance[];
    readonly contacts: readonly Contact[];
    readonly price: CoinPrice | null;
  };
}

const day = Date.UTC(2026, 10, 20, 12);
const hash = (digit: string): Hash => `0x${digit.repeat(64)}`;
const imported = '0x779ded0c9e1022225f8e0630b35a9b54be713737';

const transaction = (digit: string, more: Partial<RecordedTransaction>): RecordedTransaction => ({
  hash: hash(digit),
  raw: '0x',
  chainId: 31,
  from: account.address,
  to: recipient,
  nonce: '0x2a',
  value: '0x3782dace9d90000',
  data: '0x',
  gas: '0x5208',
  gasPrice: '0x3e25a60',
  origin: 'https://app.sovryn.example',
  createdAt: day,
  state: 'mined',
  ...more,
});

/** One of each state. */
export const transactions: readonly RecordedTransaction[] = [
  transaction('1', { fee: '0x13e9f8cb000', blockNumber: '0x5f5e100', blockHash: hash('b') }),
  transaction('2', {
    state: 'reverted',
    data: '0xa9059cbb',
    to: token,
    value: '0x0',
    reason: 'ERC20: transfer amount exceeds balance',
    fee: '0x13e9f8cb000',
  }),
  transaction('3', { state: 'refused', to: null, data: '0x6001', reason: 'intrinsic gas too low' }),
  transaction('4', { state: 'replaced', replacedBy: hash('5') }),
  transaction('5', { state: 'signed', hold: 'old', data: '0x095ea7b3', to: token, value: '0x0' }),
  transaction('6', { state: 'sent', to: savings.address }),
];

/** Listed on the testnet. */
const rif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
const unlisted = '0x1111111111111111111111111111111111111111';
const coins = (thousandths: number): Hex => `0x${(BigInt(thousandths) * 10n ** 15n).toString(16)}`;

/** Transactions with effects, among others. */
export const toldTransactions: readonly RecordedTransaction[] = [
  ...transactions,
  transaction('7', {
    to: recipient,
    data: '0x12345678',
    value: '0x0',
    createdAt: day + 60_000,
    effects: [
      { kind: 'paid', token: rif, amount: coins(12_000) },
      { kind: 'received', token: null, amount: coins(1) },
      { kind: 'allowed', token: rif, spender: recipient, amount: '0x0' },
    ],
  }),
  transaction('8', {
    to: token,
    data: '0x095ea7b3',
    value: '0x0',
    createdAt: day + 120_000,
    effects: [{ kind: 'allowed', token: rif, spender: recipient, amount: `0x${'f'.repeat(64)}` }],
  }),
  transaction('9', { to: null, data: '0x6001', value: '0x0', createdAt: day + 180_000, created: recipient }),
];

/** A payment in 0.5 of the chain's coin. */
export const payment = (digit: string, more: Partial<ListedPayment> = {}): ListedPayment => ({
  account: account.address,
  from: recipient,
  token: null,
  amount: coins(500),
  transaction: hash(digit),
  blockNumber: '0x5f5e100',
  blockHash: hash('b'),
  at: day,
  confirmations: 40,
  ...more,
});

/** One payment of each kind, one of each doubt, and balances that changed without a payment. */
export const received: Received = {
  payments: [
    payment('a', { token: unlisted, amount: '0x1', doubt: 'unlisted', logIndex: '0x0' }),
    payment('b', { token: rif, amount: '0x0', doubt: 'nothing', logIndex: '0x0' }),
    payment('c', { from: '0x5aae00000000000000000000000000000000eaed', amount: '0x1', doubt: 'look-alike' }),
    payment('d', { token: rif, amount: coins(12_500), from: savings.address, at: day - 60_000 }),
    payment('e', { token: imported, amount: '0x1', tokenId: '0x4d', logIndex: '0x1', at: day + 90_000 }),
    payment('f', { account: savings.address, at: day + 240_000, confirmations: 3 }),
  ],
  changes: [
    {
      account: account.address,
      amount: '300000000000000000',
      ...{ fromBlock: '0x5f5e000', toBlock: '0x5f5e064', from: day - 7_200_000, to: day - 3_600_000 },
    },
    {
      account: savings.address,
      amount: '-300000000000000000',
      ...{ fromBlock: '0x5f5e065', toBlock: '0x5f5e0c8', from: day - 3_600_000, to: day + 30_000 },
    },
  ],
  since: { blockNumber: '0x5f5d000', at: day - 8 * 86_400_000 },
  until: { blockNumber: '0x5f5e103', at: day + 300_000 },
  hasGap: true,
};

const tokens: readonly PanelToken[] = [
  {
    address: token,
    symbol: 'RIF',
    decimals: 18,
    balance: 1_234_500_000_000_000_000_000n,
    listed: true,
    watched: false,
  },
  {
    address: recipient,
    symbol: 'RIF',
    decimals: 18,
    balance: 5n * 10n ** 18n,
    listed: false,
    watched: true,
    imitates: 'RIF',
  },
  { address: savings.address, symbol: 'USDT0', decimals: 6, balance: null, listed: true, watched: true },
  {
    address: imported,
    symbol: 'PUNK',
    decimals: 0,
    balance: 1n,
    listed: false,
    watched: true,
    type: 'ERC721',
    tokenId: '77',
  },
];

const bitcoinAddress = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r';

/** A peg-out of each stage. */
export const pegOuts: readonly PegOut[] = (
  [
    {
      stage: 'paid',
      block: 7,
      batchBlock: 9,
      confirmedFrom: 19,
      txid: 'c1'.repeat(32),
      received: 1_488_000n,
    },
    { stage: 'refused', block: 7, refusal: 'fee', isPaidBack: true },
    { stage: 'confirmed', block: 7, batchBlock: 9, confirmedFrom: 6_541_019 },
    { stage: 'batched', block: 7, batchBlock: 6_541_009, confirmedFrom: 6_541_019, blocksLeft: 8 },
    { stage: 'waiting', block: 7 },
    { stage: 'sent' },
  ] as const
).map((stage, index) => ({
  hash: hash(`${index + 1}`),
  from: account.address,
  amount: 1_500_000n,
  bitcoinAddress,
  createdAt: day,
  ...stage,
}));

/** Rights of the savings account: an amount, one without a limit, one over a collection, and one over an unlisted token. */
export const allowances: readonly Allowance[] = [
  {
    ...{ account: savings.address, spender: recipient, givenAt: day, isUnlimited: false },
    ...{ token: '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe', amount: '0x4563918244f40000' },
    ...{ symbol: 'tRIF', decimals: 18 },
  },
  {
    ...{ account: savings.address, spender: imported, givenAt: day, isUnlimited: true },
    ...{ token: '0x8dbf326e12a9ff37ed6ddf75ada548c2640a6482', amount: `0x${'f'.repeat(64)}` },
    ...{ symbol: 'USDRIF', decimals: 18 },
  },
  {
    ...{ account: savings.address, spender: recipient, givenAt: day, isUnlimited: true },
    ...{ token: '0x779ded0c9e1022225f8e0630b35a9b54be713737', amount: 'all' },
  },
  {
    ...{ account: savings.address, spender: recipient, givenAt: day, isUnlimited: false },
    ...{ token: '0x1111111111111111111111111111111111111111', amount: '0x5' },
  },
];

/** A contact, and one that is listed among the accounts. */
export const contacts: readonly Contact[] = [
  { address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', name: 'Alice' },
  { address: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', name: 'Cold wallet', watchOnly: true },
];

/** Another number for other contacts. */
const stampOf = (book: readonly Contact[]): number =>
  [...JSON.stringify(book)].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);

const nothingReceived: Received = { payments: [], changes: [], since: null, until: null, hasGap: false };

export function fakeWallet(given: Partial<FakeWallet['holds']> = {}): FakeWallet {
  const owner = fakeOwner();
  const failures = new Map<string, ProviderRpcError>();
  const listeners = new Set<() => void>();
  const wallet = { ...owner, calls: owner.calls } as unknown as FakeWallet;
  let holds: FakeWallet['holds'] = {
    usage: new Map(),
    pegOuts,
    received: nothingReceived,
    allowances,
    contacts: [],
    price: { usd: '98765432100000000000000', age: 12 },
    vault: 'unlocked',
    accounts: [
      { ...account, path: "m/44'/37310'/0'/0/0" },
      { ...savings, path: "m/44'/37310'/0'/0/1" },
      { address: imported, label: 'Old key', path: null },
      { address: recipient, label: 'Put away', path: null, hidden: true },
    ],
    permissions: {
      'https://app.sovryn.example': { accounts: [account.address, savings.address], date: day },
      'http://rootstock.io.evil.example:8080': { accounts: [account.address], date: 0 },
    },
    granted: [],
    purses: [],
    backup: 'needed',
    chainId: 31,
    balance: 20_123_456_789_012_345_678n,
    tokens,
    transactions,
    passkeys: [{ id: 'k1', name: 'My phone', createdAt: day }],
    ...given,
  };
  const networks = [
    {
      chainId: 31,
      name: 'Rootstock Testnet',
      currency: { name: 'Rootstock Bitcoin', symbol: 'tRBTC', decimals: 18 },
      coinType: 37310,
      testnet: true,
      explorer: 'https://explorer.testnet.rootstock.io',
      urls: ['https://rpc.testnet.rootstock.io/secret-key'],
    },
    {
      chainId: 30,
      name: 'Rootstock Mainnet',
      currency: { name: 'Rootstock Bitcoin', symbol: 'RBTC', decimals: 18 },
      coinType: 137,
      testnet: false,
      urls: ['https://rpc.mainnet.rootstock.io/secret-key'],
    },
    {
      chainId: 1234,
      name: 'Garden',
      currency: { name: 'Leaf', symbol: 'LEAF', decimals: 18 },
      coinType: 37310,
      testnet: false,
      urls: ['https://garden.example/'],
      addedBy: 'https://app.sovryn.example',
    },
  ];
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const answer =
    <T>(name: string, value: (...args: never[]) => T) =>
    async (...args: unknown[]): Promise<T> => {
      (owner.calls as unknown[]).push([name, ...args]);
      const failure = failures.get(name);
      failures.delete(name);
      if (failure) throw failure;
      return value(...(args as never[]));
    };
  const change: FakeWallet['change'] = (next) => {
    holds = { ...holds, ...next };
    tell();
  };
  const save = (saved: Pick<Contact, 'address'> & Partial<Contact>): Contact => {
    const before = holds.contacts.find(({ address }) => address === saved.address);
    const contact = { name: '', ...before, ...saved };
    change({
      contacts: before
        ? holds.contacts.map((each) => (each === before ? contact : each))
        : [...holds.contacts, contact],
    });
    return contact;
  };
  return Object.assign(wallet, {
    fail(name: keyof PanelWallet, code: number, data?: unknown) {
      failures.set(name, new ProviderRpcError(code, `developer text of ${name}`, data));
      if (name in owner) owner.fail(name as keyof FakeOwner as never, code, data);
    },
    change,
    state() {
      const { contacts: book, ...state } = holds;
      const watchOnly = book.flatMap(({ address, name, watchOnly }) =>
        watchOnly ? [{ address, label: name }] : [],
      );
      return {
        ...state,
        ...{ assets: {}, networks: networks.slice(2) },
        ...(book.length > 0 && { contacts: stampOf(book) }),
        ...(watchOnly.length > 0 && { watchOnly }),
      };
    },
    contacts: answer('contacts', () => holds.contacts),
    saveContact: answer('saveContact', (address: Address, name: string) => save({ address, name })),
    removeContact: answer('removeContact', (address: Address) =>
      change({ contacts: holds.contacts.filter((each) => each.address !== address) }),
    ),
    watchAccount: answer('watchAccount', (address: Address, name?: string) =>
      save({ address, ...(name !== undefined && { name }), watchOnly: true }),
    ),
    unwatchAccount: answer('unwatchAccount', (address: Address) =>
      change({
        contacts: holds.contacts.map(({ watchOnly, ...each }) =>
          each.address === address || !watchOnly ? each : { ...each, watchOnly },
        ),
      }),
    ),
    networks: () => networks,
    network: () => networks.find(({ chainId }) => chainId === holds.chainId) as (typeof networks)[0],
    watch(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    vaultState: async () => holds.vault,
    unlock: answer('unlock', () => change({ vault: 'unlocked' })),
    lock: answer('lock', () => change({ vault: 'locked' })),
    create: answer('create', () => {
      change({ vault: 'unlocked', backup: 'needed' });
      return { mnemonic: phrase, account };
    }),
    erase: answer('erase', () => change({ vault: 'empty', accounts: [] })),
    confirmBackup: answer('confirmBackup', () => change({ backup: 'done' })),
    switchChain: answer('switchChain', (chainId: number) => change({ chainId })),
    disconnect: answer('disconnect', (origin: string) => {
      const { [origin]: _gone, ...permissions } = holds.permissions;
      change({ permissions });
    }),
    permissions: answer('permissions', () => holds.granted),
    // Tells no listener, so that the panel must read the list again by itself.
    endPermission: answer('endPermission', (context: Hash) => {
      holds = { ...holds, granted: holds.granted.filter((each) => each.context !== context) };
    }),
    purses: answer('purses', () => holds.purses),
    // Tells no listener either.
    takeBack: answer('takeBack', (address: Address) => {
      holds = {
        ...holds,
        purses: holds.purses.map((each) => (each.address === address ? { ...each, endedAt: day } : each)),
      };
      return [hash('8')];
    }),
    transactions: async (options?: TransactionsOptions) => {
      const { hash: wanted, limit = 50 } = own(options);
      const found = holds.transactions.find((each) => each.hash === wanted);
      if (wanted === undefined || !found) return holds.transactions.slice(-limit);
      return [found, ...holds.transactions.filter((each) => each !== found && each.nonce === found.nonce)];
    },
    resend: answer('resend', () => undefined),
    abandon: answer('abandon', () => undefined),
    speedUp: answer('speedUp', () => hash('7')),
    cancel: answer('cancel', () => hash('7')),
    received: answer('received', () => holds.received),
    allowances: answer('allowances', () => holds.allowances),
    revoke: answer('revoke', () => hash('7')),
    exportTransactions: answer('exportTransactions', () => 'hash,state\n'),
    changePassword: answer('changePassword', () => undefined),
    removePassword: answer('removePassword', () => undefined),
    passkeys: async () => holds.passkeys,
    addPasskey: answer('addPasskey', (name: string) => {
      const passkey = { id: 'k2', name, createdAt: day };
      change({ passkeys: [...holds.passkeys, passkey] });
      return passkey;
    }),
    wakePasskey: answer('wakePasskey', () =>
      change({ passkeys: holds.passkeys.map(({ asleep: _, ...each }) => each) }),
    ),
    renamePasskey: answer('renamePasskey', () => undefined),
    removePasskey: answer('removePasskey', () => change({ passkeys: [] })),
    addAccount: answer('addAccount', () => {
      const added = { address: token, label: 'Account 4', path: "m/44'/37310'/0'/0/2" } as const;
      change({ accounts: [...holds.accounts, added] });
      return added;
    }),
    rename: answer('rename', (address: Address, label: string) =>
      change({
        accounts: holds.accounts.map((each) => (each.address === address ? { ...each, label } : each)),
      }),
    ),
    hide: answer('hide', (address: Address, hidden: boolean) =>
      change({
        accounts: holds.accounts.map(({ hidden: _before, ...each }) =>
          each.address === address && hidden ? { ...each, hidden: true as const } : each,
        ),
      }),
    ),
    remove: answer('remove', (address: Address) =>
      change({ accounts: holds.accounts.filter((each) => each.address !== address) }),
    ),
    exportMnemonic: answer('exportMnemonic', () => phrase),
    exportPassphrase: answer('exportPassphrase', () => ''),
    exportPrivateKey: answer('exportPrivateKey', () => `0x${'5e'.repeat(32)}`),
    bitcoinAddress: answer('bitcoinAddress', () => bitcoinAddress),
    pegOuts: answer('pegOuts', () => holds.pegOuts),
    pegOutEstimate: answer('pegOutEstimate', (value: Hex) => {
      const amount = BigInt(value) / 10n ** 10n;
      const verdict = amount < 250_000n ? 'too-little' : amount < 300_000n ? 'near-fee' : 'enough';
      return {
        ...{ amount, dust: 0n, minimum: 250_000n, fee: 12_000n, nextBatch: 6_541_200, confirmations: 10 },
        blocksLeft: 130,
        verdict,
      };
    }),
    exportWif: answer('exportWif', () => 'cWIFWIFWIFWIFWIFWIFWIFWIFWIFWIFWIFWIFWIFWIFWIFWIFWIF'),
    exportKeystore: answer('exportKeystore', () => '{"version":3}'),
    backup: answer('backup', () => '{"backup":1}'),
    send: answer('send', () => hash('1')),
    fees: answer('fees', () => {
      const at = (gasPrice: bigint) => ({
        gasPrice: `0x${gasPrice.toString(16)}`,
        fee: `0x${(gasPrice * 21_000n).toString(16)}`,
      });
      return {
        slow: at(60_000_000n),
        normal: at(65_164_000n),
        fast: at(90_000_000n),
        gas: '0x5208',
        minimum: '0x3938700',
        maximum: '0x5f5e100',
      };
    }),
    balance: answer('balance', () => holds.balance),
    coinPrice: answer('coinPrice', () => holds.price),
    tokens: answer('tokens', () => holds.tokens),
    unwatchToken: answer('unwatchToken', (address: Address) =>
      change({ tokens: holds.tokens.filter((each) => each.address !== address) }),
    ),
    resolveName: answer('resolveName', (name: string) =>
      name === 'alice.rsk' ? recipient : name === 'zero.rsk' ? `0x${'0'.repeat(40)}` : null,
    ),
    explorerUrl: (of: { hash?: Hash; address?: Address }) =>
      `https://explorer.testnet.rootstock.io/${of.hash ? `tx/${of.hash}` : `address/${of.address}`}`,
    addNetwork: answer('addNetwork', () => networks[2]),
    setLockAfter: answer('setLockAfter', (lockAfter: number | null) => change({ lockAfter })),
    removeNetwork: answer('removeNetwork', () => undefined),
    usage: () => holds.usage,
  });
}

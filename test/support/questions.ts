import { decodeCall } from '../../src/approvals/decode-call.js';
import type {
  AddChainQuestion,
  ConnectQuestion,
  MessageQuestion,
  PayElsewhereQuestion,
  PermissionQuestion,
  Question,
  QuestionBase,
  QuestionNetwork,
  SwitchChainQuestion,
  TransactionQuestion,
  TypedDataQuestion,
  UnlockQuestion,
  WatchAssetQuestion,
} from '../../src/approvals/question.js';
import { toQuantity } from '../../src/rpc/hex.js';
import { bridge } from '../../src/rpc/known-contracts.js';
import type { Hex } from '../../src/rpc/schema.js';

/** Questions of each kind, as the approvals queue passes them to an approver. */

export const mainnet: QuestionNetwork = {
  chainId: 30,
  name: 'Rootstock',
  symbol: 'RBTC',
  decimals: 18,
  testnet: false,
  source: 'rpc.rootstock.io',
};

const testnet: QuestionNetwork = {
  chainId: 31,
  name: 'Rootstock Testnet',
  symbol: 'tRBTC',
  decimals: 18,
  testnet: true,
  source: 'rpc.testnet.rootstock.io',
};

export const account = {
  address: '0x27b1fdb04752bbc536007a920d24acb045561c26',
  label: 'Main account',
} as const;
export const savings = { address: '0x3599689e6292b81b2d85451025146515070129bb', label: 'Savings' } as const;
export const recipient = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
export const token = '0x779ded0c9e1022225f8e0630b35a9b54be713736';

const base: QuestionBase = {
  id: '1',
  origin: 'https://app.sovryn.example',
  network: testnet,
  locked: false,
  warnings: [],
};

export const connect: ConnectQuestion = {
  ...base,
  kind: 'connect',
  accounts: [account, savings],
  selected: [account.address],
};

const payed = 250_000_000_000_000_000n;
const gasPrice = 65_164_000n;

export const payment: TransactionQuestion = {
  ...base,
  kind: 'transaction',
  action: 'send',
  account,
  transaction: {
    to: recipient,
    value: toQuantity(payed),
    data: '0x',
    gas: '0x5208',
    gasPrice: toQuantity(gasPrice),
    nonce: '0x2a',
  },
  nonceChosenBy: 'wallet',
  fee: toQuantity(21000n * gasPrice),
  total: toQuantity(payed + 21000n * gasPrice),
  balance: '0x1158e460913d00000',
  ownRecipient: false,
  call: null,
};

/** A payment to the bridge, in a wallet that is unlocked. */
const pegOut: TransactionQuestion = {
  ...payment,
  transaction: { ...payment.transaction, to: bridge, gas: '0x1d4c0' },
  fee: toQuantity(120000n * gasPrice),
  total: toQuantity(payed + 120000n * gasPrice),
  recipient: { address: bridge, known: 'PowPeg bridge' },
  pegOut: {
    bitcoinAddress: 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r',
    minimum: '250000',
    fee: '12000',
    confirmations: 10,
    verdict: 'enough',
  },
  warnings: [{ code: 'bridge-payment', severity: 'caution' }],
};

/** A call of the token by `payment`'s account. */
export function tokenCall(
  data: Hex,
  label: { symbol?: string; decimals?: number } = {},
): TransactionQuestion {
  const call = decodeCall(token, data);
  return {
    ...payment,
    transaction: { ...payment.transaction, to: token, value: '0x0', data, gas: '0xea60' },
    fee: toQuantity(60000n * gasPrice),
    total: toQuantity(60000n * gasPrice),
    call: call === null ? null : { ...call, token: { ...call.token, ...label } },
  };
}

export const word = (value: bigint | string): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0');

export const unlimitedApproval: TransactionQuestion = {
  ...tokenCall(`0x095ea7b3${word(recipient)}${'f'.repeat(64)}`, { symbol: 'USDRIF', decimals: 18 }),
  warnings: [{ code: 'unlimited-approval', severity: 'danger' }],
};

export const tokenTransfer = tokenCall(`0xa9059cbb${word(recipient)}${word(1234500000000000000000n)}`, {
  symbol: 'RIF',
  decimals: 18,
});

/** A call that a file of ERC-7730 explains in part. */
export const explainedCall: TransactionQuestion = {
  ...payment,
  transaction: { ...payment.transaction, to: token, value: '0x0', data: '0x12345678', gas: '0xea60' },
  fee: toQuantity(60000n * gasPrice),
  total: toQuantity(60000n * gasPrice),
  recipient: { address: token },
  described: {
    name: 'deposit',
    contract: 'Vault',
    arguments: [
      { name: 'token', type: 'address', value: token },
      { name: 'amount', type: 'uint256', value: '1500000' },
      { name: 'receiver', type: 'address', value: recipient },
      { name: 'until', type: 'uint256', value: '1793638800' },
      { name: 'referral', type: 'bytes', value: '0xc0ffee' },
    ],
    explained: {
      intent: 'Lock tokens',
      owner: 'Sovryn',
      hash: `0x${'5a'.repeat(32)}`,
      fields: [
        {
          label: 'Amount',
          kind: 'tokens',
          amount: '1500000',
          token: { address: token, symbol: 'USDC', decimals: 6 },
        },
        {
          label: 'At most',
          kind: 'tokens',
          amount: `${2n ** 256n - 1n}`,
          token: { address: token },
          unlimited: true,
          limit: 'All',
        },
        { label: 'Fee', kind: 'coins', amount: '10000000000000' },
        { label: 'For', kind: 'address', recipient: { address: recipient, contact: 'Alice' } },
        { label: 'Locked until', kind: 'time', seconds: '1793638800' },
        { label: 'Rate', kind: 'text', text: 'variable (2)' },
        { label: 'Certificate', kind: 'collectible', id: '77', token: { address: token, symbol: 'CERT' } },
        { label: 'Into', kind: 'token', token: { address: recipient, symbol: 'iUSDC' } },
      ],
      unexplained: [{ name: 'referral', type: 'bytes', value: '0xc0ffee' }],
    },
  },
};

const message = (text: string): Pick<MessageQuestion, 'bytes' | 'text'> => ({
  bytes: `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`,
  text,
});

export const greeting: MessageQuestion = {
  ...base,
  kind: 'message',
  method: 'personal_sign',
  account,
  signIn: null,
  ...message('Welcome to Sovryn!\n\nSign this message to accept the terms of service.\n\nNonce: 8f1c2a'),
};

export const signIn: MessageQuestion = {
  ...greeting,
  ...message(
    `app.sovryn.example wants you to sign in with your Ethereum account:\n${account.address}\n\nSign in to the trading app.\n\nURI: https://app.sovryn.example/login\nVersion: 1\nChain ID: 31\nNonce: 32891756\nIssued At: 2026-11-02T16:25:24Z`,
  ),
  signIn: {
    scheme: null,
    domain: 'app.sovryn.example',
    address: account.address,
    statement: 'Sign in to the trading app.',
    uri: 'https://app.sovryn.example/login',
    version: '1',
    chainId: '31',
    nonce: '32891756',
    issuedAt: '2026-11-02T16:25:24Z',
    expirationTime: '2026-11-03T16:25:24Z',
    notBefore: null,
    requestId: null,
    resources: ['https://app.sovryn.example/terms'],
  },
};

const signInText = (address: string) =>
  `https://app.sovryn.example wants you to sign in with your Ethereum account:\n${address}\n\nSign in to the trading app.\n\nURI: https://app.sovryn.example\nVersion: 1\nChain ID: 31\nNonce: 32891756\nIssued At: 2026-11-02T16:25:24Z`;

/** A sign-in with the connection, in a wallet with an account that the person only looks at. */
export const connectAndSignIn: ConnectQuestion = {
  ...connect,
  accounts: [
    ...connect.accounts,
    { address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', label: 'Treasury', watchOnly: true },
  ],
  signIn: {
    scheme: 'https',
    domain: 'app.sovryn.example',
    statement: 'Sign in to the trading app.',
    uri: 'https://app.sovryn.example',
    version: '1',
    chainId: '31',
    nonce: '32891756',
    issuedAt: '2026-11-02T16:25:24Z',
    expirationTime: null,
    notBefore: null,
    requestId: null,
    resources: [],
    messages: [account, savings].map(({ address }) => ({ address, text: signInText(address) })),
  },
};

export const typedData: TypedDataQuestion = {
  ...base,
  kind: 'typed-data',
  version: 'V4',
  account,
  domain: { name: 'Ether Mail', version: '1', chainId: '31', verifyingContract: token },
  primaryType: 'Mail',
  fields: [
    { path: 'from.name', type: 'string', value: 'Cow' },
    { path: 'from.wallet', type: 'address', value: account.address },
    { path: 'to[0].name', type: 'string', value: 'Bob' },
    { path: 'to[0].wallet', type: 'address', value: recipient },
    { path: 'contents', type: 'string', value: 'Hello, Bob!' },
  ],
  permit: null,
  right: null,
};

export const permit: TypedDataQuestion = {
  ...typedData,
  domain: { name: 'RIF Dollar', version: '1', chainId: '31', verifyingContract: token },
  primaryType: 'Permit',
  fields: [
    { path: 'owner', type: 'address', value: account.address },
    { path: 'spender', type: 'address', value: recipient },
    { path: 'value', type: 'uint256', value: `${2n ** 256n - 1n}` },
    { path: 'nonce', type: 'uint256', value: '0' },
    { path: 'deadline', type: 'uint256', value: '1793638800' },
  ],
  permit: {
    spender: recipient,
    token,
    amount: 'unlimited',
    units: `${2n ** 256n - 1n}`,
    deadline: '1793638800',
  },
  warnings: [{ code: 'permit', severity: 'danger' }],
};

const label = { address: token, symbol: 'USDC', decimals: 6 } as const;

/** A signature that moves tokens (EIP-3009). */
export const transferRight: TypedDataQuestion = {
  ...typedData,
  domain: { name: 'USD Coin', version: '2', chainId: '31', verifyingContract: token },
  primaryType: 'TransferWithAuthorization',
  fields: [
    { path: 'from', type: 'address', value: account.address },
    { path: 'to', type: 'address', value: recipient },
    { path: 'value', type: 'uint256', value: '1500000', reading: { as: 'amount', token: label } },
    { path: 'validBefore', type: 'uint256', value: '1793638800', reading: { as: 'time' } },
  ],
  right: { kind: 'transfer', to: recipient, token: label, amount: '1500000', deadline: '1793638800' },
  warnings: [{ code: 'permit', severity: 'danger' }],
};

/** An order of an exchange that gives a collectible for coins. */
export const orderRight: TypedDataQuestion = {
  ...typedData,
  domain: { name: 'Seaport', version: '1.5', chainId: '31', verifyingContract: token },
  primaryType: 'OrderComponents',
  fields: [{ path: 'offerer', type: 'address', value: account.address }],
  right: {
    kind: 'orders',
    count: 1,
    gives: [
      { token: { address: token, symbol: 'PUNK' }, amount: '1', tokenId: '77' },
      { token: label, amount: '2500000' },
      { token: { address: recipient }, amount: '5' },
    ],
    takes: [{ token: null, amount: '950000000000000000' }],
    deadline: '1793638800',
  },
  warnings: [{ code: 'permit', severity: 'danger' }],
};

/** A Safe transaction with a delegate call. */
export const safeRight: TypedDataQuestion = {
  ...typedData,
  domain: { chainId: '31', verifyingContract: token },
  primaryType: 'SafeTx',
  fields: [
    { path: 'to', type: 'address', value: recipient },
    { path: 'operation', type: 'uint8', value: '1' },
  ],
  right: {
    kind: 'call',
    by: 'safe',
    to: recipient,
    value: '250000000000000000',
    data: '0x12345678',
    call: null,
    delegated: true,
    deadline: null,
  },
  warnings: [
    { code: 'acts-as-you', severity: 'danger' },
    { code: 'delegate-call', severity: 'danger' },
  ],
};

/** Typed data of an unknown form that names an operator. */
export const otherRight: TypedDataQuestion = {
  ...typedData,
  primaryType: 'Session',
  fields: [
    { path: 'operator', type: 'address', value: recipient },
    { path: 'expiresAt', type: 'uint64', value: '1793638800', reading: { as: 'time' } },
  ],
  right: { kind: 'other', holders: [{ path: 'operator', address: recipient }] },
  warnings: [{ code: 'gives-right', severity: 'danger' }],
};

export const switchChain: SwitchChainQuestion = { ...base, kind: 'switch-chain', target: mainnet };

export const addChain: AddChainQuestion = {
  ...base,
  kind: 'add-chain',
  target: {
    chainId: 33,
    name: 'Rootstock Regtest',
    symbol: 'RBTC',
    decimals: 18,
    testnet: true,
    source: 'localhost:4444',
  },
  warnings: [{ code: 'unverified-endpoint', severity: 'caution' }],
};

/** A payment on a network that the page added. */
export const addedNetwork: TransactionQuestion = {
  ...payment,
  network: { ...mainnet, source: 'rpc.evil.example', addedBy: base.origin },
  warnings: [{ code: 'added-network', severity: 'caution', detail: `${base.origin}: rpc.evil.example` }],
};

export const watchAsset: WatchAssetQuestion = {
  ...base,
  kind: 'watch-asset',
  asset: { address: token, symbol: 'USDRIF', decimals: 18, image: 'https://assets.example/usdrif.png' },
};

/** Seven days from 2026-11-20, 12:00 UTC. */
const term = { start: 1_795_176_000, end: 1_795_780_800 } as const;

export const permission: PermissionQuestion = {
  ...base,
  kind: 'permission',
  account,
  permissions: [
    {
      ...term,
      type: 'native-token-periodic',
      amount: '0x1c6bf52634000',
      period: 86_400,
      payees: [recipient],
      isAdjustable: true,
      justification: 'Stakes of your games',
    },
  ],
};

/** The same where its whole amount is moved to a purse. */
const pursePermission: PermissionQuestion = {
  ...permission,
  permissions: permission.permissions.map((each) => ({ ...each, isAdjustable: false })),
  purse: { address: recipient, moved: [{ units: '0xc6f3b40b6c000' }], fee: '0x1319718a5000' },
};

export const tokenPermission: PermissionQuestion = {
  ...permission,
  permissions: [
    {
      ...term,
      type: 'erc20-token-periodic',
      amount: toQuantity(10n ** 19n),
      fees: toQuantity(10n ** 13n),
      period: 43_200,
      token,
      tokenLabel: { address: token, symbol: 'USDRIF', decimals: 18, known: true },
      isAdjustable: true,
    },
  ],
};

export const callsPermission: PermissionQuestion = {
  ...permission,
  permissions: [
    {
      ...term,
      type: 'graft-contract-calls',
      amount: toQuantity(10n ** 15n),
      contracts: [
        { address: token, selectors: ['0x12345678', '0xabcdef01'], names: { '0x12345678': 'move' } },
      ],
      isAdjustable: false,
    },
  ],
};

export const unlock: UnlockQuestion = { ...base, kind: 'unlock', locked: true };

/** A payment on mainnet to a contact, with about how much it is. */
export const contactPayment: TransactionQuestion = {
  ...payment,
  network: mainnet,
  recipient: { address: recipient, contact: 'Alice', name: 'alice.rsk' },
  price: { usd: '98765432100000000000000', age: 12 },
};

export const payElsewhere: PayElsewhereQuestion = {
  ...base,
  kind: 'pay-elsewhere',
  account: { ...savings, label: 'Cold wallet', watchOnly: true },
  to: recipient,
  recipient: { address: recipient, contact: 'Alice', firstTime: true },
  units: '0x3782dace9d90000',
  uri: `ethereum:${recipient}@31?value=250000000000000000`,
};

/** Accounts to share, of which one is to look at. */
export const connectWatchOnly: ConnectQuestion = {
  ...connect,
  accounts: [account, { ...savings, label: 'Cold wallet', watchOnly: true }],
};

/** One question for every view, by name. */
export const examples: Readonly<Record<string, Question>> = {
  connect,
  connectAndSignIn,
  payment,
  pegOut,
  unlimitedApproval,
  tokenTransfer,
  explainedCall,
  greeting,
  signIn,
  typedData,
  permit,
  transferRight,
  orderRight,
  safeRight,
  otherRight,
  switchChain,
  addChain,
  addedNetwork,
  watchAsset,
  permission,
  pursePermission,
  tokenPermission,
  callsPermission,
  contactPayment,
  payElsewhere,
  connectWatchOnly,
  unlock,
};

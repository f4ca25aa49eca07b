import type { Entry, Item } from './api-model.js';

/** Some of an entry's exports on a page of their own. */
export interface Subject {
  /** Name of the page's file, without `.md`. */
  readonly file: string;
  readonly title: string;
  /** One or two sentences. */
  readonly text: string;
  /** Names that the page begins with, in this order, under a heading. */
  readonly first: { readonly title: string; readonly names: readonly string[] };
  /** Further names, in any order. */
  readonly names: readonly string[];
}

/** The subjects of the main entry, whose reference would be too long for one page. */
export const subjects: readonly Subject[] = [
  {
    file: 'create-wallet',
    title: 'Create a wallet',
    text: '`createWallet` and all that its options take: networks, storage, and the ABIs of your contracts.',
    first: {
      title: 'The function and its options',
      names: ['createWallet', 'createWallet.Options', 'NetworkOptions', 'RateLimits'],
    },
    names: [
      ...['createMemoryStorage', 'createVolatileMemory', 'Storage', 'SessionMemory', 'ExplorerSubject'],
      ...['PriceOptions', 'PriceSource'],
      ...['solidityErrors', 'AbiItem', 'AbiParameter', 'DescribeRevert', 'ErrorSource'],
    ],
  },
  {
    file: 'calls',
    title: 'Calls in words',
    text: 'Functions for `describeCall`, by which the dialog explains the calls of your contracts: by an ABI, or by a file of ERC-7730.',
    first: { title: 'The functions', names: ['abiCalls', 'clearSigning', 'mergeDescriptors'] },
    names: [
      ...['CallContext', 'CallSource', 'ClearSigningDescriptor', 'ContractAbi', 'DescribeCall'],
      ...['DescribedContractCall', 'ExplainedCall', 'ExplainedField', 'ExplainedValue'],
    ],
  },
  {
    file: 'wallet',
    title: 'The wallet',
    text: 'The object that `createWallet` returns, for the page that owns it: payments, networks and the panel.',
    first: {
      title: 'The wallet and its functions',
      names: ['Wallet', 'Payments', 'AddedNetworks'],
    },
    names: [
      ...['CoinPrice', 'Fees', 'JournalEntry', 'Network', 'Payment', 'RecordedTransaction', 'SessionAccount'],
      ...['SessionState', 'TokenBalance'],
    ],
  },
  {
    file: 'accounts',
    title: 'Accounts and keys',
    text: 'The functions of a wallet that create it, import, back up, unlock and erase it, and change its accounts.',
    first: { title: 'The functions', names: ['Accounts'] },
    names: ['Credential', 'Passkey', 'PasskeyRestoreOptions', 'PasskeyWallet', 'UnlockOptions', 'Unproven'],
  },
  {
    file: 'contacts',
    title: 'Contacts',
    text: 'The address book, which names recipients in questions, and accounts of others to look at.',
    first: { title: 'The functions', names: ['Contacts'] },
    names: ['Contact', 'WatchOnlyAccount'],
  },
  {
    file: 'received',
    title: 'What came in',
    text: 'Payments to the accounts, how far the chain was read for them, and what own transactions did.',
    first: { title: 'The function', names: ['IncomingPayments'] },
    names: [
      ...['BalanceChange', 'Doubt', 'Effect', 'ListedChange', 'ListedPayment', 'Moment', 'Received'],
      ...['ReceivedOptions', 'ReceivedPayment'],
    ],
  },
  {
    file: 'allowances',
    title: 'Allowances',
    text: 'The rights over tokens that the accounts have given from this browser, and taking them back.',
    first: { title: 'The functions', names: ['Allowances'] },
    names: ['Allowance'],
  },
  {
    file: 'bitcoin',
    title: 'The Bitcoin side',
    text: 'The Bitcoin address of an account, what it converts to bitcoin, and its key for Bitcoin wallets.',
    first: { title: 'The functions', names: ['BitcoinSide'] },
    names: ['PegOut', 'PegOutEstimate', 'QuestionPegOut'],
  },
  {
    file: 'provider',
    title: 'The provider',
    text: 'The provider for dapps: `request()` with the types of its methods, the events, and how it is announced.',
    first: {
      title: 'The provider and its events',
      names: ['Provider', 'ProviderEvents', 'ProviderEvent', 'RequestFunction'],
    },
    names: [
      ...['announce', 'Announcement', 'checksumAddress', 'Address', 'Hash', 'Hex', 'Block', 'BlockReference'],
      ...['BlockSelector', 'BlockTag', 'CallObject', 'FeeHistory', 'JsonRpcCallback', 'JsonRpcPayload'],
      ...['JsonRpcResponse', 'Log', 'LogCriteria', 'LogFilter', 'OtherRequest', 'Permission', 'Receipt'],
      ...[
        'RequestArguments',
        'RequestOptions',
        'RequestResult',
        'SyncStatus',
        'Transaction',
        'TypedRequest',
        'WatchedAsset',
      ],
    ],
  },
  {
    file: 'errors',
    title: 'Errors of the wallet',
    text: 'The class of every rejection, its codes, and how to tell it from other errors.',
    first: {
      title: 'The class and its codes',
      names: ['ProviderRpcError', 'errorCode', 'isProviderRpcError'],
    },
    names: ['ErrorClass'],
  },
  {
    file: 'questions',
    title: 'Questions and answers',
    text: 'The questions before a wallet shares, signs or sends, for an approver of your own and for tests.',
    first: { title: 'The approver', names: ['Approver', 'Question', 'Answer'] },
    names: [
      ...['FeeChoice', 'PriceChoices', 'QuestionAccount', 'QuestionNetwork', 'QuestionPurse'],
      ...['QuestionRecipient', 'SignIn', 'TransactionChoices', 'Warning', 'WarningCode'],
    ],
  },
  {
    file: 'calls-and-rights',
    title: 'Calls and rights in a question',
    text: 'Calls and their effects, and the rights that typed data gives, as the wallet reads them for a question.',
    first: { title: 'Calls and rights', names: ['CallTree', 'DecodedCall', 'Right'] },
    names: ['CallEffect', 'OrderItem', 'Permit', 'TokenLabel'],
  },
  {
    file: 'wallet-events',
    title: 'Events for telemetry',
    text: 'The events that `Wallet.observe` reports, which the inspector shows.',
    first: { title: 'The union of all', names: ['WalletEvent'] },
    names: [],
  },
];

/** The entry that has them. */
export const dividedEntry = 'graft-wallet';

/**
 * The subject of each item of the entry: the one that lists it, or its namespace; for a type that is only named, the first one
 * whose items name it. An export that no subject lists has none.
 */
export function subjectsOf({ items }: Entry): ReadonlyMap<Item, Subject> {
  const found = new Map<Item, Subject>();
  for (const item of items) {
    const [owner = ''] = item.name.split('.');
    const lists = ({ first, names }: Subject, name: string) => [...first.names, ...names].includes(name);
    const subject =
      subjects.find((each) => lists(each, item.name)) ?? subjects.find((each) => lists(each, owner));
    if (subject) found.set(item, subject);
  }
  // A map that grows while the loop runs: what these name is looked at too.
  for (const [item, subject] of found)
    for (const other of items)
      if (!other.isExported && !found.has(other) && names(item, other.name)) found.set(other, subject);
  return found;
}

const names = ({ signature, members, inherits }: Item, name: string): boolean => {
  const text = [signature, ...inherits, ...members.map((member) => member.signature)].join('\n');
  return new RegExp(`(?<![\\w.])${name.replaceAll('.', '\\.')}(?![\\w.])`).test(text);
};

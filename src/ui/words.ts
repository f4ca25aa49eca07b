import type { WarningCode } from '../approvals/warning.js';
import { own } from '../rpc/own.js';
import { rightWords } from './right-words.js';

/**
 * Every text of the dialog. `{name}` is replaced by a value; a translation keeps the names and may move them. Plain
 * data, so that a translation can be a JSON file.
 */
export const english = {
  language: 'en',
  direction: 'ltr' as 'ltr' | 'rtl',
  /** The separators of thousands and of the fraction. */
  group: ',',
  point: '.',

  reject: 'Reject',
  cancel: 'Cancel',
  password: 'Wallet password',
  passwordHint: 'Your wallet is locked. Confirming unlocks it too.',
  passwordMissing: 'Enter your wallet password first.',
  unlocking: 'Unlocking…',
  unlockFailed: 'The wallet could not be unlocked. Try again.',
  covered: 'Something covers part of this window. Confirming is possible once all of it can be seen.',
  misshown:
    'This page changes how this window is shown. Confirming is possible once it is shown as it should be.',
  insecure: 'Not secure',
  foreignLetters: 'The name of this site has letters that may pass for others.',
  testnet: 'test network',
  addedNetwork: 'A site added this network.',
  warnings: 'Warnings',

  connectTitle: 'Connect your wallet',
  connectLead:
    '{site} will see the accounts you choose, with their balances. It can move nothing without asking.',
  connectAccounts: 'Accounts to share',
  connect: 'Connect',

  sendTitle: 'Send {symbol}',
  tokenSendTitle: 'Send tokens',
  tokenMoveTitle: 'Move tokens',
  nftSendTitle: 'Send a collectible',
  approveTitle: 'Allow spending',
  increaseTitle: 'Raise a spending limit',
  decreaseTitle: 'Lower a spending limit',
  approveAllTitle: 'Allow access to a whole collection',
  revokeAllTitle: 'Withdraw access to a collection',
  createTitle: 'Deploy a contract',
  callTitle: 'Use a contract',
  approveLead: 'The spender may take this much of your tokens at any time, without asking again.',
  revokeLead: 'With a limit of zero the spender may take nothing more.',
  increaseLead: 'The spender may take this much more of your tokens than now, without asking again.',
  decreaseLead: 'The spender may take this much less of your tokens than now.',
  approveAllLead: 'The operator may move every token of this collection that you own, now and later.',
  revokeAllLead: 'The operator may no longer move your tokens of this collection.',
  signOnlyLead: 'Signed, but not sent: {site} can send it whenever it likes.',
  unlimited: 'Unlimited',
  allTokens: 'All tokens',
  baseUnits: 'base units',
  signedAmount: 'As it is signed',
  from: 'From',
  to: 'To',
  owner: 'Owner',
  spender: 'Spender',
  operator: 'Operator',
  account: 'Account',
  contract: 'Contract',
  newContract: 'New contract',
  ownAccount: 'Your own account',
  token: 'Token',
  tokenClaim: '{symbol} is what the contract calls itself.',
  decimalsClaim: 'It says that its amounts have {decimals} decimals.',
  tokenKnown: '{symbol}, which this wallet knows.',
  alsoSends: 'Also sends',
  network: 'Network',
  fee: 'Fee, at most',
  total: 'Total, at most',
  details: 'Details',
  balance: 'Balance',
  accordingTo: 'according to {source}',
  nonce: 'Nonce',
  nonceNext: 'Chosen when you confirm (next: {nonce})',
  gas: 'Gas limit',
  gasPrice: 'Gas price',
  method: 'Method',
  data: 'Data',
  bytes: '{count} bytes',
  transactionType: 'Type',
  accessList: 'Access list',
  send: 'Send',
  confirm: 'Confirm',
  sign: 'Sign',

  callsTitle: 'Send {count} transactions',
  callsLead:
    '{site} asks for these, one after the other. Each stands alone: if one fails, the others happen all the same.',
  callsStatusTitle: 'Your transactions',
  callPending: 'Waiting',
  callSucceeded: 'Done',
  callReverted: 'Failed',
  callDropped: 'Not sent',
  amount: 'Amount',
  transaction: 'Transaction',
  close: 'Close',

  messageTitle: 'Sign a message',
  messageLead: '{site} asks you to sign this text. Signing moves nothing by itself.',
  bytesLead: '{site} asks you to sign these bytes. They are not text, so nobody can tell what they mean.',
  message: 'Message',
  signInTitle: 'Sign in',
  signInLead: 'You prove to {domain} that this account is yours.',
  signInFields: 'Details of the sign-in',
  signIn: 'Sign in',
  site: 'Site',
  uri: 'Address',
  version: 'Version',
  chainId: 'Chain ID',
  issuedAt: 'Issued',
  expirationTime: 'Valid until',
  notBefore: 'Valid from',
  requestId: 'Request',
  resources: 'Resources',
  exactMessage: 'The exact message',

  typedDataTitle: 'Sign data',
  typedDataLead: '{site} asks you to sign this. A contract may act on the signature without asking again.',
  permitTitle: 'Allow spending',
  permitLead: 'With this signature the spender may take this much of your tokens, without asking again.',
  ...rightWords,

  application: 'For',
  noApplication: 'No application named',
  deadline: 'Valid until',
  noDeadline: 'No end',
  fields: 'What you sign',

  switchTitle: 'Switch network',
  switchLead: '{site} will work on another network. Balances and addresses of one mean nothing on the other.',
  switchNow: 'Now',
  switchThen: 'Then',
  switchConfirm: 'Switch',

  addChainTitle: 'Add a network',
  addChainLead:
    '{site} suggests a network. Whoever runs it decides what you see of it: add only what you trust.',
  currency: 'Currency',
  decimals: 'Decimals',
  endpoint: 'Served by',
  addChainConfirm: 'Add network',

  watchTitle: 'Show a token',
  watchLead:
    '{site} suggests a token for your list. Anybody can make a token with any name: compare the address.',
  watchConfirm: 'Add token',

  unlockTitle: 'Unlock your wallet',
  unlockLead: 'Your keys stay on this device.',
  unlock: 'Unlock',

  /** Headline and sentence of each warning. Its detail is shown below them. */
  warning: {
    'simulation-reverts': [
      'This will fail',
      'A trial run was refused by the contract. The fee would be lost.',
    ],
    'simulation-unavailable': [
      'Not tried out',
      'The trial run was not possible: what will happen is unknown.',
    ],
    'contract-creation': ['No recipient', 'This makes a new contract. Value sent to faulty code is lost.'],
    'unknown-call': ['Cannot be checked', 'What this call does cannot be told from its data. Trust decides.'],
    'no-code-at-recipient': [
      'No contract there',
      'Instructions are sent to an address that cannot follow any.',
    ],
    'unlimited-approval': [
      'Without a limit',
      'The spender could take all of this token that you own, now and later.',
    ],
    'whole-balance': ['All that you have', 'The spender could take all of this token that you own now.'],
    'unusual-decimals': [
      'Compare the base units',
      'How many decimals the amount has is what the contract says. What is signed are the base units.',
    ],
    'approval-for-all': ['The whole collection', 'The operator could take every token of it that you own.'],
    'high-fee': ['Unusually high fee', 'Far more than this network asks at present.'],
    'insufficient-funds': ['Not enough funds', 'Your balance does not cover the amount and its fee.'],
    'first-time-recipient': [
      'New recipient',
      'This wallet has not paid this address before. Compare it with where you got it from.',
    ],
    'resembles-known': [
      'Looks like another address',
      'It begins and ends like one that you know, shown below, and is a different one. Copying it from a list of payments is a common trap.',
    ],
    'imitates-token': [
      'Not the token it seems',
      'This contract bears the symbol of another token, which has a different address.',
    ],
    'bridge-payment': [
      'This leaves for Bitcoin',
      'The bridge pays it, less its fees, to the Bitcoin address that belongs to this account’s key. Continue only if you can use that key in a Bitcoin wallet.',
    ],
    'bridge-minimum': [
      'Too little for the bridge',
      'The bridge takes 0.004 and more. It pays this back, and the fee is lost.',
    ],
    'replaces-transaction': [
      'Takes the place of another',
      'A transaction still waiting will be dropped for it.',
    ],
    'gas-price-lowered': ['Price lowered', 'The site offered more than this network takes.'],
    'gas-raised': ['Gas raised', 'The site set less gas than any transaction like this needs.'],
    'earlier-went-through': [
      'An earlier payment went through after all',
      'It was reported as failed, but the chain has carried it out. Check before you pay again.',
    ],
    'earlier-outcome-unclear': [
      'An earlier payment may have gone through',
      'It was not confirmed here, but its place on the chain is taken. Check before you pay again.',
    ],
    'waits-for-others': [
      'Waits for other transactions',
      'This account has transactions waiting that this browser did not send. This one comes after them.',
    ],
    'waits-for-nonces': [
      'May wait for long',
      'Places in front of it in the queue of this account are empty. It waits until they are used.',
    ],
    'overrides-unsent': [
      'An unsent payment is dropped',
      'An earlier transaction that was never sent cannot be sent any more after this one.',
    ],
    permit: ['Gives a right over your tokens', 'Whoever has this signature can use it without asking again.'],
    'acts-as-you': [
      'Acts in your name',
      'Whoever has this signature can have this call carried out as yours.',
    ],
    'delegate-call': [
      'Foreign code',
      'The Safe would run that code as its own: it can change anything in it.',
    ],
    'nothing-back': ['Nothing comes back', 'It gives what it names, and asks for nothing that reaches you.'],
    'gives-right': ['Gives somebody a right', 'Whoever has this signature may use it without asking again.'],
    'own-account-contract': [
      'Names your own account',
      'An account of yours stands where the contract should be. Honest applications do not do that.',
    ],
    'typed-data-other-chain': [
      'For another network',
      'This is made for a network other than the active one.',
    ],
    'typed-data-no-chain': ['Good on every network', 'It names no network, so it can be used on any.'],
    'legacy-typed-data': ['An outdated form', 'It names no application, so any could use the signature.'],
    'sign-in-other-site': [
      'Another site’s sign-in',
      'With it, the asking site could sign in elsewhere as you.',
    ],
    'sign-in-other-chain': [
      'Names another network',
      'This sign-in is written for a network other than the active one. Some sites always do so.',
    ],
    'sign-in-malformed': ['Not a proper sign-in', 'It looks like a sign-in message but breaks its rules.'],
    'sign-in-expired': ['Outside its time', 'This sign-in message is not valid now.'],
    'blind-signing': ['You cannot see what you sign', 'These bytes may stand for anything, a payment too.'],
    'hidden-characters': ['Hidden characters', 'Parts that could not be seen are written out as \\u{…}.'],
    'other-network-checksum': ['Address of another network', 'It is written the way the other network does.'],
    'unverified-endpoint': [
      'Unverified source',
      'What is shown here comes from a service nobody vouched for.',
    ],
    'added-network': [
      'A network that a site added',
      'Balances, fees and trial runs are what the service named here says.',
    ],
    'backup-missing': ['No backup yet', 'If this browser loses its memory, the account is lost.'],
  } satisfies Record<WarningCode, readonly [headline: string, sentence: string]> as Readonly<
    Record<WarningCode, readonly [headline: string, sentence: string]>
  >,
};

export type Words = typeof english;

/** The English texts with the given overrides. */
export const chooseWords = (overrides?: Partial<Words>): Words => ({
  ...english,
  ...overrides,
  warning: { ...english.warning, ...own(overrides).warning },
});

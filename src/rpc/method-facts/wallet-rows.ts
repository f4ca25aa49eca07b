import type { MethodFacts } from './row.js';

/** Methods that the session, a person or the follower answers, and those that sign or send. */
// biome-ignore format: one row, one line
export const walletRows = {
  // The session.
  eth_accounts: { isOfSession: true, isRelayed: true },
  eth_chainId: { isOfSession: true, isVital: true, isRelayed: true },
  net_version: { isOfSession: true, isRelayed: true },
  wallet_getCallsStatus: { isOfSession: true },
  wallet_getCapabilities: { isOfSession: true, access: 'account' },
  wallet_getPermissions: { isOfSession: true },
  wallet_disconnect: { isOfSession: true },
  wallet_revokePermissions: { isOfSession: true },
  wallet_getGrantedExecutionPermissions: { isOfSession: true },
  wallet_getSupportedExecutionPermissions: { isOfSession: true },
  wallet_revokeExecutionPermission: { isOfSession: true },

  // A person.
  eth_requestAccounts: { asksPerson: true },
  eth_selectAccounts: { asksPerson: true },
  wallet_addEthereumChain: { asksPerson: true },
  wallet_connect: { asksPerson: true },
  wallet_requestExecutionPermissions: { asksPerson: true },
  wallet_requestPermissions: { asksPerson: true },
  wallet_showCallsStatus: { asksPerson: true },
  wallet_switchEthereumChain: { asksPerson: true },
  wallet_watchAsset: { asksPerson: true },

  // Keys, with a person's approval.
  eth_sendTransaction: { transacts: true, access: 'account', asksPerson: true, effect: 'send', isOnce: true, isVital: true },
  eth_sign: { signs: true, access: 'account', asksPerson: true },
  eth_signTransaction: { transacts: true, access: 'account', asksPerson: true },
  eth_signTypedData: { signs: true, access: 'account', asksPerson: true },
  eth_signTypedData_v1: { signs: true, access: 'account', asksPerson: true },
  eth_signTypedData_v3: { signs: true, access: 'account', asksPerson: true },
  eth_signTypedData_v4: { signs: true, access: 'account', asksPerson: true },
  personal_sign: { signs: true, access: 'account', asksPerson: true, isOnce: true },
  wallet_sendCalls: { asksPerson: true, effect: 'send' },

  // Signed elsewhere: no person is asked.
  eth_sendRawTransaction: { transacts: true, effect: 'send', isOnce: true, isSentAfterClose: true, isVital: true, isRelayed: true },
  personal_ecRecover: { signs: true, isOnce: true },

  // Bitcoin's work.
  graft_verify: {},

  // Subscriptions and filters.
  eth_subscribe: { effect: 'follow', follows: 'subscription', isRelayed: true },
  eth_unsubscribe: { follows: 'subscription', isRelayed: true },
  eth_newBlockFilter: { effect: 'follow', follows: 'filter', isOnce: true },
  eth_newFilter: { effect: 'follow', follows: 'filter', isOnce: true },
  eth_newPendingTransactionFilter: { effect: 'follow', follows: 'filter', isOnce: true },
  eth_getFilterChanges: { follows: 'filter', isOnce: true },
  eth_getFilterLogs: { follows: 'filter', ranges: 'logs' },
  eth_uninstallFilter: { follows: 'filter', isOnce: true, isSentAfterClose: true },
} satisfies Readonly<Record<string, MethodFacts>>;

import type { Kind } from './kind.js';

/** Kinds without one right answer, with the one that Graft gives. */
export const decisions: readonly Kind[] = [
  {
    id: 'odd-fields-of-an-added-chain',
    reported:
      'One field of `wallet_addEthereumChain` that a wallet does not like, such as an empty list of explorers, fails the whole call.',
    graft:
      'An empty explorer and a WebSocket beside an https endpoint are left out; any other wrong field is refused by its name.',
    threads: {
      'https://github.com/wevm/wagmi/issues/3652':
        'Cannot add chains with empty `blockExplorers` to MetaMask',
      'https://github.com/latticexyz/mud/pull/2330':
        'feat(common): add `blockExplorers` field in mudFoundry for Wagmi',
      'https://github.com/WalletConnect/walletconnect-monorepo/issues/2863':
        "wallet_addEthereumChain got 'Invalid params'",
      'https://github.com/MetaMask/metamask-extension/issues/26844':
        '[Bug]: wallet_addEthereumChain blockExplorerUrls should be optional',
    },
    tests: [
      {
        file: 'test/e2e/conformance/clauses/eip-3085.test.ts',
        title: 'a WebSocket beside an endpoint, and an empty explorer, are left out',
      },
    ],
  },
  {
    id: 'endpoint-before-the-question',
    reported:
      'When a chain is added, the wallet asks the endpoint of the request for its chain id, and the call fails where that does not answer.',
    graft:
      'It asks as well, and for nothing else, before the person is asked: a question names a chain that exists.',
    threads: {
      'https://github.com/iotaledger/wasp-legacy/issues/306':
        'eth_chainId request fails on current JSON-RPC (Metamask compatibility)',
      'https://github.com/rooch-network/rooch/issues/1049':
        "[enhancement] try adding error prompt to MetaMask when adding chain that doesn't exist",
    },
    tests: [
      {
        file: 'test/e2e/conformance/clauses/eip-3085.test.ts',
        title: 'an endpoint is asked for its chain id alone, before the question',
      },
    ],
  },
  {
    id: 'permissions-beside-accounts',
    reported:
      '`wallet_requestPermissions` with other permissions beside `eth_accounts` is refused by one wallet and answered in part by another.',
    graft:
      'It is refused with `-32602`, without a question: most callers take any answer for a yes to all that they asked for.',
    threads: {
      'https://github.com/tahowallet/extension/issues/3395': 'Support EIP 2255 (`wallet_requestPermissions`)',
      'https://github.com/OneKeyHQ/app-monorepo/pull/8553': 'fix: ethena connect OK-44069',
    },
    tests: [
      {
        file: 'test/e2e/conformance/clauses/eip-2255.test.ts',
        title: 'EIP-2255 (6) an unknown permission is -32602, without a question',
      },
    ],
  },
  {
    id: 'ends-of-recursions',
    reported:
      'Typed data with a recursive struct leaves out the last one, and libraries disagree whether that is 32 zero bytes.',
    graft: '`null` ends a recursion in V4; an absent struct is refused, as by viem and ethers.',
    threads: {
      'https://github.com/MetaMask/eth-sig-util/pull/54': 'signTypedData for arrays',
      'https://github.com/MetaMask/eth-sig-util/pull/197':
        'Consolidate the data encoding for `signTypedData` V3 and V4',
    },
    tests: [
      {
        file: 'test/unit/keyring/typed-data/typed-data.test.ts',
        title: 'a recursion in V4 ends with null; a struct that is absent is refused, as by viem and ethers',
      },
    ],
  },
  {
    id: 'replaced-bodies',
    reported:
      'A page replaces its `<body>` when it navigates, and a dialog in the old one is gone or goes there.',
    graft: 'An open question moves to the new body, at most eight times, and its delay starts again.',
    threads: {
      'https://github.com/twbs/bootstrap/pull/34092':
        'Backdrop: Fix stale body by removing unnecessary default',
      'https://github.com/rapidez/core/pull/618': '[2.x] Add wrapper hack for turbo',
      'https://github.com/dwmkerr/angular-modal-service/pull/147':
        'Make showModal fetch body element on every call to work properly',
    },
    tests: [
      {
        file: 'test/e2e/browser/page-input.test.ts',
        title: 'puts another body in place: the question goes over to it, and waits again',
      },
    ],
  },
  {
    id: 'errors-as-json',
    reported: '`JSON.stringify` of an error loses its message, and a log or a message port shows `{}`.',
    graft: 'The JSON of an error is `code`, `message` and `data`, as on the wire.',
    threads: {
      'https://github.com/oasisprotocol/oasis-wallet-ext/issues/176': '"message" field is missing on errors',
      'https://github.com/BitGo/BitGoJS/pull/8634':
        'fix: surface error details in sendAccountConsolidations failure array',
    },
    tests: [
      {
        file: 'test/unit/rpc/errors.test.ts',
        title: 'an error in JSON has its message, and neither its stack nor the service’s own error',
      },
    ],
  },
  {
    id: 'optional-capabilities',
    reported:
      'A capability of `wallet_sendCalls` is not marked as optional, or is given for each chain, and the whole batch is refused.',
    graft:
      'One that is optional is ignored, also where it is given for each chain; any other is refused with 5700.',
    threads: {
      'https://github.com/thirdweb-dev/js/issues/7155':
        'MetaMask - RPC Error: Unsupported non-optional capabilities: paymasterService',
      'https://github.com/coinbase/coinbase-wallet-sdk/issues/1600':
        'Bug: ERC-7677 support in coinbase smart wallet is outdated',
    },
    tests: [
      {
        file: 'test/unit/methods/calls.slow.test.ts',
        title: 'EIP-5792 (7) an optional one is as if it were not there',
      },
      {
        file: 'test/unit/methods/calls.slow.test.ts',
        title: 'EIP-5792 (7) a capability that is not optional is 5700: %s',
      },
    ],
  },
  {
    id: 'waits-after-a-replacement',
    reported:
      'A wait for a transaction that has been replaced before the wait began does not end, since the old hash is unknown.',
    graft:
      'The old hash has no receipt, as on the chain, since that of another transaction would say that this one was mined; the wallet’s list says `replaced` and `replacedBy`.',
    threads: {
      'https://github.com/ethers-io/ethers.js/issues/3385':
        'TransactionResponse.wait() hangs when transaction has been sped up/resubmitted',
      'https://github.com/wevm/viem/issues/3875': 'waitForTransactionReceipt does not work as expected',
      'https://github.com/wevm/viem/pull/4636':
        'fix: detect `waitForTransactionReceipt` replacements by sender and nonce',
    },
    tests: [
      {
        file: 'test/unit/transactions/transactions.outcomes.waits.test.ts',
        title: 'only the dearer of two transactions with one nonce is sent again; both settle with its block',
      },
    ],
  },
  {
    id: 'tests-that-start-connected',
    reported:
      'A test wants to begin with a wallet that is connected, and each test has to click its way there.',
    graft:
      'The first load of a page makes the wallet, so a test connects once and reloads; from then on the page is connected from its start.',
    threads: {
      'https://github.com/wevm/wagmi/issues/4317':
        '`mock` Connector Results in `undefined` result from `useWalletClient`',
      'https://github.com/rainbow-me/rainbowkit/issues/1863':
        "[bug] Rainbowkit doesn't accommodate when using mock connector",
      'https://github.com/autonomys/astral/issues/463': 'Allow to mock connected wallet',
    },
    tests: [
      {
        file: 'test/e2e/browser/playwright/install-wallet.test.ts',
        title: 'keeps its permission over a reload, and signs again with the keys of its vault',
      },
    ],
  },
  {
    id: 'repeated-refusals',
    reported:
      'A page asks again after each refusal, and wallets that block it for a while block people who meant to go on.',
    graft:
      'A page that holds the wallet’s keys may ask again, since it could do worse; over the bridge three refusals within a minute pause a page.',
    threads: {
      'https://github.com/MetaMask/metamask-mobile/pull/10082': 'feat: add origin spam modal',
      'https://github.com/MetaMask/metamask-extension/issues/32162': '[Bug]: Spam filter',
      'https://github.com/RabbyHub/Rabby/pull/1799': 'fix: block Dapp from sending requests for 1 min',
      'https://github.com/ava-labs/core-extension/pull/440': 'fix(dapp): rate limit dapp spamming',
    },
    tests: [
      {
        file: 'test/unit/approvals/approvals.test.ts',
        title: 'sixty refusals in a row are sixty questions, and the next one is asked too',
      },
      {
        file: 'test/unit/bridge/handover.test.ts',
        title: 'the third refusal, of a token too, ends the other offers of the window',
      },
    ],
  },
];

import type { Kind } from './kind.js';

/** Kinds that a person meets in the dialog, or a page in the wallet's methods. */
export const people: readonly Kind[] = [
  {
    id: 'adding-a-known-chain',
    reported:
      '`wallet_addEthereumChain` for a chain that the wallet has answers `null` and does not switch, so a dapp that calls nothing else stays on the old chain.',
    graft:
      'It asks the person whether to switch to the chain, and keeps the endpoint that the wallet trusts.',
    threads: {
      'https://github.com/MetaMask/metamask-extension/issues/11980': 'should the event reject if users en',
      'https://github.com/brave/brave-core/pull/11222':
        'Make wallet_addEthereumNetwork switch when already added and not active',
      'https://github.com/tahowallet/extension/pull/3154':
        'Switch to a given network if adding a network that is already added.',
    },
    tests: [
      {
        file: 'test/e2e/conformance/clauses/eip-3085.test.ts',
        title:
          'EIP-3085 (10) adding a known chain again asks whether to switch to it, and keeps its endpoint',
      },
      {
        file: 'test/e2e/conformance/clauses/eip-3085.test.ts',
        title: 'every way to know a chain leads to the same question',
      },
    ],
  },
  {
    id: 'lost-storage',
    reported:
      'Safari loses the connection to IndexedDB, or `open()` never answers, and nothing works until the page is reloaded.',
    graft:
      'A lost connection is opened again and the operation repeated once; a database that never opens ends in a coded error within 20 seconds, and the next call tries again.',
    threads: {
      'https://github.com/firebase/firebase-js-sdk/issues/4948':
        'UnknownError: Connection to Indexed Database server lost. Refresh the page to try again',
      'https://github.com/tutao/tutanota/issues/1260':
        'iOS: UnknownError: Connection to Indexed Database server lost',
      'https://github.com/DimensionDev/Maskbook/issues/4965':
        '[Bug] Fail to open database on iOS occasionally',
      'https://github.com/jakearchibald/idb-keyval/issues/120':
        'Safari iOS/iPadOS 14.6 Bug: First Attempt at Opening indexedDB gets Stuck',
      'https://github.com/localForage/localForage/issues/685': 'IndexedDB fails to open',
    },
    tests: [
      {
        file: 'test/unit/storage/idb.test.ts',
        title: '%s (%s): it is opened again and the operation repeated once; later calls try again',
      },
      {
        file: 'test/unit/storage/idb.test.ts',
        title:
          'a database that never opens: every call gets an error in time, and works once the database answers',
      },
    ],
  },
  {
    id: 'touches-prevented',
    reported:
      'A modal library of the page prevents touch and wheel moves, and what lies above it or in a shadow root cannot be scrolled.',
    graft: 'The dialog and the panel scroll whatever handlers the page added after the wallet’s script.',
    threads: {
      'https://github.com/radix-ui/themes/issues/544':
        '[Dialog] Issue: touchmove event prevents scrolling on touchdevices',
      'https://github.com/theKashey/react-remove-scroll/issues/45':
        'RemoveScroll is broken inside a shadow dom',
      'https://github.com/radix-ui/primitives/issues/3353':
        'Radix Dialog: Focus trap and scrolling issues within Shadow DOM',
      'https://github.com/radix-ui/primitives/issues/2125':
        '[Dialog] Dialog.Overlay preventing mousewheel scrolls from happening outside the modal',
    },
    tests: [{ file: 'test/e2e/browser/page-input.test.ts', title: 'takes no touch that scrolls' }],
  },
  {
    id: 'keys-and-focus-taken',
    reported:
      'A game takes every key, or a focus trap every focus, so a form above it loses letters, Tab or the focus itself.',
    graft:
      'Keys, clicks and touches for the dialog reach it whatever handlers the page added after the wallet’s script, and those handlers see no key of a password.',
    threads: {
      'https://github.com/jeffreylanters/react-unity-webgl/issues/23': 'Module somehow disables text inputs?',
      'https://github.com/playroomkit/unity/issues/27': 'Input on lobby not working in sample project',
      'https://github.com/mlibrary/heliotrope/issues/1589': 'Unity/WebGL is hogging the keyboard',
      'https://github.com/Uniswap/interface/pull/6060': 'fix: focus issues with WalletConnect modal',
      'https://github.com/breschio/drawbridge/pull/46':
        'Fix comment input losing focus inside host-app modals (focus trap)',
    },
    tests: [
      {
        file: 'test/e2e/browser/page-input.test.ts',
        title: 'takes no letter and no caret key of a password, and sees none of them',
      },
      {
        file: 'test/e2e/browser/page-input.test.ts',
        title:
          'takes no click, no Tab and no Enter from the buttons, which still act on trusted presses alone',
      },
      {
        file: 'test/unit/wallet/event-shield.test.ts',
        title: 'an event on the way to the wallet arrives as it was, and the page has seen no key',
      },
    ],
  },
  {
    id: 'typed-data-beside-its-types',
    reported:
      'Typed data with a type name such as `A:B`, or with members that its types do not name, is refused by one wallet and shown by another as if it were signed.',
    graft:
      'It signs what the digest covers, as its peers do, and shows nothing else; a name that would change the text of a type stays refused.',
    threads: {
      'https://github.com/ApeWorX/eth-account/issues/190': 'EIP-712 Structured data identifiers',
      'https://github.com/alloy-rs/core/pull/963': 'fix: colon 712 identifiers',
      'https://github.com/BitBoxSwiss/bitbox02-firmware/pull/2011':
        'eth: loosen EIP-712 identifier validation',
      'https://github.com/MetaMask/metamask-extension/issues/11457':
        '"eth_signTypedData" presents fields that do not appear in \'types\' filed',
      'https://github.com/MetaMask/metamask-extension/issues/22900':
        '[Bug]: Signatures - Passing extra data not typed is added in the signature but not visible on the UI',
    },
    tests: [
      {
        file: 'test/unit/keyring/typed-data/typed-data.test.ts',
        title: 'members outside the type are left out: %s',
      },
      {
        file: 'test/unit/keyring/typed-data/typed-data.test.ts',
        title: 'names that are no identifiers, each with a path that no other value can have',
      },
      {
        file: 'test/unit/keyring/typed-data/typed-data.test.ts',
        title: 'whatever the names and members are, the digest is viem’s and only covered values are shown',
      },
    ],
  },
  {
    id: 'refused-by-no-person',
    reported:
      'A dapp gets the user’s rejection although no user rejected, or a dialog fails because the page has no `<body>` yet.',
    graft:
      'The body is waited for, and a dialog that could not be shown or an approver that fails is `-32002` with a reason, never `4001`.',
    threads: {
      'https://github.com/tahowallet/extension/issues/2672': "tx-error: 'the user rejected the request'",
      'https://github.com/brave/brave-browser/issues/22738':
        '"The user rejected the request." modal is a bit too sticky',
      'https://github.com/remotestorage/remotestorage.js/issues/473':
        'document the fact that you cannot call displayWidget() before the <body> tag',
      'https://github.com/twbs/bootstrap/issues/29510':
        "BS4js: can't show modal dialog in head scripts (before body)",
    },
    tests: [
      {
        file: 'test/unit/approvals/approvals.test.ts',
        title: 'an approver that fails is no refusal: %s',
      },
      {
        file: 'test/unit/ui/dialog/body.test.ts',
        title: 'the body of a page that loads is waited for',
      },
      {
        file: 'test/e2e/browser/page-input.test.ts',
        title: 'a browser that cannot show the question, or a page without a body, is no refusal',
      },
    ],
  },
  {
    id: 'passkeys-of-windows-hello',
    reported:
      'Windows Hello makes a passkey without PRF, or fails, unless `create()` is given a value to evaluate.',
    graft:
      '`create()` is given one, and `get()` is asked before a password is advised; a fake authenticator holds this, and no Windows was tried.',
    threads: {
      'https://github.com/bitwarden/clients/issues/19858':
        '[PM-34358] Unable to create/store a PRF-capable login-passkey with encryption on Windows Hello',
      'https://github.com/bitwarden/clients/pull/21998':
        'webauthn: Pass PRF input on unlock passkey creation',
      'https://github.com/mozilla/fxa/pull/20786':
        'fix(passkeys): supply static PRF salt and silently retry without PRF',
    },
    tests: [
      {
        file: 'test/unit/keyring/passkeys.test.ts',
        title: 'a device that %s is accepted, and opens the wallet again',
      },
    ],
  },
  {
    id: 'tokens-by-address-alone',
    reported:
      'A wallet refuses `wallet_watchAsset` without symbol and decimals, which EIP-747 leaves optional.',
    graft: 'The address is enough: the contract reports symbol and decimals.',
    threads: {
      'https://github.com/Conflux-Chain/helios/pull/917': 'fix: wallet_watchAsset',
      'https://github.com/MetaMask/core/pull/1745': 'Add on-chain validation to ERC20 wallet_watchAsset',
      'https://github.com/MetaMask/api-specs/pull/137':
        'update wallet_watchAsset description to acknowledge the divergence between EIP-747 and our implementation',
    },
    tests: [
      {
        file: 'test/unit/methods/watch-asset.test.ts',
        title: '%s: the contract reports the rest',
      },
    ],
  },
  {
    id: 'plain-http',
    reported:
      'Opened over plain HTTP from another machine, a wallet fails where it first needs `crypto.subtle`, with a `TypeError` or as a failed login.',
    graft: 'The wallet says at once that the page needs HTTPS, before it asks for a password.',
    threads: {
      'https://github.com/WalletConnect/walletconnect-monorepo/issues/661':
        'evaluating \'_walletconnect_environment__WEBPACK_IMPORTED_MODULE_0__["getSubtleCrypto"]().importKey\'',
      'https://github.com/decentralized-identity/web5-js/issues/158':
        'Document, polyfill, or make friendlier error message when `crypto.subtle` is undefined',
      'https://github.com/stx-labs/stacks.js/issues/789':
        'crypto.subtle is undefined when not in secure contexts (https)',
      'https://github.com/walt-id/waltid-web-wallet-deprecated/issues/33':
        'Log in does not work when using a HTTP connection',
    },
    tests: [
      {
        file: 'test/e2e/browser/onboarding.test.ts',
        title:
          'a page over plain http from another machine says at once that it needs HTTPS, and rejects with -32002',
      },
    ],
  },
  {
    id: 'locked-pointer',
    reported: 'While a game has locked the pointer, the buttons of an overlay cannot be clicked.',
    graft: 'The dialog releases the pointer when it opens, and again if the page locks it meanwhile.',
    threads: {
      'https://github.com/matrix-org/thirdroom/pull/623': 'Exit pointer lock for webSG tutorial dialog',
      'https://github.com/HeapsIO/hide/pull/137': 'Remove mouseLock when opening l3d',
      'https://github.com/webaverse/app/issues/272': 'Tab menu click/mouse support',
    },
    tests: [
      {
        file: 'test/e2e/browser/page-input.test.ts',
        title: 'gives the pointer back that it has locked, also where it locks it again',
      },
    ],
  },
];

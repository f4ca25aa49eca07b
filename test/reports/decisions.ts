import type { Kind } from './kind.js';

/** Kinds without one right answer, with the one that Graft gives. */
export const decisions: readonly Kind[] = [
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
        title: 'EIP-3085 (3) an rpcUrl that serves another chain is refused, at any position',
      },
    ],
  },
  {
    id: 'ends-of-recursions',
    reported:
      'Typed data with a recursive struct leaves out the last one, and libraries disagree whether that is 32 zero bytes.',
    graft: '`null` ends a recursion in V4, as 32 zero bytes.',
    threads: {
      'https://github.com/MetaMask/eth-sig-util/pull/54': 'signTypedData for arrays',
      'https://github.com/MetaMask/eth-sig-util/pull/197':
        'Consolidate the data encoding for `signTypedData` V3 and V4',
    },
    tests: [
      {
        file: 'test/unit/keyring/typed-data/typed-data.test.ts',
        title: 'a recursive struct ends in null, as 32 zero bytes, and V3 knows no null',
      },
    ],
  },
];

import type { Kind } from './kind.js';

/** Kinds that come from a node, a gateway before it, or the network. */
export const nodes: readonly Kind[] = [
  {
    id: 'reads-behind-a-balancer',
    reported:
      'Behind a load balancer the block number goes back, a receipt that was there is gone, and logs are missing without an error.',
    graft:
      'A shown answer is not taken back while the chain stays the same: an older, missing or incomplete answer is read again, and is an error where no node catches up within about three seconds.',
    threads: {
      'https://github.com/ethereum/go-ethereum/issues/27353':
        'Identify stale nodes when behind load balancer',
      'https://github.com/ethereum/go-ethereum/issues/24078':
        'eth_getLogs allows to query events from unmined block',
      'https://github.com/ethereum/execution-apis/issues/534':
        'getLogs shall return error when fromBlock or toBlock does not exist',
      'https://github.com/wevm/viem/issues/923':
        'bug: TransactionNotFoundError with waitForTransactionReceipt()',
      'https://github.com/Crossbell-Box/crossbell.js/issues/40':
        'Retry `waitForTransactionReceipt` to avoid not-found error caused by load-balanced json rpc server',
    },
    tests: [
      {
        file: 'test/e2e/clients/steady-reads.test.ts',
        title: 'behind a balancer (%s) no tab takes anything back, and every wait ends',
      },
      {
        file: 'test/unit/service/steady/steady-service.settling.test.ts',
        title: 'does not go back: the number of a node that is behind costs one question',
      },
      {
        file: 'test/unit/service/steady/steady-service.rows.test.ts',
        title: 'is asked again for %s until another node answers',
      },
      {
        file: 'test/unit/service/steady/steady-service.logs.test.ts',
        title: '%s are read again where a node that is behind has left out the newest',
      },
    ],
  },
  {
    id: 'short-outages',
    reported:
      'While a gateway answers 503 for a moment, all parallel requests fail, or retry at full rate until the outage is worse.',
    graft:
      'An outage is one event of the endpoint: what waits, waits together, one read tests the endpoint, and then the rest goes; a payment made meanwhile is sent once.',
    threads: {
      'https://github.com/joshstevens19/rindexer/pull/435':
        'fix(indexer): treat RPC 503/-32001 as rate limits and bound retry storms',
      'https://github.com/subsquid/squid-sdk/pull/504':
        "rpc-client: retry transient 'no available provider' errors instead of crashing",
      'https://github.com/succinctlabs/rsp/pull/103': 'feat: retry all RPC provider 5xx errors',
    },
    tests: [
      {
        file: 'test/unit/service/client.outages.test.ts',
        title: '12 reads in flight cost a second at most, no failure and no disconnect',
      },
      {
        file: 'test/unit/service/client.outages.test.ts',
        title: 'a payment that begins during it is sent once, after a read has found the endpoint',
      },
    ],
  },
  {
    id: 'rate-limits',
    reported: 'After a 429 each request retries by itself, and the retries alone keep the limit exceeded.',
    graft:
      'A limit belongs to the endpoint: nothing is sent before its time is over, no burst follows, and payments go first.',
    threads: {
      'https://github.com/ethers-io/ethers.js/issues/3477': 'How to disable ethers 429 error retries?',
      'https://github.com/ethers-io/ethers.js/issues/1260': 'Recognize Failed Calls (or cap retries)',
      'https://github.com/MetaMask/eth-json-rpc-infura/issues/33': 'Add support for rate limits',
      'https://github.com/across-protocol/relayer/pull/404':
        'improve(ProviderUtils): Override ethers 429 backoff',
    },
    tests: [
      {
        file: 'test/unit/service/client.outages.test.ts',
        title: 'no request during a Retry-After, and no burst behind it',
      },
      {
        file: 'test/unit/service/client.outages.test.ts',
        title: 'a payment waits with the reads, and is sent before them',
      },
    ],
  },
  {
    id: 'logs-that-contradict-the-bloom',
    reported: '`eth_getLogs` leaves out logs of a transaction whose receipt has them.',
    graft:
      'The logs of a block must give the bloom of its header: a list that does not is read again, and then taken from the receipts.',
    threads: {
      'https://github.com/rsksmart/rskj/issues/1600':
        'Event values calculated incorrectly for a certain event on mainnet',
      'https://github.com/openethereum/parity-ethereum/issues/7607':
        'eth_getLogs is failing to return the correct logs',
      'https://github.com/hl-archive-node/nanoreth/issues/78':
        'eth_getLogs returns empty result when filtering by address with fromBlock/toBlock, but works with blockHash',
      'https://github.com/evmos/ethermint/issues/861':
        '`eth_getLogs` returns empty when specify blockHash and not specify address/topics',
    },
    tests: [
      {
        file: 'test/unit/service/logs/block-logs.test.ts',
        title: 'a block answered %s is read from its receipts',
      },
      {
        file: 'test/unit/service/logs/bloom-check.test.ts',
        title: 'a list gives the bloom of its block exactly when no log is missing and none is invented',
      },
    ],
  },
  {
    id: 'one-bad-block',
    reported:
      'A block whose logs stay wrong or unreadable stops a follower for ever, or is skipped and its logs are lost silently.',
    graft:
      'Later blocks are delivered, the bad one is read in another way, and logs that stay missing are reported as a gap.',
    threads: {
      'https://github.com/graphprotocol/graph-node/issues/4917': '[Bug] receipt block mismatch loop',
      'https://github.com/raiden-network/light-client/issues/1923':
        '`fromEthersEvent` utility can lose block ranges if more than `range` blocks are skipped, and errors if `getLogs` request throws',
      'https://github.com/drpcorg/nodecore/pull/216': 'Local logs subscription',
    },
    tests: [
      {
        file: 'test/unit/subscriptions/subscriptions.bad-blocks.test.ts',
        title: 'a block that is answered %s for ever is a gap, said once, and later blocks go on',
      },
      {
        file: 'test/unit/subscriptions/subscriptions.bad-blocks.test.ts',
        title: 'a block that can be read from receipts is delivered at once, in order',
      },
      {
        file: 'test/unit/subscriptions/subscriptions.bad-ranges.test.ts',
        title: 'the first and the last missed block are bad',
      },
    ],
  },
  {
    id: 'silent-subscriptions',
    reported: 'A WebSocket confirms `newHeads` and stays open, but blocks stop arriving or never come.',
    graft:
      'A source of heads earns trust with a head that arrives before a poll shows it, and loses it with one that a poll shows first; until then polling goes on.',
    threads: {
      'https://github.com/0xPolygon/bor/issues/788': 'WS newHead subscription loses data stream',
      'https://github.com/ponder-sh/ponder/pull/2389':
        'Detect a WebSocket that stays open but stops delivering blocks',
      'https://github.com/crypto-org-chain/cronos/issues/812':
        'v1.0.2 Websocket subscriptions stop responding',
      'https://github.com/telosnetwork/telos-evm-docker/issues/26':
        'EVM Websocket connecting and responding to subscription but no new heads are pushed',
      'https://github.com/ethers-io/ethers.js/issues/5121':
        'WebSocketProvider silently loses newHeads subscription after once("block") listener fires',
    },
    tests: [
      {
        file: 'test/unit/wallet/following.push.test.ts',
        title: 'a server that confirms and never pushes delays no head',
      },
      {
        file: 'test/unit/wallet/following.push.test.ts',
        title: 'a server that answers and pushes no more heads loses its trust with the poll of a minute',
      },
    ],
  },
  {
    id: 'odd-answers-to-subscribe',
    reported:
      'A gateway answers an `eth_subscribe` that it does not know in a way of its own, and the library neither reports it nor polls instead.',
    graft: 'The wallet asks for `newHeads` then, whatever the answer was, and polls until a head arrives.',
    threads: {
      'https://github.com/ethers-io/ethers.js/issues/4683':
        'WS Subscriptions are not awaited, thus errors cannot be handled',
      'https://github.com/ethers-io/ethers.js/pull/5179':
        'fix: emit error when WebSocket eth_subscribe is rejected',
      'https://github.com/ensdomains/ens-app/pull/296': 'fix: some provider not support eth_subscrbe',
    },
    tests: [
      {
        file: 'test/unit/chain/heads/socket-source.gateways.test.ts',
        title: 'a gateway that answers an unknown subscription %s is asked for newHeads',
      },
      {
        file: 'test/unit/wallet/following.push.test.ts',
        title: 'a server that confirms and never pushes delays no head',
      },
    ],
  },
  {
    id: 'ranges-that-fail',
    reported:
      'A wide `eth_getLogs` ends in a 502 or a timeout in place of a refusal, and is repeated at the same width.',
    graft:
      'A range that keeps failing is read in narrower parts, whatever the failure, before an error is passed on.',
    threads: {
      'https://github.com/thetatoken/theta-eth-rpc-adaptor/issues/21':
        '502 Bad Gateway on testnet RPC adaptor',
      'https://github.com/worldcoin/signup-sequencer/issues/240':
        'Split log fetch into smaller block range when the request fails due to timeout.',
      'https://github.com/ponder-sh/ponder/pull/2386': 'Narrow the eth_getLogs range on timeout',
      'https://github.com/matter-labs/zksync-era/pull/3706':
        'feat(eth-watch): split heavy get logs requests if 503',
      'https://github.com/joshstevens19/rindexer/issues/327':
        'Handle gracefully any unknown error that tries to fetch large block range',
    },
    tests: [
      {
        file: 'test/unit/service/logs/ranges.failures.test.ts',
        title: 'a range that is too wide is read in parts',
      },
      {
        file: 'test/unit/service/logs/ranges.failures.test.ts',
        title: 'in an outage the range waits, and is not split',
      },
    ],
  },
  {
    id: 'refused-batches',
    reported:
      'A batch above the limit of a node is answered by one error object, by an error without an id, or by a dropped connection.',
    graft:
      'A refused batch is sent in smaller ones and the limit is kept; members that were answered keep their answers, and a rate limit for the batch is waited for.',
    threads: {
      'https://github.com/erigontech/erigon/issues/17245':
        'Batch limit error returns single object instead of array, violating JSON-RPC 2.0 specification',
      'https://github.com/erigontech/erigon/issues/18074':
        'rpc: JSON-RPC batch request over limit should return an error',
      'https://github.com/erigontech/erigon/issues/7072': 'batch limit 100 exceeded:',
      'https://github.com/ethereum/go-ethereum/pull/26681':
        'rpc: add limit for batch request and response size',
    },
    tests: [
      {
        file: 'test/unit/service/http/batch.test.ts',
        title: 'a limit that is named, or was found, is kept from then on',
      },
      {
        file: 'test/unit/service/http/batch.test.ts',
        title: 'answers of a batch are those of their calls: a revert, a result, a limit',
      },
    ],
  },
  {
    id: 'words-for-limits',
    reported:
      'Each provider reports a limit or a spent quota in words and shapes of its own, some outside of JSON-RPC’s error, and clients take it for an answer or for something else.',
    graft:
      'One reader knows the shapes and words, and a table of tests holds it; words that it does not know stay an unknown error.',
    threads: {
      'https://github.com/mysteriumnetwork/payments/pull/129': 'Handle too many requests',
      'https://github.com/foundry-rs/foundry/issues/10938': 'Gracefully handle 429 errors from RPC provider',
      'https://github.com/AntSeed/antseed/issues/841':
        'FallbackProvider treats RPC error responses as valid results — rate-limited public RPCs poison on-chain reads',
    },
    tests: [{ file: 'test/unit/service/errors/diagnose.gateways.test.ts', title: '%s' }],
  },
  {
    id: 'empty-replies',
    reported:
      'A gateway answers HTTP 200 with `{}`, `null` or no result at all, and the client takes that for the answer.',
    graft: 'It is a broken reply: a read is asked again, and no caller gets it as an answer.',
    threads: {
      'https://github.com/elpheria/rpc-websockets/issues/91':
        'No RPC exception is thrown when a received Response object does not contain both the "result" and "error" fields',
      'https://github.com/graphprotocol/graph-node/issues/4439':
        "Some creative RPC providers answer with 'null' (no error) when blockhash is not found",
      'https://github.com/qooxdoo/qooxdoo/pull/73':
        'Fixes bug 8023: generates an exception upon no data in RPC result',
    },
    tests: [{ file: 'test/unit/service/errors/diagnose.gateways.test.ts', title: '%s' }],
  },
  {
    id: 'codes-of-plain-accounts',
    reported:
      '`eth_getCode` answers `0x0` for an address without code on one node and `0x` on another, and checks for a contract fail.',
    graft:
      'An address without code has `0x`, however the node writes it; a byte of code, also `0x00`, stays as it is.',
    threads: {
      'https://github.com/web3/web3.js/issues/2907':
        "web3.eth.getCode() returns '0x' on Goerli & Locally setup PoA network whereas it returns '0x0' on Ganache for non-contract addresses.",
      'https://github.com/neonevm/proxy-model.py/issues/428':
        'implement eth_getCode (which currently is hardcoded to return 0x01)',
    },
    tests: [
      { file: 'test/unit/rpc/results.odd.test.ts', title: '%#: %j is %j' },
      { file: 'test/unit/rpc/results.odd.test.ts', title: '%#: %j is an error' },
    ],
  },
  {
    id: 'one-odd-field',
    reported:
      'A receipt with `root: "0x01"` or `contractAddress: "0x"` cannot be read at all, although the transaction succeeded.',
    graft:
      '`0x` for no address is `null`, a number is its quantity, and a field that decides nothing is passed on as received; only one that decides something is an error.',
    threads: {
      'https://github.com/ethers-io/ethers.js/issues/1251': 'Formatting errors on ETH-like networks',
      'https://github.com/ethers-io/ethers.js/pull/952':
        'fix: change type of formats.receipt.root hash -> hex',
      'https://github.com/NomicFoundation/hardhat/issues/694':
        "bug: can't deploy to JSON-RPC network, where equivalent deployment via Remix and Truffle works",
      'https://github.com/godwokenrises/godwoken-web3/issues/363':
        '[Incompatibility with Rinkeby] "contractAddress" should be "null" instead of "0x" in transaction receipt',
      'https://github.com/jmrossy/celo-ethers-wrapper/issues/5': 'Invalid address',
    },
    tests: [
      { file: 'test/unit/rpc/results.odd.test.ts', title: '%s %j' },
      { file: 'test/unit/rpc/results.odd.test.ts', title: 'a deciding field, %s %j, is an error' },
    ],
  },
  {
    id: 'reverts-as-results',
    reported:
      '`eth_call` answers the bytes of a revert as its result, and a call that fails looks like one that succeeds.',
    graft:
      'A result that is exactly an `Error(string)` or a `Panic` is a revert with its reason; other bytes are a result.',
    threads: {
      'https://github.com/ethereum/go-ethereum/issues/19027':
        'eth_call cannot distinguish between success and failure with require-reason',
      'https://github.com/ConsenSys-archive/ganache/issues/222':
        'Ambiguous `eth_call` revert results (behaves like Geth)',
      'https://github.com/matter-labs/zksync-os-server/issues/450': 'Report revert in `eth_call` as an error',
      'https://github.com/Zilliqa/zq2/issues/1665':
        '`eth_call` should return an error response if the call reverts',
    },
    tests: [
      {
        file: 'test/unit/service/http/reply.payload.test.ts',
        title: '%s fails as if the service had said so',
      },
      { file: 'test/unit/service/http/reply.payload.test.ts', title: '%s is a result' },
    ],
  },
  {
    id: 'estimates-of-creations',
    reported:
      'On Rootstock the gas estimate of a call that creates a contract cannot be used, so projects write gas limits into their code.',
    graft:
      'Where the estimate is the node’s maximum, the wallet measures the call in another way, so the gas limit and the fee are near what is used; pages get the same figure from `eth_estimateGas`.',
    threads: {
      'https://github.com/rsksmart/tokenbridge/pull/152': 'Calculate gas price instead of hardcoding it',
      'https://github.com/rsksmart/tokenbridge/pull/153':
        'Estimation on RSK does not work correctly so we harcoded the values',
      'https://github.com/rsksmart/rskj/issues/948': 'Implement Gas Exactimation',
    },
    tests: [
      {
        file: 'test/unit/transactions/prepare.creations.test.ts',
        title: '%s: no danger, a fee near the paid one, mined',
      },
    ],
  },
];
